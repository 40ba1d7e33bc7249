"""The jobs of an experiment, and what is chosen between its two rounds of jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._selection import Choice, choose
from ..datasets import Dataset
from ..learners import tree_shape
from ._experiment import Experiment, LearnerPlan, SvmPlan
from ._folds import Fold
from ._jobs import Arrays, Job
from ._work import svm_test, svm_validation, test_curves, validation_curves

__all__ = [
    "Chosen",
    "SvmChoice",
    "choose_all",
    "expected_test_cost",
    "job_name",
    "test_jobs",
    "validation_jobs",
]


@dataclass(frozen=True)
class SvmChoice:
    """The rival's parameters on a test fold, and their validation error, if there was any."""

    C: float
    gamma: float
    error: float | None


@dataclass(frozen=True)
class Chosen:
    """What validation says.

    Parameters
    ----------
    learners : list of list of Choice
        By learner and test fold.
    curves : list of list of ndarray of shape (n_candidates, n_rounds)
        The mean validation curves that the choices were made from, likewise.
    svm : list of SvmChoice
        By test fold; empty without the rival.
    """

    learners: list[list[Choice]]
    curves: list[list[NDArray[np.float64]]]
    svm: list[SvmChoice]


def job_name(kind: str, *numbers: int) -> str:
    """Name a job: its kind, and the numbers of learner, fold, candidate and first run."""
    return "-".join([kind, *map(str, numbers)])


# --- validation -----------------------------------------------------------------------------------


def validation_jobs(experiment: Experiment, data: Dataset, folds: list[Fold]) -> list[Job]:
    """List the validation runs.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    data : Dataset
        On what.
    folds : list of Fold
        Its cuts.

    Returns
    -------
    list of Job
        With several test folds a job does all validation runs of a candidate or of the rival.
    """
    jobs = []
    for i, fold in enumerate(folds):
        for runs in _batches(fold, len(folds)):
            for l, plan in enumerate(experiment.learners):
                for c, candidate in enumerate(plan.candidates):
                    cost = len(runs) * _cost(plan, candidate, data)
                    name = job_name("validation", l, i, c, runs[0])
                    arguments = (fold, runs, plan, candidate)
                    jobs.append(Job(name, cost, validation_curves, arguments))
            if experiment.svm is not None:
                cost = len(runs) * _svm_cost(experiment.svm, data)
                name = job_name("svm-validation", i, runs[0])
                jobs.append(Job(name, cost, svm_validation, (fold, runs, experiment.svm)))
    return jobs


def _batches(fold: Fold, n_folds: int) -> list[list[int]]:
    runs = list(range(len(fold.validation)))
    if n_folds > 1:
        return [runs] if runs else []
    return [[run] for run in runs]


# --- choice ---------------------------------------------------------------------------------------


def choose_all(experiment: Experiment, folds: list[Fold], done: Mapping[str, Arrays]) -> Chosen:
    """Choose for every learner and test fold, and for the rival.

    Parameters
    ----------
    experiment : Experiment
        What was run.
    folds : list of Fold
        Its cuts.
    done : mapping
        What the validation jobs returned.

    Returns
    -------
    Chosen
        Without validation runs, the only candidate and all rounds.
    """
    choices, curves = [], []
    for l, plan in enumerate(experiment.learners):
        of_folds = [list(_curves(plan, l, i, folds, done)) for i in range(len(folds))]
        if experiment.folds.validation:
            choices.append([choose(c, experiment.t_min, experiment.one_sigma) for c in of_folds])
        else:
            choices.append([Choice(0, plan.rounds, (plan.rounds,), ())] * len(folds))
        curves.append([np.array([c.mean(axis=0) for c in parts]) for parts in of_folds])
    svm = [] if experiment.svm is None else _svm_choices(experiment.svm, folds, done)
    return Chosen(choices, curves, svm)


def _curves(
    plan: LearnerPlan, l: int, i: int, folds: list[Fold], done: Mapping[str, Arrays]
) -> Iterator[NDArray[np.float64]]:
    """All validation curves of each candidate."""
    batches = _batches(folds[i], len(folds))
    for c in range(len(plan.candidates) if batches else 0):
        names = [job_name("validation", l, i, c, runs[0]) for runs in batches]
        yield np.concatenate([done[name]["curves"] for name in names])


def _svm_choices(plan: SvmPlan, folds: list[Fold], done: Mapping[str, Arrays]) -> list[SvmChoice]:
    chosen = []
    for i, fold in enumerate(folds):
        names = [job_name("svm-validation", i, runs[0]) for runs in _batches(fold, len(folds))]
        if not names:
            chosen.append(SvmChoice(plan.C[0], plan.gamma[0], None))
            continue
        errors = np.concatenate([done[name]["errors"] for name in names]).mean(axis=0).round(12)
        c, g = np.unravel_index(np.argmin(errors), errors.shape)
        chosen.append(SvmChoice(plan.C[c], plan.gamma[g], float(errors[c, g])))
    return chosen


# --- test -----------------------------------------------------------------------------------------


def test_jobs(
    experiment: Experiment,
    data: Dataset,
    folds: list[Fold],
    chosen: Chosen,
    n_jobs: int,
    states: Path,
) -> list[Job]:
    """List the final trainings.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    data : Dataset
        On what.
    folds : list of Fold
        Its cuts.
    chosen : Chosen
        What validation says.
    n_jobs : int
        How many jobs may run at the same time; with fewer jobs each gets more threads.
    states : Path
        Folder of unfinished models.

    Returns
    -------
    list of Job
        One per learner and test fold, and one per test fold for the rival.
    """
    threads = max(1, n_jobs // max(1, len(folds) * len(experiment.learners)))
    jobs = []
    for i, fold in enumerate(folds):
        for l, plan in enumerate(experiment.learners):
            candidate = plan.candidates[chosen.learners[l][i].candidate]
            name, state = job_name("test", l, i), states / f"{job_name('model', l, i)}.pickle"
            arguments = (fold, plan, candidate, threads, state)
            jobs.append(Job(name, _cost(plan, candidate, data), test_curves, arguments))
        if experiment.svm is not None:
            best = chosen.svm[i]
            cost = _svm_cost(SvmPlan([best.C], [best.gamma]), data)
            jobs.append(Job(job_name("svm-test", i), cost, svm_test, (fold, best.C, best.gamma)))
    return jobs


# --- costs: for the order of jobs and the time left, so they need not be right --------------------


def expected_test_cost(experiment: Experiment, data: Dataset, folds: list[Fold]) -> float:
    """Bound the cost of the final trainings, before anything is chosen.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    data : Dataset
        On what.
    folds : list of Fold
        Its cuts.

    Returns
    -------
    float
        As if the largest candidates won.
    """
    largest = [max(_cost(plan, c, data) for c in plan.candidates) for plan in experiment.learners]
    return len(folds) * sum(largest)


def _cost(plan: LearnerPlan, candidate: Mapping[str, Any], data: Dataset) -> float:
    model = plan.classifier(candidate)
    nodes, terms = tree_shape(model.base, model.n_inner_nodes, model.n_terms)
    return plan.rounds * nodes * terms * data.X.size * 1e-9


def _svm_cost(plan: SvmPlan, data: Dataset) -> float:
    return len(plan.C) * len(plan.gamma) * (1e-3 + 3e-8 * len(data.X) ** 2)
