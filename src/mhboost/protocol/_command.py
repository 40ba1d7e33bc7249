"""The command line: arguments in, an exit code out; a user's mistake is one line, no traceback."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..datasets import DatasetMismatchError, DatasetMissingError
from ._book import write_book
from ._errors import ExperimentError
from ._experiment import TABLES, Experiment
from ._files import write_text
from ._reading import built_in, read
from ._run import run
from ._tables import load_results, markdown

__all__ = ["main"]

MISTAKES = (ExperimentError, DatasetMissingError, DatasetMismatchError, ImportError, OSError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
        0, or 2 after a mistake, or 130 after Ctrl-C.
    """
    given = _parser().parse_args(arguments)
    try:
        given.command(given)
    except MISTAKES as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mhboost.protocol", description="The paper's experiments, run again."
    )
    commands = parser.add_subparsers(required=True, metavar="command")

    reproduce = commands.add_parser("reproduce", help="run experiments, write tables and book")
    reproduce.set_defaults(command=_reproduce)
    reproduce.add_argument(
        "what",
        nargs="+",
        metavar="WHAT",
        help="table1, table2, mnist, the name of an experiment, or a TOML file",
    )
    reproduce.add_argument("--data-home", metavar="DIR", help="folder of the data sets")
    reproduce.add_argument("--jobs", type=_positive, default=1, help="folds trained at once (1)")
    reproduce.add_argument("--rounds", type=_positive, help="boost no longer than this")
    reproduce.add_argument("--fresh", action="store_true", help="forget what was done before")
    reproduce.add_argument("--no-book", action="store_true", help="leave the results book out")

    book = commands.add_parser("book", help="write tables and book from results that are there")
    book.set_defaults(command=_rewrite)
    for command in (reproduce, book):
        command.add_argument(
            "--out", type=Path, default=Path("results"), help="folder of the results (results)"
        )

    listing = commands.add_parser("list", help="list the experiments")
    listing.set_defaults(command=_list)
    return parser


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1; got {text!r}")
    return number


def _reproduce(given: argparse.Namespace) -> None:
    experiments = _experiments(given.what)
    for number, experiment in enumerate(experiments, 1):
        if given.rounds:
            experiment = experiment.limited(given.rounds)
        found = run(
            experiment,
            data_home=given.data_home,
            out=given.out,
            n_jobs=given.jobs,
            fresh=given.fresh,
            progress=True,
        )
        print(f"[{number}/{len(experiments)}] {_line(found)}", flush=True)
    _write(given.out, with_book=not given.no_book)


def _experiments(what: Sequence[str]) -> list[Experiment]:
    """Read all before the first is run: a mistake in the last should not cost hours."""
    found: list[Experiment] = []
    for name in what:
        if name in TABLES and not Path(name).is_file():
            known = map(read, built_in())
            found += [experiment for experiment in known if experiment.table == name]
        else:
            found.append(read(name))
    return found


def _line(found: dict[str, Any]) -> str:
    methods = (*found["learners"], *filter(None, [found["svm"]]))
    errors = ", ".join(
        f"{m['name']} {100 * m['error']:.2f} ± {100 * m['deviation']:.2f} %" for m in methods
    )
    return f"{found['name']}: {errors} ({found['cpu_seconds']:.0f} CPU seconds)"


def _rewrite(given: argparse.Namespace) -> None:
    _write(given.out, with_book=True)


def _write(out: Path, with_book: bool) -> None:
    results = load_results(out)
    if not results:
        raise ExperimentError(f"there are no results in {out}")
    text = markdown(results)
    write_text(out / "tables.md", text)
    print("\n" + text)
    if with_book:
        write_book(results, out / "book.pdf")


def _list(given: argparse.Namespace) -> None:
    for name in built_in():
        experiment = read(name)
        methods = [plan.name for plan in experiment.learners] + ["SVM"] * bool(experiment.svm)
        print(f"{name:20} {experiment.table:7} {experiment.data:10} {', '.join(methods)}")
