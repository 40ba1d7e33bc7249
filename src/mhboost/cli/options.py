"""Options that several commands share; defaults of training come from the estimator."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

from ..classifier import MHBoostClassifier
from ..readers import FORMATS, Options

FILES = "How the files are written"

Data = Annotated[
    Path,
    typer.Argument(
        help=f"A file of data: {', '.join(FORMATS)}; text files may be gzip or zstd.",
        show_default=False,
    ),
]
Model = Annotated[Path, typer.Argument(help="A file that `train` wrote.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for scripts.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", help="Threads; all if not given.", show_default=False)
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Format of the files, if bytes and names do not tell.",
        rich_help_panel=FILES,
        show_default=False,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        help="What separates the values of a CSV file; found out if not given.",
        rich_help_panel=FILES,
        show_default=False,
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether a CSV file's first line names the columns (c1, c2 ... if not).",
        rich_help_panel=FILES,
        show_default=False,
    ),
]
Encoding = Annotated[str, typer.Option(help="Encoding of text files.", rich_help_panel=FILES)]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        help="A further word that means a missing value; may be repeated.",
        rich_help_panel=FILES,
        show_default=False,
    ),
]


def file_options(
    format_: str | None,
    delimiter: str | None,
    header: bool | None,
    encoding: str,
    missing: list[str] | None,
    words: tuple[str, ...] = (),
) -> Options:
    """Collect what the user says of the files.

    Parameters
    ----------
    format_, delimiter, header, encoding, missing
        The options above.
    words : tuple of str
        Columns to read as words.

    Returns
    -------
    Options
        For the readers.
    """
    named = {"tab": "\t", "\\t": "\t", "space": " "}
    delimiter = named.get(delimiter, delimiter) if delimiter else None
    return Options(format_, delimiter, header, encoding, tuple(missing or ()), words)


def default_of(parameter: str) -> Any:
    """Look up the default of an estimator's parameter.

    Parameters
    ----------
    parameter : str
        Its name.

    Returns
    -------
    object
        The default, which has its home there.

    Examples
    --------
    >>> default_of("base")
    'tree'
    """
    return inspect.signature(MHBoostClassifier).parameters[parameter].default


def names_in(given: list[str] | None, known: list[str]) -> list[str]:
    """Split lists of names at their commas, unless a name has commas itself.

    Parameters
    ----------
    given : list of str or None
        As on the command line.
    known : list of str
        Names of columns.

    Returns
    -------
    list of str
        Names, each once; whether there are such columns is not checked.

    Examples
    --------
    >>> names_in(["a,b", "c,d"], ["a", "b", "c,d"])
    ['a', 'b', 'c,d']
    """
    found: list[str] = []
    for text in given or ():
        parts = [text] if text in known else [part.strip() for part in text.split(",")]
        found += [part for part in parts if part and part not in found]
    return found
