"""Rows held out, and the error on them after every round."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

if TYPE_CHECKING:
    from .classifier import MHBoostClassifier

__all__ = ["deal", "fit_and_score", "padded", "rest", "whole_or_nothing"]

Rows = NDArray[np.intp]
Curve = NDArray[np.float64]


def deal(
    labels: NDArray[Any] | None, n_rows: int, n_folds: int, random: np.random.RandomState
) -> list[Rows]:
    """Deal rows into folds like cards, class after class.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,) or None
        Labels, if the folds are to be stratified: the numbers of rows of a class in two folds then
        differ by one at most. So do the sizes of the folds.
    n_rows, n_folds : int
        Number of rows and of folds.
    random : RandomState
        Shuffles the rows. NumPy guarantees its stream, so folds outlive versions.

    Returns
    -------
    list of ndarray
        The rows of each fold, rising.

    Examples
    --------
    >>> labels = np.array(["a", "a", "b", "b", "b", "b"])
    >>> [fold.tolist() for fold in deal(labels, 6, 2, np.random.RandomState(0))]
    [[1, 3, 5], [0, 2, 4]]
    """
    if not 2 <= n_folds <= n_rows:
        raise ValueError(
            f"{n_folds} folds need 2 folds or more and a row each; n_samples={n_rows}."
        )
    order = random.permutation(n_rows)
    if labels is not None:
        _, classes = np.unique(labels, return_inverse=True)
        order = order[np.argsort(classes[order], kind="stable")]
    fold = np.empty(n_rows, dtype=np.intp)
    fold[order] = np.arange(n_rows) % n_folds
    return [np.flatnonzero(fold == f) for f in range(n_folds)]


def rest(rows: Rows, held_out: Rows) -> Rows:
    """Rows that are not held out, in rising order."""
    return np.setdiff1d(rows, held_out, assume_unique=True)


def padded(curve: Curve, n_rounds: int) -> Curve:
    """Continue a curve that ended early: a model that stopped learning stays as it is."""
    return np.concatenate([curve, np.full(n_rounds - len(curve), curve[-1])])


@contextmanager
def whole_or_nothing() -> Iterator[None]:
    """Let Ctrl-C end more than the training at hand, whose model would lack rounds unnoticed."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "training was interrupted", UserWarning)
        try:
            yield
        except UserWarning as interruption:
            raise KeyboardInterrupt from interruption


def fit_and_score(
    estimator: MHBoostClassifier,
    X: Any,
    y: Any,
    train: Rows,
    held_out: Rows,
    sample_weight: NDArray[Any] | None = None,
) -> Curve:
    """Fit on some rows, and give the error on others after every round.

    Parameters
    ----------
    estimator : MHBoostClassifier
        Is fitted.
    X, y : array-like, data frame or sparse array
        All rows.
    train, held_out : ndarray of int
        Which to learn from, and which to score.
    sample_weight : ndarray, optional
        Weights of all rows.

    Returns
    -------
    ndarray of shape (n_estimators,)
        The estimator's `eval_metric`. A row of a class that training does not have counts as an
        error; other metrics leave it out.
    """
    known, share = _known(y, train, held_out, sample_weight)
    n_rounds = int(estimator.n_estimators)
    if len(known) == 0:
        return np.ones(n_rounds)

    def part(values: Any, rows: Rows) -> Any:
        return None if values is None else _safe_indexing(values, rows)

    X_known, y_known, weights = (part(values, known) for values in (X, y, sample_weight))
    with whole_or_nothing():
        estimator.fit(
            part(X, train),
            part(y, train),
            sample_weight=part(sample_weight, train),
            eval_set=(X_known, y_known),
            eval_sample_weight=weights,
        )
    curve: Curve = np.asarray(estimator.validation_score_, dtype=np.float64)
    if len(curve) == 0:  # there was nothing to learn
        curve = np.array([1.0 - estimator.score(X_known, y_known, weights)])
    if estimator.eval_metric == "error":
        curve = curve * share + (1.0 - share)
    return padded(curve, n_rounds)


def _known(
    y: Any, train: Rows, held_out: Rows, sample_weight: NDArray[Any] | None
) -> tuple[Rows, float]:
    """Held-out rows whose class training has, and their share of the weight."""
    if np.ndim(y) != 1 or hasattr(y, "tocsr"):
        return held_out, 1.0
    labels = np.asarray(y)
    is_known = np.isin(labels[held_out], np.unique(labels[train]))
    if is_known.all():
        return held_out, 1.0
    weights = np.ones(len(labels)) if sample_weight is None else sample_weight
    weights = weights[held_out]
    return held_out[is_known], float(weights[is_known].sum() / weights.sum())
