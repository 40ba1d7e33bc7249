"""The arguments of `fit`, read once and checked: the data that training works on."""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from ._columns import DenseTable, Table, is_plain, read_table
from ._frames import unwrapped
from ._labels import read_labels
from ._schema import Schema, categorical_indices
from ._targets import Problem, learn_problem
from ._weights import Weights, class_weighted, row_weights, weighting_matrix, weighty_rows

if TYPE_CHECKING:
    from ._estimator import BoostingEstimator

MAX_SEED = 2**31 - 1


@dataclass(frozen=True)
class Rows:
    """Rows with their positives and weights; `entry_weights` if the user gave a matrix."""

    table: Table
    positives: sparse.csr_array
    weights: Weights
    entry_weights: Weights | None = None

    @property
    def n_effective(self) -> float:
        """Number of rows, where a row of weight 3 counts as three; light rows count as one each."""
        return max(float(self.table.n_rows), float(self.weights.sum()))

    def take(self, rows: NDArray[np.intp]) -> Rows:
        """Return these rows only."""
        entries = None if self.entry_weights is None else self.entry_weights[rows]
        return Rows(self.table.take(rows), self.positives[rows], self.weights[rows], entries)

    def take_if(self, rows: NDArray[np.intp] | None) -> Rows:
        """Return these rows only, or all if None is given."""
        return self if rows is None else self.take(rows)

    def thinned(self, limit: int) -> Rows:
        """Return at most `limit` rows, evenly spread."""
        n = self.table.n_rows
        return self if n <= limit else self.take(np.linspace(0, n - 1, limit).astype(np.intp))


@dataclass(frozen=True)
class TrainingData:
    """What training works on."""

    n_features: int
    feature_names: NDArray[np.object_] | None
    problem: Problem
    schema: Schema
    train: Rows
    evaluation: list[Rows]
    seed: int


def read_data(
    estimator: BoostingEstimator,
    X: Any,
    y: Any,
    sample_weight: Any,
    eval_set: Any,
    eval_sample_weight: Any,
    seed: int | None,
) -> TrainingData:
    """Check the arguments of `fit` and prepare them.

    Parameters
    ----------
    estimator : estimator
        Its parameters are read.
    X, y, sample_weight, eval_set, eval_sample_weight : object
        The arguments of `fit`.
    seed : int or None
        Seed of the fit that a warm start goes on from.

    Returns
    -------
    TrainingData
        Rows of no weight are gone; the rows held out for early stopping are split off.
    """
    probe = copy.copy(estimator)
    table = read_features(probe, X, reset=True)
    outputs = read_labels(y)
    problem = learn_problem(outputs)
    rows = Rows(
        table,
        _same_length(table, problem.encode(y), "X", "y"),
        class_weighted(row_weights(sample_weight, table.n_rows), estimator.class_weight, outputs),
        weighting_matrix(estimator.weighting, problem, table.n_rows),
    )
    train = rows.take_if(weighty_rows(rows.weights))
    evaluation = _read_evaluation(probe, problem, eval_set, eval_sample_weight)
    seed = _draw_seed(estimator.random_state) if seed is None else seed
    if estimator.early_stopping and not evaluation:
        train, held_out = _split(train, estimator.validation_fraction, seed)
        evaluation = [held_out]
    names = getattr(probe, "feature_names_in_", None)
    categorical = categorical_indices(estimator.categorical_features, table, names)
    _warn_of_constants(problem)
    return TrainingData(
        n_features=table.n_features,
        feature_names=names,
        problem=problem,
        schema=Schema.learn(train.table, categorical),
        train=train,
        evaluation=evaluation,
        seed=seed,
    )


def read_features(estimator: Any, X: Any, *, reset: bool) -> Table:
    """Check X and compare its features with those that the estimator knows.

    Parameters
    ----------
    estimator : estimator
        Carries `n_features_in_` and `feature_names_in_`.
    X : array-like, data frame or sparse array
        What the user gave.
    reset : bool
        Whether to set these two attributes instead of comparing.

    Returns
    -------
    Table
        The checked rows.
    """
    knows_names = hasattr(estimator, "feature_names_in_")
    if not (reset or knows_names) and is_plain(X) and X.shape[1] == estimator.n_features_in_:
        return DenseTable(X)  # a single row is predicted in microseconds
    X = unwrapped(X)
    table = read_table(X, estimator)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    return table


def _same_length(
    table: Table, positives: sparse.csr_array, name_X: str, name_y: str
) -> sparse.csr_array:
    if table.n_rows != positives.shape[0]:
        raise ValueError(
            f"{name_X} and {name_y} must have the same number of rows; "
            f"got {table.n_rows} and {positives.shape[0]}."
        )
    return positives


def _read_evaluation(
    probe: Any, problem: Problem, eval_set: Any, eval_sample_weight: Any
) -> list[Rows]:
    if eval_set is None:
        if eval_sample_weight is not None:
            raise ValueError("eval_sample_weight needs an eval_set; got none.")
        return []
    if isinstance(eval_set, tuple):
        eval_set, eval_sample_weight = [eval_set], [eval_sample_weight]
    is_list = isinstance(eval_set, list) and len(eval_set) > 0
    if not is_list or not all(isinstance(p, tuple) and len(p) == 2 for p in eval_set):
        raise ValueError(f"eval_set must be one (X, y) or a list of them; got {eval_set!r:.200}.")
    weights = [None] * len(eval_set) if eval_sample_weight is None else eval_sample_weight
    if not isinstance(weights, (list, tuple)) or len(weights) != len(eval_set):
        raise ValueError(
            f"eval_sample_weight must be a list of one entry per eval_set, {len(eval_set)} here; "
            f"got {weights!r:.200}."
        )
    pairs = zip(eval_set, weights, strict=True)
    return [_evaluation_rows(probe, problem, X, y, w) for (X, y), w in pairs]


def _evaluation_rows(probe: Any, problem: Problem, X: Any, y: Any, weights: Any) -> Rows:
    try:
        table = read_features(probe, X, reset=False)
    except (TypeError, ValueError) as error:
        raise type(error)(f"In eval_set: {error}") from error
    name = "y of eval_set"
    positives = _same_length(table, problem.encode(y, name), "X of eval_set", name)
    return Rows(table, positives, row_weights(weights, table.n_rows, "eval_sample_weight"))


def _draw_seed(random_state: Any) -> int:
    return int(check_random_state(random_state).randint(MAX_SEED))


def _split(rows: Rows, fraction: float, seed: int) -> tuple[Rows, Rows]:
    """Split a share of the rows off, the same share of each class as far as that goes.

    The rows are shuffled and ordered by class; then every (1 / fraction)-th is taken. The first row
    of a class is never taken, so training knows every class.
    """
    n = rows.table.n_rows
    if n < 2:
        raise ValueError(
            "early_stopping=True needs an eval_set, or at least 2 rows of positive weight to split "
            f"validation_fraction off; got n_samples = {n}."
        )
    label = _class_of_rows(rows.positives)
    shuffled = np.random.default_rng(seed).permutation(n)
    order = shuffled[np.argsort(label[shuffled], kind="stable")]
    is_first = np.r_[True, np.diff(label[order]) != 0]
    quota = np.floor(np.cumsum(~is_first) * fraction)
    taken = np.diff(quota, prepend=0) > 0
    if not taken.any():
        taken[np.flatnonzero(~is_first)[-1] if not is_first.all() else -1] = True
    return rows.take(np.sort(order[~taken])), rows.take(np.sort(order[taken]))


def _class_of_rows(positives: sparse.csr_array) -> NDArray[np.intp]:
    """Return a number per row that is the same in rows with the same positives.

    With several labels or tasks only the first positive counts: enough for a fair split.
    """
    has_any = np.diff(positives.indptr) > 0
    label = np.full(positives.shape[0], -1, dtype=np.intp)
    label[has_any] = positives.indices[positives.indptr[:-1][has_any]]
    return label


def _warn_of_constants(problem: Problem) -> None:
    if problem.constant_tasks:
        where = "y" if problem.kind == "single-label" else f"output {problem.constant_tasks} of y"
        warnings.warn(
            f"{where} has one class only: its predictions are constant.",
            UserWarning,
            stacklevel=4,
        )
