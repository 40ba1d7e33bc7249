"""What can be wrong with a file, and the place of it."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

__all__ = ["FileError", "decoding"]

# What libraries raise when bytes are not what they should be.
DECODING_ERRORS = (
    pa.ArrowException,
    zipfile.BadZipFile,
    zlib.error,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


class FileError(ValueError):
    """A file cannot be read, or does not hold what is asked of it.

    Parameters
    ----------
    path : str
        Name of the file.
    message : str
        What is wrong.
    line : int or None
        Line of the text file, from 1.
    row : int or None
        Row of a file that has no lines, from 1.
    column : str or None
        Name of the column.

    Examples
    --------
    >>> print(FileError("a.csv", "'x' is no number", line=3, column="age"))
    a.csv, line 3, column 'age': 'x' is no number
    """

    def __init__(
        self,
        path: str,
        message: str,
        *,
        line: int | None = None,
        row: int | None = None,
        column: str | None = None,
    ) -> None:
        self.path, self.message = path, message
        self.line, self.row, self.column = line, row, column
        places = [path]
        places += [f"line {line}"] if line is not None else []
        places += [f"row {row}"] if row is not None and line is None else []
        places += [f"column {column!r:.100}"] if column is not None else []
        super().__init__(f"{', '.join(places)}: {message}")


@contextmanager
def decoding(path: str, what: str) -> Iterator[None]:
    """Turn whatever a library says of bad bytes into a FileError.

    Parameters
    ----------
    path : str
        Name of the file.
    what : str
        What the file should be, "a Parquet file" for instance.
    """
    try:
        yield
    except FileError:
        raise
    except FileNotFoundError as error:
        raise FileError(path, "there is no such file") from error
    except IsADirectoryError as error:
        raise FileError(path, "this is a folder") from error
    except PermissionError as error:
        raise FileError(path, "no permission to read it") from error
    except DECODING_ERRORS as error:
        text = " ".join(str(error).split())
        raise FileError(path, f"this is no {what}, or it is damaged ({text:.200})") from error
