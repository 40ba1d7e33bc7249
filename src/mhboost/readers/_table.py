"""A file's content: named columns, and perhaps a matrix of features beside them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from ._errors import FileError

__all__ = ["Kind", "Matrix", "Table", "gather", "kind_of", "odd_word"]

Kind: TypeAlias = Literal["numeric", "categorical", "text", "date", "empty", "other"]

MANY = 1000  # more different words than this are text
SOME = 20  # so are more than this, if most rows have one of their own
MAX_DENSE_CELLS = 2**31


@dataclass(frozen=True)
class Matrix:
    """Features without columns of their own.

    Parameters
    ----------
    values : ndarray or sparse array of shape (n_rows, n_features)
        The numbers.
    names : tuple of str or None
        Names of the features, if they have any.
    """

    values: Any
    names: tuple[str, ...] | None = None

    def take(self, columns: Sequence[int]) -> Matrix:
        """Return some of the features.

        Parameters
        ----------
        columns : sequence of int
            Which ones.

        Returns
        -------
        Matrix
            In this order.
        """
        names = self.names
        chosen = None if names is None else tuple(names[j] for j in columns)
        return Matrix(self.values[:, list(columns)], chosen)


@dataclass(frozen=True)
class Table:
    """Rows of a file.

    Parameters
    ----------
    path : str
        Name of the file.
    arrow : pyarrow.Table
        The columns, in the file's order.
    matrix : Matrix or None
        Further features.
    targets : tuple of str
        Columns that the file itself says are to be predicted.
    first_row : int
        Number of rows before these, if the table is a part of the file.
    line_of : callable or None
        Gives the line of the text file that a row (from 0) is on.
    test_rows : ndarray of bool or None
        Rows that the file itself says are for testing.
    first_index : int
        Number of the first feature in a file that numbers them.
    """

    path: str
    arrow: pa.Table
    matrix: Matrix | None = None
    targets: tuple[str, ...] = ()
    first_row: int = 0
    line_of: Callable[[int], int | None] | None = field(default=None, repr=False)
    test_rows: Any = field(default=None, repr=False)
    first_index: int = 1

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.arrow.num_rows if self.matrix is None else self.matrix.values.shape[0])

    @property
    def names(self) -> list[str]:
        """Names of all columns that have one."""
        names = None if self.matrix is None else self.matrix.names
        return [*self.arrow.column_names, *(names or ())]

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column by its name.

        Parameters
        ----------
        name : str
            One of `names`.

        Returns
        -------
        pyarrow.ChunkedArray
            Its values.
        """
        if name in self.arrow.column_names:
            return self.arrow.column(name)
        if self.matrix is None or self.matrix.names is None or name not in self.matrix.names:
            raise FileError(self.path, f"there is no column {name!r}; {listed(self.names)}")
        values = self.matrix.values[:, [self.matrix.names.index(name)]]
        dense = values.toarray() if sparse.issparse(values) else values
        return pa.chunked_array([np.ascontiguousarray(dense.ravel())])

    def features(self, without: Collection[str] = ()) -> Any:
        """Return what `fit` and `predict` take: a pyarrow Table, an ndarray or a sparse array.

        Parameters
        ----------
        without : collection of str
            Columns to leave out.

        Returns
        -------
        pyarrow.Table, ndarray or csr_array
            Words are dictionary columns, which the estimator takes for categories.
        """
        columns = self.arrow.select([n for n in self.arrow.column_names if n not in without])
        matrix = self.matrix
        if matrix is not None and matrix.names is not None:
            matrix = matrix.take([j for j, n in enumerate(matrix.names) if n not in without])
        if matrix is None:
            return encoded(columns)
        is_sparse = sparse.issparse(matrix.values)
        if columns.num_columns == 0 and (is_sparse or matrix.names is None):
            return matrix.values
        n, d = matrix.values.shape
        if is_sparse and n * d > MAX_DENSE_CELLS:
            raise FileError(
                self.path,
                f"its {d} sparse features cannot stand beside columns of words; drop "
                f"{listed(columns.column_names)}",
            )
        dense = matrix.values.toarray() if is_sparse else matrix.values
        names = matrix.names or tuple(f"x{j}" for j in range(d))
        for j, name in enumerate(names):
            columns = columns.append_column(name, pa.array(np.ascontiguousarray(dense[:, j])))
        return encoded(columns)

    def take(self, rows: Any) -> Table:
        """Return some of the rows, in the order given.

        Parameters
        ----------
        rows : ndarray of int
            Their numbers.

        Returns
        -------
        Table
            A copy.
        """
        matrix = self.matrix
        line_of, first = self.line_of, self.first_row
        return Table(
            self.path,
            self.arrow.take(pa.array(rows)),
            None if matrix is None else Matrix(matrix.values[rows], matrix.names),
            self.targets,
            0,
            None if line_of is None else lambda row: line_of(first + int(rows[row])),
            first_index=self.first_index,
        )

    def slice(self, first: int, n_rows: int) -> Table:
        """Return rows that follow each other, as a view.

        Parameters
        ----------
        first : int
            The first.
        n_rows : int
            At most so many.

        Returns
        -------
        Table
            The rows.
        """
        matrix = self.matrix
        part = (
            None if matrix is None else Matrix(matrix.values[first : first + n_rows], matrix.names)
        )
        return replace(
            self,
            arrow=self.arrow.slice(first, n_rows),
            matrix=part,
            first_row=self.first_row + first,
            test_rows=None,
        )

    def error(self, message: str, row: int, column: str | None = None) -> FileError:
        """Make an error that says where a row is.

        Parameters
        ----------
        message : str
            What is wrong.
        row : int
            Row of this table, from 0.
        column : str or None
            Name of the column.

        Returns
        -------
        FileError
            With the line, if the file has lines.
        """
        number = self.first_row + row
        line = None if self.line_of is None else self.line_of(number)
        return FileError(self.path, message, line=line, row=number + 1, column=column)


def gather(parts: Iterable[Table]) -> Table:
    """Put the parts of a file together.

    Parameters
    ----------
    parts : iterable of Table
        What `stream` yields.

    Returns
    -------
    Table
        All rows.
    """
    held = list(parts)
    ends = np.cumsum([part.n_rows for part in held])
    matrix = None
    if held[0].matrix is not None:
        blocks = [part.matrix.values for part in held if part.matrix is not None]
        is_sparse = sparse.issparse(blocks[0])
        whole = sparse.vstack(blocks, format="csr") if is_sparse else np.concatenate(blocks)
        matrix = Matrix(sparse.csr_array(whole) if is_sparse else whole, held[0].matrix.names)

    def line_of(row: int) -> int | None:
        line_of = held[int(np.searchsorted(ends, row, side="right"))].line_of
        return None if line_of is None else line_of(row)

    return replace(
        held[0],
        arrow=pa.concat_tables([part.arrow for part in held]),
        matrix=matrix,
        line_of=None if held[0].line_of is None else line_of,
    )


NUMBER = r"^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$"


def odd_word(column: pa.ChunkedArray) -> int | None:
    """Find the word that keeps a column of words from being one of numbers.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        Any.

    Returns
    -------
    int or None
        The first row whose word is no number, if nine of ten are.

    Examples
    --------
    >>> odd_word(pa.chunked_array([["1"] * 20 + ["x"]])), odd_word(pa.chunked_array([["x", "1"]]))
    (20, None)
    """
    if not is_words(column.type):
        return None
    is_number = pc.match_substring_regex(column, NUMBER).fill_null(True)
    n_odd = len(column) - (pc.sum(is_number).as_py() or 0)
    found = 0 < 10 * n_odd < len(column) - column.null_count
    return pc.index(is_number, False).as_py() if found else None


def encoded(columns: pa.Table) -> pa.Table:
    """Turn columns of words into dictionary columns."""
    for j, column in enumerate(columns.columns):
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            column = column.dictionary_encode()
        if pa.types.is_dictionary(column.type):
            columns = columns.set_column(j, columns.field(j).name, column.unify_dictionaries())
    return columns


def kind_of(column: pa.ChunkedArray) -> Kind:
    """Tell what a column holds.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        Training rows.

    Returns
    -------
    str
        "numeric", "categorical", or a kind that cannot be learned from.

    Examples
    --------
    >>> kind_of(pa.chunked_array([["a", "b", "a"]])), kind_of(pa.chunked_array([[1, None]]))
    ('categorical', 'numeric')
    """
    type_ = column.type
    if pa.types.is_null(type_) or column.null_count == len(column):
        return "empty"
    if pa.types.is_temporal(type_):
        return "date"
    if pa.types.is_boolean(type_) or pa.types.is_decimal(type_) or pa.types.is_primitive(type_):
        return "numeric"
    if pa.types.is_dictionary(type_):
        return "categorical" if is_words(type_.value_type) else "other"
    if not is_words(type_):
        return "other"
    distinct = pc.count_distinct(column).as_py()
    present = len(column) - column.null_count
    return (
        "text"
        if distinct > MANY or (distinct > SOME and 2 * distinct > present)
        else ("categorical")
    )


def is_words(type_: pa.DataType) -> bool:
    """Tell whether a type is of strings."""
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))


def listed(names: Sequence[str], most: int = 12) -> str:
    """Write some names in a row.

    Parameters
    ----------
    names : sequence of str
        Names of columns.
    most : int
        So many at most.

    Returns
    -------
    str
        With the number of those left out.
    """
    if not names:
        return "no columns have names"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"columns: {', '.join(names[:most])}{more}"
