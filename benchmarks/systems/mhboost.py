"""This package."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from mhboost import MHBoostClassifier
from systems import Trained


def train(problem, rounds, parameters, threads, seed, on_round=None):
    callbacks = None if on_round is None else [lambda _: on_round()]
    model = MHBoostClassifier(
        n_estimators=rounds, random_state=seed, n_jobs=threads, callbacks=callbacks, **parameters
    )
    model.fit(problem.X_train, problem.y_train)
    model.callbacks = None
    return Trained(
        model.decision_function,
        model.predict_proba,
        partial(dump, model),
        model.n_iter_,
        partial(staged, model),
        model.decision_function_one,
    )


def dump(model):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        return path.read_bytes()


def staged(model, X, wanted):
    wanted = set(wanted)
    for t, scores in enumerate(model.staged_decision_function(X), 1):
        if t in wanted:
            yield scores
