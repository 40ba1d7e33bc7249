"""`read` and `stream`: the right reader for a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import pyarrow as pa

from ._arff import ArffFile
from ._arrow import ArrowFile, ParquetFile
from ._bytes import compression
from ._csv import CsvFile, lacks
from ._errors import FileError, decoding
from ._npz import NpzFile
from ._options import Options
from ._sniff import file_format
from ._svmlight import SvmlightFile
from ._table import Table

__all__ = ["Wanted", "read", "stream"]

File: TypeAlias = CsvFile | ParquetFile | ArrowFile | ArffFile | SvmlightFile | NpzFile
READERS: Mapping[str, Callable[[str, Options], File]] = {
    "csv": CsvFile,
    "parquet": ParquetFile,
    "arrow": ArrowFile,
    "arff": ArffFile,
    "svmlight": SvmlightFile,
    "npz": NpzFile,
}
TEXT = ("csv", "arff", "svmlight")


@dataclass(frozen=True)
class Wanted:
    """What is wanted of a file whose types are known.

    Parameters
    ----------
    columns : mapping of str to pyarrow.DataType
        Features with names, and their types, in the order of training.
    n_features : int
        Number of features, with names and without.
    targets : mapping of str to pyarrow.DataType
        Further columns.
    sparse_names : tuple of str or None
        Names of the features, if they are wanted as a sparse matrix and have some.
    first_index : int
        Number of the first feature in a file that numbers them.
    """

    columns: Mapping[str, pa.DataType]
    n_features: int
    targets: Mapping[str, pa.DataType] = field(default_factory=dict)
    sparse_names: tuple[str, ...] | None = None
    first_index: int = 1


def read(path: str | os.PathLike[str], options: Options | None = None) -> Table:
    """Read a whole file.

    Parameters
    ----------
    path : path
        Name of the file.
    options : Options, optional
        What the user says of it.

    Returns
    -------
    Table
        At least one row and one column. The types are those of the file, or found out.

    Raises
    ------
    FileError
        Whatever is wrong with the file.
    """
    _, file = _file(os.fspath(path), options or Options())
    with decoding(file.path, "file of data"):
        return file.table()


def stream(
    path: str | os.PathLike[str], wanted: Wanted, options: Options | None = None
) -> Iterator[Table]:
    """Read a file part after part: it may be larger than memory.

    Parameters
    ----------
    path : path
        Name of the file.
    wanted : Wanted
        Which columns, and of which types.
    options : Options, optional
        What the user says of the file.

    Yields
    ------
    Table
        The features first, then the targets.

    Raises
    ------
    FileError
        Whatever is wrong with the file.
    """
    name, file = _file(os.fspath(path), options or Options())
    columns = {**wanted.columns, **wanted.targets}
    has_names = bool(wanted.columns)
    if isinstance(file, SvmlightFile):
        if has_names:
            raise lacks(file.path, list(wanted.columns), [])
        parts = file.batches(wanted.targets, wanted.n_features, wanted.first_index)
    elif isinstance(file, NpzFile):
        parts = file.batches(columns, wanted.n_features, not has_names)
    elif isinstance(file, ArffFile):
        parts = file.batches(columns, wanted.sparse_names)
    elif has_names:
        parts = file.batches(columns)
    else:
        raise FileError(
            file.path,
            f"the model knows no names of its features; a {name} file cannot tell which they are",
        )
    yield from _guarded(parts, file.path)


def _guarded(parts: Iterator[Table], path: str) -> Iterator[Table]:
    """Hand the parts on; what happens to them outside is not the file's fault."""
    while True:
        with decoding(path, "file of data"):
            part = next(parts, None)
        if part is None:
            return
        yield part


def _file(path: str, options: Options) -> tuple[str, File]:
    name = file_format(path, options.format)
    kind = compression(path)
    if kind is not None and name not in TEXT:
        raise FileError(path, f"a {name} file must not be compressed with {kind}")
    return name, READERS[name](path, options)
