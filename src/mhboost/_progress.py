"""What the outside sees while training runs: callbacks and a progress bar.

A callback is any function of one `Round`. When it returns True, training stops after that round and
the model holds the rounds done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from ._estimator import BoostingEstimator

__all__ = ["Callback", "Progress", "Round"]


@dataclass(frozen=True)
class Round:
    """The state of training after a round.

    Parameters
    ----------
    round : int
        Number of rounds done.
    n_estimators : int
        Number of rounds wanted.
    edge, alpha : float
        Of the round's hypothesis; the edge is nan where a method has none.
    train_score : float
        Weighted training loss.
    validation_score : float or None
        Score on the first evaluation set, if there is one; smaller is better.
    seconds : float
        Time since training began.
    estimator : estimator
        The estimator being fitted: its parameters, not its results.
    """

    round: int
    n_estimators: int
    edge: float
    alpha: float
    train_score: float
    validation_score: float | None
    seconds: float
    estimator: BoostingEstimator


Callback: TypeAlias = Callable[[Round], bool | None]


class Progress:
    """Tells the callbacks and moves the bar.

    Parameters
    ----------
    callbacks : sequence of callables
        Each gets a `Round`.
    bar : tqdm or None
        Progress bar.
    """

    def __init__(self, callbacks: Sequence[Callback], bar: Any = None) -> None:
        self.callbacks = callbacks
        self.bar = bar

    @classmethod
    def start(
        cls, callbacks: Sequence[Callback] | None, verbose: int, done: int, total: int
    ) -> Progress:
        """Open the bar if it is wanted.

        Parameters
        ----------
        callbacks : sequence of callables or None
            Each gets a `Round`.
        verbose : int
            A bar from 1 up.
        done, total : int
            Rounds done already and wanted in all.

        Returns
        -------
        Progress
            A context manager, which closes the bar.
        """
        bar = None
        if verbose:
            from tqdm.auto import tqdm

            bar = tqdm(total=total, initial=done, desc="MHBoost", unit="round")
        return cls(callbacks or (), bar)

    def report(self, state: Round) -> bool:
        """Show a round.

        Parameters
        ----------
        state : Round
            What to show.

        Returns
        -------
        bool
            Whether a callback wants to stop.
        """
        if self.bar is not None:
            figures = {"loss": f"{state.train_score:.4g}", "edge": f"{state.edge:.4f}"}
            if state.validation_score is not None:
                figures["validation"] = f"{state.validation_score:.4f}"
            self.bar.set_postfix(figures, refresh=False)
            self.bar.update(state.round - self.bar.n)
        answers = [callback(state) for callback in self.callbacks]
        return any(answers)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.close()
