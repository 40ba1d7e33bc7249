"""`mhboost evaluate`."""

from __future__ import annotations

import json
import math
import warnings
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table as Grid

from .._saving import load
from ..classifier import MHBoostClassifier
from .guard import mistakes
from .labels import Labelled
from .metrics import (
    Task,
    confusion,
    error_of,
    measure,
    multi_label_numbers,
    per_class,
    staged_errors,
    tasks_of,
)
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
from .roles import roles_of
from .wanted import read_labelled, wanted_by

__all__ = ["evaluate"]

MOST_CLASSES = 12  # a larger confusion matrix is a list of the commonest confusions
MOST_CONFUSIONS = 12
WIDE = 200  # of a table that goes into a file
BY_ROUND = ("rounds", "error", "Hamming loss", "one-error", "balanced error", "log-loss")


def evaluate(
    model: Model,
    data: Data,
    target: Annotated[
        list[str] | None,
        typer.Option(help="Name of the target, if not that of training.", show_default=False),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="Column with the weights of rows.", show_default=False)
    ] = None,
    by_round: Annotated[
        int | None,
        typer.Option(
            metavar="EVERY",
            help="Also the errors after every so many rounds.",
            show_default=False,
            min=1,
        ),
    ] = None,
    jobs: Jobs = None,
    as_json: Json = False,
    format_: Format = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = "utf-8",
    missing: Missing = None,
) -> None:
    """Measure a model on rows whose classes are known.

    Example: [bold]mhboost evaluate letter.mhb letter-test.csv --by-round 50[/bold]
    """
    options = file_options(format_, delimiter, header, encoding, missing)
    classifier = load(model)
    classifier.n_jobs = jobs
    roles = roles_of(classifier, target, weight)
    rows = read_labelled(data, wanted_by(classifier, roles), roles, options, classifier)
    if data.name == getattr(classifier, "notes_", {}).get("data"):
        warnings.warn(
            f"the model was trained on a file named {data.name}: the error of these rows is no "
            "honest one",
            stacklevel=1,
        )
    with mistakes():
        facts = findings(classifier, rows, by_round)
    if as_json:
        print(json.dumps(_without_nan(facts)))
    else:
        terminal = Console()
        _print(facts, terminal if terminal.is_terminal else Console(width=WIDE))


def findings(
    model: MHBoostClassifier, rows: Labelled, by_round: int | None = None
) -> dict[str, Any]:
    """Measure all there is to measure.

    Parameters
    ----------
    model : MHBoostClassifier
        A fitted model.
    rows : Labelled
        Rows with known labels.
    by_round : int or None
        Every how many rounds to measure the errors.

    Returns
    -------
    dict
        As `mhboost evaluate --json` prints it.
    """
    error, tasks = error_of(model, rows), tasks_of(model, rows)
    facts: dict[str, Any] = {
        "rows": len(rows.y),
        "rounds": model.n_iter_,
        "metric": error.name,
        "error": error.value,
        "deviation": error.deviation,
    }
    if rows.roles.multi_label:
        facts["measures"] = multi_label_numbers(tasks)
        facts["labels"] = [{**per_class(t)[1], "class": t.name} for t in tasks]
    else:
        facts["targets"] = {task.name: _target_facts(task) for task in tasks}
    if by_round is not None:
        facts["by_round"] = staged_errors(model, rows, by_round)
    return facts


def _target_facts(task: Task) -> dict[str, Any]:
    return {
        "measures": measure(task),
        "classes": per_class(task),
        "confusion": confusion(task).tolist(),
    }


def _without_nan(value: Any) -> Any:
    """JSON has no NaN; null says the same."""
    if isinstance(value, dict):
        return {k: _without_nan(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_without_nan(v) for v in value]
    return None if isinstance(value, float) and math.isnan(value) else value


# --- for people -----------------------------------------------------------------------------------


def _print(facts: dict[str, Any], console: Console) -> None:
    error, deviation = 100 * facts["error"], 100 * facts["deviation"]
    console.print(f"{facts['rows']} rows, {facts['rounds']} rounds", highlight=False)
    console.print(f"{facts['metric']}: {error:.2f} ± {deviation:.2f} %", highlight=False)
    if "labels" in facts:
        _print_measures(facts["measures"], console)
        _print_classes(facts["labels"], "label", console)
    for name, found in facts.get("targets", {}).items():
        if len(facts["targets"]) > 1:
            console.print(f"\n[bold]{name}[/bold]", highlight=False)
        _print_measures(found["measures"], console)
        _print_classes(found["classes"], "class", console)
        _print_confusion(found, console)
    if "by_round" in facts:
        _print_rounds(facts["by_round"], console)


def _grid(*columns: str) -> Grid:
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, name in enumerate(columns):
        grid.add_column(name, justify="left" if number == 0 else "right", no_wrap=True)
    return grid


def _print_measures(measures: dict[str, float], console: Console) -> None:
    grid = _grid("", "")
    grid.show_header = False
    for name, value in measures.items():
        grid.add_row(name, _number(value))
    console.print(grid)


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"


def _print_classes(rows: list[dict[str, Any]], name: str, console: Console) -> None:
    console.print()
    grid = _grid(name, "rows", "precision", "recall", "F1", "AUC")
    for row in rows:
        values = [_number(row[key]) for key in ("precision", "recall", "f1", "auc")]
        grid.add_row(str(row["class"]), str(row["rows"]), *values)
    console.print(grid)


def _print_confusion(found: dict[str, Any], console: Console) -> None:
    names = [str(row["class"]) for row in found["classes"]]
    matrix = np.array(found["confusion"])
    console.print()
    if len(names) <= MOST_CLASSES:
        grid = _grid("true \\ predicted", *names)
        for name, row in zip(names, matrix, strict=True):
            grid.add_row(name, *(str(count) if count else "·" for count in row))
        console.print(grid)
        return
    np.fill_diagonal(matrix, 0)
    grid = _grid("commonest confusions", "rows")
    for place in np.argsort(-matrix, axis=None, kind="stable")[:MOST_CONFUSIONS]:
        true, predicted = divmod(int(place), len(names))
        if matrix[true, predicted]:
            grid.add_row(
                f"{names[true]} taken for {names[predicted]}", str(matrix[true, predicted])
            )
    console.print(grid)


def _print_rounds(rows: list[dict[str, float]], console: Console) -> None:
    console.print()
    shown = [name for name in BY_ROUND if name in rows[0]]
    grid = _grid(*shown)
    for row in rows:
        grid.add_row(str(row["rounds"]), *(_number(row[name]) for name in shown[1:]))
    console.print(grid)
