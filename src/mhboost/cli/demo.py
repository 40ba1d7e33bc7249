"""`mhboost demo`."""

from __future__ import annotations

import csv
import os
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Annotated

import typer

from .evaluate import evaluate
from .inspection import inspect
from .train import train

__all__ = ["demo"]

EVERY = 4  # so that every fourth row is a test row


def demo(
    folder: Annotated[
        Path | None,
        typer.Option(help="Where to leave the files; nowhere if not given.", show_default=False),
    ] = None,
) -> None:
    """Try the commands on handwritten digits: train, evaluate, inspect.

    Example: [bold]mhboost demo --folder digits[/bold]
    """
    with tempfile.TemporaryDirectory() as temporary:
        place = folder or Path(temporary)
        os.makedirs(place, exist_ok=True)
        write_digits(place)
        with chdir(place):
            test = Path("digits-test.csv")
            _title("mhboost train digits.csv --target digit --test digits-test.csv --rounds 100")
            train(Path("digits.csv"), target=["digit"], test=test, rounds=100)
            _title("mhboost evaluate digits.mhb digits-test.csv")
            evaluate(Path("digits.mhb"), test)
            _title("mhboost inspect digits.mhb --trees 0")
            inspect(Path("digits.mhb"), trees=0)
    if folder is not None:
        print(f"\nthe files are in {folder}")


def _title(command: str) -> None:
    print(f"\n$ {command}", flush=True)


def write_digits(folder: Path) -> None:
    """Write scikit-learn's digits as two CSV files.

    Parameters
    ----------
    folder : path
        Where to.
    """
    from sklearn.datasets import load_digits  # takes as long as all commands to import

    X, y = load_digits(return_X_y=True)
    names = [f"pixel{row}{column}" for row in range(8) for column in range(8)]
    rows = [[*map(int, x), int(label)] for x, label in zip(X, y, strict=True)]
    for name, chosen in (
        ("digits.csv", [r for i, r in enumerate(rows) if i % EVERY]),
        ("digits-test.csv", rows[::EVERY]),
    ):
        with open(folder / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*names, "digit"])
            writer.writerows(chosen)
