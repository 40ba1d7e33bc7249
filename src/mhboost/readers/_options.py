"""What a user may have to say of a file."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MISSING", "Options"]

MISSING = (
    "", "?", "NA", "N/A", "n/a", "#N/A", "nan", "NaN", "-nan", "-NaN", "null", "NULL", "<NA>",
)  # fmt: skip


@dataclass(frozen=True)
class Options:
    """How to read a file; what is None is found out from the file.

    Parameters
    ----------
    format : str or None
        "csv", "parquet", "arrow", "arff", "svmlight" or "npz".
    delimiter : str or None
        What separates the values of a CSV file: one character.
    header : bool or None
        Whether the first line of a CSV file names the columns.
    encoding : str
        Encoding of a text file.
    missing : tuple of str
        Words that mean a missing value, besides `MISSING`.
    words : tuple of str
        Columns to read as words, whatever they look like.
    """

    format: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    encoding: str = "utf-8"
    missing: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def null_values(self) -> list[str]:
        """All words that mean a missing value."""
        return [*MISSING, *self.missing]
