"""The floor: read every number once, add it up, and predict the shares of the classes."""

import pickle
from functools import partial

import numpy as np

from systems import Trained


def train(problem, rounds, parameters, threads, seed, on_round=None):
    sums = problem.X_train.sum(axis=0)
    counts = np.bincount(problem.y_train, minlength=problem.n_classes)
    shares = counts / counts.sum()

    def proba(X):
        X.sum(axis=0)
        return np.tile(shares, (len(X), 1))

    return Trained(proba, proba, partial(pickle.dumps, (sums, shares)), rounds)
