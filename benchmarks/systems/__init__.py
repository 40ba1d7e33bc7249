"""The systems: one module each, named like the library or the method, with one function

    train(problem, rounds, parameters, threads, seed, on_round=None) -> Trained

`parameters` go to the library under its own names. `on_round`, where `Trained.staged` is not None,
is called without arguments after every round; mhboost ends training when it returns True.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

NAMES = (
    "mhboost",
    "lightgbm",
    "xgboost",
    "catboost",
    "hist_gradient_boosting",
    "adaboost",
    "random_forest",
    "multi_label",
    "floor",
)
LIBRARIES = {"lightgbm", "xgboost", "catboost"}  # what the extra `bench` installs


class LibraryMissingError(RuntimeError):
    """The system's library is not installed."""


@dataclass(frozen=True)
class Trained:
    """What a system gives back.

    scores    X -> n x K, the cheapest numbers whose largest is the prediction, or whose signs are
              for many labels; this is timed
    proba     X -> n x K
    dump      -> the model as bytes, in the library's own format if it has one
    rounds    rounds in the model
    staged    (X, wanted) -> iterator of scores after each wanted number of rounds, rising; or None
    one       row (1-D) -> its scores without validation, if the library offers that; or None
    """

    scores: Callable[[np.ndarray], np.ndarray]
    proba: Callable[[np.ndarray], np.ndarray]
    dump: Callable[[], bytes]
    rounds: int
    staged: Callable[[np.ndarray, list[int]], Iterator[np.ndarray]] | None = None
    one: Callable[[np.ndarray], np.ndarray] | None = None


def load(name):
    """Return the system's `train`; its library is imported now."""
    if name not in NAMES:
        raise ValueError(f"system must be one of {', '.join(NAMES)}; got {name!r}")
    try:
        return importlib.import_module(f"systems.{name}").train
    except ModuleNotFoundError as error:
        if error.name not in LIBRARIES:
            raise
        raise LibraryMissingError(
            f"{name} is not installed: pip install 'mhboost[bench]', or make bench"
        ) from error
