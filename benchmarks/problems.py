"""The problems, by name. `load("letter")`, or `load("many_classes:100")` for the generated ones.

Recorded sets are read from the folder that the environment variable MHBOOST_DATA names. Every
system gets the same arrays: X float32 in C order, y whole numbers from 0, or rows x labels of 0
and 1.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from generators import blobs

SEED = 20140101


class ProblemMissingError(RuntimeError):
    """The problem's data are not on this machine."""


@dataclass(frozen=True)
class Problem:
    name: str
    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    @property
    def is_multi_label(self):
        return self.y_train.ndim == 2

    @property
    def n_classes(self):
        return self.y_train.shape[1] if self.is_multi_label else int(self.y_train.max()) + 1

    def shape(self):
        """Return what a row of the result table says of the problem."""
        return {
            "n_train": len(self.y_train),
            "n_test": len(self.y_test),
            "n_features": self.X_train.shape[1],
            "n_classes": self.n_classes,
        }


# --- recorded -------------------------------------------------------------------------------------


def data_file(name):
    """Find the file of a recorded set, or say what to do."""
    folder = os.environ.get("MHBOOST_DATA")
    if not folder:
        raise ProblemMissingError(
            f"{name}: set MHBOOST_DATA to the folder with {name}.npz (it is not set)"
        )
    path = Path(folder) / f"{name}.npz"
    if not path.is_file():
        raise ProblemMissingError(f"{name}: there is no {path.name} in MHBOOST_DATA={folder}")
    return path


def split_at(name, X, y, is_test):
    X = np.ascontiguousarray(X, dtype=np.float32)
    y = np.ascontiguousarray(y, dtype=np.int32)
    return Problem(name, X[~is_test], y[~is_test], X[is_test], y[is_test])


def designated(name):
    """Read a set that says itself which rows are the test part."""
    with np.load(data_file(name), allow_pickle=False) as file:
        return split_at(name, file["X"], file["y"], file["split"] != 0)


def covertype():
    """Read covertype, which has no test part: 500 000 rows drawn for training, 81 012 for tests."""
    with np.load(data_file("covertype"), allow_pickle=False) as file:
        X, y = file["X"], file["y"]
    is_test = np.ones(len(y), dtype=bool)
    is_test[np.random.default_rng(SEED).permutation(len(y))[:500_000]] = False
    return split_at("covertype", X, y, is_test)


def iris():
    """Load iris: 150 rows are too few to split, so its error is the training error."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    whole = split_at("iris", X, y, np.zeros(len(y), dtype=bool))
    return Problem("iris", whole.X_train, whole.y_train, whole.X_train, whole.y_train)


# --- generated ------------------------------------------------------------------------------------


def generated(name, n_rows, n_features, n_classes, *, informative, spread, n_test=10_000):
    make = partial(
        blobs,
        n_features=n_features,
        n_classes=n_classes,
        informative=informative,
        spread=spread,
        seed=SEED,
    )
    return Problem(name, *make(n_rows, part=0), *make(n_test, part=1))


def scale_n(name, n_rows):
    return generated(name, n_rows, 20, 10, informative=10, spread=1.0)


def scale_d(name, n_features):
    return generated(name, 20_000, n_features, 10, informative=min(10, n_features), spread=1.0)


def many_classes(name, n_classes):
    return generated(name, 50_000, 50, n_classes, informative=20, spread=1.5)


RECORDED = ("letter", "pendigits", "optdigits", "usps", "isolet", "mnist")
MULTI_LABEL = ("emotions", "scene", "yeast-multilabel")
WHOLE = {name: partial(designated, name) for name in RECORDED + MULTI_LABEL}
WHOLE |= {"covertype": covertype, "iris": iris}
SIZED = {"scale_n": scale_n, "scale_d": scale_d, "many_classes": many_classes}


def load(name):
    """Load a problem; a size follows a colon, as in "scale_n:1e6"."""
    family, _, size = name.partition(":")
    if family in SIZED and size:
        return SIZED[family](name, int(float(size)))
    if name in WHOLE:
        return WHOLE[name]()
    known = ", ".join([*WHOLE, *(f"{family}:SIZE" for family in SIZED)])
    raise ValueError(f"problem must be one of {known}; got {name!r}")
