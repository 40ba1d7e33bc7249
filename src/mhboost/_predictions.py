"""The half of the estimator that predicts: scores, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._data import read_features
from ._labels import rows_decided_right
from ._probabilities import log_probabilities, probabilities
from ._tables import Trees
from ._threads import n_threads

if TYPE_CHECKING:
    from ._training import Model

Scores = NDArray[np.float64]


def _first_row(result: Any) -> Any:
    return [task[0] for task in result] if isinstance(result, list) else result[0]


class Predictions(ClassifierMixin, BaseEstimator):
    """Methods of a fitted classifier.

    Shapes, for n rows. The one-column cases come first.

    ============  ============================  =======================  =================
    problem       decision_function             predict_proba            predict
    ============  ============================  =======================  =================
    one class     (n,)                          (n, 1)                   (n,)
    two classes   (n,)                          (n, 2)                   (n,)
    K classes     (n, K)                        (n, K)                   (n,)
    multi-label   (n, L)                        (n, L), each on its own  (n, L) of 0 and 1
    multi-task    list of M, each as above      list of M, as above      (n, M)
    ============  ============================  =======================  =================
    """

    _model: Model
    n_iter_: int
    n_features_in_: int
    temperature_: float
    n_jobs: int | None

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the classes of rows.

        Parameters
        ----------
        X : array-like, data frame or sparse array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray
            Class labels, in the shape of the `y` of training.

        Examples
        --------
        >>> from mhboost import MHBoostClassifier
        >>> X, y = [[1.0], [2.0], [3.0]], ["low", "middle", "high"]
        >>> MHBoostClassifier().fit(X, y).predict([[1.2], [9.0]]).tolist()
        ['low', 'high']
        """
        scores = self._scores(X)
        return self._model.problem.decisions(scores)

    def decision_function(self, X: Any) -> Any:
        """Compute the scores of rows: the sum of the weak classifiers' votes.

        Parameters
        ----------
        X : array-like, data frame or sparse array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray, or list of ndarray for a multi-task problem
            Positive speaks for a class, negative against it; two classes share one column, which
            speaks for the second.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from mhboost import MHBoostClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = MHBoostClassifier(n_inner_nodes=3, n_estimators=20).fit(X, y)
        >>> model.decision_function(X[::50]).round(2)
        array([[ 5.94, -4.19, -5.41],
               [-4.9 ,  5.77, -5.24],
               [-4.56, -4.48,  5.01]])
        >>> model.predict_proba(X[::50]).round(3)
        array([[0.999, 0.001, 0.   ],
               [0.001, 0.999, 0.   ],
               [0.001, 0.001, 0.998]])
        """
        return self._shaped(self._scores(X))

    def predict_proba(self, X: Any) -> Any:
        """Estimate the probabilities of classes.

        Parameters
        ----------
        X : array-like, data frame or sparse array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray, or list of ndarray for a multi-task problem
            Rows sum to 1 in each task; in a multi-label problem every label has a probability of
            its own. They order the classes as the scores do.
        """
        scores = self._scores(X)
        return probabilities(self._model.problem, scores, self.temperature_)

    def predict_log_proba(self, X: Any) -> Any:
        """Estimate the logarithms of the probabilities of classes.

        Parameters
        ----------
        X : array-like, data frame or sparse array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray, or list of ndarray for a multi-task problem
            As `predict_proba`, and finite where a probability would round to zero.
        """
        scores = self._scores(X)
        return log_probabilities(self._model.problem, scores, self.temperature_)

    def decision_function_one(self, x: Any) -> Any:
        """Compute the scores of a single row, fast: nothing but its length is checked.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            The row. A contiguous array of float64 or float32 is read where it lies.

        Returns
        -------
        ndarray of shape (n_classes,), float, or list of these for a multi-task problem
            What `decision_function` gives for this row, to the bit.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from mhboost import MHBoostClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = MHBoostClassifier(n_inner_nodes=3, n_estimators=20).fit(X, y)
        >>> model.decision_function_one(X[50]).round(2)
        array([-4.9 ,  5.77, -5.24])
        """
        return _first_row(self._shaped(self._row_scores(x)))

    def predict_one(self, x: Any) -> Any:
        """Predict the class of a single row, fast: nothing but its length is checked.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            The row. A contiguous array of float64 or float32 is read where it lies.

        Returns
        -------
        label, or ndarray of labels
            What `predict` gives for this row.

        Examples
        --------
        >>> from mhboost import MHBoostClassifier
        >>> model = MHBoostClassifier().fit([[1.0], [2.0], [3.0]], ["low", "middle", "high"])
        >>> str(model.predict_one([1.2]))
        'low'
        """
        scores = self._row_scores(x)
        return self._model.problem.decisions(scores)[0]

    def predict_proba_one(self, x: Any) -> Any:
        """Estimate the probabilities of a single row, fast: nothing but its length is checked.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            The row. A contiguous array of float64 or float32 is read where it lies.

        Returns
        -------
        ndarray of shape (n_classes,), or list of such for a multi-task problem
            What `predict_proba` gives for this row.
        """
        scores = self._row_scores(x)
        return _first_row(probabilities(self._model.problem, scores, self.temperature_))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute the accuracy.

        Parameters
        ----------
        X : array-like, data frame or sparse array of shape (n_samples, n_features)
            The rows.
        y : array-like
            Their true labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of rows.

        Returns
        -------
        float
            Share of rows decided right; with several labels or tasks, right in all of them.
        """
        right = rows_decided_right(y, self.predict(X))
        return float(accuracy_score(np.ones_like(right), right, sample_weight=sample_weight))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Predict after each round.

        Parameters
        ----------
        X : array-like, data frame or sparse array of shape (n_samples, n_features)
            The rows.

        Yields
        ------
        ndarray
            As `predict` with the first rounds only: one, two and so on.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from mhboost import MHBoostClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = MHBoostClassifier(n_inner_nodes=3, n_estimators=10).fit(X, y)
        >>> [int((stage != y).sum()) for stage in model.staged_predict(X)]
        [6, 6, 5, 5, 4, 4, 4, 3, 3, 1]
        """
        for scores in self._staged_scores(X):
            yield self._model.problem.decisions(scores)

    def staged_decision_function(self, X: Any) -> Iterator[Any]:
        """Compute the scores after each round.

        Parameters
        ----------
        X : array-like, data frame or sparse array of shape (n_samples, n_features)
            The rows.

        Yields
        ------
        ndarray, or list of ndarray for a multi-task problem
            As `decision_function` with the first rounds only: one, two and so on.
        """
        for scores in self._staged_scores(X):
            yield self._shaped(scores.copy())

    def staged_predict_proba(self, X: Any) -> Iterator[Any]:
        """Estimate the probabilities after each round, with the temperature of the full model.

        Parameters
        ----------
        X : array-like, data frame or sparse array of shape (n_samples, n_features)
            The rows.

        Yields
        ------
        ndarray, or list of ndarray for a multi-task problem
            As `predict_proba` with the first rounds only: one, two and so on.
        """
        for scores in self._staged_scores(X):
            yield probabilities(self._model.problem, scores, self.temperature_)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Find the leaf of every tree that a row falls into.

        Parameters
        ----------
        X : array-like, data frame or sparse array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_trees)
            Number of the leaf within its tree.
        """
        raw = self._encoded(X)
        return self._model.ensemble.apply(raw, 0, self._n_trees, n_threads(self.n_jobs))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """What each feature's cuts added to the edges, times alpha; the sum is 1."""
        gains = self._fitted_model().ensemble.truncate(self._n_trees).gains()
        total = gains.sum()
        return gains / total if total > 0 else gains

    @property
    def estimators_(self) -> Trees:
        """The trees, as tables."""
        model = self._fitted_model()
        names = getattr(self, "feature_names_in_", None)
        return Trees(model, self._n_trees, names)

    @property
    def _n_trees(self) -> int:
        return self.n_iter_ * self._model.trees_per_round

    def _fitted_model(self) -> Model:
        check_is_fitted(self)
        return self._model

    def _encoded(self, X: Any) -> _core.RawMatrix:
        model = self._fitted_model()
        return model.schema.encode(read_features(self, X, reset=False))

    def _scores(self, X: Any) -> Scores:
        raw = self._encoded(X)
        return self._model.ensemble.scores(raw, 0, self._n_trees, n_threads(self.n_jobs))

    def _row_scores(self, x: Any) -> Scores:
        try:
            model = self._model
        except AttributeError:
            model = self._fitted_model()
        if not model.schema.is_numeric:
            return self._scores([x])
        if type(x) is not np.ndarray or x.dtype not in (np.float64, np.float32):
            x = np.asarray(x, dtype=np.float64)
        if x.shape != (self.n_features_in_,):
            raise ValueError(
                f"x must be one row of {self.n_features_in_} features; got shape {x.shape}."
            )
        return model.ensemble.row_scores(np.ascontiguousarray(x), self._n_trees)[np.newaxis]

    def _staged_scores(self, X: Any) -> Iterator[Scores]:
        """Yield the same array again and again, one round further each time."""
        raw, threads = self._encoded(X), n_threads(self.n_jobs)
        ensemble = self._model.ensemble
        scores = np.zeros((raw.n_rows, ensemble.n_columns))
        step = self._model.trees_per_round
        for first in range(0, self._n_trees, step):
            ensemble.add_scores(raw, first, first + step, scores, threads)
            yield scores

    def _shaped(self, scores: Scores) -> Any:
        problem = self._model.problem
        if problem.kind == "multi-label":
            return scores
        tasks = problem.task_scores(scores)
        return tasks[0] if problem.kind == "single-label" else tasks
