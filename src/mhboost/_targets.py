"""y of any kind -> tasks and score columns, and scores back to labels.

Everything is a list of tasks; a task owns neighbouring score columns:

    problem        y                          tasks   columns of a task        decision
    single-label   n labels                   1       K, or 1 if K <= 2        arg max, or sign
    multi-label    n x L zeros and ones       L       1                        sign of each
    multi-task     n x M labels               M       K_m, or 1 if K_m <= 2    each its own

Inside, y is one sparse n x columns matrix whose stored entries are the positives. A column is
positive for the second of two classes, and for the only one of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from . import _core
from ._labels import Outputs, check_labels, n_outputs, read_labels

MAX_COLUMNS = 65535

Array = NDArray[Any]
Kind: TypeAlias = Literal["single-label", "multi-label", "multi-task"]


@dataclass(frozen=True)
class Problem:
    """What there is to decide: `classes` holds the class labels of each task."""

    kind: Kind
    classes: tuple[Array, ...]

    @cached_property
    def offsets(self) -> NDArray[np.int32]:
        """Task m owns the score columns offsets[m] .. offsets[m + 1]."""
        widths = [len(c) if len(c) > 2 else 1 for c in self.classes]
        return np.concatenate(([0], np.cumsum(widths))).astype(np.int32)

    @property
    def n_columns(self) -> int:
        """Number of score columns."""
        return int(self.offsets[-1])

    @property
    def n_classes(self) -> int | list[int]:
        """Number of classes, of labels, or of classes per task."""
        match self.kind:
            case "single-label":
                return len(self.classes[0])
            case "multi-label":
                return len(self.classes)
        return [len(c) for c in self.classes]

    @property
    def public_classes(self) -> Array | list[Array]:
        """What the estimator shows as `classes_`; for labels, their numbers."""
        match self.kind:
            case "single-label":
                return self.classes[0]
            case "multi-label":
                return np.arange(len(self.classes))
        return list(self.classes)

    @property
    def constant_tasks(self) -> list[int]:
        """Tasks with one class only."""
        return [m for m, c in enumerate(self.classes) if len(c) == 1]

    def same_as(self, other: Problem) -> bool:
        """Whether the two have the same kind, tasks and classes."""
        return (
            self.kind == other.kind
            and len(self.classes) == len(other.classes)
            and all(map(np.array_equal, self.classes, other.classes))
        )

    def encode(self, y: Any, name: str = "y") -> sparse.csr_array:
        """Find the positives.

        Parameters
        ----------
        y : array-like
            Labels of the kind that training had, and no class that it had not.
        name : str
            What to call y in an error.

        Returns
        -------
        csr_array of shape (n_rows, n_columns)
            Ones where positive.
        """
        outputs = read_labels(y, name)
        if self.kind == "multi-label":
            return self._encode_indicator(outputs, name)
        if sparse.issparse(outputs) or n_outputs(outputs) != len(self.classes):
            raise ValueError(
                f"{name} must have the shape of the y of training, "
                f"{_shape_text(len(self.classes))}; got {_shape_text(n_outputs(outputs))}."
            )
        tasks = zip(_as_vectors(outputs, name), self.classes, strict=True)
        return _one_hot([_codes(o, c, name) for o, c in tasks], self.classes, self.offsets)

    def _encode_indicator(self, outputs: Outputs, name: str) -> sparse.csr_array:
        indicator = _as_indicator(outputs)
        if indicator is None or indicator.shape[1] != len(self.classes):
            raise ValueError(
                f"{name} must be an indicator of zeros and ones with {len(self.classes)} columns, "
                f"as in training; got {n_outputs(outputs)} columns or other values."
            )
        return indicator

    def targets(self, positives: sparse.csr_array) -> _core.Targets:
        """Hand the positives to the core."""
        return _core.Targets(
            positives.indptr.astype(np.int64), positives.indices.astype(np.int32), self.offsets
        )

    def task_scores(self, scores: Array) -> list[Array]:
        """Cut the score columns into tasks: a vector for a task of one column, else a matrix."""
        tasks = np.split(scores, self.offsets[1:-1], axis=1)
        return [t[:, 0] if t.shape[1] == 1 else t for t in tasks]

    def decisions(self, scores: Array) -> Array:
        """Turn scores into labels.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_columns)
            The ensemble's scores.

        Returns
        -------
        ndarray
            Labels in the shape of the y of training.
        """
        if self.kind == "multi-label":
            return (scores > 0).astype(np.int64)
        tasks = zip(self.task_scores(scores), self.classes, strict=True)
        labels = [classes[_winner(task, len(classes))] for task, classes in tasks]
        return labels[0] if self.kind == "single-label" else _side_by_side(labels)


def learn_problem(outputs: Outputs) -> Problem:
    """Find out what kind of problem y poses, and its classes.

    Parameters
    ----------
    outputs : list of ndarray, ndarray or csr_array
        What `read_labels` returned.

    Returns
    -------
    Problem
        Several outputs of zeros and ones are a multi-label problem, other several are tasks.

    Examples
    --------
    >>> learn_problem(read_labels(["b", "a", "b"])).kind
    'single-label'
    >>> learn_problem(read_labels([[0, 1], [1, 0]])).kind
    'multi-label'
    >>> learn_problem(read_labels([[0, 1], [2, 0]])).kind
    'multi-task'
    """
    indicator = _as_indicator(outputs)
    if indicator is not None:
        problem = Problem("multi-label", (np.array([0, 1]),) * indicator.shape[1])
    elif sparse.issparse(outputs):
        raise ValueError(
            "A sparse y must be a multi-label indicator of zeros and ones; "
            f"got {n_outputs(outputs)} columns with values such as {_first_odd(outputs)}."
        )
    else:
        vectors = _as_vectors(outputs, "y")
        kind: Kind = "single-label" if len(vectors) == 1 else "multi-task"
        problem = Problem(kind, tuple(_distinct(labels) for labels in vectors))
    if problem.n_columns > MAX_COLUMNS:
        raise ValueError(f"y has {problem.n_columns} classes; at most {MAX_COLUMNS} are allowed.")
    return problem


def _distinct(labels: Array) -> Array:
    """Return the classes in rising order, strings no wider than the longest of them."""
    classes: Array = np.unique(labels)
    return np.asarray(classes.tolist()) if classes.dtype.kind == "U" else classes


def _as_indicator(outputs: Outputs) -> sparse.csr_array | None:
    """Return several outputs of zeros and ones as a sparse indicator, others as None."""
    if isinstance(outputs, list):
        return None
    if isinstance(outputs, np.ndarray):
        is_one = outputs == 1
        is_indicator = bool(np.all(is_one | (outputs == 0)))
        return sparse.csr_array(is_one.astype(np.int8)) if is_indicator else None
    is_indicator = outputs.dtype.kind in "biuf" and bool(np.all(outputs.data == 1))
    return outputs.astype(np.int8) if is_indicator else None


def _first_odd(indicator: Any) -> object:
    """Return the first stored value that is not one."""
    return indicator.data[np.argmax(indicator.data != 1)].item()


def _as_vectors(outputs: list[Array] | Array, name: str) -> list[Array]:
    """Return one vector of labels per output."""
    if isinstance(outputs, list):
        return outputs
    vectors = list(outputs.T)
    for labels in vectors:
        check_labels(labels, name)
    return vectors


def _codes(labels: Array, classes: Array, name: str) -> Array:
    """Return the places of the labels among the sorted classes."""
    try:
        codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        known = classes[codes] == labels
    except TypeError:  # strings among numbers
        known = np.zeros(len(labels), dtype=bool)
    if not np.all(known):
        unknown = list(dict.fromkeys(labels[~known].tolist()))
        raise ValueError(
            f"{name} has labels that the y of training has not: {unknown[:5]}; "
            f"allowed are {classes[:5].tolist()}{' ...' if len(classes) > 5 else ''}."
        )
    return codes


def _one_hot(codes: list[Array], classes: tuple[Array, ...], offsets: Array) -> sparse.csr_array:
    """Place the codes of each task into its columns."""
    blocks = []
    for task_codes, task_classes, offset in zip(codes, classes, offsets[:-1], strict=True):
        many = len(task_classes) > 2
        rows = np.arange(len(task_codes))
        positive = rows if many else np.flatnonzero(task_codes == len(task_classes) - 1)
        columns = offset + (task_codes[positive] if many else 0)
        blocks.append(np.stack([positive, np.broadcast_to(columns, len(positive))]))
    where = np.concatenate(blocks, axis=1)
    ones = np.ones(where.shape[1], dtype=np.int8)
    return sparse.csr_array((ones, where), shape=(len(codes[0]), int(offsets[-1])))


def _winner(task_scores: Array, n_classes: int) -> Array:
    if n_classes == 1:
        return np.zeros(len(task_scores), dtype=np.intp)
    winner: Array = task_scores > 0 if n_classes == 2 else np.argmax(task_scores, axis=1)
    return winner.astype(np.intp)


def _side_by_side(labels: list[Array]) -> Array:
    """Return columns of labels as a matrix; an object matrix if their types differ."""
    if len({column.dtype.kind for column in labels}) == 1:
        return np.column_stack(labels)
    return np.column_stack([column.astype(object) for column in labels])


def _shape_text(n_outputs: int) -> str:
    return "(n_samples,)" if n_outputs == 1 else f"(n_samples, {n_outputs})"
