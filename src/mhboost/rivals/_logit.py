"""LogitBoost and its kin: Newton steps on the logistic loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from .. import _core
from .._data import TrainingData
from .._progress import Callback
from ._base import RivalClassifier


class _LogitClassifier(RivalClassifier):
    _method: ClassVar[str]
    _largest_step: ClassVar[float]
    _without = ("edges_", "alphas_")

    def _booster(
        self,
        binner: _core.Binner,
        matrix: _core.BinnedMatrix,
        targets: _core.Targets,
        data: TrainingData,
        options: _core.Options,
    ) -> _core.Rival:
        return _core.Rival.logit_boost(
            binner,
            matrix,
            targets,
            data.train.weights,
            method=self._method,
            least_weight=float(getattr(self, "min_samples_leaf", 0)),
            largest_step=self._largest_step,
            options=options,
        )


class VTLogitBoostClassifier(_LogitClassifier):
    """LogitBoost with one tree a round, whose leaves hold a step for each class.

    With G and H a class's sums of gradients and curvatures of the logistic loss in a leaf, its step
    is G / H, and trees grow by what a cut adds to the sum of G^2 / H over the classes. The method
    of P. Sun's MultiClassLogitBoost program.

    Parameters
    ----------
    n_estimators : int
        Number of rounds, which is the number of trees.
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

    Notes
    -----
    Steps are cut off at 5. `decision_function` gives half of the logarithms of probabilities, up to
    a constant a row; for two classes, half of the log-odds of the second.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> VTLogitBoostClassifier(n_estimators=50, n_leaves=4).fit(X, y).score(X, y)
    1.0
    """

    _method = "vt"
    _largest_step = 5.0


class _ClassTreesClassifier(_LogitClassifier):
    _largest_step = 50.0

    def __init__(
        self,
        *,
        n_estimators: int = 500,
        n_leaves: int = 20,
        learning_rate: float = 0.1,
        min_samples_leaf: int = 10,
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
        super().__init__(
            n_estimators=n_estimators,
            n_leaves=n_leaves,
            learning_rate=learning_rate,
            max_bins=max_bins,
            categorical_features=categorical_features,
            class_weight=class_weight,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            eval_metric=eval_metric,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
            callbacks=callbacks,
        )
        self.min_samples_leaf = min_samples_leaf

    def _trees_per_round(self, data: TrainingData) -> int:
        return data.problem.n_columns


class LogitBoostClassifier(_ClassTreesClassifier):
    """LogitBoost with a tree for each class a round, in the robust form of P. Li.

    With G and H the sums of gradients and curvatures of the logistic loss in a leaf, its step is
    (K - 1) / K times G / H, and trees grow by what a cut adds to G^2 / H. Only sums are ever
    divided, so no row's response has to be cut off. See P. Li, *Robust LogitBoost and adaptive base
    class (ABC) LogitBoost* (2010).

    Parameters
    ----------
    n_estimators : int
        Number of rounds, of as many trees as there are classes (of one for two classes).
    n_leaves : int
        Leaves of a tree.
    learning_rate : float
        Shrinks every step; in (0, 1].
    min_samples_leaf : int
        Rows that a leaf holds at least; a row of weight 3 counts as three.
    max_bins, categorical_features, class_weight : object
        As of `MHBoostClassifier`.
    early_stopping, validation_fraction, n_iter_no_change, eval_metric : object
        As of `MHBoostClassifier`.
    random_state, n_jobs, verbose, callbacks : object
        As of `MHBoostClassifier`.

    Notes
    -----
    Steps are cut off at 50. `decision_function` gives half of the logarithms of probabilities, up
    to a constant a row; for two classes, half of the log-odds of the second.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LogitBoostClassifier(n_estimators=50, n_leaves=4).fit(X, y).score(X, y)
    1.0
    """

    _method = "logitboost"


class MARTClassifier(_ClassTreesClassifier):
    """Friedman's gradient boosting of the logistic loss, with a tree for each class a round.

    As `LogitBoostClassifier`, but trees grow by what a cut adds to G^2 / n, n the rows on its side:
    cuts are of first order, steps of second. See J. Friedman, *Greedy function approximation: a
    gradient boosting machine* (2001).

    Parameters
    ----------
    n_estimators : int
        Number of rounds, of as many trees as there are classes (of one for two classes).
    n_leaves : int
        Leaves of a tree.
    learning_rate : float
        Shrinks every step; in (0, 1].
    min_samples_leaf : int
        Rows that a leaf holds at least; a row of weight 3 counts as three.
    max_bins, categorical_features, class_weight : object
        As of `MHBoostClassifier`.
    early_stopping, validation_fraction, n_iter_no_change, eval_metric : object
        As of `MHBoostClassifier`.
    random_state, n_jobs, verbose, callbacks : object
        As of `MHBoostClassifier`.

    Notes
    -----
    Steps are cut off at 50. `decision_function` gives half of the logarithms of probabilities, up
    to a constant a row; for two classes, half of the log-odds of the second.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MARTClassifier(n_estimators=50, n_leaves=4).fit(X, y).score(X, y)
    1.0
    """

    _method = "mart"


class AOSOLogitBoostClassifier(_LogitClassifier):
    """LogitBoost with one tree a round, whose leaves move one class up and one down.

    A node's pair is the class r with the largest sum of gradients and the class s against which a
    step gains most; with Q = H_r + H_s + 2 sum p_r p_s, the step is (G_r - G_s) / Q, and a tree
    grows by what a cut adds to (G_r - G_s)^2 / Q. See P. Sun, M. Reid and J. Zhou,
    *AOSO-LogitBoost: adaptive one-vs-one LogitBoost for multi-class problem* (2012).

    Parameters
    ----------
    n_estimators : int
        Number of rounds, which is the number of trees. They have to be more than of other methods:
        a tree moves two classes only in each leaf.
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

    Notes
    -----
    Steps are cut off at 5. `decision_function` gives half of the logarithms of probabilities, up to
    a constant a row; for two classes, half of the log-odds of the second.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AOSOLogitBoostClassifier(n_estimators=100, n_leaves=4).fit(X, y).score(X, y)
    1.0
    """

    _method = "aoso"
    _largest_step = 5.0


class _AdaptiveBaseClassifier(_ClassTreesClassifier):
    def __init__(
        self,
        *,
        n_estimators: int = 500,
        n_leaves: int = 20,
        learning_rate: float = 0.1,
        min_samples_leaf: int = 10,
        base_candidates: int | str = 2,
        base_gap: int = 5,
        warm_up: int = 0,
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
        super().__init__(
            n_estimators=n_estimators,
            n_leaves=n_leaves,
            learning_rate=learning_rate,
            min_samples_leaf=min_samples_leaf,
            max_bins=max_bins,
            categorical_features=categorical_features,
            class_weight=class_weight,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            eval_metric=eval_metric,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
            callbacks=callbacks,
        )
        self.base_candidates = base_candidates
        self.base_gap = base_gap
        self.warm_up = warm_up

    def _booster(
        self,
        binner: _core.Binner,
        matrix: _core.BinnedMatrix,
        targets: _core.Targets,
        data: TrainingData,
        options: _core.Options,
    ) -> _core.Rival:
        return _core.Rival.abc_boost(
            binner,
            matrix,
            targets,
            data.train.weights,
            method=self._method,
            least_weight=float(self.min_samples_leaf),
            largest_step=self._largest_step,
            n_candidates=0 if self.base_candidates == "all" else int(self.base_candidates),
            gap=int(self.base_gap),
            warm_up=int(self.warm_up),
            options=options,
        )


class ABCMartClassifier(_AdaptiveBaseClassifier):
    """ABC-MART: MART with an adaptive base class.

    Scores sum to zero, so one class, the base, is minus the sum of the others, and a tree is grown
    for each of these: g = g_k - g_base and h = h_k + h_base + 2 p_k p_base take the place of
    gradient and curvature, steps are G / H, and trees grow by what a cut adds to G^2 / n. The base
    is searched: of some candidates it is the one whose trees leave the smallest loss. See P. Li,
    *ABC-boost: adaptive base class boost for multi-class classification* (2009).

    Parameters
    ----------
    n_estimators : int
        Number of rounds, of as many trees as there are classes (of one for two classes); that of
        the base is empty.
    n_leaves : int
        Leaves of a tree.
    learning_rate : float
        Shrinks every step; in (0, 1].
    min_samples_leaf : int
        Rows that a leaf holds at least; a row of weight 3 counts as three.
    base_candidates : int or "all"
        How many classes, those of the largest loss, are tried as the base.
    base_gap : int
        Rounds that keep the base, between two that search. "all" and 0 make the original,
        exhaustive method; 1 and 0 take the worst class.
    warm_up : int
        Rounds without a base at first.
    max_bins, categorical_features, class_weight : object
        As of `MHBoostClassifier`.
    early_stopping, validation_fraction, n_iter_no_change, eval_metric : object
        As of `MHBoostClassifier`.
    random_state, n_jobs, verbose, callbacks : object
        As of `MHBoostClassifier`.

    Notes
    -----
    Steps are cut off at 50. `decision_function` gives half of the logarithms of probabilities, up
    to a constant a row; for two classes, where there is nothing to choose, half of the log-odds of
    the second.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ABCMartClassifier(n_estimators=100, n_leaves=4).fit(X, y).score(X, y)
    1.0
    """

    _method = "mart"


class ABCLogitBoostClassifier(_AdaptiveBaseClassifier):
    """ABC-LogitBoost: LogitBoost with an adaptive base class.

    Scores sum to zero, so one class, the base, is minus the sum of the others, and a tree is grown
    for each of these: g = g_k - g_base and h = h_k + h_base + 2 p_k p_base take the place of
    gradient and curvature, steps are G / H, and trees grow by what a cut adds to G^2 / H. The base
    is searched: of some candidates it is the one whose trees leave the smallest loss. See P. Li,
    *Robust LogitBoost and adaptive base class (ABC) LogitBoost* (2010).

    Parameters
    ----------
    n_estimators : int
        Number of rounds, of as many trees as there are classes (of one for two classes); that of
        the base is empty.
    n_leaves : int
        Leaves of a tree.
    learning_rate : float
        Shrinks every step; in (0, 1].
    min_samples_leaf : int
        Rows that a leaf holds at least; a row of weight 3 counts as three.
    base_candidates : int or "all"
        How many classes, those of the largest loss, are tried as the base.
    base_gap : int
        Rounds that keep the base, between two that search. "all" and 0 make the original,
        exhaustive method; 1 and 0 take the worst class.
    warm_up : int
        Rounds without a base at first.
    max_bins, categorical_features, class_weight : object
        As of `MHBoostClassifier`.
    early_stopping, validation_fraction, n_iter_no_change, eval_metric : object
        As of `MHBoostClassifier`.
    random_state, n_jobs, verbose, callbacks : object
        As of `MHBoostClassifier`.

    Notes
    -----
    Steps are cut off at 50. `decision_function` gives half of the logarithms of probabilities, up
    to a constant a row; for two classes, where there is nothing to choose, half of the log-odds of
    the second.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ABCLogitBoostClassifier(n_estimators=50, n_leaves=4).fit(X, y).score(X, y)
    1.0
    """

    _method = "logitboost"
