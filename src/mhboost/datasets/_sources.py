"""The three places that may have a data set, and how to read each.

A source either returns the data set, not yet checked, or raises a `SourceError` with the reason.
"""

from __future__ import annotations

import os
import socket
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from sklearn import datasets as sklearn_datasets

from ._checks import cast
from ._dataset import Array, Dataset
from ._errors import DatasetMismatchError, SourceError
from ._table import Entry

__all__ = ["from_folder", "from_openml", "from_sklearn"]

FOLDER_VARIABLE = "MHBOOST_DATA"
Names: TypeAlias = Sequence[str] | Array
SILENCE = 10.0  # seconds without a byte from the network


def _dataset(
    entry: Entry,
    X: Array,
    y: Array,
    split: Array,
    source: str,
    feature_names: Names = (),
    class_names: Names = (),
) -> Dataset:
    """Give the arrays their published number types and fill in missing names."""
    if not len(feature_names):
        feature_names = [f"f{j}" for j in range(entry.n_features)]
    if not len(class_names):
        class_names = entry.class_names or [f"label{l}" for l in range(entry.n_labels)]
    dtypes = entry.dtypes
    return Dataset(
        name=entry.name,
        X=cast(X, dtypes["X"]),
        y=cast(y, dtypes["y"]),
        split=cast(split, dtypes["split"]),
        feature_names=tuple(str(name) for name in feature_names),
        class_names=tuple(str(name) for name in class_names),
        kind=entry.kind,
        source=source,
    )


# --- a folder -------------------------------------------------------------------------------------


def from_folder(entry: Entry, data_home: str | os.PathLike[str] | None) -> Dataset:
    """Read NAME.npz.

    Parameters
    ----------
    entry : Entry
        The data set.
    data_home : path-like or None
        The folder; None means the one that MHBOOST_DATA names.

    Returns
    -------
    Dataset
        Not yet checked.
    """
    given = data_home or os.environ.get(FOLDER_VARIABLE)
    if not given:
        raise SourceError(f"data_home is not given and {FOLDER_VARIABLE} is not set")
    path = Path(given).expanduser() / f"{entry.name}.npz"
    if not path.parent.is_dir():
        raise SourceError(f"there is no folder {path.parent}")
    if not path.is_file():
        raise SourceError(f"there is no {path.name} in {path.parent}")
    arrays = _read_npz(path)
    missing = [key for key in ("X", "y", "split") if key not in arrays]
    if missing:
        raise DatasetMismatchError(f"{path} has no array {', '.join(missing)}")
    return _dataset(
        entry,
        arrays["X"],
        arrays["y"],
        arrays["split"],
        f"folder: {path}",
        arrays.get("feature_names", ()),
        arrays.get("class_names", arrays.get("label_names", ())),
    )


def _read_npz(path: Path) -> dict[str, Array]:
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            return dict(file)
    except (ValueError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise DatasetMismatchError(f"{path} is not a readable npz file: {error}") from error


# --- scikit-learn ---------------------------------------------------------------------------------


def from_sklearn(entry: Entry) -> Dataset:
    """Take the copy that is installed with scikit-learn.

    Parameters
    ----------
    entry : Entry
        The data set.

    Returns
    -------
    Dataset
        Not yet checked.
    """
    if not entry.sklearn:
        raise SourceError("holds no copy")
    loader = entry.sklearn["loader"]
    bunch = getattr(sklearn_datasets, loader)()
    X = bunch.data.copy()
    for row, column, value in entry.sklearn.get("cells", ()):
        X[row, column] = value
    y = _class_numbers(np.asarray(bunch.target_names).astype(str)[bunch.target], entry)
    return _dataset(
        entry, X, y, _split(entry, len(X)), f"scikit-learn: {loader}", bunch.feature_names
    )


# --- OpenML ---------------------------------------------------------------------------------------


def from_openml(entry: Entry) -> Dataset:
    """Download the data set from OpenML, or take scikit-learn's cache of an earlier download.

    Parameters
    ----------
    entry : Entry
        The data set.

    Returns
    -------
    Dataset
        Not yet checked.
    """
    if not entry.openml:
        raise SourceError("holds no copy")
    key = ", ".join(f"{key} {value}" for key, value in entry.openml.items())
    try:
        bunch = _fetch(entry)
    except Exception as error:  # the network, the service, its cache, their formats: all the same
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise SourceError(f"{key}: {reason}") from error
    target = np.asarray(bunch.target)
    if entry.n_labels:
        y, class_names = _is_true(target), bunch.target_names
    else:
        y, class_names = _class_numbers(target.astype(str), entry), ()
    X = bunch.data.toarray() if hasattr(bunch.data, "toarray") else np.asarray(bunch.data)
    split = _split(entry, len(X))
    return _dataset(entry, X, y, split, f"OpenML: {key}", bunch.feature_names, class_names)


def _fetch(entry: Entry) -> Any:
    # pandas reads fast, but takes the labels TRUE and FALSE for numbers, and then gives up.
    parser = "auto" if find_spec("pandas") and not entry.n_labels else "liac-arff"
    with _impatient(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "A network error occurred")  # the reason says it too
        return sklearn_datasets.fetch_openml(
            **entry.openml, as_frame=False, parser=parser, n_retries=1
        )


@contextmanager
def _impatient() -> Iterator[None]:
    """Let new connections give up; `fetch_openml` would wait for a silent network for minutes."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(SILENCE)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def _is_true(target: Array) -> Array:
    return np.isin(np.char.lower(target.astype(str)), ("true", "1", "1.0"))


# --- both -----------------------------------------------------------------------------------------


def _class_numbers(values: Array, entry: Entry) -> Array:
    """Number the classes as the published cut does; a copy may call them by other names."""
    found = set(np.unique(values).tolist())
    for names in (entry.class_names, entry.aliases):
        if found == set(names):
            number = {name: l for l, name in enumerate(names)}
            return np.array([number[value] for value in values.tolist()])
    raise SourceError(
        f"its classes are {', '.join(sorted(found))}; expected {', '.join(entry.class_names)}"
    )


def _split(entry: Entry, n_rows: int) -> Array:
    """Mark the test rows, which come last in every published cut."""
    return (np.arange(n_rows) >= entry.n_train).astype(np.uint8)
