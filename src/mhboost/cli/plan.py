"""Which rows a model is trained on, and which it is measured on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..readers import Options, gather, stream
from .guard import UsageMistakeError
from .labels import Labelled, check_known, labelled
from .speaker import Speaker
from .split import hold_out
from .wanted import like_training

__all__ = ["Measure", "Plan", "make_plan"]


@dataclass(frozen=True)
class Plan:
    """What to train on and what to measure on."""

    everything: Labelled
    train: Labelled
    measured: Labelled | None = None
    every_round: bool = False
    name: str = ""


@dataclass(frozen=True)
class Measure:
    """How the user wants the model to be measured: one of four ways."""

    test: Path | None
    valid: Path | None
    cv: int | None
    holdout: float

    def check(self) -> None:
        """Refuse two ways at once."""
        ways = {"--test": self.test, "--valid": self.valid, "--cv": self.cv}
        given = [name for name, value in ways.items() if value is not None]
        if len(given) > 1:
            raise UsageMistakeError(f"{' and '.join(given)} exclude each other")
        if not 0 <= self.holdout < 1:
            raise UsageMistakeError(
                f"--holdout must be at least 0 and below 1; got {self.holdout:g}"
            )


def make_plan(
    training: Labelled, options: Options, measure: Measure, seed: int, say: Speaker
) -> Plan:
    """Decide which rows to train on and which to measure on.

    Parameters
    ----------
    training : Labelled
        The rows of the training file.
    options : Options
        What the user says of the files.
    measure : Measure
        How to measure.
    seed : int
        Decides which rows are held out.
    say : Speaker
        Tells the user.

    Returns
    -------
    Plan
        Nothing is measured if the user wants that, or with cross-validation.
    """
    path = measure.test or measure.valid
    if path is not None:
        measured = _beside(training, path, options)
        name = f"{path.name} ({measured.table.n_rows} rows)"
        return Plan(training, training, measured, path == measure.valid, name)
    own = training.table.test_rows
    if measure.cv is None and own is not None and own.any() and not own.all():
        train_rows, rows = np.flatnonzero(~own), np.flatnonzero(own)
        name = f"the file's own {len(rows)} test rows"
        return Plan(training, training.take(train_rows), training.take(rows), False, name)
    if measure.cv is not None or measure.holdout == 0:
        return Plan(training, training)
    train_rows, rows = hold_out(training.y, measure.holdout, seed)
    say(
        f"held out: {len(rows)} rows ({100 * measure.holdout:g} %), not trained on "
        "(--test, --valid, --cv or --holdout 0 decide otherwise)",
        held_out=len(rows),
    )
    name = f"the {len(rows)} rows held out"
    return Plan(training, training.take(train_rows), training.take(rows), True, name)


def _beside(training: Labelled, path: Path, options: Options) -> Labelled:
    """Read a second file, whose labels must be among those of the first."""
    table = gather(stream(path, like_training(training), options))
    rows = labelled(table, training.roles)
    if not training.roles.multi_label:
        columns = zip(
            training.roles.targets,
            rows.y.reshape(len(rows.y), -1).T,
            training.y.reshape(len(training.y), -1).T,
            strict=True,
        )
        for name, labels, known in columns:
            check_known(table, name, labels, np.unique(known))
    return rows
