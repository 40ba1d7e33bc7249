"""Tables from files: CSV, Parquet, Arrow, ARFF, svmlight and NPZ, compressed or not.

`read` reads a whole file and finds out the types of its columns, for training; `stream` reads a
file part after part with types that are known, for predicting. All that can be wrong with a file
is a `FileError` that says where.

    _sniff      what a file is            _csv, _arrow, _arff, _svmlight, _npz    one format each
    _bytes      decompressed bytes        _csv_fault    where a CSV file is wrong
    _table      what was read             _options      what the user says of a file

Needs pyarrow, which the extra `cli` brings.
"""

from ._errors import FileError
from ._open import Wanted, read, stream
from ._options import Options
from ._sniff import FORMATS
from ._table import Kind, Matrix, Table, gather, kind_of, odd_word

__all__ = [
    "FORMATS",
    "FileError",
    "Kind",
    "Matrix",
    "Options",
    "Table",
    "Wanted",
    "gather",
    "kind_of",
    "odd_word",
    "read",
    "stream",
]
