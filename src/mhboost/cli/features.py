"""The columns to learn from: their kinds, and whether they can be learned from."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ..readers import (
    FileError,
    Table,
    kind_of,
    odd_word,
)
from .roles import Roles

__all__ = ["check_features", "check_finite"]

ADVICE = {
    "text": "holds text, with {distinct} different values; turn it into numbers or categories, "
    "leave it out (--drop {name!r}), or take every value for a category (--categorical {name!r})",
    "date": "holds dates or times; turn them into numbers (days since, hour of day), or leave "
    "them out (--drop {name!r})",
    "empty": "is empty in all rows; leave it out (--drop {name!r})",
    "other": "holds {type}, which cannot be learned from; leave it out (--drop {name!r})",
}


def check_features(table: Table, roles: Roles, words: Sequence[str]) -> dict[str, str]:
    """Find out the kinds of the features, and refuse those that cannot be learned from.

    Parameters
    ----------
    table : Table
        The training file.
    roles : Roles
        Which columns are no features.
    words : sequence of str
        Columns that the user says are categories.

    Returns
    -------
    dict
        Kind by name, of the columns that have one.
    """
    kinds: dict[str, str] = {}
    for name in table.arrow.column_names:
        if name in roles.no_features:
            continue
        column = table.arrow.column(name)
        kind = kind_of(column)
        if kind in ("text", "categorical") and name not in words:
            _refuse_odd_word(table, name, column)
            if kind == "text":
                _refuse(table, name, column, kind)
        elif kind not in ("text", "categorical", "numeric"):
            _refuse(table, name, column, kind)
        kinds[name] = "numeric" if kind == "numeric" else "categorical"
        check_finite(table, name)
    if not kinds and table.matrix is None:
        raise FileError(table.path, "there is no column to learn from beside the target")
    return kinds


def _refuse_odd_word(table: Table, name: str, column: pa.ChunkedArray) -> None:
    row = odd_word(column)
    if row is not None:
        word = column[row].as_py()
        raise table.error(
            f"{word!r:.60} is no number, as most values of the column are; if it means a missing "
            f"value: --missing {word!r:.60}; if the numbers are names: --categorical {name!r}",
            row,
            name,
        )


def _refuse(table: Table, name: str, column: pa.ChunkedArray, kind: str) -> None:
    distinct = pc.count_distinct(column).as_py() if kind == "text" else 0
    message = ADVICE[kind].format(name=name, distinct=distinct, type=column.type)
    raise FileError(table.path, message, column=name)


def check_finite(table: Table, name: str) -> None:
    """Refuse infinite values.

    Parameters
    ----------
    table : Table
        Any rows.
    name : str
        A column.
    """
    column = table.arrow.column(name)
    if pa.types.is_floating(column.type):
        infinite = pc.is_inf(column)
        if pc.any(infinite).as_py():
            row = pc.index(infinite, True).as_py()
            raise table.error("an infinite value cannot be learned from", row, name)
