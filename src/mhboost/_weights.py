"""The weights that boosting starts from: one per row, times one per row and class.

    per row     sample_weight * class_weight
    per entry   balanced   half of a task's weight on the positives of a row, half on its negatives
                           (the paper's eq. 5)
                uniform    the same weight on every class of a task
                a matrix   what the user says

Every task carries the same total weight. A task of two classes has one column, whose positives and
negatives weigh the same under both schemes. The core divides by the total.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.class_weight import compute_sample_weight

from . import _core
from ._labels import Outputs
from ._targets import Problem

Weights = NDArray[np.float64]

# Weights are float32 inside: a row lighter than this part of the heaviest cannot be told from zero.
RESOLUTION = float(np.finfo(np.float32).eps)


def row_weights(sample_weight: Any, n_rows: int, name: str = "sample_weight") -> Weights:
    """Check the weights of rows.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,) or None
        None means one each.
    n_rows : int
        Number of rows of X.
    name : str
        The argument's name.

    Returns
    -------
    ndarray of shape (n_rows,)
        Finite, not negative, not all zero.

    Examples
    --------
    >>> row_weights([1, 0, 2], 3)
    array([1., 0., 2.])
    """
    if sample_weight is None:
        return np.ones(n_rows)
    weights = _numbers(sample_weight, name)
    if weights.shape != (n_rows,):
        raise ValueError(f"{name} must have shape ({n_rows},); got {weights.shape}.")
    check_values(weights, name)
    return weights


def _numbers(values: Any, name: str) -> Weights:
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise TypeError(f"got complex numbers, {array.dtype}")
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must hold numbers: {error}") from error


def check_values(weights: Weights, name: str) -> None:
    """Refuse weights that cannot be any.

    Parameters
    ----------
    weights : ndarray
        Weights of any shape.
    name : str
        What they are, for the error.
    """
    if not np.isfinite(weights).all():
        raise ValueError(f"{name} must be finite; got {weights[~np.isfinite(weights)].flat[0]}.")
    if (weights < 0).any():
        raise ValueError(f"{name} must not be negative; got {weights.min()}.")
    if not (weights > 0).any():
        raise ValueError(f"{name} must not be all zero: at least one weight must be positive.")
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise ValueError(f"{name} must have a finite sum; got weights up to {weights.max()}.")


def class_weighted(weights: Weights, class_weight: Any, outputs: Outputs) -> Weights:
    """Multiply the weights of rows by those of their classes.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        Weights of rows.
    class_weight : dict, "balanced", list of dict, or None
        As everywhere in scikit-learn.
    outputs : list of ndarray, ndarray or csr_array
        The labels.

    Returns
    -------
    ndarray of shape (n_rows,)
        Weights of rows.
    """
    if class_weight is None:
        return weights
    y: Any = outputs
    if isinstance(outputs, list):
        y = outputs[0] if len(outputs) == 1 else np.column_stack(outputs)
    elif sparse.issparse(outputs):
        y = y.toarray()
    is_balanced = isinstance(class_weight, str)
    factors = _balanced(y, weights) if is_balanced else _weights_of_classes(class_weight, y)
    weighted = weights * factors
    check_values(weighted, "class_weight times sample_weight")
    return np.asarray(weighted, dtype=np.float64)


def _weights_of_classes(class_weight: Any, y: Any) -> Weights:
    try:
        return np.asarray(compute_sample_weight(class_weight, y), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"class_weight={class_weight!r:.200} does not fit: {error}") from error


def _balanced(y: NDArray[Any], weights: Weights) -> Weights:
    """Factors that make the classes of an output equally heavy: a row of weight 3 is three rows."""
    factors = np.ones(len(weights))
    for labels in y.reshape(len(weights), -1).T:
        _, codes = np.unique(labels, return_inverse=True)
        totals = np.bincount(codes, weights)
        seen = totals > 0
        mean = weights.sum() / seen.sum()
        factors *= np.divide(mean, totals, where=seen, out=np.ones_like(totals))[codes]
    return factors


def weighty_rows(weights: Weights) -> NDArray[np.intp] | None:
    """Rows that are heavy enough to be seen, or None if all are.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        Weights of rows.

    Returns
    -------
    ndarray or None
        Row numbers in rising order.

    Examples
    --------
    >>> weighty_rows(np.array([1.0, 0.0, 2.0]))
    array([0, 2])
    """
    seen = weights > RESOLUTION * weights.max()
    return None if seen.all() else np.flatnonzero(seen)


def weighting_matrix(weighting: Any, problem: Problem, n_rows: int) -> Weights | None:
    """Check a weighting given entry by entry.

    Parameters
    ----------
    weighting : str or array-like of shape (n_rows, n_classes)
        The parameter. A multi-task problem wants the classes of all tasks side by side.
    problem : Problem
        The tasks.
    n_rows : int
        Number of rows of X.

    Returns
    -------
    ndarray of shape (n_rows, n_columns) or None
        None if `weighting` is a word. The two columns of a task of two classes are added up,
        because one column stands for both.
    """
    if isinstance(weighting, str):
        return None
    matrix = _numbers(weighting, "weighting")
    widths = [1 if problem.kind == "multi-label" else len(c) for c in problem.classes]
    if matrix.shape != (n_rows, sum(widths)):
        raise ValueError(
            "weighting must be 'auto', 'balanced', 'uniform' or a matrix of shape "
            f"({n_rows}, {sum(widths)}), one weight per row and class; got shape {matrix.shape}."
        )
    check_values(matrix, "weighting")
    tasks = np.split(matrix, np.cumsum(widths)[:-1], axis=1)
    return np.hstack([t if t.shape[1] != 2 else t.sum(axis=1, keepdims=True) for t in tasks])


def signed_weights(
    weighting: str,
    problem: Problem,
    positives: sparse.csr_array,
    weights: Weights,
) -> _core.SignedWeights:
    """Build the n x K matrix of signed weights by one of the schemes.

    Parameters
    ----------
    weighting : str
        "auto" is balanced, but uniform for a multi-label problem, as in the paper.
    problem : Problem
        The tasks.
    positives : csr_array of shape (n_rows, n_columns)
        Ones where positive.
    weights : ndarray of shape (n_rows,)
        Weights of rows.

    Returns
    -------
    SignedWeights
        The core's object.

    Examples
    --------
    >>> from mhboost._targets import learn_problem, read_labels
    >>> y = ["a", "b", "c"]
    >>> problem = learn_problem(read_labels(y))
    >>> signed_weights("balanced", problem, problem.encode(y), np.ones(3)).to_array().round(4)
    array([[ 0.1667, -0.0833, -0.0833],
           [-0.0833,  0.1667, -0.0833],
           [-0.0833, -0.0833,  0.1667]], dtype=float32)
    """
    row = weights, weights  # of a row's positives and negatives
    column = np.ones((2, problem.n_columns))
    if problem.kind != "multi-label":
        column = _task_columns(problem, balanced=weighting != "uniform")
    elif weighting == "balanced":
        positive, negative = _balanced_labels(positives)
        row = positive * weights, negative * weights
    return _core.SignedWeights(problem.targets(positives), *row, *column)


def _balanced_labels(positives: sparse.csr_array) -> Weights:
    """Weights of a row's positives and negatives: half each, spread over all if one is missing."""
    n_labels = positives.shape[1]
    n_positive = np.diff(positives.indptr)
    one_sided = (n_positive == 0) | (n_positive == n_labels)
    counts = np.stack([n_positive, n_labels - n_positive])
    weights: Weights = np.where(one_sided, 1 / n_labels, 0.5 / np.maximum(counts, 1))
    return weights


def _task_columns(problem: Problem, *, balanced: bool) -> Weights:
    """Weights of positives and negatives per column; the paper's eq. 5 within each task."""
    widths = np.diff(problem.offsets)
    several = np.maximum(widths, 2)
    positive = np.where(widths == 1, 1.0, 0.5 if balanced else 1 / several)
    negative = np.where(widths == 1, 1.0, 0.5 / (several - 1) if balanced else 1 / several)
    return np.stack([np.repeat(positive, widths), np.repeat(negative, widths)])
