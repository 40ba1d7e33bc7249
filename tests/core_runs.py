"""Runs the core on problems and settings said in the oracle's words.

    case = Case(X, Problem.single_label(y), Settings(nodes=4), rounds=10)
    training = train(case, n_threads=2)
    training.scores()

`fingerprint(training)` holds every bit of the model and of the story of its training.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from mhboost import _core
from oracle import Problem, Settings


@dataclass(frozen=True)
class Case:
    """A whole experiment.

    X            float64 n x d, or any other matrix of numbers; nan is missing
    categorical  {column: C}: the column holds codes 0..C-1
    max_bins     0: a cut between any two neighbouring values
    """

    X: np.ndarray
    problem: Problem
    settings: Settings = field(default_factory=Settings)
    rounds: int = 8
    categorical: dict = field(default_factory=dict)
    max_bins: int = 0


@dataclass(frozen=True)
class Training:
    """A booster and what it was made of."""

    case: Case
    binner: object
    matrix: object
    booster: object

    @property
    def ensemble(self):
        return self.booster.ensemble()

    def scores(self, X=None):
        """f(x) of the rows of X, or of the training rows."""
        ensemble = self.ensemble
        return ensemble.scores(raw_of(self.case.X if X is None else X), 0, ensemble.n_rounds)


# ---------------------------------------------------------------------------------------- problem


def targets_of(problem):
    """Which columns are positive in which row, and where each task begins."""
    n, K = problem.signs.shape
    rows, columns = np.nonzero(problem.signs > 0)
    begins = np.searchsorted(rows, np.arange(n + 1))
    offsets = [*(s.start for s in problem.columns()), K]
    return _core.Targets(
        begins.astype(np.int64), columns.astype(np.int32), np.array(offsets, dtype=np.int32)
    )


def weights_of(problem, settings):
    """The initial weights by the core's own means: a row's factor times a column's, or a matrix."""
    targets, n = targets_of(problem), len(problem.signs)
    rows = np.ones(n) if settings.row_weights is None else np.asarray(settings.row_weights, float)
    if not isinstance(settings.weights, str):
        matrix = np.array(settings.weights, dtype=np.float64, order="C") * rows[:, None]
        return _core.SignedWeights.from_matrix(targets, matrix)
    if problem.kind == "multi-label":
        positive, negative = _label_factors(problem.signs, settings.weights)
        ones = np.ones(problem.signs.shape[1])
        return _core.SignedWeights(targets, positive * rows, negative * rows, ones, ones)
    factors = [_class_factors(k, settings.weights) for k in problem.classes]
    sides = zip(*factors, strict=True)
    positive, negative = (np.concatenate(side) / len(factors) for side in sides)
    return _core.SignedWeights(targets, rows, rows, positive, negative)


def _class_factors(k, scheme):
    """What a positive and a negative of each column of a task of k classes weigh."""
    if k == 2:
        return np.ones(1), np.ones(1)
    if scheme == "uniform":
        return np.full(k, 1 / k), np.full(k, 1 / k)
    return np.full(k, 1 / 2), np.full(k, 1 / (2 * (k - 1)))


def _label_factors(signs, scheme):
    """What a positive and a negative label of each row weigh."""
    L = signs.shape[1]
    p = (signs > 0).sum(axis=1)
    plain = (p == 0) | (p == L) | (scheme == "uniform")
    positive = np.where(plain, 1 / L, 1 / (2 * np.maximum(p, 1)))
    negative = np.where(plain, 1 / L, 1 / (2 * np.maximum(L - p, 1)))
    return positive, negative


# ---------------------------------------------------------------------------------------- training


def raw_of(X):
    return _core.RawMatrix.from_array(X)


def csc_of(X):
    """The same values, compressed by columns; nan is stored, zero is not."""
    return _core.RawMatrix.from_csc(len(X), *_compressed(np.asarray(X).T))


def csr_of(X):
    """The same, compressed by rows. It can be predicted from, not trained on."""
    return _core.RawMatrix.from_csr(X.shape[1], *_compressed(np.asarray(X)))


def _compressed(X):
    rows, columns = np.nonzero(X)
    begins = np.searchsorted(rows, np.arange(len(X) + 1))
    values = X[rows, columns].astype(np.float64)
    return begins.astype(np.int64), columns.astype(np.int32), values


def options_of(settings, **more):
    """The oracle's settings in the core's words; `more` are options that the oracle lacks."""
    return _core.Options(
        votes=settings.votes,
        leaf_votes=settings.leaves,
        n_inner_nodes=settings.nodes,
        n_terms=settings.terms,
        learning_rate=settings.learning_rate,
        loss=settings.loss,
        **more,
    )


def prepare(case, raw=None, n_threads=1, **more):
    """A booster that has not run yet. `raw`: another container of the values of X."""
    raw = raw_of(case.X) if raw is None else raw
    categories = [case.categorical.get(j, 0) for j in range(raw.n_features)]
    binner = _core.Binner(case.max_bins, categories, 0)
    binner.fit(raw, n_threads)
    matrix = binner.transform(raw, n_threads)
    options = options_of(case.settings, n_threads=n_threads, **more)
    booster = _core.Booster(binner, matrix, weights_of(case.problem, case.settings), options)
    return Training(case, binner, matrix, booster)


def train(case, raw=None, n_threads=1, **more):
    training = prepare(case, raw, n_threads, **more)
    training.booster.run(case.rounds, math.inf)
    return training


def fingerprint(training):
    """Every bit of a model and of the story of its training."""
    booster = training.booster
    arrays = {**booster.ensemble().state(), "edges": booster.edges, "losses": booster.losses}
    bits = {name: (array.dtype.str, array.tobytes()) for name, array in arrays.items()}
    return {**bits, "stop": booster.stop_reason}


def train_and_fingerprint(case, n_threads=1):
    """For other threads and processes: bits travel, boosters do not."""
    return fingerprint(train(case, n_threads=n_threads))
