"""The table of known data sets: counts, checksums and where to find a copy."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

__all__ = ["Entry", "Kind", "entry", "table"]

Kind = Literal["single-label", "multi-label"]


@dataclass(frozen=True)
class Entry:
    """A row of the table; the head of `sets.toml` explains the keys."""

    name: str
    origin: str
    n_train: int
    n_features: int
    dtype: str
    sha256: Mapping[str, str]
    n_test: int = 0
    class_names: tuple[str, ...] = ()
    class_counts: tuple[int, ...] = ()
    aliases: tuple[str, ...] = ()
    n_labels: int = 0
    paper: str = ""
    sklearn: Mapping[str, Any] = field(default_factory=dict)
    openml: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        """Whether a row has one class or any number of labels."""
        return "multi-label" if self.n_labels else "single-label"

    @property
    def n_rows(self) -> int:
        """Number of rows, training and test together."""
        return self.n_train + self.n_test

    @property
    def n_classes(self) -> int:
        """Number of classes, or of labels."""
        return self.n_labels or len(self.class_names)

    @property
    def y_shape(self) -> tuple[int, ...]:
        """Shape of y."""
        return (self.n_rows, self.n_labels) if self.n_labels else (self.n_rows,)

    @property
    def dtypes(self) -> dict[str, str]:
        """Number types of the published arrays."""
        return {"X": self.dtype, "y": "uint8" if self.n_labels else "int32", "split": "uint8"}


@cache
def table() -> dict[str, Entry]:
    """Read the table.

    Returns
    -------
    dict
        Entries by name, in alphabetical order.
    """
    text = files(__package__).joinpath("sets.toml").read_text(encoding="utf-8")
    return {name: _entry(name, row) for name, row in sorted(tomllib.loads(text).items())}


def _entry(name: str, row: dict[str, Any]) -> Entry:
    columns: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in row.items()
    }
    return Entry(name=name, **columns)


def entry(name: str) -> Entry:
    """Look up a data set.

    Parameters
    ----------
    name : str
        Its name.

    Returns
    -------
    Entry
        Its row of the table.
    """
    try:
        return table()[name]
    except KeyError:
        raise ValueError(f"no data set {name!r}; there are: {', '.join(table())}") from None
