"""How good predictions are: the numbers of `evaluate`, and the error with its deviation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from ..classifier import MHBoostClassifier
from .labels import Labelled

__all__ = ["Estimate", "Task", "error_of", "measure", "tasks_of"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Estimate:
    """An error and its standard deviation."""

    name: str
    value: float
    deviation: float

    def __str__(self) -> str:
        return f"{100 * self.value:.2f} ± {100 * self.deviation:.2f} %"


def estimate(name: str, losses: Array, weight: Array | None) -> Estimate:
    """Average losses of rows; for losses of 0 and 1 the deviation is the binomial one.

    Parameters
    ----------
    name : str
        What is measured.
    losses : ndarray of shape (n,)
        A loss per row.
    weight : ndarray or None
        Weights of rows.

    Returns
    -------
    Estimate
        Mean and its standard deviation.

    Examples
    --------
    >>> print(estimate("error", np.array([1.0, 0.0, 0.0, 0.0]), None))
    25.00 ± 21.65 %
    """
    w = np.ones(len(losses)) if weight is None else weight
    w = w / max(w.sum(), np.finfo(float).tiny)
    mean = float(w @ losses)
    return Estimate(name, mean, math.sqrt(float(w**2 @ (losses - mean) ** 2)))


def error_of(model: MHBoostClassifier, rows: Labelled) -> Estimate:
    """Measure the error of a model: of several targets, its mean; of labels, the Hamming loss.

    Parameters
    ----------
    model : MHBoostClassifier
        A fitted model.
    rows : Labelled
        Rows that it has not seen.

    Returns
    -------
    Estimate
        With its deviation.
    """
    wrong = (model.predict(rows.X) != rows.y).reshape(len(rows.y), -1).mean(axis=1)
    name = "Hamming loss" if rows.roles.multi_label else "error"
    return estimate(name, wrong, rows.weight)


@dataclass(frozen=True)
class Task:
    """One target: true classes as numbers, a score and a probability for each class."""

    name: str
    classes: Array
    truth: Array
    scores: Array
    probabilities: Array
    weight: Array

    @property
    def decided(self) -> Array:
        """The classes that the model decides for."""
        if len(self.classes) == 2:
            return (self.scores[:, 1] > 0).astype(np.intp)
        return np.asarray(np.argmax(self.scores, axis=1))


def tasks_of(model: MHBoostClassifier, rows: Labelled) -> list[Task]:
    """Score rows, target by target.

    Parameters
    ----------
    model : MHBoostClassifier
        A fitted model.
    rows : Labelled
        Rows with known labels.

    Returns
    -------
    list of Task
        Labels are tasks with the classes 0 and 1.
    """
    X = rows.X
    scores, proba = model.decision_function(X), model.predict_proba(X)
    return tasks_from(model, rows, scores, proba)


def tasks_from(model: MHBoostClassifier, rows: Labelled, scores: Any, proba: Any) -> list[Task]:
    """Bring labels, scores and probabilities of every kind of problem into one form."""
    n = len(rows.y)
    weight = np.ones(n) if rows.weight is None else rows.weight
    y = rows.y.reshape(n, -1)
    if rows.roles.multi_label:
        two = np.array([0, 1])
        triples = [(two, scores[:, m], _both(proba[:, m])) for m in range(y.shape[1])]
    elif isinstance(scores, list):
        triples = list(zip(model.classes_, scores, proba, strict=True))
    else:
        triples = [(model.classes_, scores, proba)]
    return [
        Task(name, c, np.searchsorted(c, y[:, m].astype(c.dtype)), _columns(s, c), p, weight)
        for m, (name, (c, s, p)) in enumerate(zip(rows.roles.targets, triples, strict=True))
    ]


def _both(p: Array) -> Array:
    return np.column_stack([1.0 - p, p])


def _columns(scores: Array, classes: Array) -> Array:
    if scores.ndim == 2:
        return scores
    return np.column_stack([-scores, scores]) if len(classes) == 2 else scores[:, np.newaxis]


def measure(task: Task) -> dict[str, float]:
    """Compute all that is one number.

    Parameters
    ----------
    task : Task
        Rows with known classes.

    Returns
    -------
    dict
        By name; NaN where a class that is needed does not occur.
    """
    w = task.weight / task.weight.sum()
    n, k = task.scores.shape
    right = np.arange(k) == task.truth[:, np.newaxis]
    p = np.clip(task.probabilities, 1e-15, 1.0)
    table = per_class(task)
    recall, f1, areas = (np.array([row[key] for row in table]) for key in ("recall", "f1", "auc"))
    occurs = np.array([row["rows"] > 0 for row in table])
    return {
        "error": float(w @ (task.decided != task.truth)),
        "Hamming loss": float(w @ ((task.scores > 0) != right).mean(axis=1)),
        "balanced error": 1.0 - float(np.mean(recall[occurs])),
        "log-loss": float(w @ -np.log(p[np.arange(n), task.truth])) + 0.0,  # not -0
        "Brier score": float(w @ ((task.probabilities - right) ** 2).sum(axis=1)),
        "AUC (macro)": _mean(areas),
        "F1 (macro)": float(np.mean(f1[occurs])),
    }


def per_class(task: Task) -> list[dict[str, Any]]:
    """Compute what there is to say of every class.

    Parameters
    ----------
    task : Task
        Rows with known classes.

    Returns
    -------
    list of dict
        Rows, precision, recall, F1 and AUC (one against the rest) of each class.
    """
    decided, found = task.decided, []
    for k, name in enumerate(task.classes.tolist()):
        is_k, says_k = task.truth == k, decided == k
        hits = float(task.weight @ (is_k & says_k))
        total, said = float(task.weight @ is_k), float(task.weight @ says_k)
        found.append(
            {
                "class": name,
                "rows": int(is_k.sum()),
                "precision": hits / said if said else math.nan,
                "recall": hits / total if total else math.nan,
                "f1": 2 * hits / (said + total) if said + total else math.nan,
                "auc": auc(task.scores[:, min(k, task.scores.shape[1] - 1)], is_k),
            }
        )
    return found


def auc(scores: Array, positive: Array) -> float:
    """Compute the area under the ROC curve: how often a positive row has the higher score.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Any numbers.
    positive : ndarray of bool
        Which rows should have high ones.

    Returns
    -------
    float
        NaN if all rows are positive, or none.

    Examples
    --------
    >>> auc(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, False, True, True]))
    0.875
    """
    n_positive = int(positive.sum())
    n_pairs = n_positive * (len(positive) - n_positive)
    if n_pairs == 0:
        return math.nan
    ranks = rankdata(scores)[positive].sum()
    return float((ranks - n_positive * (n_positive + 1) / 2) / n_pairs)


def confusion(task: Task) -> Array:
    """Count how often a class (row) is taken for a class (column).

    Parameters
    ----------
    task : Task
        Rows with known classes.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Numbers of rows.
    """
    k = len(task.classes)
    flat = np.bincount(task.truth * k + task.decided, minlength=k * k)
    return flat.reshape(k, k)


def multi_label_numbers(tasks: list[Task]) -> dict[str, float]:
    """Compute all that is one number for labels that rows may have any of.

    Parameters
    ----------
    tasks : list of Task
        One per label.

    Returns
    -------
    dict
        By name.
    """
    scores = np.column_stack([task.scores[:, 1] for task in tasks])
    truth = np.column_stack([task.truth for task in tasks])
    p = np.column_stack([task.probabilities[:, 1] for task in tasks])
    w = tasks[0].weight / tasks[0].weight.sum()
    wrong = (scores > 0) != (truth == 1)
    of_right = np.clip(np.where(truth == 1, p, 1.0 - p), 1e-15, 1.0)
    top = truth[np.arange(len(truth)), np.argmax(scores, axis=1)]
    table = [per_class(task)[1] for task in tasks]
    f1, areas = (np.array([row[key] for row in table]) for key in ("f1", "auc"))
    return {
        "Hamming loss": float(w @ wrong.mean(axis=1)),
        "one-error": float(w @ (top == 0)),
        "subset error": float(w @ wrong.any(axis=1)),
        "log-loss": float(-(w @ np.log(of_right).mean(axis=1))),
        "Brier score": float(w @ ((p - truth) ** 2).mean(axis=1)),
        "AUC (macro)": _mean(areas),
        "F1 (macro)": _mean(f1),
    }


def _mean(values: Array) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def staged_errors(model: MHBoostClassifier, rows: Labelled, every: int) -> list[dict[str, Any]]:
    """Measure the errors after more and more rounds.

    Parameters
    ----------
    model : MHBoostClassifier
        A fitted model.
    rows : Labelled
        Rows with known labels.
    every : int
        Every how many rounds; also after the last.

    Returns
    -------
    list of dict
        Rounds, error, Hamming loss and balanced error; of several targets their means.
    """
    found, X = [], rows.X
    stages = zip(model.staged_decision_function(X), model.staged_predict_proba(X), strict=True)
    for t, (scores, proba) in enumerate(stages, 1):
        if t % every and t != model.n_iter_:
            continue
        tasks = tasks_from(model, rows, scores, proba)
        numbers = (
            [multi_label_numbers(tasks)]
            if rows.roles.multi_label
            else [measure(task) for task in tasks]
        )
        mean = {key: float(np.mean([n[key] for n in numbers])) for key in numbers[0]}
        found.append({"rounds": t, **mean})
    return found
