"""Data frames of any make -> plain columns.

A `Column` is one of three things, told apart by its fields:

    numeric    values = numbers, NaN for missing      labels = None
    category   values = codes, -1 for missing         labels = what the codes stand for
    objects    values = Python objects                labels = None

pandas and polars are never imported here: a frame of theirs can only arrive if they are loaded.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Column:
    """One feature as it came: see the module's text."""

    name: str
    values: Array
    labels: Array | None = None

    @property
    def is_category(self) -> bool:
        """Whether the column's type says that it holds categories."""
        return self.labels is not None

    def take(self, rows: Array) -> Column:
        """Return the column with these rows only."""
        return replace(self, values=self.values[rows])


def unwrapped(X: Any) -> Any:
    """Turn a data frame of a rare make into a pyarrow Table.

    Parameters
    ----------
    X : object
        Anything.

    Returns
    -------
    object
        X itself, unless it is a RecordBatch or a stranger that speaks Arrow's or the data frame
        interchange protocol.
    """
    if _is_a(X, "polars", "LazyFrame"):
        raise TypeError("X must be in memory; got a polars LazyFrame: call its collect() first.")
    if _is_a(X, "pyarrow", "RecordBatch"):  # as a Table, because scikit-learn reads names of Tables
        return sys.modules["pyarrow"].Table.from_batches([X])
    speaks_arrow = hasattr(X, "__arrow_c_stream__")
    if is_frame(X) or not (speaks_arrow or hasattr(X, "__dataframe__")):
        return X
    try:
        import pyarrow as pa
        from pyarrow.interchange import from_dataframe
    except ImportError as error:
        raise TypeError(f"X is a {type(X).__name__}; to read it, install pyarrow.") from error
    return pa.table(X) if speaks_arrow else from_dataframe(X)


def is_frame(X: Any) -> bool:
    """Tell the data frames that `frame_columns` reads from all else.

    Parameters
    ----------
    X : object
        Anything.

    Returns
    -------
    bool
        Whether X is a pandas or polars DataFrame or a pyarrow Table or RecordBatch.
    """
    makes = ("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table")
    return any(_is_a(X, *make) for make in makes) or _is_a(X, "pyarrow", "RecordBatch")


def without_zeros(X: Any) -> Any:
    """Turn a pandas frame of sparse columns into a sparse array.

    Parameters
    ----------
    X : object
        Anything.

    Returns
    -------
    object
        X itself, unless it is a pandas DataFrame that stores no zeros.
    """
    if not _is_a(X, "pandas", "DataFrame") or X.shape[1] == 0:
        return X
    fills = [getattr(dtype, "fill_value", None) for dtype in X.dtypes]
    return X.sparse.to_coo().tocsc() if all(fill == 0 for fill in fills) else X


def frame_columns(frame: Any) -> list[Column]:
    """Read the columns of a data frame.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame, pyarrow.Table or pyarrow.RecordBatch
        See `is_frame`.

    Returns
    -------
    list of Column
        Views wherever the frame holds plain numbers.
    """
    if _is_a(frame, "pandas", "DataFrame"):
        return [_pandas_column(_name(c), frame.iloc[:, j]) for j, c in enumerate(frame.columns)]
    if _is_a(frame, "polars", "DataFrame"):
        return [_polars_column(_name(c.name), c) for c in frame.get_columns()]
    return [_arrow_column(_name(c), frame.column(j)) for j, c in enumerate(frame.column_names)]


def series_column(y: Any) -> Column | None:
    """Read a single series.

    Parameters
    ----------
    y : object
        Anything.

    Returns
    -------
    Column or None
        None if y is no pandas or polars Series and no pyarrow array.
    """
    if _is_a(y, "pandas", "Series"):
        return _pandas_column("y", y)
    if _is_a(y, "polars", "Series"):
        return _polars_column("y", y)
    if _is_a(y, "pyarrow", "Array") or _is_a(y, "pyarrow", "ChunkedArray"):
        return _arrow_column("y", y)
    return None


def is_missing(x: Any) -> bool:
    """Tell missing entries from others.

    Parameters
    ----------
    x : object
        An entry of a column of objects.

    Returns
    -------
    bool
        Whether x is None, NaN, pandas.NA or pandas.NaT.
    """
    return x is None or type(x).__name__ in ("NAType", "NaTType") or (x != x) is True


def _is_a(X: Any, module: str, name: str) -> bool:
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(X, getattr(loaded, name))


def _objects(values: list[Any]) -> Array:
    """Return a vector of objects, also if they are lists."""
    return np.fromiter(values, dtype=object, count=len(values))


def _name(column: object) -> str:
    return f"column {column!r} of X"


def _pandas_column(name: str, series: Any) -> Column:
    dtype = series.dtype
    if hasattr(dtype, "categories"):
        return Column(name, series.cat.codes.to_numpy(), np.asarray(dtype.categories, dtype=object))
    if isinstance(dtype, np.dtype):
        return Column(name, series.to_numpy())
    if hasattr(dtype, "pyarrow_dtype"):
        return _arrow_column(name, series.array.__arrow_array__())
    kind = getattr(dtype, "kind", "O")
    if kind not in "biuf":
        return Column(name, series.to_numpy(dtype=object))
    if series.hasnans:
        return Column(name, series.to_numpy(dtype=np.float64, na_value=np.nan))
    return Column(name, series.to_numpy(dtype=getattr(dtype, "numpy_dtype", np.float64)))


def _polars_column(name: str, series: Any) -> Column:
    polars = sys.modules["polars"]
    if isinstance(series.dtype, (polars.Categorical, polars.Enum)):
        return _polars_category(name, series)
    if series.dtype == polars.Boolean or series.dtype.is_decimal():
        if series.null_count() or series.dtype.is_decimal():
            series = series.cast(polars.Float64)
    elif not series.dtype.is_numeric():
        return Column(name, _objects(series.to_list()))
    return Column(name, series.to_numpy())


def _polars_category(name: str, series: Any) -> Column:
    polars = sys.modules["polars"]
    physical = series.to_physical().to_numpy()
    present = np.flatnonzero(series.is_not_null().to_numpy())
    _, first, inverse = np.unique(physical[present], return_index=True, return_inverse=True)
    codes = np.full(len(physical), -1, dtype=np.int32)
    codes[present] = inverse
    labels = series.gather(present[first]).cast(polars.String).to_list()
    return Column(name, codes, np.array(labels, dtype=object))


def _arrow_column(name: str, column: Any) -> Column:
    import pyarrow as pa
    from pyarrow import types

    array = column
    if isinstance(column, pa.ChunkedArray):  # combining copies, even a single chunk
        array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if types.is_dictionary(array.type):
        codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return Column(name, codes, np.array(array.dictionary.to_pylist(), dtype=object))
    if types.is_boolean(array.type) and array.null_count:
        array = array.cast(pa.int8())
    elif types.is_decimal(array.type):
        array = array.cast(pa.float64())
    elif not (types.is_primitive(array.type) and not types.is_temporal(array.type)):
        return Column(name, _objects(array.to_pylist()))
    return Column(name, array.to_numpy(zero_copy_only=False))
