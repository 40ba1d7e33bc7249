"""What a file is: found out from its first bytes, then from its name."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import PurePath

from ._bytes import head
from ._errors import FileError

__all__ = ["FORMATS", "dialect", "file_format", "looks_like_header"]

FORMATS = ("csv", "parquet", "arrow", "arff", "svmlight", "npz")
MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"FEA1": "arrow",
    b"\xff\xff\xff\xff": "arrow",  # a stream
    b"PK\x03\x04": "npz",
    b"PK\x05\x06": "npz",
}
ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".arff": "arff",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".npz": "npz",
}
SVMLIGHT = re.compile(rb"[-+.,\deE]*([ \t]+qid:\d+)?([ \t]+\d+:[-+.\deE]+)+[ \t]*(#.*)?$")
HEAD = 1 << 18
SAMPLE = 100
DELIMITERS = ",;\t| "


def file_format(path: str, wanted: str | None) -> str:
    """Find out the format of a file.

    Parameters
    ----------
    path : str
        Name of the file.
    wanted : str or None
        What the user says.

    Returns
    -------
    str
        One of `FORMATS`.
    """
    start = head(path, HEAD)
    if wanted is not None:
        if wanted not in FORMATS:
            raise FileError(path, f"there is no format {wanted!r}; there are {', '.join(FORMATS)}")
        return wanted
    for magic, name in MAGIC.items():
        if start.startswith(magic):
            return name
    for ending in reversed(PurePath(path.lower()).suffixes):
        if ending in ENDINGS:
            return ENDINGS[ending]
    if re.match(rb"\s*(%.*\s+)*@relation\b", start, re.IGNORECASE):
        return "arff"
    first = next((line for line in start.splitlines() if line.strip()), b"")
    return "svmlight" if SVMLIGHT.match(first) else "csv"


def dialect(lines: Sequence[str]) -> str:
    r"""Find out what separates the values of a CSV file.

    Parameters
    ----------
    lines : sequence of str
        The first of the file.

    Returns
    -------
    str
        The delimiter that cuts most lines into the same number of values, at least two.

    Examples
    --------
    >>> dialect(["a;b\n", "1,5;2\n"]), dialect(["a\n"])
    (';', ',')
    """
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        widths = Counter(len(row) for row in parsed(lines, delimiter) if row)
        if not widths:
            continue
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
        share = count / widths.total()
        score = (round(share, 1), width) if delimiter != " " else (round(share, 1), 2)
        if width > 1 and score > best_score:
            best, best_score = delimiter, score
    return best


def parsed(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Cut lines into values, as far as that goes."""
    rows: list[list[str]] = []
    with suppress(csv.Error):  # a value of more than 131072 characters: not the delimiter
        rows.extend(csv.reader(lines, delimiter=delimiter))
    return rows


def looks_like_header(first: Sequence[str], missing: Sequence[str]) -> bool:
    """Tell whether the first row of a CSV file names the columns: it holds words only.

    Parameters
    ----------
    first : sequence of str
        Its values.
    missing : sequence of str
        Words that mean a missing value.

    Returns
    -------
    bool
        False if there is a number or a missing value; one column may have no name.
    """
    bare = [value.strip() for value in first]
    named = [value for value in bare if value]
    if len(named) < max(1, len(bare) - 1):
        return False
    return not any(is_number(value) or value in missing for value in named)


def is_number(text: str) -> bool:
    """Tell whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
