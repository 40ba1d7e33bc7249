"""This package."""

import pickle
from functools import partial

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
        partial(pickle.dumps, model, protocol=5),
        model.n_iter_,
        partial(staged, model),
        getattr(model, "decision_function_one", None),
    )


def staged(model, X, wanted):
    wanted = set(wanted)
    for t, scores in enumerate(model.staged_decision_function(X), 1):
        if t in wanted:
            yield scores
