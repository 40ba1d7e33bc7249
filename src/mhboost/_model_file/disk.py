"""Files that are there completely or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TypeAlias

FilePath: TypeAlias = "str | os.PathLike[str]"


def write(path: FilePath, data: bytes) -> None:
    """Write a file so that no crash can leave half of it, nor half of what was there before.

    The bytes go to a temporary file in the same folder, down to the disk, and only then under
    the name; the folder goes down to the disk too.

    Parameters
    ----------
    path : path
        A link stays a link: what it leads to is replaced.
    data : bytes
        What to write.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync(target.parent)


def remove_leftovers(path: FilePath) -> None:
    """Remove the temporary files of writers that were killed.

    Parameters
    ----------
    path : path
        The file that they were writing; nobody may be writing it now.
    """
    target = Path(os.path.realpath(path))
    start, end = f".{target.name}.", ".tmp"
    with os.scandir(target.parent) as entries:
        names = [e.name for e in entries if e.name.startswith(start) and e.name.endswith(end)]
    for name in names:
        (target.parent / name).unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
