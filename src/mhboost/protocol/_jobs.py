"""Jobs: run in parallel, checkpointed one by one, not run again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ._files import read_arrays, write_arrays

__all__ = ["Job", "run_jobs"]

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Job:
    """One function call, which may run in another process.

    Parameters
    ----------
    name : str
        Of its checkpoint.
    cost : float
        About how long it takes, in any unit.
    function : callable
        Takes X, y and the arguments; returns arrays.
    arguments : tuple
        What it is called with.
    """

    name: str
    cost: float
    function: Callable[..., Arrays]
    arguments: tuple[Any, ...]


def run_jobs(
    jobs: Sequence[Job],
    X: NDArray[Any],
    y: NDArray[Any],
    folder: Path,
    n_jobs: int,
    bar: Any,
    later: float = 0.0,
) -> dict[str, Arrays]:
    """Run what has no checkpoint yet, the longest jobs first.

    Parameters
    ----------
    jobs : sequence of Job
        What to run.
    X, y : ndarray
        All rows.
    folder : Path
        Of the checkpoints.
    n_jobs : int
        How many at the same time.
    bar : tqdm
        Is moved on by the cost of each job that ends.
    later : float
        Cost of jobs that will follow.

    Returns
    -------
    dict
        By job name, what the job returned, and its `seconds` and `cpu_seconds`.
    """
    results: dict[str, Arrays] = {}
    open_jobs = []
    for job in jobs:
        known = read_arrays(_place(folder, job))
        if known is None:
            open_jobs.append(job)
        else:
            results[job.name] = known
    open_jobs.sort(key=lambda job: -job.cost)
    bar.total = bar.n + sum(job.cost for job in open_jobs) + later
    for job, arrays in _finished(open_jobs, X, y, folder, n_jobs):
        results[job.name] = arrays
        bar.update(job.cost)
    return results


def _finished(
    jobs: list[Job], X: NDArray[Any], y: NDArray[Any], folder: Path, n_jobs: int
) -> Iterator[tuple[Job, Arrays]]:
    if min(n_jobs, len(jobs)) < 2:
        yield from ((job, _run(job, X, y, folder)) for job in jobs)
        return
    workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    by_name = {job.name: job for job in jobs}
    for name, arrays in workers(delayed(_named)(job, X, y, folder) for job in jobs):
        yield by_name[name], arrays


def _named(job: Job, X: NDArray[Any], y: NDArray[Any], folder: Path) -> tuple[str, Arrays]:
    return job.name, _run(job, X, y, folder)


def _run(job: Job, X: NDArray[Any], y: NDArray[Any], folder: Path) -> Arrays:
    """Run a job and write its checkpoint, in whatever process this is."""
    began, cpu_began = time.perf_counter(), time.process_time()
    arrays = dict(job.function(X, y, *job.arguments))
    earlier, cpu_earlier = arrays.pop("earlier_seconds", (0.0, 0.0))
    arrays["seconds"] = np.array(time.perf_counter() - began + earlier)
    arrays["cpu_seconds"] = np.array(time.process_time() - cpu_began + cpu_earlier)
    write_arrays(_place(folder, job), arrays)
    return arrays


def _place(folder: Path, job: Job) -> Path:
    return folder / f"{job.name}.npz"
