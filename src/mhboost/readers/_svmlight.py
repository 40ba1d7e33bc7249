"""svmlight and libsvm: a line is `label index:value ...`; several labels have commas."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from scipy import sparse

from ._bytes import text_lines
from ._errors import FileError
from ._options import Options
from ._sniff import is_number
from ._table import Matrix, Table

__all__ = ["LABEL", "SvmlightFile"]

LABEL = "label"
ROWS = 1 << 13
MAX_INDEX = 2**31 - 2
MAX_WHOLE = 2**53


@dataclass
class Rows:
    """Lines as they were read: labels, and the matrix in three arrays."""

    labels: list[str] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("q"))
    ends: array[int] = field(default_factory=lambda: array("q", [0]))
    indices: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))


class SvmlightFile:
    """A file of sparse rows.

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
        """Read all rows. The first feature has the number 0 if the file has one, else 1."""
        rows = Rows()
        for part in self._parts():
            rows.labels += part.labels
            rows.lines += part.lines
            before = rows.ends[-1]
            rows.ends.extend(end + before for end in part.ends[1:])
            rows.indices += part.indices
            rows.values += part.values
        first = 0 if 0 in rows.indices else 1
        if not rows.indices:
            raise FileError(self.path, "no row has a feature")
        n_features = max(rows.indices) + 1 - first
        table = self._table(rows, n_features, first, 0)
        arrow, targets = _targets(rows.labels)
        return replace(table, arrow=arrow, targets=targets)

    def batches(
        self, wanted: Mapping[str, pa.DataType], n_features: int, first_index: int
    ) -> Iterator[Table]:
        """Read part after part.

        Parameters
        ----------
        wanted : mapping of str to pyarrow.DataType
            The targets, if they are to be read.
        n_features : int
            Number of features of the model.
        first_index : int
            Number of the first of them.

        Yields
        ------
        Table
            The features as a sparse matrix, the targets as columns.
        """
        first_row = 0
        for part in self._parts():
            self._check_range(part, n_features, first_index)
            table = self._table(part, n_features, first_index, first_row)
            yield replace(table, arrow=self._wanted(part, wanted))
            first_row += len(part.labels)

    def _wanted(self, part: Rows, wanted: Mapping[str, pa.DataType]) -> pa.Table:
        columns = {}
        for name, type_ in wanted.items():
            if name == LABEL:
                columns[name] = self._cast_labels(part, type_)
            else:
                held = [name in text.split(",") for text in part.labels]
                columns[name] = pa.array(np.array(held, dtype=np.int64))
        return pa.table(columns)

    def _cast_labels(self, part: Rows, type_: pa.DataType) -> pa.Array:
        if pa.types.is_string(type_):
            return pa.array(part.labels)
        for text, line in zip(part.labels, part.lines, strict=True):
            if not is_number(text):
                raise FileError(self.path, f"the label {text!r:.60} is no number", line=line)
        return pa.array(np.array(part.labels, dtype=np.float64)).cast(type_, safe=False)

    def _table(self, rows: Rows, n_features: int, first_index: int, first_row: int) -> Table:
        indices = np.array(rows.indices, dtype=np.int64) - first_index
        shape = (len(rows.labels), n_features)
        values = np.array(rows.values, dtype=np.float64)
        matrix = sparse.csr_array((values, indices, np.array(rows.ends)), shape=shape)
        matrix.sort_indices()
        self._check_twice(matrix, rows)
        lines = rows.lines
        return Table(
            self.path,
            pa.table({}),
            Matrix(matrix),
            first_row=first_row,
            line_of=lambda row: lines[row - first_row],
            first_index=first_index,
        )

    def _check_range(self, rows: Rows, n_features: int, first_index: int) -> None:
        indices = np.array(rows.indices, dtype=np.int64)
        bad = np.flatnonzero((indices < first_index) | (indices >= n_features + first_index))
        if len(bad):
            row = int(np.searchsorted(rows.ends, bad[0], side="right")) - 1
            last = n_features + first_index - 1
            raise FileError(
                self.path,
                f"there is a feature {indices[bad[0]]}; the model's features are numbered from "
                f"{first_index} to {last}",
                line=rows.lines[row],
            )

    def _check_twice(self, matrix: sparse.csr_array, rows: Rows) -> None:
        row_of = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        same = (np.diff(matrix.indices) == 0) & (np.diff(row_of) == 0)
        if same.any():
            row = int(row_of[np.argmax(same)])
            raise FileError(self.path, "a feature is there twice", line=rows.lines[row])

    # --- lines -----------------------------------------------------------------------------------

    def _parts(self) -> Iterator[Rows]:
        rows, n_rows = Rows(), 0
        for line, text in enumerate(text_lines(self.path, self.options.encoding), 1):
            bare = text.partition("#")[0]
            if not bare.strip():
                continue
            self._read_line(rows, line, bare)
            n_rows += 1
            if len(rows.labels) == ROWS:
                yield rows
                rows = Rows()
        if rows.labels:
            yield rows
        if n_rows == 0:
            raise FileError(self.path, "there are no rows")

    def _read_line(self, rows: Rows, line: int, text: str) -> None:
        tokens = text.split()
        if text[0].isspace() or ":" in tokens[0]:
            tokens.insert(0, "")  # a row without labels
        rows.labels.append(tokens[0])
        rows.lines.append(line)
        for token in tokens[1:]:
            index, colon, value = token.partition(":")
            if index == "qid":
                continue
            if not (
                colon and index.isascii() and index.isdecimal() and int(index[:12]) <= MAX_INDEX
            ):
                raise FileError(
                    self.path, f"{token!r:.60} is not index:value, as in 3:0.5", line=line
                )
            number = float(value) if is_number(value) else math.inf
            if math.isinf(number):
                message = f"{value!r:.60} is no finite number"
                raise FileError(self.path, message, line=line, column=index)
            rows.values.append(number)
            rows.indices.append(int(index))
        rows.ends.append(len(rows.indices))


def _targets(labels: Sequence[str]) -> tuple[pa.Table, tuple[str, ...]]:
    """Turn labels into one column, or into a column for each if rows have several or none."""
    several = any("," in text or not text for text in labels)
    if not several:
        is_numbers = all(map(is_number, labels))
        values = np.array(labels, dtype=np.float64) if is_numbers else np.array([])
        is_whole = (np.abs(values) < MAX_WHOLE) & (values == np.trunc(values))
        if is_numbers and is_whole.all():
            return pa.table({LABEL: values.astype(np.int64)}), (LABEL,)
        return pa.table({LABEL: list(labels)}), (LABEL,)
    sets = [set(filter(None, text.split(","))) for text in labels]
    names = sorted(set().union(*sets), key=lambda t: (not is_number(t), _number(t), t))
    columns = {name: np.array([name in held for held in sets], dtype=np.int64) for name in names}
    return pa.table(columns), tuple(names)


def _number(text: str) -> float:
    return float(text) if is_number(text) else 0.0
