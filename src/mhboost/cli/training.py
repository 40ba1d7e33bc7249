"""Train by a plan, measure, save."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from sklearn.base import clone

from .._validation import deal, fit_and_score, rest
from ..classifier import MHBoostClassifier
from .guard import mistakes
from .labels import Labelled
from .live import Display
from .metrics import Estimate, error_of
from .plan import Plan
from .speaker import Speaker
from .split import strata
from .wanted import like_training

__all__ = ["INTERRUPTION", "Found", "run", "save"]

INTERRUPTION = "it was interrupted"  # as the estimator says it


@dataclass(frozen=True)
class Found:
    """What came out."""

    model: MHBoostClassifier
    seconds: float
    estimate: Estimate | None


def run(estimator: MHBoostClassifier, plan: Plan, cv: int | None, seed: int, say: Speaker) -> Found:
    """Train, and measure.

    Parameters
    ----------
    estimator : MHBoostClassifier
        Is fitted.
    plan : Plan
        On which rows.
    cv : int or None
        Number of folds to cross-validate with before.
    seed : int
        Deals the folds.
    say : Speaker
        Tells the user.

    Returns
    -------
    Found
        The model.
    """
    estimate = None if cv is None else _cross_validate(estimator, plan.train, cv, seed, say)
    measured = plan.measured
    eval_set = (measured.X, measured.y) if measured is not None and plan.every_round else None
    eval_weight = measured.weight if measured is not None and plan.every_round else None
    began = time.perf_counter()
    with mistakes(), _shown(estimator):
        estimator.fit(
            plan.train.X,
            plan.train.y,
            plan.train.weight,
            eval_set=eval_set,
            eval_sample_weight=eval_weight,
        )
    seconds = time.perf_counter() - began
    n = estimator.n_iter_
    why = f" ({estimator.stop_reason_})" if estimator.stop_reason_ else ""
    say(f"trained {n} rounds in {seconds:.1f} s{why}", rounds=n, seconds=round(seconds, 3))
    if measured is not None:
        estimate = error_of(estimator, measured)
        say(
            f"{estimate.name} on {plan.name}: {estimate}",
            metric=estimate.name,
            error=estimate.value,
            deviation=estimate.deviation,
        )
    return Found(estimator, seconds, estimate)


@contextmanager
def _shown(estimator: MHBoostClassifier) -> Iterator[None]:
    """Show the rounds while they are done."""
    with Display(estimator.n_estimators, Console(stderr=True)) as display:
        estimator.callbacks = display.callbacks
        try:
            yield
        finally:
            estimator.callbacks = None


def _cross_validate(
    estimator: MHBoostClassifier, rows: Labelled, n_folds: int, seed: int, say: Speaker
) -> Estimate:
    X, y, weight, n = rows.X, rows.y, rows.weight, len(rows.y)
    with mistakes():
        folds = deal(strata(y), n, n_folds, np.random.RandomState(seed))
    everything = np.arange(n)
    errors = []
    for number, fold in enumerate(folds, 1):
        with mistakes():
            copy = clone(estimator)
            curve = fit_and_score(copy, X, y, rest(everything, fold), fold, weight)
        if getattr(copy, "stop_reason_", None) == INTERRUPTION:
            raise KeyboardInterrupt
        n_iter = getattr(copy, "n_iter_", 0)  # not fitted if it knows no class of the fold
        errors.append(float(curve[n_iter - 1]))
        say(f"fold {number} of {n_folds}: {100 * errors[-1]:.2f} %")
    name = "Hamming loss" if rows.roles.multi_label else "error"
    mean, spread = float(np.mean(errors)), float(np.std(errors, ddof=1)) / math.sqrt(n_folds)
    estimate = Estimate(name, mean, spread)
    say(
        f"{name} in {n_folds}-fold cross-validation: {estimate}",
        metric=name,
        error=mean,
        deviation=spread,
        folds=errors,
    )
    return estimate


def save(found: Found, plan: Plan, out: Path, say: Speaker) -> None:
    """Write the model, with what the command line has to know of it.

    Parameters
    ----------
    found : Found
        The model.
    plan : Plan
        What it was trained on.
    out : path
        Name of the file.
    say : Speaker
        Tells the user.
    """
    roles, table = plan.everything.roles, plan.everything.table
    notes: dict[str, str | list[str]] = {
        "data": Path(table.path).name,
        "targets": list(roles.targets),
    }
    if roles.weight is not None:
        notes["weight"] = roles.weight
    if roles.dropped:
        notes["dropped"] = list(roles.dropped)
    if table.first_index != 1:
        notes["first feature"] = str(table.first_index)
    sparse_names = like_training(plan.everything).sparse_names
    if sparse_names and not hasattr(found.model, "feature_names_in_"):
        notes["features"] = list(sparse_names)
    found.model.n_jobs = None  # a matter of this machine
    with mistakes():
        found.model.save(out, notes)
    size = out.stat().st_size
    say(f"saved {out} ({size / 1e3:.0f} kB)", model=str(out), bytes=size)
    if found.estimate is None:
        hint = f"mhboost evaluate {out} DATA"
    else:
        hint = f"mhboost inspect {out}    or    mhboost predict {out} DATA"
    say(f"next: {hint}")
    say.finish()
