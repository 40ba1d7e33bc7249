"""Compares arrays with what the table says of them."""

from __future__ import annotations

import hashlib

import numpy as np

from ._dataset import Array, Dataset
from ._table import Entry

__all__ = ["cast", "digest", "wrong_content", "wrong_counts"]


def cast(array: Array, dtype: str) -> Array:
    """Bring an array into its published number type, if whole numbers survive it.

    Parameters
    ----------
    array : ndarray
        Any array.
    dtype : str
        The type wanted.

    Returns
    -------
    ndarray
        In C order; of the old type if whole numbers are wanted and it has others.
    """
    if array.dtype.kind not in "biuf":
        return array
    with np.errstate(invalid="ignore"):
        result = np.ascontiguousarray(array, dtype=dtype)
    lossless = result.dtype.kind == "f" or np.array_equal(result, array)
    return result if lossless else array


def digest(array: Array) -> str:
    """Hash the numbers of an array.

    Parameters
    ----------
    array : ndarray
        Numbers.

    Returns
    -------
    str
        SHA-256 of the little-endian bytes in C order, zeros without a sign.
    """
    unsigned = array + array.dtype.type(0)
    little = np.ascontiguousarray(unsigned, dtype=array.dtype.newbyteorder("<"))
    return hashlib.sha256(little.data).hexdigest()


def wrong_counts(dataset: Dataset, entry: Entry) -> list[str]:
    """Compare shapes and counts.

    Parameters
    ----------
    dataset : Dataset
        What was found.
    entry : Entry
        What is known.

    Returns
    -------
    list of str
        The differences, in words.
    """
    shapes = {"X": (entry.n_rows, entry.n_features), "y": entry.y_shape, "split": (entry.n_rows,)}
    faults = [
        f"{key} has the shape {getattr(dataset, key).shape}, expected {shape}"
        for key, shape in shapes.items()
        if getattr(dataset, key).shape != shape
    ]
    return faults or _wrong_split(dataset, entry) + _wrong_classes(dataset, entry)


def _wrong_split(dataset: Dataset, entry: Entry) -> list[str]:
    expected = {"training": (0, entry.n_train), "test": (1, entry.n_test)}
    return [
        f"split has {found} {part} rows ({mark}), expected {count}"
        for part, (mark, count) in expected.items()
        if (found := np.count_nonzero(dataset.split == mark)) != count
    ]


def _wrong_classes(dataset: Dataset, entry: Entry) -> list[str]:
    if dataset.y.dtype != entry.dtypes["y"]:
        return [f"y is of type {dataset.y.dtype}, expected whole numbers from 0"]
    return [
        f"class {number} ({entry.class_names[number]}) has {found} rows, expected {count}"
        for number, count in enumerate(entry.class_counts)
        if (found := np.count_nonzero(dataset.y == number)) != count
    ]


def wrong_content(dataset: Dataset, entry: Entry) -> list[str]:
    """Compare checksums.

    Parameters
    ----------
    dataset : Dataset
        What was found, its counts right.
    entry : Entry
        What is known.

    Returns
    -------
    list of str
        The differences, in words.
    """
    faults = []
    for key, dtype in entry.dtypes.items():
        array = getattr(dataset, key)
        if array.dtype != dtype:
            faults.append(f"{key} has values that {dtype} cannot hold")
        elif (found := digest(array)) != entry.sha256[key]:
            faults.append(f"{key} has SHA-256 {found[:12]}…, expected {entry.sha256[key][:12]}…")
    return faults
