"""The estimator that validates its size and its stopping time as the paper does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils.validation import _check_sample_weight, _num_samples

from . import _pickling
from ._predictions import Predictions
from ._selection import candidates, choose
from ._stopping import T_MIN, smoothed_scores
from ._validation import Rows, deal, fit_and_score
from .classifier import MHBoostClassifier
from .learners import tree_shape

__all__ = ["MHBoostClassifierCV"]

_pickling.register()

Grid = Mapping[str, Sequence[Any]]
DEFAULT_GRIDS: Mapping[object, Grid] = {
    "tree": {"n_inner_nodes": (2, 4, 8, 16, 32)},
    "product": {"n_terms": (2, 3, 4, 5)},
}


class MHBoostClassifierCV(Predictions):
    """AdaBoost.MH with size and number of rounds chosen by cross-validation, as in the paper.

    Every candidate of the grid is trained on every fold for all rounds. The validation error after
    each round, averaged over the folds and smoothed (the paper's eq. 15), gives each candidate its
    stopping time; the candidate with the smallest smoothed error wins, and is trained again on all
    rows for that many rounds.

    Parameters
    ----------
    estimator : MHBoostClassifier or None
        What is trained; `n_estimators` is the number of rounds to choose from, and `eval_metric`
        what is measured. None is `MHBoostClassifier()`.
    param_grid : dict of str to sequence, or None
        Values by parameter name, smallest first; all combinations are candidates. None is 2, 4, 8,
        16 and 32 inner nodes for trees, 2 to 5 terms for products, and one candidate otherwise.
    cv : int, splitter or iterable
        Number of folds, stratified if every row has one label; or a splitter of scikit-learn; or
        pairs of training and validation rows.
    one_sigma : bool
        Whether to choose the first candidate within one standard error of the best.
    t_min : int
        Stopping times up to this one are not considered, unless there are no others.
    random_state : int, RandomState or None
        Seed of the folds, and of all sampling if `estimator` has none.
    n_jobs : int or None
        How many folds are trained at the same time, one thread each. None trains one after the
        other, with the threads of `estimator`.
    verbose : int
        From 1 up, shows a progress bar.

    Attributes
    ----------
    best_params_ : dict
        The winner, and its number of rounds as `n_estimators`.
    best_n_inner_nodes_ : int
        Cuts per tree of the winner.
    best_iteration_ : int
        Its stopping time.
    best_score_ : float
        Its smoothed validation error there.
    best_estimator_ : MHBoostClassifier
        Trained on all rows.
    cv_results_ : dict
        Of each candidate: `params`; `curves`, the error of every fold and round; `smoothed`, the
        mean over the folds, smoothed; `rounds`, its stopping time; `scores`, the smoothed error
        there.
    classes_, n_iter_, alphas_, ...
        All attributes of the best estimator.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mhboost import MHBoostClassifier
    >>> from mhboost import MHBoostClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"n_inner_nodes": [1, 3, 8]}
    >>> boosted = MHBoostClassifier(n_estimators=100)
    >>> model = MHBoostClassifierCV(boosted, param_grid=grid, random_state=0).fit(X, y)
    >>> model.best_params_
    {'n_inner_nodes': 8, 'n_estimators': 96}
    >>> model.cv_results_["curves"].shape, round(model.best_score_, 3)
    ((3, 5, 100), 0.042)
    """

    def __init__(
        self,
        estimator: MHBoostClassifier | None = None,
        *,
        param_grid: Grid | None = None,
        cv: Any = 5,
        one_sigma: bool = False,
        t_min: int = T_MIN,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.cv = cv
        self.one_sigma = one_sigma
        self.t_min = t_min
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MHBoostClassifierCV:
        """Validate, choose, and train on all rows.

        Parameters
        ----------
        X : array-like, data frame or sparse array of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), or sparse array
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of rows, in training and in validation.

        Returns
        -------
        MHBoostClassifierCV
            The estimator.
        """
        self._check_parameters()
        random = check_random_state(self.random_state)
        prototype = self._prototype(random)
        grid = candidates(_grid(self.param_grid, prototype))
        # One round refuses what cannot be learned from before it is cut into folds.
        first = clone(prototype).set_params(n_estimators=1, **grid[0])
        first.fit(X, y, sample_weight)
        X, y = _indexable(X), _indexable(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X)
        folds = self._folds(X, y, random)
        curves = self._curves(prototype, grid, folds, X, y, sample_weight)
        choice = choose(list(curves), self.t_min, self.one_sigma)
        self.best_params_ = {**grid[choice.candidate], "n_estimators": choice.n_rounds}
        self.cv_results_ = {
            "params": grid,
            "curves": curves,
            "smoothed": np.array([smoothed_scores(c.mean(axis=0)) for c in curves]),
            "rounds": np.array(choice.rounds),
            "scores": np.array(choice.errors),
        }
        self.best_score_ = choice.errors[choice.candidate]
        self.best_estimator_ = clone(prototype).set_params(**self.best_params_)
        self.best_estimator_.fit(X, y, sample_weight)
        self._adopt(self.best_estimator_)
        self.best_iteration_ = choice.n_rounds
        return self

    def _check_parameters(self) -> None:
        if not isinstance(self.estimator, (MHBoostClassifier, type(None))):
            raise TypeError(
                f"estimator must be a MHBoostClassifier or None; got {self.estimator!r:.200}."
            )
        if not isinstance(self.one_sigma, (bool, np.bool_)):
            raise ValueError(f"one_sigma must be True or False; got {self.one_sigma!r:.200}.")
        if not isinstance(self.t_min, (int, np.integer)) or self.t_min < 0:
            raise ValueError(
                f"t_min must be a whole number of at least 0; got {self.t_min!r:.200}."
            )

    def _prototype(self, random: np.random.RandomState) -> MHBoostClassifier:
        """Make what all folds train: no early stopping, because the rule needs whole curves."""
        prototype = MHBoostClassifier() if self.estimator is None else clone(self.estimator)
        prototype.set_params(early_stopping=False, warm_start=False)
        if prototype.random_state is None:
            prototype.set_params(random_state=int(random.randint(2**31 - 1)))
        return prototype

    def _folds(self, X: Any, y: Any, random: np.random.RandomState) -> list[tuple[Rows, Rows]]:
        n_rows = _num_samples(X)
        if isinstance(self.cv, (int, np.integer)) and not isinstance(self.cv, bool):
            labels = np.asarray(y).ravel()
            strata = labels if len(labels) == n_rows else None  # several outputs have no strata
            held_out = deal(strata, n_rows, int(self.cv), random)
            return [(np.setdiff1d(np.arange(n_rows), rows), rows) for rows in held_out]
        if hasattr(self.cv, "split") and not isinstance(self.cv, str):
            pairs = self.cv.split(X, y)
        elif isinstance(self.cv, Iterable) and not isinstance(self.cv, str):
            pairs = self.cv
        else:
            raise ValueError(
                f"cv must be a number of folds, a splitter or pairs of rows; got {self.cv!r:.200}."
            )
        rows = np.arange(n_rows)
        return [(rows[train], rows[held_out]) for train, held_out in pairs]

    def _curves(
        self,
        prototype: MHBoostClassifier,
        grid: list[dict[str, Any]],
        folds: list[tuple[Rows, Rows]],
        X: Any,
        y: Any,
        sample_weight: NDArray[Any] | None,
    ) -> NDArray[np.float64]:
        """Train every candidate on every fold."""
        quiet = clone(prototype).set_params(verbose=0, callbacks=None)
        if self.n_jobs is not None:
            quiet.set_params(n_jobs=1)
        runs = [
            delayed(fit_and_score)(
                clone(quiet).set_params(**candidate), X, y, train, held_out, sample_weight
            )
            for candidate in grid
            for train, held_out in folds
        ]
        workers = Parallel(n_jobs=self.n_jobs or 1, return_as="generator")
        curves = list(_with_bar(workers(runs), len(runs), bool(self.verbose)))
        return np.array(curves).reshape(len(grid), len(folds), -1)

    def _adopt(self, best: MHBoostClassifier) -> None:
        """Show the attributes of the best estimator; predictions read them too."""
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        for name, value in vars(best).items():
            if name == "_model" or (name.endswith("_") and not name.startswith("_")):
                setattr(self, name, value)
        self.best_n_inner_nodes_, _ = tree_shape(
            best.base, int(best.n_inner_nodes), int(best.n_terms)
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(MHBoostClassifier())
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        tags.classifier_tags = inner.classifier_tags
        return tags


def _grid(param_grid: Grid | None, prototype: MHBoostClassifier) -> Grid:
    if param_grid is None:
        base = prototype.base
        return DEFAULT_GRIDS.get(base, {}) if isinstance(base, str) else {}
    if not isinstance(param_grid, Mapping):
        raise TypeError(f"param_grid must be a dict of sequences; got {param_grid!r:.200}.")
    known = prototype.get_params()
    for name, values in param_grid.items():
        if name not in known or name == "n_estimators":
            raise ValueError(f"param_grid must name parameters that can be varied; got {name!r}.")
        if isinstance(values, str) or np.ndim(values) != 1 or len(values) == 0:
            raise ValueError(
                f"param_grid[{name!r}] must be a sequence of values; got {values!r:.200}."
            )
    return param_grid


def _indexable(values: Any) -> Any:
    """Let rows be taken out: of any container that cannot, make one that can."""
    if sparse.issparse(values):
        return values.tocsr()
    if hasattr(values, "shape") or isinstance(values, (list, tuple)):
        return values
    return np.asarray(values)


def _with_bar(results: Iterable[Any], total: int, wanted: bool) -> Iterable[Any]:
    if not wanted:
        return results
    from tqdm.auto import tqdm

    bar: Iterable[Any] = tqdm(results, total=total, desc="MHBoost CV", unit="fold")
    return bar
