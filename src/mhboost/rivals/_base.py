"""What the rivals share: parameters, `fit`, and the way to the core."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, TypeVar

from sklearn.utils import Tags

from .. import _core
from .._checkpoint import Journal
from .._data import TrainingData, read_data
from .._fingerprint import take_fingerprint
from .._parameters import check_parameters
from .._predictions import Predictions
from .._progress import Callback
from .._saving import fitted_attributes, set_fitted
from .._threads import n_threads
from .._training import Outcome, add_evaluations, binned, boost, fit_binner

Self = TypeVar("Self", bound="RivalClassifier")


class RivalClassifier(Predictions):
    """A booster of trees for single-label problems.

    Parameters
    ----------
    n_estimators : int
        Number of rounds.
    n_leaves : int
        Leaves of a tree.
    learning_rate : float
        Shrinks every step; in (0, 1].
    max_bins, categorical_features, class_weight : object
        As of `MHBoostClassifier`.
    early_stopping, validation_fraction, n_iter_no_change, eval_metric : object
        As of `MHBoostClassifier`.
    random_state, n_jobs, verbose, callbacks : object
        As of `MHBoostClassifier`.
    """

    # What MHBoostClassifier has and its rivals have not.
    weighting = "auto"
    warm_start = False
    checkpoint = None
    checkpoint_every = 1
    # Fitted attributes that a method does not have.
    _without: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        n_estimators: int = 500,
        n_leaves: int = 20,
        learning_rate: float = 0.1,
        max_bins: int | str = 256,
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = 50,
        eval_metric: str = "error",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callbacks: Sequence[Callback] | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_leaves = n_leaves
        self.learning_rate = learning_rate
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.eval_metric = eval_metric
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callbacks = callbacks

    def fit(
        self: Self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        eval_sample_weight: Any = None,
    ) -> Self:
        """Train.

        Parameters
        ----------
        X : array-like, data frame or sparse array of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of rows.
        eval_set : tuple (X, y) or list of such, optional
            Rows to score after every round.
        eval_sample_weight : array-like, or list of such if `eval_set` is a list, optional
            Weights of these rows.

        Returns
        -------
        RivalClassifier
            The estimator. If an error is raised it is left as it was.
        """
        check_parameters(self.get_params(deep=False))
        data = read_data(self, X, y, sample_weight, eval_set, eval_sample_weight, None)
        if data.problem.kind != "single-label":
            raise ValueError(
                f"y must hold one label per row for {type(self).__name__}; "
                f"got a {data.problem.kind} problem."
            )
        outcome = self._train(data)
        attributes = fitted_attributes(data.feature_names, outcome)
        set_fitted(self, {k: v for k, v in attributes.items() if k not in self._without})
        return self

    def _train(self, data: TrainingData) -> Outcome:
        threads = n_threads(self.n_jobs)
        binner = fit_binner(self, data, threads)
        options = _core.Options(
            n_inner_nodes=int(self.n_leaves) - 1,
            learning_rate=float(self.learning_rate),
            effective_rows=data.train.n_effective,
            seed=data.seed,
            n_threads=threads,
        )
        matrix = binned(data, data.train, binner, threads)
        targets = data.problem.targets(data.train.positives)
        booster = self._booster(binner, matrix, targets, data, options)
        add_evaluations(self, data, booster, binner, threads)
        fingerprint = take_fingerprint(data, binner, matrix)
        journal = Journal(self, binner, fingerprint, {}, booster.ensemble(), None)
        temperature = partial(self._temperature, data)
        return boost(self, data, booster, journal, temperature, self._trees_per_round(data))

    @abstractmethod
    def _booster(
        self,
        binner: _core.Binner,
        matrix: _core.BinnedMatrix,
        targets: _core.Targets,
        data: TrainingData,
        options: _core.Options,
    ) -> _core.Rival:
        """Make the core's booster."""

    def _temperature(self, data: TrainingData, ensemble: _core.Ensemble, n_trees: int) -> float:
        """Return what makes probabilities of scores in the absence of an evaluation set."""
        return 1.0

    def _trees_per_round(self, data: TrainingData) -> int:
        return 1

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags
