"""From finished jobs to a result: plain values, as the JSON file has them."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._selection import Choice
from .._stopping import smoothed_scores
from ..datasets import Dataset
from ._experiment import Experiment, LearnerPlan
from ._folds import Fold
from ._jobs import Arrays
from ._plan import Chosen, job_name

__all__ = ["all_curves", "result", "shown_rounds"]

EARLY, LATE = 100, 300


def result(
    experiment: Experiment,
    data: Dataset,
    folds: list[Fold],
    chosen: Chosen,
    done: Mapping[str, Arrays],
) -> dict[str, Any]:
    """Summarise an experiment.

    Parameters
    ----------
    experiment : Experiment
        What was run.
    data : Dataset
        On what.
    folds : list of Fold
        Its cuts.
    chosen : Chosen
        What validation said.
    done : mapping
        What all jobs returned.

    Returns
    -------
    dict
        Errors are shares, not percentages. Curves are thinned; curves/NAME.npz has all rounds.
    """
    return {
        "name": experiment.name,
        "experiment": experiment.as_dict(),
        "data": {
            "name": data.name,
            "n_rows": len(data.X),
            "n_features": data.X.shape[1],
            "n_classes": len(data.class_names),
            "source": _source(data),
            "verified": data.verified,
        },
        "learners": [
            _learner(plan, l, folds, chosen.learners[l], chosen.curves[l], done)
            for l, plan in enumerate(experiment.learners)
        ],
        "svm": _svm(folds, chosen, done) if chosen.svm else None,
        "seconds": round(sum(float(arrays["seconds"]) for arrays in done.values()), 2),
        "cpu_seconds": round(sum(float(arrays["cpu_seconds"]) for arrays in done.values()), 2),
        "versions": _versions(),
    }


def shown_rounds(total: int) -> list[int]:
    """Choose the rounds that a page needs: all of the first hundred, then ever fewer.

    Parameters
    ----------
    total : int
        Number of rounds.

    Returns
    -------
    list of int
        Counted from 1; the last round is always there.

    Examples
    --------
    >>> len(shown_rounds(50)), len(shown_rounds(50_000))
    (50, 399)
    """
    late = np.geomspace(EARLY, max(total, EARLY), LATE).astype(int)
    return [int(t) for t in np.unique(np.r_[np.arange(1, EARLY), late, total]) if t <= total]


def all_curves(
    experiment: Experiment, chosen: Chosen, done: Mapping[str, Arrays]
) -> dict[str, NDArray[Any]]:
    """Give all curves, by learner and test fold.

    Parameters
    ----------
    experiment : Experiment
        What was run.
    chosen : Chosen
        What validation said.
    done : mapping
        What all jobs returned.

    Returns
    -------
    dict
        `validation` has a row for each candidate; `test`, `train` and `loss` are of the winner.
    """
    curves: dict[str, NDArray[Any]] = {}
    for l, plan in enumerate(experiment.learners):
        for i, validation in enumerate(chosen.curves[l]):
            tests = done[job_name("test", l, i)]
            parts = {"validation": validation, **{k: tests[k] for k in ("test", "train", "loss")}}
            curves |= {f"{plan.name}, fold {i}, {k}": curve for k, curve in parts.items()}
    return curves


def _learner(
    plan: LearnerPlan,
    l: int,
    folds: list[Fold],
    choices: list[Choice],
    curves: list[NDArray[np.float64]],
    done: Mapping[str, Arrays],
) -> dict[str, Any]:
    tests = [done[job_name("test", l, i)] for i in range(len(folds))]
    errors = [float(t["test"][c.n_rounds - 1]) for t, c in zip(tests, choices, strict=True)]
    shown = shown_rounds(plan.rounds)
    at = np.array(shown) - 1
    mean_validation = np.mean(curves, axis=0) if len(curves[0]) else np.empty((0, plan.rounds))
    smoothed = [smoothed_scores(curve) for curve in mean_validation]
    return {
        "name": plan.name,
        "candidates": plan.candidates,
        **_error(errors, folds),
        "folds": [
            {
                "candidate": choice.candidate,
                "parameters": plan.candidates[choice.candidate],
                "rounds": choice.n_rounds,
                "rounds_of_candidates": list(choice.rounds),
                "smoothed_of_candidates": list(choice.errors),
                "test_error": error,
            }
            for choice, error in zip(choices, errors, strict=True)
        ],
        "shown_rounds": shown,
        "validation": [_short(curve[at]) for curve in mean_validation],
        "smoothed": [_short(curve[at]) for curve in smoothed],
        "test": [_short(t["test"][at]) for t in tests],
        "train": _short(np.mean([t["train"] for t in tests], axis=0)[at]),
        "loss": _short(np.mean([t["loss"] for t in tests], axis=0)[at]),
    }


def _svm(folds: list[Fold], chosen: Chosen, done: Mapping[str, Arrays]) -> dict[str, Any]:
    errors = [float(done[job_name("svm-test", i)]["test"]) for i in range(len(folds))]
    return {
        "name": "SVM",
        **_error(errors, folds),
        "folds": [
            {"C": best.C, "gamma": best.gamma, "validation_error": best.error, "test_error": error}
            for best, error in zip(chosen.svm, errors, strict=True)
        ],
    }


def _error(errors: list[float], folds: list[Fold]) -> dict[str, Any]:
    """Mean error and the paper's deviation: binomial, or over the test folds."""
    error = float(np.mean(errors))
    if len(errors) == 1:
        deviation = float(np.sqrt(error * (1 - error) / len(folds[0].test)))
        return {"error": error, "deviation": deviation, "deviation_over": "binomial"}
    deviation = float(np.std(errors, ddof=1))  # not divided by the root of their number
    return {"error": error, "deviation": deviation, "deviation_over": "folds"}


def _short(curve: Iterable[float]) -> list[float]:
    return [float(f"{value:.6g}") for value in curve]


def _source(data: Dataset) -> str:
    """Where the data came from, without the path, which is nobody else's business."""
    kind, _, _ = data.source.partition(":")
    return kind if kind == "folder" else data.source


def _versions() -> dict[str, str]:
    packages = ("mhboost", "numpy", "scikit-learn", "scipy")
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
        "machine": platform.machine(),
        "kernel": _core.active_kernel(),
    }
