"""What the package's classifiers have in common, as reading the data and training see it."""

from __future__ import annotations

from typing import Any, Protocol


class BoostingEstimator(Protocol):
    """An estimator with these parameters; `MHBoostClassifier` says what they mean."""

    n_estimators: int
    learning_rate: float
    weighting: Any
    max_bins: int | str
    categorical_features: Any
    class_weight: Any
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int | None
    eval_metric: str
    warm_start: bool
    checkpoint: Any
    checkpoint_every: int
    random_state: Any
    n_jobs: int | None
    verbose: int
    callbacks: Any
