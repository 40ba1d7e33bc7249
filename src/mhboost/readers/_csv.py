"""CSV: read by pyarrow; `_csv_fault` looks again, line by line, for what it stumbles over."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from ._bytes import head, open_bytes, text_lines
from ._csv_fault import find_fault, line_of_row
from ._errors import FileError, decoding
from ._options import Options
from ._sniff import HEAD, SAMPLE, dialect, looks_like_header
from ._table import Table, listed

__all__ = ["CsvFile"]

WHOLE_BLOCK = 1 << 24  # bytes at a time; a line must fit
PART_BLOCK = 1 << 22  # pyarrow reads several ahead
LONG_LINES_BLOCK = 1 << 26
LONG_LINE = 1 << 16
NUMBERED = "c{}"


@dataclass(frozen=True)
class Layout:
    """How a CSV file is written: delimiter, lines before the first row, names of the columns."""

    delimiter: str
    skipped: int
    names: tuple[str, ...]
    has_long_lines: bool


class CsvFile:
    """A CSV file.

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
        """Read all rows; the types of the columns follow from what they hold."""
        layout = self._layout(())
        types = {name: pa.string() for name in self.options.words if name in layout.names}
        convert = self._convert(types)
        convert.true_values = convert.false_values = []  # true and false are words
        try:
            with open_bytes(self.path) as stream:
                read = arrow_csv.read_csv(
                    stream,
                    read_options=self._read(layout, use_threads=True),
                    parse_options=self._parse(layout),
                    convert_options=convert,
                )
        except FileError:
            raise
        except (pa.ArrowException, ValueError, LookupError, OSError) as error:
            raise self._fault(layout, types, error) from error
        if read.num_rows == 0:
            raise FileError(self.path, "there are no rows below the names of the columns")
        self._check_text(read, layout, types)
        return Table(self.path, _trimmed(read), line_of=self._line_of(layout))

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
        layout = self._layout(tuple(wanted))
        missing = [name for name in wanted if name not in layout.names]
        if missing:
            raise lacks(self.path, missing, layout.names)
        convert = self._convert(wanted)
        convert.include_columns = list(wanted)
        first = 0
        try:
            with (
                open_bytes(self.path) as stream,
                arrow_csv.open_csv(
                    stream,
                    read_options=self._read(layout, use_threads=False),
                    parse_options=self._parse(layout),
                    convert_options=convert,
                ) as reader,
            ):
                for batch in reader:
                    part = pa.Table.from_batches([batch])
                    self._check_text(part, layout, wanted)
                    part = _trimmed(part)
                    yield Table(self.path, part, first_row=first, line_of=self._line_of(layout))
                    first += batch.num_rows
        except (FileError, GeneratorExit):
            raise
        except (pa.ArrowException, ValueError, LookupError, OSError) as error:
            raise self._fault(layout, wanted, error) from error
        if first == 0:
            raise FileError(self.path, "there are no rows below the names of the columns")

    # --- how the file is written -----------------------------------------------------------------

    def _layout(self, wanted: Sequence[str]) -> Layout:
        lines = self._first_lines()
        delimiter = self.options.delimiter or dialect(lines)
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise FileError(self.path, f"a delimiter is one character; got {delimiter!r}")
        with decoding(self.path, "CSV file"):
            reader = csv.reader(lines, delimiter=delimiter)
            first = next((row for row in reader if row), None)
        if first is None:
            raise FileError(self.path, "the file is empty")
        if any("\ufffd" in name for name in first):  # perhaps not text: decode it strictly
            for _ in islice(text_lines(self.path, self.options.encoding), reader.line_num):
                pass
        is_long = sum(map(len, lines)) > len(lines) * LONG_LINE
        if self._has_header(first, wanted):
            names = self._header(first, reader.line_num)
            return Layout(delimiter, reader.line_num, names, is_long)
        names = tuple(NUMBERED.format(j) for j in range(1, len(first) + 1))
        if wanted and len(first) == len(wanted) and not set(wanted) <= set(names):
            names = tuple(wanted)  # the file has just the features, in their order
        return Layout(delimiter, 0, names, is_long)

    def _first_lines(self) -> list[str]:
        start = head(self.path, HEAD)
        if start.startswith((b"\xff\xfe", b"\xfe\xff")) and "16" not in self.options.encoding:
            raise FileError(self.path, "the text is UTF-16; say so: --encoding utf-16")
        with decoding(self.path, "text file"):
            try:
                text = start.decode(self.options.encoding, errors="replace")
            except LookupError as error:
                raise FileError(
                    self.path, f"there is no encoding {self.options.encoding!r}"
                ) from error
        lines = list(islice(io.StringIO(text.removeprefix("\ufeff"), newline=""), SAMPLE))
        is_cut = len(start) == HEAD and 1 < len(lines) < SAMPLE
        return lines[:-1] if is_cut else lines

    def _has_header(self, first: Sequence[str], wanted: Sequence[str]) -> bool:
        if self.options.header is not None:
            return self.options.header
        if wanted:
            if {value.strip() for value in first} & set(wanted):
                return True
            if all(name[:1] == "c" and name[1:].isdecimal() for name in wanted):
                return False
        return looks_like_header(first, self.options.null_values)

    def _header(self, first: Sequence[str], line: int) -> tuple[str, ...]:
        names = [n.strip() or NUMBERED.format(j) for j, n in enumerate(first, 1)]
        for j, name in enumerate(names):
            if name in names[:j]:
                raise FileError(
                    self.path,
                    f"columns {names.index(name) + 1} and {j + 1} have the same name "
                    "(if the first line does not name the columns: --no-header)",
                    line=line,
                    column=name,
                )
        return tuple(names)

    # --- pyarrow ---------------------------------------------------------------------------------

    def _read(self, layout: Layout, *, use_threads: bool) -> arrow_csv.ReadOptions:
        block = WHOLE_BLOCK if use_threads else PART_BLOCK
        return arrow_csv.ReadOptions(
            use_threads=use_threads,
            block_size=LONG_LINES_BLOCK if layout.has_long_lines else block,
            skip_rows=layout.skipped,
            column_names=list(layout.names),
            encoding=self.options.encoding,
        )

    def _parse(self, layout: Layout) -> arrow_csv.ParseOptions:
        return arrow_csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True)

    def _convert(self, types: Mapping[str, pa.DataType]) -> arrow_csv.ConvertOptions:
        return arrow_csv.ConvertOptions(
            column_types=dict(types),
            null_values=[s + w for w in self.options.null_values for s in ("", " ")],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        )

    def _line_of(self, layout: Layout) -> partial[int | None]:
        return partial(line_of_row, self.path, self.options, layout.delimiter, layout.skipped)

    # --- faults ----------------------------------------------------------------------------------

    def _fault(
        self, layout: Layout, types: Mapping[str, pa.DataType], error: Exception
    ) -> FileError:
        """Say what pyarrow stumbled over, and where."""
        text = " ".join(str(error).split())
        return self._found(layout, types) or FileError(
            self.path, f"this is no CSV file, or it is damaged ({text:.200})"
        )

    def _found(self, layout: Layout, types: Mapping[str, pa.DataType]) -> FileError | None:
        return find_fault(
            self.path, self.options, layout.delimiter, layout.skipped, layout.names, types
        )

    def _check_text(self, read: pa.Table, layout: Layout, types: Mapping[str, pa.DataType]) -> None:
        """Look closer where pyarrow lets bytes that are no text and open quotes pass."""
        for column in read.columns:
            is_text = pa.types.is_string(column.type)
            ends_open = is_text and (column[-1].as_py() or "").endswith(("\n", "\r"))
            if pa.types.is_binary(column.type) or ends_open:
                fault = self._found(layout, types)
                if fault is not None:
                    raise fault


def _trimmed(read: pa.Table) -> pa.Table:
    """Take the blanks off words, as they are taken off numbers: many files have `, ` for `,`."""
    for j, column in enumerate(read.columns):
        if pa.types.is_string(column.type):
            read = read.set_column(j, read.field(j).name, pc.utf8_trim_whitespace(column))
    return read


def lacks(path: str, missing: Sequence[str], names: Sequence[str]) -> FileError:
    """Make the error for columns that are not there."""
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    return FileError(path, f"there is no column {missing[0]!r}{more}; {listed(names)}")
