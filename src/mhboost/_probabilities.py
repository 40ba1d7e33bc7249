"""Scores -> probabilities.

Under exponential loss a score is half a log-odds, so p = sigmoid(2 f) for a task of one column and
softmax(2 f) for one of several. Boosting goes on pushing scores apart when nothing is left to
learn, so they are divided by one temperature T first:

    p = softmax(2 f / T)

With rows kept out of training, T has the smallest log-loss on them. Without, T is the smallest one
(but at least 1) under which no odds exceed n + 1 to 1 for a class, which is all that n rows can
vouch for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit, log_softmax, softmax

from ._targets import Problem

Scores = NDArray[np.float64]

LOG_TEMPERATURE_RANGE = (np.log(1e-3), np.log(1e9))


def probabilities(problem: Problem, scores: Scores, temperature: float) -> Any:
    """Turn scores into probabilities.

    Parameters
    ----------
    problem : Problem
        The tasks.
    scores : ndarray of shape (n_rows, n_columns)
        The ensemble's scores.
    temperature : float
        T above.

    Returns
    -------
    ndarray of shape (n_rows, n_classes), or list of such
        Per task the probability of each of its classes; for a multi-label problem the
        probability of each label.
    """
    return _per_task(problem, scores * (2 / temperature), expit, softmax)


def log_probabilities(problem: Problem, scores: Scores, temperature: float) -> Any:
    """Turn scores into logarithms of probabilities, finite where these round to zero.

    Parameters
    ----------
    problem : Problem
        The tasks.
    scores : ndarray of shape (n_rows, n_columns)
        The ensemble's scores.
    temperature : float
        T above.

    Returns
    -------
    ndarray of shape (n_rows, n_classes), or list of such
        As `probabilities`.
    """
    return _per_task(problem, scores * (2 / temperature), log_expit, log_softmax)


def _per_task(problem: Problem, log_odds: Scores, sigmoid: Any, softmax: Any) -> Any:
    """Apply one of two functions to each task: `sigmoid` if it has one column, else `softmax`."""
    if problem.kind == "multi-label":
        return sigmoid(log_odds)
    result = []
    for task, classes in zip(problem.task_scores(log_odds), problem.classes, strict=True):
        match len(classes):
            case 1:
                result.append(softmax(np.zeros((len(task), 1)), axis=1))
            case 2:
                result.append(sigmoid(np.stack([-task, task], axis=1)))
            case _:
                result.append(softmax(task, axis=1))
    return result[0] if problem.kind == "single-label" else result


def vouched_temperature(score_bound: float, n_rows: float) -> float:
    """Return the temperature in the absence of rows kept out of training.

    Parameters
    ----------
    score_bound : float
        The largest score that the ensemble gives.
    n_rows : float
        Number of training rows, repetitions counted.

    Returns
    -------
    float
        At least 1.

    Examples
    --------
    >>> round(vouched_temperature(50.0, 999), 2)
    14.48
    """
    return max(1.0, 2 * score_bound / float(np.log(n_rows + 1)))


def fit_temperature(
    problem: Problem, scores: Scores, positives: sparse.csr_array, weights: Scores
) -> float:
    """Find the temperature with the smallest log-loss.

    The loss is convex in 1 / T. Targets are smoothed by 1 / (n + 2), as in Platt scaling, so the
    answer is finite when the scores make no mistake.

    Parameters
    ----------
    problem : Problem
        The tasks.
    scores : ndarray of shape (n_rows, n_columns)
        Scores of rows kept out of training.
    positives : csr_array of shape (n_rows, n_columns)
        Ones where positive.
    weights : ndarray of shape (n_rows,)
        Weights of rows.

    Returns
    -------
    float
        The temperature, positive: probabilities order the classes as the scores do.

    Examples
    --------
    >>> from mhboost._targets import learn_problem, read_labels
    >>> y, scores = [0, 1, 1, 0], np.array([[-3.0], [2.0], [5.0], [1.0]])
    >>> problem = learn_problem(read_labels(y))
    >>> T = fit_temperature(problem, scores, problem.encode(y), np.ones(4))
    >>> round(T, 3)
    5.463
    >>> probabilities(problem, scores, T).round(3)
    array([[0.75 , 0.25 ],
           [0.325, 0.675],
           [0.138, 0.862],
           [0.409, 0.591]])
    """
    truth = positives.toarray().astype(np.float64)
    smoothing = 1 / (len(scores) + 2)
    tasks = _deciding_columns(problem)

    def loss(log_temperature: float) -> float:
        log_odds = scores * (2 * np.exp(-log_temperature))
        losses = (_log_losses(log_odds[:, task], truth[:, task], smoothing) for task in tasks)
        return float(sum(weights @ task_losses for task_losses in losses))

    best = minimize_scalar(
        loss, bounds=LOG_TEMPERATURE_RANGE, method="bounded", options={"xatol": 1e-6}
    )
    return float(np.exp(best.x))


def _deciding_columns(problem: Problem) -> list[slice]:
    """Return the columns of each task that has something to decide."""
    ends = zip(problem.offsets[:-1].tolist(), problem.offsets[1:].tolist(), strict=True)
    tasks = zip(ends, problem.classes, strict=True)
    return [slice(begin, end) for (begin, end), classes in tasks if len(classes) > 1]


def _log_losses(log_odds: Scores, truth: Scores, smoothing: float) -> Scores:
    """Return the log-loss of each row in one task, with smoothed truth."""
    if log_odds.shape[1] == 1:
        f = log_odds[:, 0]
        y = smoothing + (1 - 2 * smoothing) * truth[:, 0]
        return np.asarray(-y * log_expit(f) - (1 - y) * log_expit(-f))
    y = smoothing / truth.shape[1] + (1 - smoothing) * truth
    return np.asarray(-(y * log_softmax(log_odds, axis=1)).sum(axis=1))
