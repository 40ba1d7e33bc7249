"""When to stop: the paper's smoothed stopping time (its eq. 15) and the patience built on it.

The validation score of a single round is noisy, so a round T is judged by the mean over the last
fifth of the rounds up to T, and the first T with the smallest mean is chosen:

    T* = argmin over T_min < T <= T_max of  1 / (T - floor(0.8 T))  sum_{t = floor(0.8 T)}^{T} R[t]

Rounds count from 1. The rule reads nothing but the scores, so when it is evaluated does not matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

T_MIN = 50
DECIMALS = 12  # below is the noise of running sums, which must not break ties


def smoothed_scores(scores: ArrayLike) -> NDArray[np.float64]:
    """The smoothed score of every round.

    Parameters
    ----------
    scores : array-like of shape (n_rounds,)
        Validation score per round; smaller is better.

    Returns
    -------
    ndarray of shape (n_rounds,)
        Smoothed score; the entry T - 1 belongs to stopping after T rounds.

    Examples
    --------
    >>> smoothed_scores([4.0, 2.0, 3.0, 1.0, 1.0])
    array([4., 6., 5., 4., 2.])
    """
    scores = np.asarray(scores, dtype=np.float64)
    sums = np.concatenate(([0.0], np.cumsum(scores)))
    last = np.arange(1, len(scores) + 1)
    first = 4 * last // 5
    means: NDArray[np.float64] = (sums[last] - sums[np.maximum(first, 1) - 1]) / (last - first)
    return np.round(means, DECIMALS)


def smoothed_stopping_time(errors: ArrayLike, t_min: int = T_MIN) -> int:
    """The number of rounds to keep, by the paper's eq. 15.

    Parameters
    ----------
    errors : array-like of shape (n_rounds,)
        Validation error per round.
    t_min : int
        No stopping time up to this one is considered. With no more rounds than that there is
        nothing to choose from, and all are kept.

    Returns
    -------
    int
        The stopping time, counted from 1.

    Examples
    --------
    >>> smoothed_stopping_time([0.5, 0.3, 0.2, 0.2, 0.2, 0.4, 0.5], t_min=2)
    4
    """
    smoothed = smoothed_scores(errors)
    if len(smoothed) <= t_min:
        return len(smoothed)
    return t_min + 1 + int(np.argmin(smoothed[t_min:]))


def patience_ends(
    errors: ArrayLike, n_iter_no_change: int | None, t_min: int = T_MIN
) -> int | None:
    """The first round that comes `n_iter_no_change` rounds after the stopping time as it then was.

    Parameters
    ----------
    errors : array-like of shape (n_rounds,)
        Validation error per round.
    n_iter_no_change : int or None
        Patience; None never ends.
    t_min : int
        As in `smoothed_stopping_time`.

    Returns
    -------
    int or None
        The round after which to stop, or None if patience lasts.

    Examples
    --------
    >>> patience_ends([0.5, 0.3, 0.2, 0.2, 0.2, 0.4, 0.5], n_iter_no_change=2, t_min=2)
    6
    """
    if n_iter_no_change is None:
        return None
    candidates = smoothed_scores(errors)[t_min:]
    if len(candidates) == 0:
        return None
    best_so_far = np.minimum.accumulate(candidates)
    is_new_best = np.r_[True, candidates[1:] < best_so_far[:-1]]
    position = np.arange(len(candidates))
    since_best = position - np.maximum.accumulate(np.where(is_new_best, position, 0))
    waited = np.flatnonzero(since_best >= n_iter_no_change)
    return t_min + 1 + int(waited[0]) if len(waited) else None
