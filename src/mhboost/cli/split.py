"""Rows to hold out, class by class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .guard import MistakeError

__all__ = ["hold_out", "strata"]

Rows = NDArray[np.intp]


def strata(y: NDArray[Any]) -> NDArray[np.intp] | None:
    """Number the classes of rows, if rows have one each.

    Parameters
    ----------
    y : ndarray
        Labels.

    Returns
    -------
    ndarray of int or None
        None for several targets.
    """
    if y.ndim > 1:
        return None
    _, numbers = np.unique(y, return_inverse=True)
    return np.asarray(numbers, dtype=np.intp)


def hold_out(y: NDArray[Any], share: float, seed: int) -> tuple[Rows, Rows]:
    """Split rows into those to train on and those to measure on.

    Parameters
    ----------
    y : ndarray
        Labels.
    share : float
        Share of the rows to hold out, the same of each class as far as that goes.
    seed : int
        Shuffles the rows.

    Returns
    -------
    train, held_out : ndarray of int
        Rising. The first row of a class is never held out, so training knows all classes.

    Examples
    --------
    >>> y = np.repeat(["a", "b", "c"], [5, 4, 1])
    >>> hold_out(y, 0.4, seed=0)[1].tolist()
    [3, 6]
    """
    classes = strata(y)
    classes = np.zeros(len(y), dtype=np.intp) if classes is None else classes
    shuffled = np.random.RandomState(seed).permutation(len(y))
    order = shuffled[np.argsort(classes[shuffled], kind="stable")]
    is_first = np.r_[True, np.diff(classes[order]) != 0]
    quota = np.floor(np.cumsum(~is_first) * share)
    held = np.diff(quota, prepend=0) > 0
    if not held.any():
        raise MistakeError(
            f"{len(y)} rows are too few to hold some out: --holdout 0 trains on all of them"
        )
    return np.sort(order[~held]), np.sort(order[held])
