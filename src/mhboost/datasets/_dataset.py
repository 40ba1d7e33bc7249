"""What `load` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._table import Kind

__all__ = ["Dataset"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set with its designated cut into training and test rows.

    Parameters
    ----------
    name : str
        Its name.
    X : ndarray of shape (n_rows, n_features)
        The features.
    y : ndarray of shape (n_rows,) or (n_rows, n_labels)
        Class numbers from 0, int32; of a multi-label set 0 and 1, uint8.
    split : ndarray of shape (n_rows,)
        0 marks training rows, 1 test rows. A set without a test part has only 0.
    feature_names : tuple of str
        Names of the columns of X.
    class_names : tuple of str
        Names of the classes, by class number; of the labels, if there are several.
    kind : {"single-label", "multi-label"}
        Whether a row has one class or any number of labels.
    source : str
        Where the arrays came from.
    verified : bool
        Whether the content has the published checksums.

    Examples
    --------
    >>> from mhboost.datasets import load
    >>> wine = load("wine")
    >>> wine
    <wine: 178 rows (178 train, 0 test), 13 features, 3 classes>
    >>> X, y = wine.train
    >>> X.shape, y[:3].tolist()
    ((178, 13), [0, 0, 0])
    """

    name: str
    X: Array
    y: Array
    split: Array
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    kind: Kind
    source: str
    verified: bool = False

    @property
    def has_test(self) -> bool:
        """Whether some rows are designated for tests."""
        return bool((self.split == 1).any())

    @property
    def train(self) -> tuple[Array, Array]:
        """X and y of the training rows."""
        rows = self.split == 0
        return self.X[rows], self.y[rows]

    @property
    def test(self) -> tuple[Array, Array]:
        """X and y of the test rows."""
        if not self.has_test:
            raise ValueError(f"{self.name} has no designated test rows; cross-validate instead")
        rows = self.split == 1
        return self.X[rows], self.y[rows]

    def __repr__(self) -> str:
        n_test = np.count_nonzero(self.split)
        classes = "classes" if self.kind == "single-label" else "labels"
        return (
            f"<{self.name}: {len(self.X)} rows ({len(self.X) - n_test} train, {n_test} test), "
            f"{self.X.shape[1]} features, {len(self.class_names)} {classes}>"
        )
