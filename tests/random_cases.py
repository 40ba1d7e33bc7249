"""Random problems for the comparison of the core with the oracle; a seed says it all.

A `Case` has columns of every kind (continuous, few whole numbers, constant, categorical; with and
without missing values), repeated rows, weights of every kind, and labels that depend on some of the
columns through noise.
"""

from __future__ import annotations

import numpy as np

from core_runs import Case
from oracle import Problem, Settings

PROBLEMS = ("binary", "single-label", "multi-label", "multi-task")


def random_case(seed, kind=None, columns=None, rounds=None, max_bins=None, **settings):
    """What is not given is drawn. `columns`: the kinds to draw from, of `random_column`."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8) if rng.random() < 0.1 else rng.integers(20, 80))
    X, categorical = random_columns(rng, n, int(rng.integers(1, 7)), columns)
    if rng.random() < 0.2:
        X = X[rng.integers(0, n, n)]  # some rows twice, some not at all
    problem = random_problem(rng, X, kind or str(rng.choice(PROBLEMS)))
    drawn = {
        "learning_rate": float(rng.choice([1.0, 0.5, 0.1])),
        **random_weights(rng, problem),
        **settings,
    }
    return Case(
        X,
        problem,
        Settings(**drawn),
        rounds=rounds or int(rng.integers(3, 9)),
        categorical=categorical,
        max_bins=int(rng.choice([0, 5, 30])) if max_bins is None else max_bins,
    )


# ---------------------------------------------------------------------------------------- columns

KINDS = 4 * ("continuous",) + 4 * ("integers",) + 3 * ("categories",) + ("constant",)
SIZES = (1, 2, 3, 3, 4, 5, 5, 9, 20)  # numbers of categories


def random_columns(rng, n, d, kinds=None):
    """(X, {column: C})"""
    X, categorical = np.empty((n, d)), {}
    for j in range(d):
        kind = str(rng.choice(KINDS if kinds is None else kinds))
        if kind == "categories":
            categorical[j] = int(rng.choice(SIZES))
        X[:, j] = random_column(rng, n, kind, categorical.get(j))
        if rng.random() < 0.4:
            X[rng.random(n) < rng.choice([0.1, 0.5]), j] = np.nan
    return X, categorical


def random_column(rng, n, kind, n_categories=None):
    if kind == "continuous":
        return rng.normal(size=n) * 10.0 ** rng.integers(-3, 4)
    if kind == "integers":
        return rng.integers(-2, rng.choice([0, 1, 4, 20]), n).astype(float)
    if kind == "categories":
        return rng.integers(0, n_categories, n).astype(float)
    return np.full(n, 7.0)


# ---------------------------------------------------------------------------------------- labels


def random_problem(rng, X, kind, classes=None):
    if kind == "multi-label":
        return Problem.multi_label(
            np.column_stack([random_labels(rng, X, 2) for _ in range(rng.integers(1, 7))])
        )
    if kind == "binary":
        ks = [2]
    elif kind == "single-label":
        ks = [classes or int(rng.integers(2, 13))]
    else:
        ks = rng.integers(2, 5, rng.integers(1, 4)).tolist()
    return Problem.multi_task([random_labels(rng, X, k) for k in ks], ks)


def random_labels(rng, X, k):
    """Classes that depend on a few columns, with some noise."""
    n, d = X.shape
    ranks = np.nan_to_num(X, nan=1.5).argsort(axis=0).argsort(axis=0) / n - 0.5
    bends = np.sin(ranks * rng.uniform(1, 9, d))
    y = (bends @ rng.normal(size=(d, k)) + rng.normal(size=k) / 2).argmax(axis=1)
    return np.where(rng.random(n) < 0.25, rng.integers(0, k, n), y)


# ---------------------------------------------------------------------------------------- weights


def random_weights(rng, problem):
    """The two weightings or a matrix with zeros; rows often weighted, some with zero."""
    n, K = problem.signs.shape
    weights = [str(rng.choice(["balanced", "uniform"])), rng.integers(0, 4, (n, K)) + rng.random()]
    rows = [None, rng.integers(1, 4, n), rng.exponential(size=n) * (rng.random(n) < 0.9) + 1e-3]
    return {
        "weights": weights[int(rng.random() < 0.3)],
        "row_weights": rows[int(rng.integers(0, 3))],
    }
