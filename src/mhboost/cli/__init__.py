"""The command line `mhboost`: a thin client of the Python API, and of `mhboost.readers`.

    app         the commands            train, predict, evaluate, inspect, demo, version   one each
    options     what commands share     guard       mistakes become one line, no traceback
    roles       what columns are for    labels      targets and weights
    features    what is learned from    wanted      what a model needs of a file
    reading     the training file       plan        which rows to train on and to measure on
    training    the training            split       rows to hold out
    live        the display             speaker     lines for people, JSON for scripts
    metrics     what is measured        similarity  classes that vote alike
    output      files of predictions    columns     scores -> named columns

A command that is added gets a file of its own and a line in `app`.
"""

from __future__ import annotations

import sys

__all__ = ["main"]

NEEDED = ("pyarrow", "rich", "typer")


def main() -> None:
    """Run the command line, or say which extra it needs."""
    try:
        for name in NEEDED:
            __import__(name)
    except ImportError as error:
        print(
            f"error: the command line needs the extra `cli` ({error}): "
            "pip install 'mhboost[cli]' brings it",
            file=sys.stderr,
        )
        raise SystemExit(1) from None
    from .app import app

    app()
