"""ARFF, dense and sparse; the label attributes of a multi-label file that MEKA wrote are known."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from ._bytes import text_lines
from ._csv import lacks
from ._errors import FileError
from ._options import Options
from ._sniff import is_number
from ._table import Matrix, Table

__all__ = ["ArffFile"]

ROWS = 1 << 13
WORD = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s,{}%'\"]+"
ATTRIBUTE = re.compile(rf"@attribute\s+({WORD})\s*(.*)$", re.IGNORECASE)
RELATION = re.compile(r"@relation\b(.*)$", re.IGNORECASE)
MEKA_LABELS = re.compile(r"-C\s+(-?\d+)")
VALUE = re.compile(r"\s*('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,]*?)\s*(,|$)")
ENTRY = re.compile(r"\s*(\d+)\s+('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,]*?)\s*(,|$)")
NUMBERS = ("numeric", "real", "integer")


@dataclass(frozen=True)
class Attribute:
    """A column: its values, if the file lists them; `is_number` if all are numbers."""

    name: str
    values: tuple[str, ...] | None
    is_number: bool
    is_date: bool = False

    @property
    def default(self) -> float:
        """What a sparse row means that does not say it: zero, or the first of a list."""
        listed = self.values[0] if self.values else "0"
        return float(listed) if is_number(listed) else 0.0

    @property
    def type(self) -> pa.DataType:
        """The type of its values."""
        return pa.float64() if self.is_number else pa.string()


@dataclass
class Head:
    """What comes before the rows."""

    attributes: list[Attribute] = field(default_factory=list)
    n_labels: int = 0
    places: dict[str, int] = field(default_factory=dict)

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of MEKA's labels: the first attributes, or the last if the number is negative."""
        names = [a.name for a in self.attributes]
        n = self.n_labels
        return tuple(names[:n] if n > 0 else names[n:] if n < 0 else ())


class ArffFile:
    """An ARFF file.

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
        """Read all rows; the numbers of a sparse file stay sparse."""
        head, lines = self._open()
        words = set(self.options.words)
        types = {
            a.name: pa.string() if a.name in words and not a.is_date else a.type
            for a in head.attributes
        }
        parts = list(self._parts(head, lines, types))
        if not parts:
            raise FileError(self.path, "there are no rows below @data")
        line_of = _lines([line for part in parts for line in part.lines], 0)
        targets = head.targets
        if not any(part.is_sparse for part in parts):
            arrow = pa.concat_tables(part.dense(types) for part in parts)
            for a in head.attributes:
                if a.is_date and a.name not in words:
                    j = arrow.column_names.index(a.name)
                    arrow = arrow.set_column(j, a.name, pa.nulls(len(arrow), pa.date32()))
            return Table(self.path, _whole(arrow, head), None, targets, line_of=line_of)
        beside = [
            a.name
            for a in head.attributes
            if a.name in targets or pa.types.is_string(types[a.name]) or a.default != 0.0
        ]
        arrow = pa.concat_tables(part.dense({n: types[n] for n in beside}) for part in parts)
        names = tuple(n for n in types if n not in beside)
        if not names:
            return Table(self.path, _whole(arrow, head), None, targets, line_of=line_of)
        matrix = sparse.vstack([part.matrix(names) for part in parts], format="csr")
        matrix = Matrix(sparse.csr_array(matrix), names)
        return Table(self.path, _whole(arrow, head), matrix, targets, line_of=line_of)

    def batches(
        self, wanted: Mapping[str, pa.DataType], sparse_names: Sequence[str] | None
    ) -> Iterator[Table]:
        """Read part after part, with given columns and types.

        Parameters
        ----------
        wanted : mapping of str to pyarrow.DataType
            The columns.
        sparse_names : sequence of str or None
            Names of further columns that are wanted as a sparse matrix.

        Yields
        ------
        Table
            With these columns in this order.
        """
        head, lines = self._open()
        missing = [n for n in (*wanted, *(sparse_names or ())) if n not in head.places]
        if missing:
            raise lacks(self.path, missing, [a.name for a in head.attributes])
        odd = [n for n in sparse_names or () if head.attributes[head.places[n]].default != 0.0]
        if odd:
            message = "the list of its values does not begin with 0, as in training"
            raise FileError(self.path, message, column=odd[0])
        types = dict(wanted) | {n: pa.float64() for n in sparse_names or ()}
        first = 0
        for part in self._parts(head, lines, types):
            matrix = None if sparse_names is None else Matrix(part.matrix(tuple(sparse_names)))
            arrow = part.dense(wanted)
            yield Table(
                self.path, arrow, matrix, first_row=first, line_of=_lines(part.lines, first)
            )
            first += len(part.lines)
        if first == 0:
            raise FileError(self.path, "there are no rows below @data")

    # --- the head --------------------------------------------------------------------------------

    def _open(self) -> tuple[Head, Iterator[tuple[int, str]]]:
        head = Head()
        lines = enumerate(text_lines(self.path, self.options.encoding), 1)
        for number, line in lines:
            text = line.strip()
            lower = text[:12].lower()
            if lower.startswith("@data"):
                if not head.attributes:
                    raise FileError(self.path, "there is no @attribute before @data", line=number)
                head.places = {a.name: j for j, a in enumerate(head.attributes)}
                if abs(head.n_labels) > len(head.attributes):
                    head.n_labels = 0
                return head, lines
            if match := RELATION.match(text):
                labels = MEKA_LABELS.search(match[1])
                head.n_labels = int(labels[1][:9]) if labels else 0
            elif lower.startswith("@attribute"):
                attribute = self._attribute(text, number)
                if any(attribute.name == a.name for a in head.attributes):
                    message = "there are two attributes of this name"
                    raise FileError(self.path, message, line=number, column=attribute.name)
                head.attributes.append(attribute)
            elif text and not text.startswith("%"):
                message = f"expected @relation, @attribute or @data, found {text!r:.60}"
                raise FileError(self.path, message, line=number)
        raise FileError(self.path, "there is no @data: this is no ARFF file, or it is cut short")

    def _attribute(self, text: str, number: int) -> Attribute:
        match = ATTRIBUTE.match(text)
        if match is None:
            raise FileError(self.path, "this is not @attribute NAME TYPE", line=number)
        name, kind = _bare(match[1]), match[2].strip()
        lower = kind.lower()
        if kind.startswith("{"):
            if "}" not in kind:
                raise FileError(self.path, "the list of values has no }", line=number, column=name)
            values = tuple(_bare(m[1]) for m in _matches(VALUE, kind[1 : kind.rindex("}")]))
            return Attribute(name, values, bool(values) and all(map(is_number, values)))
        if lower.startswith(NUMBERS):
            return Attribute(name, None, True)
        if lower.startswith(("string", "date")):
            return Attribute(name, None, False, lower.startswith("date"))
        message = f"the type {kind!r:.60} is not read; numbers, {{lists}}, string and date are"
        raise FileError(self.path, message, line=number, column=name)

    # --- the rows --------------------------------------------------------------------------------

    def _parts(
        self, head: Head, lines: Iterator[tuple[int, str]], types: Mapping[str, pa.DataType]
    ) -> Iterator[Part]:
        part = Part(self, head, types)
        for number, line in lines:
            text = line.strip()
            if not text or text.startswith("%"):
                continue
            part.add(number, text)
            if len(part.lines) == ROWS:
                yield part
                part = Part(self, head, types)
        if part.lines:
            yield part


class Part:
    """Some rows, column by column.

    Parameters
    ----------
    file : ArffFile
        For errors.
    head : Head
        The attributes.
    types : mapping of str to pyarrow.DataType
        Columns that are wanted.
    """

    def __init__(self, file: ArffFile, head: Head, types: Mapping[str, pa.DataType]) -> None:
        self.file, self.head = file, head
        self.lines: list[int] = []
        self.is_sparse = False
        self.nulls = set(file.options.null_values)
        # Of each wanted column: the rows that say something, and what they say.
        self.rows: dict[str, list[int]] = {name: [] for name in types}
        self.cells: dict[str, list[Any]] = {name: [] for name in types}
        self.readers: dict[int, tuple[str, Callable[[str], Any]]] = {
            head.places[name]: (name, self._reader(head.attributes[head.places[name]], type_))
            for name, type_ in types.items()
        }

    def add(self, line: int, text: str) -> None:
        """Read a row."""
        row = len(self.lines)
        self.lines.append(line)
        if text.startswith("{"):
            self.is_sparse = True
            entries = self._entries(line, text)
        else:
            entries = enumerate(self._values(line, text))
        for place, value in entries:
            if place not in self.readers:
                continue
            name, read = self.readers[place]
            try:
                cell = read(value)
            except ValueError as error:
                raise FileError(self.file.path, str(error), line=line, column=name) from error
            self.rows[name].append(row)
            self.cells[name].append(cell)

    def dense(self, types: Mapping[str, pa.DataType]) -> pa.Table:
        """Make columns; what a sparse row does not say is zero, or the first of a list."""
        return pa.table({name: self._column(name, type_) for name, type_ in types.items()})

    def matrix(self, names: Sequence[str]) -> sparse.csr_array:
        """Make a sparse matrix of some columns of numbers."""
        rows = [np.array(self.rows[name], dtype=np.int64) for name in names]
        cells = [np.array(self.cells[name], dtype=np.float64) for name in names]
        columns = np.repeat(np.arange(len(names)), [len(held) for held in rows])
        shape = (len(self.lines), len(names))
        place = (np.concatenate(rows), columns) if names else ([], [])
        built = sparse.csr_array(
            sparse.coo_array((np.concatenate(cells) if names else [], place), shape=shape)
        )
        built.eliminate_zeros()
        return built

    def _column(self, name: str, type_: pa.DataType) -> pa.Array:
        rows, cells = self.rows[name], self.cells[name]
        if len(rows) < len(self.lines):
            attribute = self.head.attributes[self.head.places[name]]
            default: Any = attribute.default
            if pa.types.is_string(type_):
                default = attribute.values[0] if attribute.values else "0"
            full = [default] * len(self.lines)
            for row, cell in zip(rows, cells, strict=True):
                full[row] = cell
            cells = full
        if pa.types.is_string(type_):
            return pa.array(cells, pa.string())
        array = pa.array(np.array(cells, dtype=np.float64), from_pandas=True)
        return array if type_ == pa.float64() else array.cast(type_, safe=False)

    def _reader(self, attribute: Attribute, type_: pa.DataType) -> Callable[[str], Any]:
        nulls = self.nulls
        known = None if attribute.values is None else frozenset(attribute.values)

        def word(text: str) -> str | None:
            if text in nulls and (known is None or text not in known):
                return None
            value = _bare(text)
            if known is not None and value not in known:
                raise ValueError(f"{value!r:.60} is none of the values that the attribute lists")
            return value

        def number(text: str) -> float:
            if text in nulls:
                return np.nan
            bare = _bare(text)
            value = float(bare) if is_number(bare) else math.inf
            if math.isinf(value):
                raise ValueError(f"{text!r:.60} is no finite number")
            return value

        return word if pa.types.is_string(type_) else number

    def _values(self, line: int, text: str) -> Sequence[str]:
        quoted = "'" in text or '"' in text
        values = (
            [m[1] for m in _matches(VALUE, text)]
            if quoted
            else [value.strip() for value in text.split(",")]
        )
        expected = len(self.head.attributes)
        if len(values) == expected + 1 and values[-1].startswith("{"):
            values.pop()  # the weight of the row, which newer files may have
        if len(values) != expected:
            message = f"expected {expected} values, found {len(values)}"
            raise FileError(self.file.path, message, line=line)
        return values

    def _entries(self, line: int, text: str) -> Iterator[tuple[int, str]]:
        path, end = self.file.path, text.rfind("}")
        if end < 0:
            raise FileError(path, "the row has no }", line=line)
        inner, place, before = text[1:end], 0, -1
        while place < len(inner) and inner[place:].strip():
            match = ENTRY.match(inner, place)
            if match is None or match.end() == place:
                message = f"{inner[place : place + 60]!r} is not index value, as in 3 0.5"
                raise FileError(path, message, line=line)
            index, place = int(match[1][:12]), match.end()
            if index >= len(self.head.attributes):
                message = f"there is no attribute {index}; they are counted from 0"
                raise FileError(path, message, line=line)
            if index <= before:
                raise FileError(path, f"attribute {index} is out of order or twice", line=line)
            before = index
            yield index, match[2]


def _whole(arrow: pa.Table, head: Head) -> pa.Table:
    """Give lists of whole numbers, which often are classes, the type of whole numbers."""
    for j, name in enumerate(arrow.column_names):
        attribute = head.attributes[head.places[name]]
        is_whole = attribute.values and all(v.lstrip("+-").isdecimal() for v in attribute.values)
        if is_whole and pa.types.is_floating(arrow.column(j).type):
            arrow = arrow.set_column(j, name, arrow.column(j).cast(pa.int64(), safe=False))
    return arrow


def _lines(lines: Sequence[int], first: int) -> Callable[[int], int]:
    return lambda row: lines[row - first]


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Match again and again up to the end; the last match ends with no comma."""
    place = 0
    while match := pattern.match(text, place):
        yield match
        place = match.end()
        if not match[2]:
            return


def _bare(text: str) -> str:
    """Take quotation marks off."""
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text
