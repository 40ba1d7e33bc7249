"""LightGBM: one tree per class and round."""

from __future__ import annotations

from functools import partial

import lightgbm as lgb

from systems import Trained


def train(problem, rounds, parameters, threads, seed, on_round=None):
    settings = {
        "objective": "multiclass",
        "num_class": problem.n_classes,
        "num_threads": threads,
        "seed": seed,
        "verbosity": -1,
        **parameters,
    }
    callbacks = None if on_round is None else [lambda _: on_round()]
    rows = lgb.Dataset(problem.X_train, problem.y_train, params=settings)
    model = lgb.train(settings, rows, num_boost_round=rounds, callbacks=callbacks)
    return Trained(
        partial(model.predict, raw_score=True, num_threads=threads),
        partial(model.predict, num_threads=threads),
        lambda: model.model_to_string().encode(),
        model.current_iteration(),
        partial(staged, model, threads),
    )


def staged(model, threads, X, wanted):
    scores, done = 0.0, 0
    for t in wanted:
        scores = scores + model.predict(
            X,
            start_iteration=done,
            num_iteration=t - done,
            raw_score=True,
            num_threads=threads,
        )
        done = t
        yield scores
