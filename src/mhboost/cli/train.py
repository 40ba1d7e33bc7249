"""`mhboost train`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .._parameters import check_parameters
from ..classifier import MHBoostClassifier
from ..learners import tree_shape
from .guard import INTERRUPTED, UsageMistakeError, mistakes
from .options import (
    Data,
    Delimiter,
    Encoding,
    Format,
    Header,
    Jobs,
    Json,
    Missing,
    default_of,
    file_options,
)
from .plan import Measure, make_plan
from .reading import read_training
from .roles import Asked
from .speaker import Speaker
from .training import INTERRUPTION, run, save

__all__ = ["train"]

COLUMNS = "What the columns are"
MEASURE = "How good it is"
LEARN = "How to learn"


def _columns(help_: str, *names: str) -> Any:
    return typer.Option(*names, help=help_, rich_help_panel=COLUMNS, show_default=False)


def _learn(parameter: str, help_: str, *names: str) -> Any:
    text = f"{help_} [dim]\\[default: {default_of(parameter)}][/dim]"
    return typer.Option(*names, help=text, rich_help_panel=LEARN, show_default=False)


def train(
    data: Data,
    target: Annotated[
        list[str] | None,
        _columns("Column to predict; -1 is the last. Several make a multi-task problem."),
    ] = None,
    labels: Annotated[
        list[str] | None,
        _columns("Columns of 0 and 1: 'a,b,c', or how their names begin: a multi-label problem."),
    ] = None,
    categorical: Annotated[
        list[str] | None, _columns("Columns whose values are names, even if they are numbers.")
    ] = None,
    drop: Annotated[list[str] | None, _columns("Columns to leave out.")] = None,
    weight: Annotated[str | None, _columns("Column with the weights of rows.")] = None,
    test: Annotated[
        Path | None,
        typer.Option(
            help="Rows to measure the error on, at the end.",
            rich_help_panel=MEASURE,
            show_default=False,
        ),
    ] = None,
    valid: Annotated[
        Path | None,
        typer.Option(
            help="The same, but measured after every round; early stopping looks at it.",
            rich_help_panel=MEASURE,
            show_default=False,
        ),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(
            help="Cross-validate with so many folds, then train on all rows.",
            rich_help_panel=MEASURE,
            show_default=False,
        ),
    ] = None,
    holdout: Annotated[
        float,
        typer.Option(help="Share of the rows held out, if none of these.", rich_help_panel=MEASURE),
    ] = 0.2,
    model: Annotated[
        Path | None,
        typer.Option(help="File to write; DATA's name with .mhb if not given.", show_default=False),
    ] = None,
    learner: Annotated[
        str | None, _learn("base", "What is boosted: tree, stump or product.")
    ] = None,
    rounds: Annotated[int | None, _learn("n_estimators", "Number of rounds.")] = None,
    inner_nodes: Annotated[int | None, _learn("n_inner_nodes", "Cuts in a tree.")] = None,
    terms: Annotated[int | None, _learn("n_terms", "Cuts in a product.")] = None,
    learning_rate: Annotated[
        float | None, _learn("learning_rate", "Shrinks every alpha; in (0, 1].")
    ] = None,
    votes: Annotated[str | None, _learn("votes", "discrete, ternary or real.")] = None,
    leaf_votes: Annotated[str | None, _learn("leaf_votes", "factorized or leafwise.")] = None,
    loss: Annotated[str | None, _learn("loss", "exponential or logistic.")] = None,
    weighting: Annotated[
        str | None, _learn("weighting", "Initial weights: auto, balanced or uniform.")
    ] = None,
    max_bins: Annotated[int | None, _learn("max_bins", "Bins of a numeric feature.")] = None,
    subsample: Annotated[
        float | None, _learn("subsample", "Share of the rows that a tree is searched on.")
    ] = None,
    class_weight: Annotated[
        str | None, _learn("class_weight", "balanced: classes count the same.")
    ] = None,
    early_stopping: Annotated[
        bool | None,
        _learn("early_stopping", "Keep the best number of rounds.", "--early-stopping"),
    ] = None,
    patience: Annotated[
        int | None, _learn("n_iter_no_change", "Rounds to go on after the best.")
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Seed of all that is drawn.", rich_help_panel=LEARN)
    ] = 0,
    jobs: Jobs = None,
    as_json: Json = False,
    format_: Format = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = "utf-8",
    missing: Missing = None,
) -> None:
    """Train a model on a file of data, and measure its error on rows that it has not seen.

    Example: [bold]mhboost train letter.csv --target class --rounds 300[/bold]

    Ctrl-C ends the training, and saves the rounds that are done.
    """
    parameters: dict[str, Any] = {
        "base": learner,
        "n_estimators": rounds,
        "n_inner_nodes": inner_nodes,
        "n_terms": terms,
        "learning_rate": learning_rate,
        "votes": votes,
        "leaf_votes": leaf_votes,
        "loss": loss,
        "weighting": weighting,
        "max_bins": max_bins,
        "subsample": subsample,
        "class_weight": class_weight,
        "early_stopping": early_stopping,
        "n_iter_no_change": patience,
    }
    given = {name: value for name, value in parameters.items() if value is not None}
    estimator = MHBoostClassifier(random_state=seed, n_jobs=jobs, **given)
    with mistakes(UsageMistakeError):
        check_parameters(estimator.get_params(deep=False))
        tree_shape(estimator.base, estimator.n_inner_nodes, estimator.n_terms)
    measure = Measure(test, valid, cv, holdout)
    measure.check()
    options = file_options(format_, delimiter, header, encoding, missing)
    out = model or Path(_stem(data) + ".mhb")
    say = Speaker(as_json)
    asked = Asked(target, labels, weight, drop, categorical)
    training = read_training(data, options, asked, say)
    plan = make_plan(training, options, measure, seed, say)
    found = run(estimator, plan, cv, seed, say)
    save(found, plan, out, say)
    if found.model.stop_reason_ == INTERRUPTION:
        raise typer.Exit(INTERRUPTED)


def _stem(path: Path) -> str:
    name = path.name
    for ending in (".gz", ".zst", ".bz2"):
        name = name.removesuffix(ending)
    return Path(name).stem or name
