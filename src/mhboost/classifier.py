"""The estimator: AdaBoost.MH with Hamming trees, stumps or products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.utils import Tags

from . import _pickling
from ._checkpoint import read_checkpoint
from ._data import TrainingData, read_data
from ._parameters import check_parameters
from ._predictions import Predictions
from ._progress import Callback
from ._saving import Saving
from ._training import Model, train
from .learners import N_INNER_NODES, N_TERMS, LearnerLike, tree_shape

__all__ = ["MHBoostClassifier"]

_pickling.register()


class MHBoostClassifier(Saving, Predictions):
    """AdaBoost.MH: boosting in which one weak classifier votes on every class at once.

    Each round fits a Hamming tree (or a stump, or a product of stumps) to the weighted rows and
    classes, adds its votes times alpha to the scores, and moves weight to the entries that are
    still wrong. See B. Kégl, *The return of AdaBoost.MH: multi-class Hamming trees* (2014).

    `y` decides the problem: labels (single-label), an n x L indicator of zeros and ones, dense or
    sparse (multi-label), or n x M labels (multi-task). `X` may hold missing values and categories.

    Parameters
    ----------
    base : "tree", "stump", "product" or learner
        What is boosted. A learner (`Stump`, `HammingTree`, `HammingProduct`) brings its own
        numbers; for a name they are the next parameters.
    n_estimators : int
        Number of rounds. Training ends earlier when nothing is left to learn.
    n_inner_nodes : int
        Cuts per tree, if `base="tree"`.
    n_terms : int
        Cuts per product, if `base="product"`.
    learning_rate : float
        Shrinks every alpha; in (0, 1].
    votes : "discrete", "ternary" or "real"
        What a weak classifier says of a class: -1 or 1; or also 0, to abstain; or half the
        log-odds found in training.
    leaf_votes : "factorized" or "leafwise"
        Whether the two sides of a tree's node answer with one vote vector and its negative, as in
        the paper, or every leaf has its own.
    loss : "exponential" or "logistic"
        What weights follow from; the second is gentler to wrong labels.
    weighting : "auto", "balanced", "uniform" or array-like of shape (n_samples, n_classes)
        Initial weights within a row: half on the right class and half on the others (the paper's
        eq. 5), or the same on all, or given. "auto" is balanced, but uniform for a multi-label
        `y`, as in the paper. Tasks weigh the same.
    max_bins : int or "exact"
        Number of bins of a numeric feature; "exact" tries every threshold.
    max_features : int, float, "sqrt", "log2" or None
        Features tried per node; None is all.
    max_tree_features : int, float, "sqrt", "log2" or None
        Features tried per tree; None is all.
    subsample : float
        Share of the rows that each tree's structure is searched on.
    weight_trimming : float
        Share of the total weight, in the lightest rows, that the search leaves out.
    class_sample : int, float, "auto" or None
        Score columns that each tree's structure is searched for; None is all. "auto" is all up to
        64, and 32 drawn anew each round where there are more: the search then costs the same for
        any number of classes. All rows and columns count for votes and alphas whatever is sampled.
    categorical_features : "from_dtype", None, or sequence of int, str or bool
        Features whose values are categories: those of a category type (pandas `category`, polars
        `Categorical` and `Enum`, Arrow dictionaries), none, or exactly these.
    class_weight : dict, "balanced", list of dict, or None
        Weights of classes, multiplied into those of rows as everywhere in scikit-learn.
    early_stopping : bool
        Whether to keep the rounds up to the paper's smoothed stopping time (eq. 15) only, measured
        on the first `eval_set` or, without one, on rows split off.
    validation_fraction : float
        Share of the rows split off, if they are.
    n_iter_no_change : int or None
        Early stopping ends training this many rounds after the best; None runs all rounds and then
        chooses.
    eval_metric : "error", "log_loss" or "exponential"
        Score on evaluation sets; always smaller is better.
    warm_start : bool
        Whether `fit` goes on from the rounds that it did before, up to `n_estimators`, as if it
        had never stopped. The data must be the same.
    checkpoint : str, path or None
        Name of a file that keeps the rounds done. A `fit` that finds it there goes on from it, and
        gives the model that one uninterrupted `fit` would have given; it refuses the file of other
        data or parameters. The file stays when training ends: delete it once the model is saved.
    checkpoint_every : int
        Rounds from one writing of the checkpoint to the next. It is also written at the end.
    random_state : int, RandomState or None
        Seed of all sampling.
    n_jobs : int or None
        Threads. None is all cores (but one inside a joblib worker), -1 all, -2 all but one. The
        model does not depend on it.
    verbose : int
        From 1 up, shows a progress bar.
    callbacks : sequence of callables or None
        Each is called with a `Round` after every round; returning True ends training.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray for a multi-task problem
        Class labels; numbers of labels for a multi-label problem.
    n_classes_ : int, or list of int for a multi-task problem
        Number of classes or labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Feature names, if `X` had any.
    n_iter_ : int
        Rounds in the model.
    best_iteration_ : int
        The smoothed stopping time on the first evaluation set, whether or not training stopped
        there; `n_iter_` if there was none.
    stop_reason_ : str or None
        Why training ended before `n_estimators` rounds were done, if it did: nothing was left to
        learn ("the weighted training error is zero", "no cut has a positive edge"), or somebody
        ended it.
    edges_, alphas_ : ndarray of shape (n_iter_,)
        Edge and coefficient of each round.
    train_score_ : ndarray of shape (n_rounds,)
        Weighted training loss after each round, including rounds that early stopping dropped.
    validation_score_ : ndarray of shape (n_rounds,), or list of such for several evaluation sets
        Score after each round, including dropped ones, if there was an evaluation set.
    temperature_ : float
        What scores are divided by before they become probabilities: fitted on the first evaluation
        set; without one, so large that no odds exceed the number of training rows plus one.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each feature in what the cuts gained.
    estimators_ : sequence of `Tree`
        The weak classifiers as tables.

    Notes
    -----
    Rows of weight zero, or lighter than 1.2e-7 (the resolution of float32) of the heaviest row,
    are left out. Ctrl-C during `fit` gives a warning and a fitted model of the rounds done.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MHBoostClassifier(n_estimators=20, random_state=0).fit(X, y).score(X, y)
    1.0
    """

    def __init__(
        self,
        base: LearnerLike = "tree",
        *,
        n_estimators: int = 500,
        n_inner_nodes: int = N_INNER_NODES,
        n_terms: int = N_TERMS,
        learning_rate: float = 0.5,
        votes: str = "discrete",
        leaf_votes: str = "factorized",
        loss: str = "exponential",
        weighting: Any = "auto",
        max_bins: int | str = 256,
        max_features: int | float | str | None = None,
        max_tree_features: int | float | str | None = None,
        subsample: float = 1.0,
        weight_trimming: float = 0.0,
        class_sample: int | float | str | None = "auto",
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = 50,
        eval_metric: str = "error",
        warm_start: bool = False,
        checkpoint: Any = None,
        checkpoint_every: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callbacks: Sequence[Callback] | None = None,
    ) -> None:
        self.base = base
        self.n_estimators = n_estimators
        self.n_inner_nodes = n_inner_nodes
        self.n_terms = n_terms
        self.learning_rate = learning_rate
        self.votes = votes
        self.leaf_votes = leaf_votes
        self.loss = loss
        self.weighting = weighting
        self.max_bins = max_bins
        self.max_features = max_features
        self.max_tree_features = max_tree_features
        self.subsample = subsample
        self.weight_trimming = weight_trimming
        self.class_sample = class_sample
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.eval_metric = eval_metric
        self.warm_start = warm_start
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callbacks = callbacks

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        eval_sample_weight: Any = None,
    ) -> MHBoostClassifier:
        """Train.

        Parameters
        ----------
        X : array-like, data frame or sparse array of shape (n_samples, n_features)
            Training rows. Numbers are read where they lie, whatever their type and order.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), or sparse array
            Labels; see above.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of rows.
        eval_set : tuple (X, y) or list of such, optional
            Rows to score after every round.
        eval_sample_weight : array-like, or list of such if `eval_set` is a list, optional
            Weights of these rows.

        Returns
        -------
        MHBoostClassifier
            The estimator. If an error is raised it is left as it was.
        """
        check_parameters(self.get_params(deep=False))
        tree_shape(self.base, self.n_inner_nodes, self.n_terms)
        previous: Model | None = getattr(self, "_model", None) if self.warm_start else None
        saved = read_checkpoint(self.checkpoint)
        seed = None if previous is None else previous.seed
        if seed is None and self.random_state is None and saved is not None:
            seed = saved.fingerprint.seed
        data = read_data(self, X, y, sample_weight, eval_set, eval_sample_weight, seed)
        if previous is not None:
            self._check_same_problem(previous, data)
        self._adopt(data.feature_names, train(self, data, previous, saved))
        return self

    def _check_same_problem(self, previous: Model, data: TrainingData) -> None:
        """Refuse to go on from a model of other data."""
        if self.n_estimators < previous.ensemble.n_rounds:
            raise ValueError(
                "n_estimators must not shrink with warm_start=True: "
                f"{previous.ensemble.n_rounds} rounds are done; got {self.n_estimators}."
            )
        known = list(getattr(self, "feature_names_in_", ()))
        given = [] if data.feature_names is None else list(data.feature_names)
        if self.n_features_in_ != data.n_features or known != given:
            raise ValueError(
                f"X must have the features of the fit before with warm_start=True: "
                f"{self.n_features_in_} features {known[:5]}; got {data.n_features} {given[:5]}."
            )
        if data.schema != previous.schema:
            raise ValueError("X must have the categories of the fit before with warm_start=True.")
        if not data.problem.same_as(previous.problem):
            raise ValueError(
                "y must have the classes of the fit before with warm_start=True, "
                f"{previous.problem.public_classes}; got {data.problem.public_classes}."
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags
