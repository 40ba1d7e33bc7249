"""Run an experiment: cut, validate, choose, train again, test."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from .. import datasets
from ..datasets import Dataset
from ._errors import ExperimentError
from ._experiment import Experiment
from ._files import write_arrays, write_text
from ._folds import Fold, make_folds, write_folds
from ._jobs import Arrays, run_jobs
from ._plan import Chosen, choose_all, expected_test_cost, test_jobs, validation_jobs
from ._results import all_curves, result

__all__ = ["run"]


def run(
    experiment: Experiment,
    *,
    data_home: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] = "results",
    n_jobs: int = 1,
    fresh: bool = False,
    progress: bool = False,
) -> dict[str, Any]:
    """Run an experiment, or what is left of it.

    Writes NAME.json (the result), curves/NAME.npz (all curves, all rounds) and folds/*.txt (the
    cuts) into `out`. Unfinished work waits in .runs; a finished experiment is not run again.

    Parameters
    ----------
    experiment : Experiment
        What `read` returned.
    data_home : path-like, optional
        Folder of the data sets, as in `mhboost.datasets.load`.
    out : path-like
        Folder of the results.
    n_jobs : int
        How many folds are trained at the same time. The numbers do not depend on it.
    fresh : bool
        Whether to forget what was done before.
    progress : bool
        Whether to show a progress bar, if there is a terminal.

    Returns
    -------
    dict
        What NAME.json holds.

    Examples
    --------
    >>> import tempfile
    >>> from mhboost.protocol import Experiment, FoldPlan, LearnerPlan, run
    >>> stumps = LearnerPlan("stumps", "stump", rounds=20, parameters={}, grid={})
    >>> quick = Experiment("quick", "iris", "other", FoldPlan(test=3, validation=2), [stumps])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = run(quick, out=folder)
    >>> round(found["learners"][0]["error"], 3)
    0.093
    """
    out = Path(out)
    data = datasets.load(experiment.data, data_home)
    if data.kind == "multi-label" and experiment.svm is not None:
        raise ExperimentError(f"the SVM takes one label per row; {data.name} has several")
    digest = experiment.digest(version("mhboost"), _digest_of(data))
    target = out / f"{experiment.name}.json"
    folder = out / ".runs" / f"{experiment.name}-{digest}"
    states = out / ".runs" / f"{experiment.name}-{_digest_without_rounds(experiment, data)}-models"
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(states, ignore_errors=True)
    elif (known := _finished(target, digest)) is not None:
        return known
    folds = make_folds(data, experiment.folds)
    write_text(folder.parent / ".gitignore", "*\n")
    _publish(out / "folds", experiment, folds)
    chosen, done = _work_through(experiment, data, folds, folder, states, n_jobs, progress)
    found = {"digest": digest, **result(experiment, data, folds, chosen, done)}
    write_arrays(out / "curves" / f"{experiment.name}.npz", all_curves(experiment, chosen, done))
    write_text(target, _json(found))
    shutil.rmtree(folder, ignore_errors=True)
    return found


def _work_through(
    experiment: Experiment,
    data: Dataset,
    folds: list[Fold],
    folder: Path,
    states: Path,
    n_jobs: int,
    progress: bool,
) -> tuple[Chosen, dict[str, Arrays]]:
    """Do the two rounds of jobs."""
    from tqdm.auto import tqdm

    bar = tqdm(
        desc=experiment.name,
        total=1.0,  # until the jobs are known
        disable=None if progress else True,  # None: only on a terminal
        bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}, {remaining} left",
    )
    with bar:
        jobs = validation_jobs(experiment, data, folds)
        later = expected_test_cost(experiment, data, folds)
        done = run_jobs(jobs, data.X, data.y, folder, n_jobs, bar, later)
        chosen = choose_all(experiment, folds, done)
        jobs = test_jobs(experiment, data, folds, chosen, n_jobs, states)
        done |= run_jobs(jobs, data.X, data.y, folder, n_jobs, bar)
    return chosen, done


def _publish(folder: Path, experiment: Experiment, folds: list[Fold]) -> None:
    cut = experiment.folds
    name = f"{experiment.data}-{cut.test}-{cut.validation}-seed{cut.seed}.txt"
    title = f"{experiment.data}: test {cut.test}, validation {cut.validation}, seed {cut.seed}"
    write_folds(folder / name, folds, title)


def _digest_of(data: Dataset) -> str:
    total = hashlib.sha256()
    for array in (data.X, data.y, data.split):
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


def _digest_without_rounds(experiment: Experiment, data: Dataset) -> str:
    """Tell unfinished models apart: more rounds go on from the same ones."""
    learners = [replace(plan, rounds=0, piece=0) for plan in experiment.learners]
    return replace(experiment, learners=learners).digest(version("mhboost"), _digest_of(data))


def _json(found: dict[str, Any]) -> str:
    """Write values line by line, but a list of numbers on one line."""
    text = json.dumps(found, indent=1, allow_nan=False)
    return re.sub(r"\[[^\[\]{}\"]*\]", lambda numbers: " ".join(numbers[0].split()), text) + "\n"


def _finished(target: Path, digest: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return found if found.get("digest") == digest else None
