"""What training saw of X: which features are categories, which categories there were.

`Schema.learn` looks at the training rows, `Schema.encode` hands any rows to the core: numbers as
they are, categories as codes 0 .. C-1, NaN where missing, -1 for what training never saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from . import _core
from ._columns import ColumnsTable, DenseTable, SparseTable, Table
from ._frames import Array, Column, is_missing

MAX_CATEGORIES = 65534  # bins have 16 bits, and missing and unseen values have one each


@dataclass(frozen=True)
class Categories:
    """The categories of one feature; the code of a category is its place."""

    labels: tuple[object, ...]

    @staticmethod
    def learn(column: Column, *, zero_first: bool) -> Categories:
        """Collect the categories that occur in a column, in rising order.

        Parameters
        ----------
        column : Column
            Training rows.
        zero_first : bool
            Give zero the code 0, occurring or not: a sparse array does not store its zeros.

        Returns
        -------
        Categories
            At most `MAX_CATEGORIES`.
        """
        labels, _ = _distinct(column)
        ordered = _in_order([label for label in labels if not is_missing(label)])
        if zero_first:
            ordered = [0.0, *(label for label in ordered if label != 0)]
        if len(ordered) > MAX_CATEGORIES:
            raise ValueError(
                f"{column.name} has {len(ordered)} categories; "
                f"at most {MAX_CATEGORIES} are allowed."
            )
        return Categories(tuple(ordered))

    def codes(self, column: Column) -> Array:
        """Translate a column.

        Parameters
        ----------
        column : Column
            Any rows.

        Returns
        -------
        ndarray of float32
            Codes; NaN where missing, -1 for an unknown category.
        """
        place = {label: float(code) for code, label in enumerate(self.labels)}
        labels, inverse = _distinct(column)
        translation = [np.nan if is_missing(x) else place.get(x, -1.0) for x in labels]
        return np.asarray(translation, dtype=np.float32)[inverse]


@dataclass(frozen=True)
class Schema:
    """The features as training saw them: per feature its categories, or None if it is numeric."""

    categories: tuple[Categories | None, ...]

    @staticmethod
    def learn(table: Table, categorical: Sequence[int]) -> Schema:
        """Learn from the training rows.

        Parameters
        ----------
        table : Table
            Training rows.
        categorical : sequence of int
            Which features are categories.

        Returns
        -------
        Schema
            What `encode` needs.
        """
        is_sparse = isinstance(table, SparseTable)
        chosen = set(categorical)
        return Schema(
            tuple(
                Categories.learn(table.column(j), zero_first=is_sparse) if j in chosen else None
                for j in range(table.n_features)
            )
        )

    @cached_property
    def is_numeric(self) -> bool:
        """Whether no feature is a category."""
        return not any(self.categories)

    @property
    def n_categories(self) -> list[int]:
        """Number of categories per feature, 0 for a numeric one."""
        return [0 if c is None else max(1, len(c.labels)) for c in self.categories]

    def encode(self, table: Table, *, by_column: bool = False) -> _core.RawMatrix:
        """Hand rows to the core.

        Parameters
        ----------
        table : Table
            Rows with the features of training.
        by_column : bool
            Whether sparse rows are to be read feature by feature, as binning does, or row by
            row, as predicting does.

        Returns
        -------
        RawMatrix
            A view of the table's numbers wherever that is possible.
        """
        if isinstance(table, SparseTable):
            return self._encode_sparse(table, by_column)
        if isinstance(table, DenseTable) and self.is_numeric:
            return _core.RawMatrix.from_array(table.array)
        columns = [self._encode_column(j, table) for j in range(table.n_features)]
        return _core.RawMatrix.from_columns(columns)

    def _encode_column(self, j: int, table: Table) -> Array:
        column, categories = table.column(j), self.categories[j]
        return _numbers(column) if categories is None else categories.codes(column)

    def _encode_sparse(self, table: SparseTable, by_column: bool) -> _core.RawMatrix:
        if any(self.categories):
            matrix = sparse.csc_array(table.matrix, copy=True)
            for j, categories in enumerate(self.categories):
                if categories is not None:
                    stored = slice(matrix.indptr[j], matrix.indptr[j + 1])
                    column = Column(f"feature {j} of X", matrix.data[stored])
                    matrix.data[stored] = categories.codes(column)
        else:
            matrix = table.matrix
        matrix = sparse.csc_array(matrix) if by_column else sparse.csr_array(matrix)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        n = table.n_rows if by_column else table.n_features
        make = _core.RawMatrix.from_csc if by_column else _core.RawMatrix.from_csr
        return make(n, matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data)


def categorical_indices(spec: Any, table: Table, names: Sequence[str] | None) -> list[int]:
    """Turn `categorical_features` into feature numbers.

    Parameters
    ----------
    spec : "from_dtype", None, or sequence of int, str or bool
        The parameter: by column type, none, or exactly these (indices, names or a mask).
    table : Table
        The training rows.
    names : sequence of str or None
        Feature names, if X has any.

    Returns
    -------
    list of int
        In rising order.
    """
    d = table.n_features
    if spec is None:
        return []
    if isinstance(spec, str):
        if spec != "from_dtype":
            raise _refused(spec, "no other word is known")
        is_frame = isinstance(table, ColumnsTable)
        return [j for j in range(d) if table.column(j).is_category] if is_frame else []
    chosen = np.asarray(spec)
    if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "biuUO"):
        raise _refused(spec, "it is no such list")
    if chosen.dtype.kind == "b":
        if len(chosen) != d:
            raise _refused(spec, f"a mask needs one entry per feature, {d} here")
        return [int(j) for j in np.flatnonzero(chosen)]
    return sorted({_feature_number(item, d, names) for item in chosen.tolist()})


def _feature_number(item: object, d: int, names: Sequence[str] | None) -> int:
    if isinstance(item, str):
        known = list(names) if names is not None else []
        if item not in known:
            raise _refused(item, "it is not a feature name" if known else "X has no feature names")
        return known.index(item)
    if not isinstance(item, int) or not -d <= item < d:
        raise _refused(item, f"an index must be from 0 to {d - 1}")
    return item % d


def _refused(given: object, why: str) -> ValueError:
    return ValueError(
        "categorical_features must be 'from_dtype', None, or a list of feature indices, feature "
        f"names or a boolean mask; got {given!r}: {why}."
    )


def _numbers(column: Column) -> Array:
    """Return the column as numbers, or say why it cannot be."""
    if column.labels is not None:
        labels = np.append(_floats(column, column.labels), np.nan)
        return labels[column.values]
    if column.values.dtype.kind != "O":
        return column.values
    values = _floats(column, column.values)
    if np.isinf(values).any():
        raise ValueError(f"Input {column.name} contains infinity.")
    return values


def _floats(column: Column, values: Array) -> Array:
    text = next((x for x in values if isinstance(x, (str, bytes))), None)
    if text is not None:
        raise ValueError(
            f"could not convert string to float: {text!r}. {column.name} must hold numbers, or be "
            "a category column (pandas 'category', polars Categorical) or be named in "
            "categorical_features."
        )
    try:
        return np.array([np.nan if is_missing(x) else float(x) for x in values])
    except (TypeError, ValueError) as error:
        raise type(error)(f"{column.name} must hold numbers or categories: {error}") from error


def _distinct(column: Column) -> tuple[list[object], Array]:
    """Return the distinct entries of a column and, per row, which of them it holds."""
    if column.labels is not None:
        codes, inverse = np.unique(column.values, return_inverse=True)
        return [None if c < 0 else column.labels[c] for c in codes], inverse
    if column.values.dtype.kind != "O":
        values, inverse = np.unique(column.values, return_inverse=True)
        return list(values.tolist()), inverse
    place: dict[object, int] = {}
    try:
        inverse = np.array([place.setdefault(x, len(place)) for x in column.values.tolist()])
    except TypeError as error:
        raise TypeError(
            f"{column.name}: argument must be a column of strings or numbers, or of other "
            f"categories that hash; {error}."
        ) from error
    return list(place), inverse


def _in_order(labels: list[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, repr(label)))
