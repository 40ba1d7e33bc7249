"""The paper's tables, with our numbers beside its numbers."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ._errors import ExperimentError

__all__ = ["Table", "load_results", "markdown", "tables"]

NOTHING = "—"
TITLES = {
    "table1": "Table 1: test error in %, mid-sized data sets",
    "table2": "Table 2: test error in %, small data sets",
    "mnist": "MNIST: test error in %",
    "other": "Other experiments: test error in %",
}
Result = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """A table of texts."""

    title: str
    head: list[str]
    rows: list[list[str]]
    remarks: list[str]


def load_results(out: Path) -> list[dict[str, Any]]:
    """Read all results of a folder.

    Parameters
    ----------
    out : Path
        Where `run` wrote.

    Returns
    -------
    list of dict
        In the order of the tables.
    """
    found = []
    for path in sorted(out.glob("*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ExperimentError(f"{path} is not a result: {error}") from error
        if isinstance(content, dict) and "experiment" in content:
            found.append(content)
    return sorted(found, key=_rank)


def _rank(result: Result) -> tuple[int, int, str]:
    table, data = result["experiment"]["table"], result["data"]["name"]
    sets = paper().get(table, {}).get("sets", [])
    return (
        list(TITLES).index(table),
        sets.index(data) if data in sets else len(sets),
        result["name"],
    )


@cache
def paper() -> dict[str, Any]:
    """Read the paper's numbers.

    Returns
    -------
    dict
        What paper.toml says.
    """
    return tomllib.loads(files(__package__).joinpath("paper.toml").read_text(encoding="utf-8"))


def tables(results: Sequence[Result]) -> list[Table]:
    """Make the tables.

    Parameters
    ----------
    results : sequence of dict
        What `run` returned.

    Returns
    -------
    list of Table
        Those that have a number.
    """
    here = {
        name: [result for result in results if result["experiment"]["table"] == name]
        for name in TITLES
    }
    makers = {"table1": _table1, "table2": _table2, "mnist": _plain, "other": _plain}
    return [makers[name](name, given) for name, given in here.items() if given]


def markdown(results: Sequence[Result]) -> str:
    """Write the tables in Markdown.

    Parameters
    ----------
    results : sequence of dict
        What `run` returned.

    Returns
    -------
    str
        One section for each table.

    Examples
    --------
    >>> markdown([])
    ''
    """
    return "\n".join(_markdown(table) for table in tables(results))


def _markdown(table: Table) -> str:
    rule = ["---", *["---:"] * (len(table.head) - 1)]
    lines = ["| " + " | ".join(row) + " |" for row in (table.head, rule, *table.rows)]
    remarks = "".join(f"\n{remark}\n" for remark in table.remarks)
    return f"## {table.title}\n\n" + "\n".join(lines) + "\n" + remarks


# --- single tables --------------------------------------------------------------------------------


def _ours(results: Sequence[Result]) -> dict[str, dict[str, tuple[float, float]]]:
    """Our numbers, in percent, by method and data set."""
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for result in results:
        for method in (*result["learners"], *filter(None, [result["svm"]])):
            number = 100 * method["error"], 100 * method["deviation"]
            found.setdefault(method["name"], {})[result["data"]["name"]] = number
    return found


def _cell(number: Sequence[float] | None, digits: int) -> str:
    if number is None:
        return NOTHING
    error, deviation = number
    return f"{error:.{digits}f} ± {deviation:.{digits}f}"


def _mean(numbers: Mapping[str, Sequence[float]], sets: Sequence[str]) -> str:
    if not all(name in numbers for name in sets):
        return NOTHING
    return f"{sum(numbers[name][0] for name in sets) / len(sets):.2f}"


def _table1(table: str, results: Sequence[Result]) -> Table:
    """Methods down, data sets across."""
    sets, theirs, ours = paper()[table]["sets"], paper()[table]["methods"], _ours(results)
    rows = []
    for method in [*theirs, *(name for name in ours if name not in theirs)]:
        for who, numbers, digits in (("", ours, 2), (", paper", theirs, 1)):
            if method in numbers:
                cells = [_cell(numbers[method].get(name), digits) for name in sets]
                rows.append([method + who, *cells, _mean(numbers[method], sets)])
    remark = "± is the binomial deviation."
    return Table(TITLES[table], ["method", *sets, "mean"], rows, [remark, _cost(results)])


def _table2(table: str, results: Sequence[Result]) -> Table:
    """Data sets down, methods across."""
    sets, theirs, ours = paper()[table]["sets"], paper()[table]["methods"], _ours(results)
    methods = [*theirs, *(name for name in ours if name not in theirs)]
    head = ["data set"]
    for method in methods:
        head += [method] + ([f"{method}, paper"] if method in theirs else [])
    rows = []
    for name in sets:
        row = [name]
        for method in methods:
            row.append(_cell(ours.get(method, {}).get(name), 1))
            row += [_cell(theirs[method][name], 1)] if method in theirs else []
        rows.append(row)
    remarks = ["± is the deviation over the ten test folds, not divided by √10."]
    trees, svm = ours.get("Hamming trees", {}), ours.get("SVM", {})
    both = [name for name in sets if name in trees and name in svm]
    if both:
        level = sum(trees[name][0] <= svm[name][0] + 1e-9 for name in both)
        remarks.append(f"Trees no worse than the SVM on {level} of {len(both)} sets, same folds.")
    return Table(TITLES[table], head, rows, [*remarks, _cost(results)])


def _plain(table: str, results: Sequence[Result]) -> Table:
    """A line for each method of each experiment."""
    theirs = paper().get(table, {}).get("methods", {})
    rows = []
    for result in results:
        name = result["data"]["name"]
        for method, numbers in _ours([result]).items():
            number = theirs.get(method, {}).get(name)
            rows.append([result["name"], method, _cell(numbers[name], 2), _cell(number, 2)])
    head = ["experiment", "method", "here", "paper"]
    return Table(TITLES[table], head, rows, [_cost(results)])


def _cost(results: Sequence[Result]) -> str:
    minutes = sum(result["cpu_seconds"] for result in results) / 60
    return f"CPU time, validation included: {minutes:.1f} minutes."
