"""The result table: one row per measurement, a CSV file per selection.

All repeats are rows. `least` and its kin take the minimum over them when a table is made.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

FOLDER = Path(__file__).with_name("results")

COLUMNS = {
    # what was asked
    "job": str,
    "experiment": str,
    "problem": str,
    "label": str,
    "system": str,
    "task": str,
    "parameters": json,
    "threads": int,
    "seed": int,
    "repeat": int,
    "target": float,  # of a curve: an error; of a budget: CPU seconds
    # the problem
    "n_train": int,
    "n_test": int,
    "n_features": int,
    "n_classes": int,
    # what came out
    "rounds": int,
    "fit_cpu_s": float,
    "fit_wall_s": float,
    "predict_cpu_s": float,
    "predict_wall_s": float,
    "latency_us": float,
    "latency_one_us": float,
    "peak_bytes": int,
    "model_bytes": int,
    "error": float,
    "log_loss": float,
    "scores_sha": str,
    "reached": int,
    "curve": json,  # [round, CPU s, wall s, error]
    "search_ns": float,  # per row, feature and vector of classes
    "bare_ns": float,
    "failure": str,
    # where and when
    "date": str,
    "load": float,
    "cpu": str,
    "cores": int,
    "os": str,
    "kernel": str,
    "build": str,
    "versions": json,
}


def to_text(value, kind):
    if value is None:
        return ""
    return json.dumps(value, separators=(",", ":")) if kind is json else str(kind(value))


def from_text(text, kind):
    if text == "":
        return None
    return json.loads(text) if kind is json else kind(text)


def complete(row):
    """Return the row with all columns; a column that does not exist is an error."""
    unknown = set(row) - set(COLUMNS)
    if unknown:
        raise ValueError(f"no such column: {', '.join(sorted(unknown))}")
    return {name: row.get(name) for name in COLUMNS}


def path_of(selection):
    return FOLDER / f"{selection}.csv"


def read(path):
    """Return the rows of a file, none if there is no file."""
    if not Path(path).is_file():
        return []
    csv.field_size_limit(1 << 24)
    with Path(path).open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != list(COLUMNS):
            raise ValueError(f"{path} has other columns than results.COLUMNS; remove it")
        return [
            {name: from_text(row[name], kind) for name, kind in COLUMNS.items()} for row in reader
        ]


def write(path, rows):
    """Replace the file, all or nothing."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".csv.part")
    with draft.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in map(complete, rows):
            writer.writerow([to_text(row[name], kind) for name, kind in COLUMNS.items()])
    draft.replace(path)


# --- looking at rows ------------------------------------------------------------------------------


def where(rows, **wanted):
    """Return the rows with these values."""
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def distinct(rows, column):
    """Return a column's values in the order in which they first come."""
    return list(dict.fromkeys(row[column] for row in rows))


def least(rows, column):
    """Return the minimum of the repeats, or None if nothing was measured."""
    return min((row[column] for row in rows if row[column] is not None), default=None)


def ratio(above, below):
    return None if above is None or not below else above / below


def per_round(rows, column="fit_cpu_s"):
    """Return the seconds of one round: the slope between the fewest and the most rounds.

    What training does once (binning, above all) is in both and cancels. With one number of rounds
    it is in the result.
    """
    rows = [row for row in rows if row[column] is not None]
    counts = sorted(set(distinct(rows, "rounds")))
    if not counts:
        return None
    most = least(where(rows, rounds=counts[-1]), column)
    if len(counts) == 1:
        return most / counts[0]
    fewest = least(where(rows, rounds=counts[0]), column)
    return (most - fewest) / (counts[-1] - counts[0])
