"""What is seen while training runs: a line that moves, if there is a terminal to see it."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from .._progress import Round

__all__ = ["Display"]

SECONDS = 0.1  # between two pictures


class Display:
    """A callback of the estimator.

    Parameters
    ----------
    n_rounds : int
        Rounds wanted.
    console : rich.console.Console
        Where to draw; nothing is drawn if it is no terminal.
    """

    def __init__(self, n_rounds: int, console: Console) -> None:
        self.is_on = console.is_terminal
        self._next = 0.0
        self._progress = Progress(
            BarColumn(bar_width=20),
            TextColumn("round {task.completed:.0f} of {task.total:.0f}"),
            TextColumn("{task.fields[figures]}"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=console,
            auto_refresh=False,
            transient=True,
            disable=not self.is_on,
        )
        self._task = self._progress.add_task("training", total=n_rounds, figures="")

    @property
    def callbacks(self) -> list[Any] | None:
        """For the estimator; none if nobody looks, for then rounds need not be told one by one."""
        return [self] if self.is_on else None

    def __call__(self, state: Round) -> None:
        """Show a round, unless the last one was shown just now."""
        now = time.monotonic()
        if now < self._next and state.round < state.n_estimators:
            return
        self._next = now + SECONDS
        self._progress.update(self._task, completed=state.round, figures=figures(state))
        self._progress.refresh()

    def __enter__(self) -> Display:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()


def figures(state: Round) -> str:
    """Write the numbers of a round.

    Parameters
    ----------
    state : Round
        What the estimator tells.

    Returns
    -------
    str
        Rounds per second, training loss, validation score if there is one, and edge.
    """
    parts = [f"{state.round / max(state.seconds, 1e-9):.0f}/s", f"loss {state.train_score:.4f}"]
    if state.validation_score is not None:
        parts.append(f"validation {state.validation_score:.4f}")
    return "  ".join([*parts, f"edge {state.edge:.3f}"])
