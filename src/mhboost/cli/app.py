"""The commands and their order."""

from __future__ import annotations

import typer

from .demo import demo
from .evaluate import evaluate
from .guard import guarded
from .inspection import inspect
from .predict import predict
from .train import train
from .version import version

__all__ = ["app"]

COMMANDS = (train, predict, evaluate, inspect, demo, version)

app = typer.Typer(
    name="mhboost",
    help="AdaBoost.MH with Hamming trees: from a file of data to a model and its honest error.",
    epilog="A first look: mhboost demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in COMMANDS:
    app.command(help=command.__doc__)(guarded(command))


def _version(asked: bool) -> None:
    if asked:
        version()
        raise typer.Exit


@app.callback()
def common(
    asked: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and end."
    ),
) -> None:
    """AdaBoost.MH with Hamming trees: from a file of data to a model and its honest error."""
