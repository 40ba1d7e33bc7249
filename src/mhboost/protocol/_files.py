"""Files that are either whole or not there, however the program ends."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["read_arrays", "write_arrays", "write_bytes", "write_text"]


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file beside its place, then move it there in one step.

    Parameters
    ----------
    path : Path
        Where to; folders are made.
    content : bytes
        What to write.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    beside.replace(path)


def write_text(path: Path, text: str) -> None:
    """Write text as `write_bytes` does.

    Parameters
    ----------
    path : Path
        Where to.
    text : str
        What to write.
    """
    write_bytes(path, text.encode())


def write_arrays(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Write arrays to an npz file.

    Parameters
    ----------
    path : Path
        Where to.
    arrays : dict
        Arrays by name.
    """
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **arrays)
    write_bytes(path, stream.getvalue())


def read_arrays(path: Path) -> dict[str, NDArray[Any]] | None:
    """Read arrays, if they are there.

    Parameters
    ----------
    path : Path
        An npz file.

    Returns
    -------
    dict or None
        Arrays by name; None if there is no such file, or a disk has damaged it.
    """
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            return dict(file)
    except (FileNotFoundError, zipfile.BadZipFile, ValueError, EOFError):
        return None
