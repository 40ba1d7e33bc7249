"""The slow way through a CSV file: finds the line and column of a fault, or the line of a row."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import pyarrow as pa

from ._bytes import text_lines, wrong_encoding
from ._errors import FileError
from ._options import Options
from ._sniff import is_number

MAX_VALUE = 1 << 26


def find_fault(
    path: str,
    options: Options,
    delimiter: str,
    skipped: int,
    names: Sequence[str],
    types: Mapping[str, pa.DataType],
) -> FileError | None:
    """Go through the rows until one is not as it should be.

    Parameters
    ----------
    path : str
        Name of the file.
    options : Options
        What the user says of it.
    delimiter : str
        What separates values.
    skipped : int
        Lines before the first row.
    names : sequence of str
        Names of the columns.
    types : mapping of str to pyarrow.DataType
        Types that columns must have.

    Returns
    -------
    FileError or None
        None if all is well.
    """
    try:
        rows = _rows(path, options, delimiter, skipped)
        for line, row in rows:
            fault = _row_fault(path, options, names, types, line, row)
            if fault is not None:
                return fault
    except FileError as error:
        return _with_column(error, delimiter, names)
    return None


def line_of_row(path: str, options: Options, delimiter: str, skipped: int, row: int) -> int | None:
    """Find the line that a row begins on.

    Parameters
    ----------
    path, options, delimiter, skipped
        As for `find_fault`.
    row : int
        Number of the row, from 0.

    Returns
    -------
    int or None
        From 1; None if the file has changed.
    """
    try:
        found = next(islice(_rows(path, options, delimiter, skipped), row, None), None)
    except FileError:
        return None
    return None if found is None else found[0]


def _rows(
    path: str, options: Options, delimiter: str, skipped: int
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the values of each row."""
    lines = islice(text_lines(path, options.encoding), skipped, None)
    limit = csv.field_size_limit(MAX_VALUE)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        while True:
            line = skipped + reader.line_num + 1
            try:
                row = next(reader, None)
            except csv.Error as error:
                raise FileError(path, _in_words(error), line=line) from error
            if row is None:
                return
            if row:
                yield line, row
    finally:
        csv.field_size_limit(limit)


def _in_words(error: csv.Error) -> str:
    text = str(error)
    if "end of data" in text:
        return "a quotation mark opens here and is never closed"
    return f"the quotation marks are not as they should be ({text})"


def _row_fault(
    path: str,
    options: Options,
    names: Sequence[str],
    types: Mapping[str, pa.DataType],
    line: int,
    row: Sequence[str],
) -> FileError | None:
    if len(row) != len(names):
        message = f"expected {len(names)} values, found {len(row)}"
        return FileError(path, message, line=line)
    for name, value in zip(names, row, strict=True):
        type_ = types.get(name)
        if type_ is None or pa.types.is_string(type_) or value.strip() in options.null_values:
            continue
        if not is_number(value) or ("." in value and pa.types.is_integer(type_)):
            what = "whole number" if pa.types.is_integer(type_) else "number"
            return FileError(path, f"{value!r:.60} is no {what}", line=line, column=name)
    return None


def _with_column(error: FileError, delimiter: str, names: Sequence[str]) -> FileError:
    """Add the column to an error of encoding, as far as the delimiters before it tell."""
    cause = error.__cause__
    if not isinstance(cause, UnicodeDecodeError) or error.line is None:
        return error
    place = cause.object[: cause.start].count(delimiter.encode())
    name = names[place] if place < len(names) else None
    byte = cause.object[cause.start]
    return wrong_encoding(error.path, cause.encoding, byte, error.line, name)
