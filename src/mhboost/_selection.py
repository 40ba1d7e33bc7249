"""Which candidate, and how many of its rounds: the paper's rule on validation curves.

Each candidate (a value of N, say) has one curve per validation run. Its stopping time T* is that of
the mean curve (eq. 15), and the candidate with the smallest smoothed error at its own T* wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._stopping import T_MIN, smoothed_scores, smoothed_stopping_time

__all__ = ["Choice", "candidates", "choose"]

Array = NDArray[np.float64]


def candidates(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All combinations of a grid, in the order in which it is written.

    Parameters
    ----------
    grid : mapping of str to sequence
        Values by parameter name.

    Returns
    -------
    list of dict
        The last parameter changes fastest. An empty grid has one candidate, which sets nothing.

    Examples
    --------
    >>> candidates({"n_inner_nodes": [3, 8], "learning_rate": [0.1]})
    [{'n_inner_nodes': 3, 'learning_rate': 0.1}, {'n_inner_nodes': 8, 'learning_rate': 0.1}]
    """
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


@dataclass(frozen=True)
class Choice:
    """What was chosen, and from what.

    Parameters
    ----------
    candidate : int
        Index of the winner.
    n_rounds : int
        Its stopping time T*.
    rounds : tuple of int
        The stopping times of all candidates.
    errors : tuple of float
        Their smoothed errors there.
    """

    candidate: int
    n_rounds: int
    rounds: tuple[int, ...]
    errors: tuple[float, ...]


def choose(curves: Sequence[Array], t_min: int = T_MIN, one_sigma: bool = False) -> Choice:
    """Choose a candidate and its stopping time.

    Parameters
    ----------
    curves : sequence of ndarray of shape (n_runs, n_rounds)
        For each candidate, from small to large, the validation error of every run and round.
    t_min : int
        No stopping time up to this one is considered.
    one_sigma : bool
        Whether to take the first candidate that comes within one standard error (of the mean over
        the runs) of the best, and not the best itself.

    Returns
    -------
    Choice
        Of equals, the first.

    Examples
    --------
    >>> small, large = np.array([[4.0, 2.0, 2.0, 3.0]]), np.array([[3.0, 2.0, 1.0, 1.0]])
    >>> choose([small, large], t_min=2)
    Choice(candidate=1, n_rounds=4, rounds=(3, 4), errors=(4.0, 2.0))
    """
    means = [curve.mean(axis=0) for curve in curves]
    rounds = tuple(smoothed_stopping_time(mean, t_min) for mean in means)
    errors = tuple(
        float(smoothed_scores(mean)[t - 1]) for mean, t in zip(means, rounds, strict=True)
    )
    best = int(np.argmin(errors))
    if one_sigma:
        limit = errors[best] + _standard_error(curves[best], rounds[best])
        best = next(i for i, error in enumerate(errors) if error <= limit)
    return Choice(best, rounds[best], rounds, errors)


def _standard_error(curves: Array, n_rounds: int) -> float:
    """Standard error of the mean over runs of the smoothed error at the stopping time."""
    if len(curves) < 2:
        return 0.0
    at_stop = [smoothed_scores(curve)[n_rounds - 1] for curve in curves]
    return float(np.std(at_stop, ddof=1) / np.sqrt(len(at_stop)))
