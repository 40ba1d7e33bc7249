"""Parquet, Arrow (file and stream) and Feather: read by pyarrow, and checked before use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyarrow import ipc, parquet

from ._csv import lacks
from ._errors import FileError, decoding
from ._options import Options
from ._table import Table, is_words

__all__ = ["ArrowFile", "ParquetFile"]

ROWS = 1 << 16


class TypedFile(ABC):
    """A file that knows the names and types of its columns.

    Parameters
    ----------
    path : str
        Its name.
    options : Options
        What the user says of it.
    """

    what = "file"

    def __init__(self, path: str, options: Options) -> None:
        self.path, self.options = path, options

    @abstractmethod
    def _schema(self) -> pa.Schema:
        """Return names and types."""

    @abstractmethod
    def _parts(self, names: list[str] | None) -> Iterable[Any]:
        """Yield record batches of some or all columns."""

    def table(self) -> Table:
        """Read all rows."""
        self._check_names()
        with decoding(self.path, self.what):
            parts = [_checked(part) for part in self._parts(None)]
            read = pa.Table.from_batches(parts, parts[0].schema if parts else self._schema())
        if read.num_rows == 0:
            raise FileError(self.path, "there are no rows")
        for name in self.options.words:
            if name in read.column_names:
                words = self._cast(read.column(name), name, pa.string(), 0)
                read = read.set_column(read.column_names.index(name), name, words)
        return Table(self.path, read)

    def batches(self, wanted: Mapping[str, pa.DataType]) -> Iterator[Table]:
        """Read part after part, with given columns and types.

        Parameters
        ----------
        wanted : mapping of str to pyarrow.DataType
            The columns.

        Yields
        ------
        Table
            With these columns in this order.
        """
        known = self._check_names()
        missing = [name for name in wanted if name not in known]
        if missing:
            raise lacks(self.path, missing, known)
        first = 0
        for part in self._guarded(list(wanted)):
            columns = [
                self._cast(pa.chunked_array([part.column(name)]), name, type_, first)
                for name, type_ in wanted.items()
            ]
            if part.num_rows:
                read = pa.Table.from_arrays(columns, names=list(wanted))
                yield Table(self.path, read, first_row=first)
            first += part.num_rows
        if first == 0:
            raise FileError(self.path, "there are no rows")

    def _guarded(self, names: list[str]) -> Iterator[Any]:
        """Yield the parts; what happens to them outside is not this file's fault."""
        with decoding(self.path, self.what):
            parts = iter(self._parts(names))
        while True:
            with decoding(self.path, self.what):
                part = next(parts, None)
                if part is None:
                    return
                _checked(part)
            yield part

    def _check_names(self) -> list[str]:
        with decoding(self.path, self.what):
            names = list(self._schema().names)
        for j, name in enumerate(names):
            if name in names[:j]:
                message = f"columns {names.index(name) + 1} and {j + 1} have the same name"
                raise FileError(self.path, message, column=name)
        return names

    def _cast(
        self, column: pa.ChunkedArray, name: str, type_: pa.DataType, first: int
    ) -> pa.ChunkedArray:
        """Turn a column into the type that is wanted of it."""
        if pa.types.is_dictionary(column.type):
            column = _decoded(column)
        if is_words(column.type) and is_words(type_):
            return column.cast(type_)
        try:
            return column.cast(type_, safe=pa.types.is_integer(type_))
        except (pa.ArrowException, ValueError) as error:
            row = _first_odd(column, type_)
            value = "" if row is None else f"{column[row].as_py()!r:.60}, "
            message = f"it holds {value}{column.type}, which cannot be read as {type_}"
            raise FileError(
                self.path, message, row=None if row is None else first + row + 1, column=name
            ) from error


def _checked(part: Any) -> Any:
    """Look at all offsets, lengths and strings: bad ones would be read outside of the memory."""
    part.validate(full=True)
    return part


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks])


def _first_odd(column: pa.ChunkedArray, type_: pa.DataType) -> int | None:
    """Find the first value that is not of a type."""
    for row in range(len(column)):
        try:
            column[row].cast(type_, safe=pa.types.is_integer(type_))
        except (pa.ArrowException, ValueError, TypeError, AttributeError):
            return row
    return None


class ParquetFile(TypedFile):
    """A Parquet file."""

    what = "Parquet file"

    def _open(self) -> parquet.ParquetFile:
        return parquet.ParquetFile(self.path, memory_map=False, page_checksum_verification=True)

    def _schema(self) -> pa.Schema:
        with self._open() as file:
            return file.schema_arrow

    def _parts(self, names: list[str] | None) -> Iterable[Any]:
        with self._open() as file:
            yield from file.iter_batches(batch_size=ROWS, columns=names)


class ArrowFile(TypedFile):
    """An Arrow file or stream; Feather of version 2 is an Arrow file."""

    what = "Arrow file"

    def _schema(self) -> pa.Schema:
        with pa.OSFile(self.path) as file:
            return self._reader(file).schema

    def _start(self) -> bytes:
        with open(self.path, "rb") as file:
            return file.read(4)

    def _reader(self, file: Any) -> Any:
        start = self._start()
        if start == b"FEA1":
            message = "this is Feather of version 1, which is no longer read; write version 2"
            raise FileError(self.path, message)
        return ipc.open_file(file) if start == b"ARRO" else ipc.open_stream(file)

    def _parts(self, names: list[str] | None) -> Iterable[Any]:
        with pa.OSFile(self.path) as file:
            reader = self._reader(file)
            is_file = hasattr(reader, "get_batch")
            whole = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
            for batch in whole:
                _checked(batch)
                chosen = batch if names is None else batch.select(names)
                for start in range(0, max(1, chosen.num_rows), ROWS):
                    yield chosen.slice(start, ROWS)
