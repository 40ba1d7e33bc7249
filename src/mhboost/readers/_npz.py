"""NPZ: the arrays X and y, perhaps names, a split and weights; or a matrix that scipy wrote."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.lib import format as npy
from numpy.typing import NDArray
from scipy import sparse

from ._errors import FileError, decoding
from ._options import Options
from ._table import Matrix, Table

__all__ = ["NpzFile"]

TARGET = "y"
ROWS = 1 << 16
SPARSE = {"data", "indices", "indptr", "shape", "format"}
MAX_BYTES = 2**36


class NpzFile:
    """A file of arrays.

    Parameters
    ----------
    path : str
        Its name.
    options : Options
        What the user says of it.
    """

    def __init__(self, path: str, options: Options) -> None:
        self.path, self.options = path, options

    def table(self) -> Table:
        """Read all rows."""
        with decoding(self.path, "NPZ file"):
            return self._read(self._arrays())

    def batches(
        self, wanted: Mapping[str, pa.DataType], n_features: int, with_features: bool
    ) -> Iterator[Table]:
        """Read the file, and hand it out part after part.

        Parameters
        ----------
        wanted : mapping of str to pyarrow.DataType
            Columns; all features come besides if they have no names.
        n_features : int
            Number of features of the model.
        with_features : bool
            Whether the features are wanted without names.

        Yields
        ------
        Table
            With these columns.
        """
        table = self.table()
        columns = {n: table.column(n).cast(t, safe=False) for n, t in wanted.items()}
        matrix = table.matrix if with_features else None
        if matrix is not None and matrix.values.shape[1] != n_features:
            found = matrix.values.shape[1]
            raise FileError(self.path, f"X has {found} features, the model has {n_features}")
        for first in range(0, table.n_rows, ROWS):
            rows = slice(first, first + ROWS)
            part = None if matrix is None else Matrix(matrix.values[rows])
            held = pa.table({n: c.slice(first, ROWS) for n, c in columns.items()})
            yield replace(table, arrow=held, matrix=part, first_row=first, test_rows=None)

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Read the arrays, none of which may claim to be larger than its part of the file."""
        arrays = {}
        with zipfile.ZipFile(self.path) as archive:
            for entry in archive.infolist():
                name = entry.filename.removesuffix(".npy")
                if entry.filename == name or entry.file_size > MAX_BYTES:
                    continue
                with archive.open(entry) as member:
                    self._check_size(member, entry.file_size, name)
                with archive.open(entry) as member:
                    arrays[name] = npy.read_array(member, allow_pickle=False)
        return arrays

    def _check_size(self, member: Any, size: int, name: str) -> None:
        version = npy.read_magic(member)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(member)
        if dtype.hasobject:
            raise FileError(self.path, "it holds Python objects, which are not read", column=name)
        cells = 1
        for length in shape:
            cells *= length
        if min(shape, default=0) < 0 or cells * dtype.itemsize > size:
            raise FileError(self.path, f"its array of shape {shape} is cut short", column=name)

    def _read(self, arrays: dict[str, NDArray[Any]]) -> Table:
        if arrays.keys() >= SPARSE:
            X: Any = sparse.csr_array(sparse.load_npz(self.path))
            X.check_format(full_check=True)
        elif "X" in arrays:
            X = arrays["X"]
        else:
            held = ", ".join(arrays) or "none"
            raise FileError(self.path, f"there is no array X; there are: {held:.200}")
        X = self._checked_matrix(X)
        n, d = X.shape
        names = self._texts(arrays, "feature_names", d)
        columns = self._targets(arrays, n)
        targets = tuple(columns)
        for name in ("sample_weight", "weight"):
            if name in arrays:
                columns[name] = self._vector(arrays[name], name, n)
        split = arrays.get("split")
        test = None if split is None else self._vector(split, "split", n) == 1
        table = pa.table(columns)
        if names is not None and not sparse.issparse(X):
            features = {name: np.ascontiguousarray(X[:, j]) for j, name in enumerate(names)}
            table = pa.table({**features, **columns})
            return Table(self.path, table, None, targets, test_rows=test)
        return Table(self.path, table, Matrix(X, names), targets, test_rows=test)

    def _checked_matrix(self, X: Any) -> Any:
        if X.ndim != 2 or 0 in X.shape:
            raise FileError(self.path, f"X must have rows and columns; its shape is {X.shape}")
        if X.dtype.kind not in "biuf":
            raise FileError(self.path, f"X must hold numbers; its type is {X.dtype}")
        return X if X.dtype.itemsize > 2 or X.dtype.kind != "f" else X.astype(np.float32)

    def _texts(self, arrays: dict[str, NDArray[Any]], name: str, n: int) -> tuple[str, ...] | None:
        if name not in arrays:
            return None
        texts = tuple(map(str, self._vector(arrays[name], name, n).tolist()))
        if len(set(texts)) < n:
            twice = next(t for j, t in enumerate(texts) if t in texts[:j])
            raise FileError(self.path, f"{name} holds {twice!r:.60} twice")
        return texts

    def _vector(self, array: NDArray[Any], name: str, n: int) -> NDArray[Any]:
        if array.shape != (n,):
            raise FileError(self.path, f"{name} must have {n} entries; its shape is {array.shape}")
        return array

    def _targets(self, arrays: dict[str, NDArray[Any]], n: int) -> dict[str, NDArray[Any]]:
        """Name the classes, or the labels."""
        y = arrays.get(TARGET)
        if y is None:
            return {}
        if y.ndim == 2 and y.shape[0] == n:
            names = self._texts(arrays, "label_names", y.shape[1])
            names = names or tuple(f"y{m}" for m in range(1, y.shape[1] + 1))
            return {name: np.ascontiguousarray(y[:, m]) for m, name in enumerate(names)}
        y = self._vector(y, TARGET, n)
        classes = arrays.get("class_names")
        if classes is None or y.dtype.kind not in "iu":
            return {TARGET: y}
        if classes.ndim != 1 or y.min() < 0 or y.max() >= len(classes):
            raise FileError(self.path, "y holds numbers that class_names has no name for")
        return {TARGET: classes[y]}
