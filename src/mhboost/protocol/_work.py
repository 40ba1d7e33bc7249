"""What a worker computes: validation runs and final trainings, of learners and of the rival.

Every function takes all rows and the fold, and returns arrays, ready for a checkpoint.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from .._validation import fit_and_score, padded, whole_or_nothing
from ..classifier import MHBoostClassifier
from ._experiment import LearnerPlan, SvmPlan
from ._files import write_bytes
from ._folds import Fold

__all__ = ["svm_test", "svm_validation", "test_curves", "validation_curves"]

Arrays = dict[str, NDArray[Any]]


def validation_curves(
    X: NDArray[Any],
    y: NDArray[Any],
    fold: Fold,
    runs: Sequence[int],
    plan: LearnerPlan,
    candidate: Mapping[str, Any],
) -> Arrays:
    """Run validation runs of one candidate.

    Parameters
    ----------
    X, y : ndarray
        All rows.
    fold : Fold
        The test fold.
    runs : sequence of int
        Which of its validation runs.
    plan : LearnerPlan
        What is boosted.
    candidate : mapping
        Its parameters.

    Returns
    -------
    dict
        `curves`: the validation error of each run and round.
    """
    model = plan.classifier(candidate)
    curves = [fit_and_score(model, X, y, fold.training(run), fold.validation[run]) for run in runs]
    return {"curves": np.array(curves)}


def test_curves(
    X: NDArray[Any],
    y: NDArray[Any],
    fold: Fold,
    plan: LearnerPlan,
    candidate: Mapping[str, Any],
    n_jobs: int,
    state: Path,
) -> Arrays:
    """Train on training and validation rows, all rounds, so that the whole curve can be shown.

    A model's first rounds do not depend on later ones: the curve at T* is the error of the model
    of T* rounds.

    Parameters
    ----------
    X, y : ndarray
        All rows.
    fold : Fold
        The test fold.
    plan : LearnerPlan
        What is boosted.
    candidate : mapping
        The chosen parameters.
    n_jobs : int
        Threads.
    state : Path
        Where unfinished models are kept, if the plan has pieces.

    Returns
    -------
    dict
        `test`, `train`, `loss`: after each round, the errors on test and on learning rows, and the
        exponential loss; and `earlier_seconds` (wall and CPU) of rounds that were done before.
    """
    learning, test = fold.learning, fold.test
    known = np.isin(y[test], np.unique(y[learning])) if y.ndim == 1 else np.ones(len(test), bool)
    on_learning, on_test = ((X[rows], y[rows]) for rows in (learning, test[known]))
    model = plan.classifier(candidate, n_jobs)
    earlier = (0.0, 0.0)
    with whole_or_nothing():
        if plan.piece:
            model, earlier = _in_pieces(model, on_learning, on_test, plan.piece, state)
        else:
            model.fit(*on_learning, eval_set=[on_test, on_learning])
    share = float(known.mean())
    test_scores, train_scores = model.validation_score_
    curves = {
        "test": test_scores * share + (1 - share),
        "train": train_scores,
        "loss": model.train_score_,
    }
    whole = {name: padded(curve[: plan.rounds], plan.rounds) for name, curve in curves.items()}
    return {**whole, "earlier_seconds": np.array(earlier)}


def _in_pieces(
    model: MHBoostClassifier, on_learning: Any, on_test: Any, piece: int, state: Path
) -> tuple[MHBoostClassifier, tuple[float, float]]:
    """Train some rounds, save, train some more; go on from what an earlier run saved.

    Also give the seconds and CPU seconds that the saved rounds had taken.
    """
    wanted, done, earlier = int(model.n_estimators), 0, (0.0, 0.0)
    began = time.perf_counter(), time.process_time()
    if state.is_file():
        model, earlier = pickle.loads(state.read_bytes())  # our own file, in our own run folder
        done = len(model.train_score_)
    while done < wanted:
        end = min(wanted, piece * (done // piece + 1))
        model.set_params(n_estimators=end, warm_start=True)
        model.fit(*on_learning, eval_set=[on_test, on_learning])
        done = len(model.train_score_)
        spent = time.perf_counter() - began[0], time.process_time() - began[1]
        write_bytes(state, pickle.dumps((model, (earlier[0] + spent[0], earlier[1] + spent[1]))))
        if done < end:
            break
    return model, earlier


# --- the rival ------------------------------------------------------------------------------------


def svm_validation(
    X: NDArray[Any], y: NDArray[Any], fold: Fold, runs: Sequence[int], plan: SvmPlan
) -> Arrays:
    """Run validation runs of the support vector machine, all values of C and gamma.

    Parameters
    ----------
    X, y : ndarray
        All rows.
    fold : Fold
        The test fold.
    runs : sequence of int
        Which of its validation runs.
    plan : SvmPlan
        The grid.

    Returns
    -------
    dict
        `errors`: of shape (n_runs, n_C, n_gamma).
    """
    errors = [
        [
            [
                _svm_error(X, y, fold.training(run), fold.validation[run], C, gamma)
                for gamma in plan.gamma
            ]
            for C in plan.C
        ]
        for run in runs
    ]
    return {"errors": np.array(errors)}


def svm_test(X: NDArray[Any], y: NDArray[Any], fold: Fold, C: float, gamma: float) -> Arrays:
    """Train the machine on training and validation rows.

    Parameters
    ----------
    X, y : ndarray
        All rows.
    fold : Fold
        The test fold.
    C, gamma : float
        The chosen parameters.

    Returns
    -------
    dict
        `test`: the test error.
    """
    return {"test": np.array(_svm_error(X, y, fold.learning, fold.test, C, gamma))}


def _svm_error(
    X: NDArray[Any],
    y: NDArray[Any],
    train: NDArray[np.intp],
    held_out: NDArray[np.intp],
    C: float,
    gamma: float,
) -> float:
    model = make_pipeline(StandardScaler(), SVC(C=C, gamma=gamma))
    model.fit(X[train].astype(np.float64), y[train])
    return float(np.mean(model.predict(X[held_out].astype(np.float64)) != y[held_out]))
