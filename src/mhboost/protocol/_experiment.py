"""What an experiment is: values that cannot change once they are read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast

from .._selection import candidates
from .._stopping import T_MIN
from ..classifier import MHBoostClassifier
from ..learners import LearnerLike

__all__ = ["TABLES", "Experiment", "FoldPlan", "LearnerPlan", "SvmPlan"]

TABLES = ("table1", "table2", "mnist", "other")


@dataclass(frozen=True)
class FoldPlan:
    """How the rows are cut.

    Parameters
    ----------
    test : "designated" or int
        The data set's own test rows, or a number of test folds.
    validation : int
        Number of validation runs per test fold; with 0 nothing is chosen.
    seed : int
        Of the cuts.
    """

    test: Literal["designated"] | int
    validation: int
    seed: int = 0

    @property
    def is_designated(self) -> bool:
        """Whether the data set's own test rows are used."""
        return self.test == "designated"


@dataclass(frozen=True)
class LearnerPlan:
    """What is boosted, how long, and what is chosen from.

    Parameters
    ----------
    name : str
        What tables call it.
    base : str
        As in `MHBoostClassifier`.
    rounds : int
        Number of rounds: T_max.
    parameters : mapping
        Of `MHBoostClassifier`, the same in all candidates.
    grid : mapping of str to list
        Lists of these, smallest first.
    piece : int
        The final training is checkpointed every so many rounds; 0 is never.
    """

    name: str
    base: str
    rounds: int
    parameters: Mapping[str, Any]
    grid: Mapping[str, list[Any]]
    piece: int = 0

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """The grid's combinations."""
        return candidates(self.grid)

    def classifier(self, candidate: Mapping[str, Any], n_jobs: int = 1) -> MHBoostClassifier:
        """Make the classifier of a candidate.

        Parameters
        ----------
        candidate : mapping
            One of `candidates`.
        n_jobs : int
            Threads.

        Returns
        -------
        MHBoostClassifier
            Not fitted.
        """
        told = {"random_state": 0, **self.parameters, **candidate}
        return MHBoostClassifier(
            cast(LearnerLike, self.base), n_estimators=self.rounds, n_jobs=n_jobs, **told
        )


@dataclass(frozen=True)
class SvmPlan:
    """The grid of the support vector machine with a Gaussian kernel.

    Parameters
    ----------
    C, gamma : list of float
        Values to choose from.
    """

    C: list[float]
    gamma: list[float]


@dataclass(frozen=True)
class Experiment:
    """All that an experiment's numbers depend on, but for the data themselves.

    Parameters
    ----------
    name : str
        Names the files of its results.
    data : str
        A data set of `mhboost.datasets`.
    table : str
        Where its result belongs: table1, table2, mnist or other.
    folds : FoldPlan
        The cuts.
    learners : list of LearnerPlan
        What is boosted.
    svm : SvmPlan or None
        The rival.
    t_min : int
        Of the paper's eq. 15.
    one_sigma : bool
        Whether to take the first candidate within one standard error of the best.
    """

    name: str
    data: str
    table: str
    folds: FoldPlan
    learners: list[LearnerPlan]
    svm: SvmPlan | None = None
    t_min: int = T_MIN
    one_sigma: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Give the experiment as plain values.

        Returns
        -------
        dict
            In the words of the TOML file.
        """
        return asdict(self)

    def digest(self, *more: str) -> str:
        """Tell experiments apart.

        Parameters
        ----------
        *more : str
            What else a result depends on.

        Returns
        -------
        str
            Sixteen hexadecimal digits.
        """
        text = json.dumps([self.as_dict(), *more], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def limited(self, rounds: int) -> Experiment:
        """Give the same experiment with fewer rounds.

        Parameters
        ----------
        rounds : int
            No learner boosts for longer.

        Returns
        -------
        Experiment
            Itself otherwise.
        """
        learners = [replace(plan, rounds=min(plan.rounds, rounds)) for plan in self.learners]
        return replace(self, learners=learners)
