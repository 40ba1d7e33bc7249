"""The cuts: made from the labels and a seed, written as text, read back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._validation import Rows, deal, rest
from ..datasets import Dataset
from ._errors import ExperimentError
from ._experiment import FoldPlan
from ._files import write_text

__all__ = ["Fold", "make_folds", "read_folds", "write_folds"]


@dataclass(frozen=True)
class Fold:
    """One test fold with its validation folds, as rising row indices.

    Parameters
    ----------
    learning : ndarray
        Training and validation rows together.
    test : ndarray
        Test rows.
    validation : tuple of ndarray
        The rows that each validation run holds out of `learning`; it trains on the others.
    """

    learning: Rows
    test: Rows
    validation: tuple[Rows, ...]

    def training(self, run: int) -> Rows:
        """Give the rows that a validation run trains on.

        Parameters
        ----------
        run : int
            Number of the validation run.

        Returns
        -------
        ndarray
            Rising row indices.
        """
        return rest(self.learning, self.validation[run])


def make_folds(data: Dataset, plan: FoldPlan) -> list[Fold]:
    """Cut a data set.

    Parameters
    ----------
    data : Dataset
        What to cut.
    plan : FoldPlan
        How.

    Returns
    -------
    list of Fold
        Stratified, if rows have one label each.
    """
    rows = np.arange(len(data.X))
    try:
        if plan.is_designated:
            if not data.has_test:
                raise ExperimentError(f"{data.name} has no designated test rows")
            tests = [np.flatnonzero(data.split == 1)]
        else:
            tests = _dealt(data.y, rows, int(plan.test), np.random.RandomState(plan.seed))
        return [_fold(data.y, rows, test, plan, number) for number, test in enumerate(tests)]
    except ExperimentError:
        raise
    except ValueError as error:
        raise ExperimentError(f"{data.name}: {error}") from error


def _fold(y: NDArray[Any], rows: Rows, test: Rows, plan: FoldPlan, number: int) -> Fold:
    learning = rest(rows, test)
    random = np.random.RandomState([plan.seed, number + 1])  # [seed] would repeat the test cuts
    held_out = _dealt(y, learning, plan.validation, random) if plan.validation else []
    return Fold(learning, test, tuple(held_out))


def _dealt(y: NDArray[Any], rows: Rows, n_folds: int, random: np.random.RandomState) -> list[Rows]:
    labels = y[rows] if y.ndim == 1 else None
    return [rows[part] for part in deal(labels, len(rows), n_folds, random)]


def write_folds(path: Path, folds: list[Fold], title: str) -> None:
    """Publish cuts: a line of row indices for each test and validation fold.

    Parameters
    ----------
    path : Path
        The file.
    folds : list of Fold
        The cuts.
    title : str
        What they are cuts of.
    """
    lines = [
        f"# {title}",
        "# Row indices from 0. What is not listed as test is learned from; a validation run",
        "# holds its rows out of that.",
    ]
    for i, fold in enumerate(folds):
        parts = [
            ("test", fold.test),
            *((f"validation {j}", r) for j, r in enumerate(fold.validation)),
        ]
        lines += [f"fold {i} {name}: {' '.join(map(str, rows))}" for name, rows in parts]
    write_text(path, "\n".join(lines) + "\n")


def read_folds(path: Path, n_rows: int) -> list[Fold]:
    """Read published cuts.

    Parameters
    ----------
    path : Path
        A file that `write_folds` wrote.
    n_rows : int
        Rows of the data set.

    Returns
    -------
    list of Fold
        The cuts.
    """
    tests: list[Rows] = []
    held_out: list[list[Rows]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        name, colon, numbers = line.partition(": ")
        if line.startswith("#") or not colon:
            continue
        rows = np.array(numbers.split(), dtype=np.intp)
        if name.endswith(" test"):
            tests.append(rows)
            held_out.append([])
        else:
            held_out[-1].append(rows)
    everything = np.arange(n_rows)
    return [
        Fold(rest(everything, test), test, tuple(parts))
        for test, parts in zip(tests, held_out, strict=True)
    ]
