"""The bytes of a file, decompressed on the way if its first bytes say that it is compressed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from ._errors import FileError, decoding

COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
CHUNK = 1 << 20
MAX_LINE = 1 << 26


def head(path: str, n_bytes: int) -> bytes:
    """Read the first bytes, decompressed.

    Parameters
    ----------
    path : str
        Name of the file.
    n_bytes : int
        At most so many.

    Returns
    -------
    bytes
        Not empty.
    """
    if os.path.isdir(path):
        raise FileError(path, "this is a folder")
    with decoding(path, "readable file"), open_bytes(path) as stream:
        data: bytes = stream.read(n_bytes)
    if not data:
        raise FileError(path, "the file is empty")
    return data


def compression(path: str) -> str | None:
    """Tell by its first bytes how a file is compressed.

    Parameters
    ----------
    path : str
        Name of the file.

    Returns
    -------
    str or None
        A name that pyarrow knows, or None.
    """
    with decoding(path, "readable file"), open(path, "rb") as file:
        start = file.read(4)
    return next((name for magic, name in COMPRESSIONS.items() if start.startswith(magic)), None)


def open_bytes(path: str) -> Any:
    """Open a file for reading, decompressed.

    Parameters
    ----------
    path : str
        Name of the file.

    Returns
    -------
    pyarrow.NativeFile
        A stream.
    """
    kind = compression(path)
    file = pa.OSFile(path, "rb")
    return file if kind is None else pa.CompressedInputStream(file, kind)


def byte_lines(path: str) -> Iterator[bytes]:
    """Read a text file line by line; lines end with LF, CRLF or CR.

    Parameters
    ----------
    path : str
        Name of the file.

    Yields
    ------
    bytes
        With the line's end.
    """
    with decoding(path, "readable file"), open_bytes(path) as stream:
        rest = b""
        while chunk := stream.read(CHUNK):
            lines = (rest + chunk).splitlines(keepends=True)
            rest = lines.pop()  # perhaps the line goes on, or its CR has a LF yet to come
            yield from lines
            if len(rest) > MAX_LINE:
                raise FileError(path, f"a line is longer than {MAX_LINE} bytes: this is no text")
        if rest:
            yield rest


def text_lines(path: str, encoding: str) -> Iterator[str]:
    """Read a text file line by line, decoded.

    Parameters
    ----------
    path : str
        Name of the file.
    encoding : str
        Its encoding.

    Yields
    ------
    str
        With the line's end; the first without a byte order mark.
    """
    for number, line in enumerate(byte_lines(path), 1):
        try:
            text = line.decode(encoding)
        except UnicodeDecodeError as error:
            raise wrong_encoding(path, encoding, error.object[error.start], number) from error
        except LookupError as error:
            raise FileError(path, f"there is no encoding {encoding!r}") from error
        yield text.removeprefix("\ufeff") if number == 1 else text


def wrong_encoding(
    path: str, encoding: str, byte: int, line: int, column: str | None = None
) -> FileError:
    """Make the error for a byte that is not of the encoding."""
    other = "latin-1" if encoding.lower().replace("-", "") == "utf8" else "utf-8"
    return FileError(
        path,
        f"byte 0x{byte:02x} is not {encoding}; if the file has another encoding, name it: "
        f"--encoding {other}",
        line=line,
        column=column,
    )
