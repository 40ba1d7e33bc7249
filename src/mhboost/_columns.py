"""X of any container -> a `Table`: checked, row-selectable, and not copied unless it has to be.

    numpy array, nested lists, memmap ...   -> DenseTable     one 2-D array of numbers
    pandas, polars, pyarrow, object arrays  -> ColumnsTable   a list of columns
    scipy sparse                            -> SparseTable    CSR or CSC

What the numbers mean (which columns are categories, and which ones) is the schema's business.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite, check_array

from ._frames import Array, Column, frame_columns, is_frame, without_zeros

MAX_ROWS = 2**31 - 1
PLAIN_TYPES = frozenset(map(np.dtype, ("?", "b", "B", "h", "H", "i", "I", "l", "L", "f", "d")))


class Table(ABC):
    """The rows of X, whatever they came in."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of features."""

    @abstractmethod
    def take(self, rows: Array) -> Table:
        """Return a table of these rows (a copy)."""

    @abstractmethod
    def column(self, j: int) -> Column:
        """Return one feature."""


@dataclass(frozen=True)
class DenseTable(Table):
    """A 2-D array of numbers that the core reads where it lies."""

    array: Array

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.array.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.array.shape[1])

    def take(self, rows: Array) -> DenseTable:
        """Return a table of these rows (a copy)."""
        return DenseTable(self.array[rows])

    def column(self, j: int) -> Column:
        """Return one feature, a view."""
        return Column(f"feature {j} of X", self.array[:, j])


@dataclass(frozen=True)
class ColumnsTable(Table):
    """Columns of different types."""

    columns: list[Column]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0].values)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.columns)

    def take(self, rows: Array) -> ColumnsTable:
        """Return a table of these rows (a copy)."""
        return ColumnsTable([column.take(rows) for column in self.columns])

    def column(self, j: int) -> Column:
        """Return one feature."""
        return self.columns[j]


@dataclass(frozen=True)
class SparseTable(Table):
    """A sparse array; what is not stored is zero."""

    matrix: Any

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.matrix.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.matrix.shape[1])

    def take(self, rows: Array) -> SparseTable:
        """Return a table of these rows (a copy)."""
        return SparseTable(sparse.csr_array(self.matrix)[rows])

    def column(self, j: int) -> Column:
        """Return one feature, dense."""
        values = sparse.csc_array(self.matrix[:, [j]]).toarray().ravel()
        return Column(f"feature {j} of X", values)


def read_table(X: Any, estimator: object) -> Table:
    """Check X and wrap it.

    Parameters
    ----------
    X : array-like, data frame or sparse array of shape (n_rows, n_features)
        What the user gave.
    estimator : object
        Named in error messages.

    Returns
    -------
    Table
        At least one row and one feature; finite or NaN where the type is numeric.

    Examples
    --------
    >>> read_table([[1, 2], [3, 4]], None).n_features
    2
    """
    if is_plain(X):
        return DenseTable(X)
    X = without_zeros(X)
    if is_frame(X):
        table: Table = _checked_columns(frame_columns(X))
    else:
        array = _checked_array(X, estimator)
        if array.dtype.kind in "SU":
            array = np.asarray(X, dtype=object)  # of nested lists: their numbers stay numbers
        table = _wrapped(array)
    if table.n_rows > MAX_ROWS:
        raise ValueError(f"X has {table.n_rows} rows; at most {MAX_ROWS} are allowed.")
    return table


def is_plain(X: object) -> bool:
    """Tell the commonest X, which needs no other check: a matrix of finite numbers.

    Parameters
    ----------
    X : object
        Anything.

    Returns
    -------
    bool
        False also where it would take longer to be sure.

    Examples
    --------
    >>> is_plain(np.ones((2, 3))), is_plain(np.array([[np.inf]])), is_plain([[1.0]])
    (True, False, False)
    """
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in PLAIN_TYPES:
        return False
    if not 0 < X.shape[0] <= MAX_ROWS or X.shape[1] == 0:
        return False
    if X.dtype.kind != "f":
        return True
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum(dtype=np.float64)))


def _checked_array(X: Any, estimator: object) -> Any:
    _refuse_complex(getattr(X, "dtype", None), "X")  # check_array would show all of X
    try:
        return check_array(
            X,
            accept_sparse=["csr", "csc"],
            dtype=None,
            ensure_all_finite="allow-nan",
            estimator=estimator,
            input_name="X",
        )
    except (TypeError, ValueError) as error:
        raise type(error)(f"X: {error}") from error


def _refuse_complex(dtype: Any, name: str) -> None:
    if getattr(dtype, "kind", None) == "c":
        raise ValueError(f"Complex data not supported: {name} has type {dtype}.")


def _wrapped(array: Any) -> Table:
    if sparse.issparse(array):
        return SparseTable(array.astype(np.float64, copy=False))
    if array.dtype.kind == "O":
        columns = [Column(f"feature {j} of X", array[:, j]) for j in range(array.shape[1])]
        return ColumnsTable(columns)
    return DenseTable(readable(array, "X"))


def _checked_columns(columns: list[Column]) -> ColumnsTable:
    if not columns:
        raise ValueError(
            "X: Found array with 0 feature(s) (shape=(0, 0)) while a minimum of 1 is required."
        )
    if len(columns[0].values) == 0:
        raise ValueError(
            f"X: Found array with 0 sample(s) (shape=(0, {len(columns)})) "
            "while a minimum of 1 is required."
        )
    return ColumnsTable([_checked_column(column) for column in columns])


def _checked_column(column: Column) -> Column:
    if column.is_category or column.values.dtype.kind == "O":
        return column
    values = readable(column.values, column.name)
    assert_all_finite(values, allow_nan=True, input_name=column.name)
    return Column(column.name, values)


def readable(array: Array, name: str) -> Array:
    """Return numbers in a type that the core reads: the array itself if it can be.

    Parameters
    ----------
    array : ndarray
        Numbers of any type.
    name : str
        What to call the array in an error.

    Returns
    -------
    ndarray
        bool, (u)int8 to (u)int64, float32 or float64, in native byte order.

    Examples
    --------
    >>> readable(np.ones(2, dtype=np.float16), "x").dtype
    dtype('float32')
    """
    kind, size = array.dtype.kind, array.dtype.itemsize
    _refuse_complex(array.dtype, name)
    if kind not in "biuf":
        raise TypeError(
            f"{name} must hold numbers or categories; got type {array.dtype}. Make it a category "
            "column (pandas 'category', polars Categorical) or name it in categorical_features."
        )
    if kind == "f" and size not in (4, 8):
        with np.errstate(over="ignore"):  # the next line tells
            array = array.astype(np.float32 if size == 2 else np.float64)
        assert_all_finite(array, allow_nan=True, input_name=name)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
