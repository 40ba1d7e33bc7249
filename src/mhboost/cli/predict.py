"""`mhboost predict`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import typer

from .._saving import load
from ..classifier import MHBoostClassifier
from ..readers import Table, stream
from .columns import What, prediction_columns
from .features import check_finite
from .guard import UsageMistakeError, mistakes
from .options import (
    Data,
    Delimiter,
    Encoding,
    Format,
    Header,
    Jobs,
    Json,
    Missing,
    Model,
    file_options,
)
from .output import Output
from .wanted import wanted_by

__all__ = ["predict"]

CELLS = 1 << 22  # scores in memory at the same time
SHOW = "What to predict"


def predict(
    model: Model,
    data: Data,
    proba: Annotated[
        bool, typer.Option("--proba", help="A probability for each class.", rich_help_panel=SHOW)
    ] = False,
    scores: Annotated[
        bool, typer.Option("--scores", help="A score for each class.", rich_help_panel=SHOW)
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(
            help="So many of the likeliest classes, with their probabilities.",
            rich_help_panel=SHOW,
            show_default=False,
            min=1,
        ),
    ] = None,
    staged: Annotated[
        int | None,
        typer.Option(
            metavar="EVERY",
            help="Classes after every so many rounds.",
            rich_help_panel=SHOW,
            show_default=False,
            min=1,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="File to write: .csv, .parquet, .arrow.", show_default=False),
    ] = None,
    jobs: Jobs = None,
    as_json: Json = False,
    format_: Format = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = "utf-8",
    missing: Missing = None,
) -> None:
    """Predict the rows of a file, which may be larger than memory.

    Example: [bold]mhboost predict letter.mhb new.csv --top 3 --out guesses.parquet[/bold]

    Without --out the predictions are printed as CSV; with --json as one JSON object per row.
    """
    what, number = _what(proba, scores, top, staged)
    options = file_options(format_, delimiter, header, encoding, missing)
    classifier = load(model)
    classifier.n_jobs = jobs
    wanted = wanted_by(classifier)
    with Output(out) as output:
        for part in _slices(stream(data, wanted, options), classifier):
            for name in wanted.columns:
                check_finite(part, name)
            with mistakes():
                columns = prediction_columns(classifier, part.features(), what, number)
            if as_json and out is None:
                _print_rows(columns)
            else:
                output.write(columns)
    if out is None:
        return
    if as_json:
        print(json.dumps({"rows": output.n_rows, "out": str(out)}))
    else:
        print(f"wrote {output.n_rows} rows to {out}")


def _what(proba: bool, scores: bool, top: int | None, staged: int | None) -> tuple[What, int]:
    given: list[tuple[What, int]] = []
    given += [("proba", 0)] if proba else []
    given += [("scores", 0)] if scores else []
    given += [("top", top)] if top is not None else []
    given += [("staged", staged)] if staged is not None else []
    if len(given) > 1:
        names = " and ".join(f"--{what}" for what, _ in given)
        raise UsageMistakeError(f"{names} exclude each other")
    return given[0] if given else ("classes", 0)


def _slices(parts: Iterator[Table], model: MHBoostClassifier) -> Iterator[Table]:
    """Cut parts so that their scores are not many."""
    n_rows = max(1, CELLS // max(model._model.problem.n_columns, model.n_features_in_))
    for part in parts:
        for first in range(0, part.n_rows, n_rows):
            yield part.slice(first, n_rows)


def _print_rows(columns: pa.Table) -> None:
    rows: list[dict[str, Any]] = columns.to_pylist()
    for row in rows:
        print(json.dumps(row))
