"""Boosters of trees whose leaves name classes: SAMME, AdaBoost.M1, M2, MM, single-label MH."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from .. import _core
from .._data import TrainingData
from .._probabilities import vouched_temperature
from .._progress import Callback
from .._threads import n_threads
from .._training import score_bound
from ._base import RivalClassifier


class _SingleLabelClassifier(RivalClassifier):
    """A booster with an edge and a coefficient a round.

    Attributes
    ----------
    edges_, alphas_ : ndarray of shape (n_iter_,)
        Edge over chance and coefficient of each round.
    """

    _method: ClassVar[str]

    def __init__(
        self,
        *,
        n_estimators: int = 500,
        n_leaves: int = 20,
        learning_rate: float = 1.0,
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

    @property
    def _variant(self) -> str:
        return self._method

    def _booster(
        self,
        binner: _core.Binner,
        matrix: _core.BinnedMatrix,
        targets: _core.Targets,
        data: TrainingData,
        options: _core.Options,
    ) -> _core.Rival:
        return _core.Rival.single_label(
            binner, matrix, targets, data.train.weights, method=self._variant, options=options
        )

    def _temperature(self, data: TrainingData, ensemble: _core.Ensemble, n_trees: int) -> float:
        votes = "real" if self._variant == "samme.r" else "discrete"
        bound = score_bound(votes, data, ensemble, n_trees, n_threads(self.n_jobs))
        return vouched_temperature(bound, data.train.n_effective)


class SAMMEClassifier(_SingleLabelClassifier):
    """SAMME, and its real-valued variant SAMME.R.

    A tree is grown by weighted Gini impurity, and its leaves name their heaviest class. With e the
    weight of the rows that it gets wrong, it counts log((1 - e) / e) + log(K - 1): it only has to
    be better than uniform guessing. See J. Zhu, H. Zou, S. Rosset and T. Hastie, *Multi-class
    AdaBoost* (2009).

    Parameters
    ----------
    n_estimators : int
        Number of rounds. Training ends earlier when a tree is no better than chance, or perfect.
    n_leaves : int
        Leaves of a tree.
    learning_rate : float
        Shrinks every coefficient; in (0, 1].
    real : bool
        SAMME.R: leaves vote by the logarithms of their classes' probabilities, and trees all count
        the same.
    max_bins, categorical_features, class_weight : object
        As of `MHBoostClassifier`.
    early_stopping, validation_fraction, n_iter_no_change, eval_metric : object
        As of `MHBoostClassifier`.
    random_state, n_jobs, verbose, callbacks : object
        As of `MHBoostClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SAMMEClassifier(n_estimators=20, n_leaves=4).fit(X, y).score(X, y)
    1.0
    """

    _method = "samme"

    def __init__(
        self,
        *,
        n_estimators: int = 500,
        n_leaves: int = 20,
        learning_rate: float = 1.0,
        real: bool = False,
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
        self.real = real

    @property
    def _variant(self) -> str:
        return "samme.r" if self.real else self._method


class AdaBoostM1Classifier(_SingleLabelClassifier):
    """AdaBoost.M1: AdaBoost where right is right, however many classes there are.

    A tree is grown by weighted Gini impurity, and its leaves name their heaviest class. With e the
    weight of the rows that it gets wrong, it counts log((1 - e) / e), and e must stay below a half.
    See Y. Freund and R. Schapire, *A decision-theoretic generalization of on-line learning and an
    application to boosting* (1997).

    Parameters
    ----------
    n_estimators : int
        Number of rounds. Training ends earlier when a tree is no better than chance, or perfect.
    n_leaves : int
        Leaves of a tree.
        With few of them, no tree gets half of the weight right where classes are many, and
        training ends early.
    learning_rate : float
        Shrinks every coefficient; in (0, 1].
    max_bins, categorical_features, class_weight : object
        As of `MHBoostClassifier`.
    early_stopping, validation_fraction, n_iter_no_change, eval_metric : object
        As of `MHBoostClassifier`.
    random_state, n_jobs, verbose, callbacks : object
        As of `MHBoostClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostM1Classifier(n_estimators=20, n_leaves=4).fit(X, y).score(X, y)
    1.0
    """

    _method = "m1"

    def __init__(
        self,
        *,
        n_estimators: int = 500,
        n_leaves: int = 200,
        learning_rate: float = 1.0,
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


class AdaBoostM2Classifier(_SingleLabelClassifier):
    """AdaBoost.M2: boosting by pseudo-loss.

    A leaf names the set of classes that it finds plausible; weights lie on pairs of a row and a
    wrong class. See Y. Freund and R. Schapire, *A decision-theoretic generalization of on-line
    learning and an application to boosting* (1997). Trees grow by what a cut adds to the sum over
    classes of (sqrt F - sqrt A)^2, F the weight for the class and A that against it.

    Parameters
    ----------
    n_estimators : int
        Number of rounds. Training ends earlier when a tree is no better than chance, or perfect.
    n_leaves : int
        Leaves of a tree.
    learning_rate : float
        Shrinks every coefficient; in (0, 1].
    max_bins, categorical_features, class_weight : object
        As of `MHBoostClassifier`.
    early_stopping, validation_fraction, n_iter_no_change, eval_metric : object
        As of `MHBoostClassifier`.
    random_state, n_jobs, verbose, callbacks : object
        As of `MHBoostClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostM2Classifier(n_estimators=20, n_leaves=4).fit(X, y).score(X, y)
    1.0
    """

    _method = "m2"


class SingleLabelAdaBoostMHClassifier(_SingleLabelClassifier):
    """AdaBoost.MH over trees whose leaves vote for one class and against all others.

    A tree is grown by weighted Gini impurity, as C4.5's are by information. Weights start balanced:
    half on the right class, half on the others. See R. Schapire and Y. Singer, *Improved boosting
    algorithms using confidence-rated predictions* (1999), and section 4 of the paper of
    `MHBoostClassifier`, whose Hamming trees do better.

    Parameters
    ----------
    n_estimators : int
        Number of rounds. Training ends earlier when a tree is no better than chance, or perfect.
    n_leaves : int
        Leaves of a tree.
        With few of them, no tree gets half of the weight right where classes are many, and
        training ends early.
    learning_rate : float
        Shrinks every coefficient; in (0, 1].
    max_bins, categorical_features, class_weight : object
        As of `MHBoostClassifier`.
    early_stopping, validation_fraction, n_iter_no_change, eval_metric : object
        As of `MHBoostClassifier`.
    random_state, n_jobs, verbose, callbacks : object
        As of `MHBoostClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SingleLabelAdaBoostMHClassifier(n_estimators=20, n_leaves=4).fit(X, y).score(X, y)
    1.0
    """

    _method = "mh"

    def __init__(
        self,
        *,
        n_estimators: int = 500,
        n_leaves: int = 200,
        learning_rate: float = 1.0,
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


class AdaBoostMMClassifier(_SingleLabelClassifier):
    """AdaBoost.MM: boosting under the weakest condition on its trees.

    Weights lie on pairs of a row and a wrong class; a tree's leaves name the class of the least
    cost, and what it saves and causes decides what it counts. See I. Mukherjee and R. Schapire, *A
    theory of multiclass boosting* (2013). Trees grow by what a cut adds to the sum over classes of
    (sqrt F - sqrt A)^2, F what naming the class saves and A what it costs.

    Parameters
    ----------
    n_estimators : int
        Number of rounds. Training ends earlier when a tree is no better than chance, or perfect.
    n_leaves : int
        Leaves of a tree.
    learning_rate : float
        Shrinks every coefficient; in (0, 1].
    max_bins, categorical_features, class_weight : object
        As of `MHBoostClassifier`.
    early_stopping, validation_fraction, n_iter_no_change, eval_metric : object
        As of `MHBoostClassifier`.
    random_state, n_jobs, verbose, callbacks : object
        As of `MHBoostClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostMMClassifier(n_estimators=20, n_leaves=4).fit(X, y).score(X, y)
    1.0
    """

    _method = "mm"
