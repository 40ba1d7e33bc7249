"""scikit-learn's two ways from one label to many, around gradient boosting.

`wrap` is "chain" (ClassifierChain: a label's classifier also sees the labels before it) or
"outputs" (MultiOutputClassifier: one classifier a label); `base` is "hist" or "lightgbm", and the
other parameters are the base's.
"""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier

from systems import Trained

WRAPPERS = {"chain": ClassifierChain, "outputs": MultiOutputClassifier}


def base_of(name, rounds, threads, seed, parameters):
    if name == "hist":  # its threads are OpenMP's, which measure.py limits
        return HistGradientBoostingClassifier(max_iter=rounds, random_state=seed, **parameters)
    return LGBMClassifier(
        n_estimators=rounds, random_state=seed, n_jobs=threads, verbosity=-1, **parameters
    )


def train(problem, rounds, parameters, threads, seed, on_round=None):
    parameters = dict(parameters)
    wrapper = WRAPPERS[parameters.pop("wrap")]
    base = base_of(parameters.pop("base"), rounds, threads, seed, parameters)
    model = wrapper(base).fit(problem.X_train, problem.y_train)
    return Trained(
        lambda X: proba(model, X) - 0.5,
        partial(proba, model),
        partial(pickle.dumps, model),
        rounds,
    )


def proba(model, X):
    shares = model.predict_proba(X)
    if isinstance(shares, list):  # MultiOutputClassifier: per label, of "no" and "yes"
        return np.column_stack([of_label[:, 1] for of_label in shares])
    return shares
