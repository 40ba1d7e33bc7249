"""How many threads: the one meaning of `n_jobs` in the package."""

from __future__ import annotations

import os

from joblib.parallel import get_active_backend


def n_cores() -> int:
    """Cores that this process may use (its CPU affinity, where the system tells)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def n_threads(n_jobs: int | None) -> int:
    """Turn `n_jobs` into a number of threads.

    Parameters
    ----------
    n_jobs : int or None
        None means all cores, but one thread inside a joblib worker, where the cores are taken
        already. Negative numbers count from the end: -1 is all cores, -2 all but one.

    Returns
    -------
    int
        At least 1.

    Examples
    --------
    >>> n_threads(3)
    3
    >>> n_threads(-1) == n_cores()
    True
    """
    if n_jobs is None:
        return 1 if _inside_a_worker() else n_cores()
    if n_jobs < 0:
        return max(1, n_cores() + 1 + n_jobs)
    return n_jobs


def _inside_a_worker() -> bool:
    backend, _ = get_active_backend()
    return bool(backend.nesting_level)
