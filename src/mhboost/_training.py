"""From the arguments of `fit` to a model: read, prepare, run, choose the round.

    arguments --read_data--> TrainingData --train--> Outcome

Nothing here writes to the estimator; an error leaves it as it was.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._checkpoint import Checkpoint, Journal
from ._data import Rows, TrainingData
from ._fingerprint import Fingerprint, take_fingerprint
from ._parameters import share
from ._probabilities import fit_temperature, vouched_temperature
from ._progress import Progress, Round
from ._schema import Schema
from ._stopping import patience_ends, smoothed_stopping_time
from ._targets import Problem
from ._threads import n_threads
from ._weights import check_values, signed_weights
from .learners import tree_shape

if TYPE_CHECKING:
    from ._estimator import BoostingEstimator
    from .classifier import MHBoostClassifier

SLICE_SECONDS = 0.05
MAX_TEMPERATURE_ENTRIES = 20_000_000


@dataclass(frozen=True)
class Model:
    """All that predicting needs, and all that a warm start goes on from.

    With a warm start the ensemble may hold more rounds than predictions use.
    """

    problem: Problem
    schema: Schema
    binner: _core.Binner
    ensemble: _core.Ensemble
    seed: int
    fingerprint: Fingerprint
    trees_per_round: int = 1


@dataclass(frozen=True)
class Outcome:
    """What training gave.

    `train_scores` and `validation_scores` tell of all rounds that were run, also of those after
    `n_kept`.
    """

    model: Model
    n_kept: int
    best: int
    edges: NDArray[np.float64]
    alphas: NDArray[np.float64]
    train_scores: NDArray[np.float64]
    validation_scores: list[NDArray[np.float64]]
    temperature: float
    stop_reason: str | None


def train(
    estimator: MHBoostClassifier,
    data: TrainingData,
    previous: Model | None,
    saved: Checkpoint | None,
) -> Outcome:
    """Boost.

    Parameters
    ----------
    estimator : MHBoostClassifier
        Its parameters are read.
    data : TrainingData
        What to learn from.
    previous : Model or None
        What a warm start goes on from.
    saved : Checkpoint or None
        What a training that was cut short goes on from.

    Returns
    -------
    Outcome
        A model of the rounds done, also if training was interrupted.
    """
    threads = n_threads(estimator.n_jobs)
    binner = previous.binner if previous is not None else fit_binner(estimator, data, threads)
    matrix = binned(data, data.train, binner, threads)
    booster = _make_booster(estimator, data, binner, matrix, threads)
    fingerprint = take_fingerprint(data, binner, matrix)
    before = booster.ensemble() if previous is None else previous.ensemble
    settings = _settings(estimator, data)
    journal = Journal(estimator, binner, fingerprint, settings, before, saved)
    booster.replay(journal.done)

    def temperature(ensemble: _core.Ensemble, n_trees: int) -> float:
        bound = score_bound(estimator.votes, data, ensemble, n_trees, threads)
        return vouched_temperature(bound, data.train.n_effective)

    return boost(estimator, data, booster, journal, temperature)


def boost(
    estimator: BoostingEstimator,
    data: TrainingData,
    booster: _core.Booster | _core.Rival,
    journal: Journal,
    unfitted_temperature: Callable[[_core.Ensemble, int], float],
    trees_per_round: int = 1,
) -> Outcome:
    """Run a booster and choose the round to keep.

    Parameters
    ----------
    estimator : estimator
        Its parameters are read.
    data : TrainingData
        What to learn from.
    booster : Booster or Rival
        Knows its evaluation sets.
    journal : Journal
        Knows the binner and the fingerprint; keeps the checkpoint if there is one.
    unfitted_temperature : callable
        The temperature of an ensemble's first trees where there is no evaluation set.
    trees_per_round : int
        How many trees the booster appends a round.

    Returns
    -------
    Outcome
        A model of the rounds done, also if training was interrupted.
    """
    stop_reason = _run(estimator, booster, bool(data.evaluation), journal)
    end = _last_round(estimator, booster)
    journal.close(booster.ensemble().truncate(end * trees_per_round))
    histories = [booster.evaluation(i)[:end] for i in range(len(data.evaluation))]
    best = smoothed_stopping_time(histories[0]) if histories else end
    kept = best if estimator.early_stopping else end
    n_trees = kept * trees_per_round
    n_stored = end * trees_per_round if estimator.warm_start else n_trees
    ensemble = booster.ensemble().truncate(n_stored)
    temperature = _fitted_temperature(data, ensemble, n_trees, n_threads(estimator.n_jobs))
    if temperature is None:
        temperature = unfitted_temperature(ensemble, n_trees)
    return Outcome(
        Model(
            data.problem,
            data.schema,
            journal.binner,
            ensemble,
            data.seed,
            journal.fingerprint,
            trees_per_round,
        ),
        n_kept=kept,
        best=best,
        edges=booster.edges[:kept],
        alphas=booster.alphas[:n_trees:trees_per_round],
        train_scores=booster.losses[:end],
        validation_scores=histories,
        temperature=temperature,
        stop_reason=stop_reason,
    )


def fit_binner(estimator: BoostingEstimator, data: TrainingData, threads: int) -> _core.Binner:
    """Learn the cut points of the training rows."""
    max_bins = 0 if estimator.max_bins == "exact" else int(estimator.max_bins)
    binner = _core.Binner(max_bins, data.schema.n_categories, data.seed)
    binner.fit(data.schema.encode(data.train.table, by_column=True), threads)
    return binner


def binned(
    data: TrainingData, rows: Rows, binner: _core.Binner, threads: int
) -> _core.BinnedMatrix:
    """Turn rows into bins."""
    return binner.transform(data.schema.encode(rows.table, by_column=True), threads)


def _make_booster(
    estimator: MHBoostClassifier,
    data: TrainingData,
    binner: _core.Binner,
    matrix: _core.BinnedMatrix,
    threads: int,
) -> _core.Booster:
    weights = _signed_weights(estimator.weighting, data.problem, data.train)
    booster = _core.Booster(binner, matrix, weights, _options(estimator, data, threads))
    add_evaluations(estimator, data, booster, binner, threads)
    return booster


def add_evaluations(
    estimator: BoostingEstimator,
    data: TrainingData,
    booster: _core.Booster | _core.Rival,
    binner: _core.Binner,
    threads: int,
) -> None:
    """Let a booster score the evaluation sets after every round."""
    for rows in data.evaluation:
        targets = data.problem.targets(rows.positives)
        evaluated = binned(data, rows, binner, threads)
        booster.add_evaluation(evaluated, targets, rows.weights, estimator.eval_metric)


def _signed_weights(weighting: Any, problem: Problem, rows: Rows) -> _core.SignedWeights:
    if rows.entry_weights is None:
        return signed_weights(weighting, problem, rows.positives, rows.weights)
    matrix = rows.entry_weights * rows.weights[:, None]
    check_values(matrix, "weighting times sample_weight")
    return _core.SignedWeights.from_matrix(problem.targets(rows.positives), matrix)


def _settings(estimator: MHBoostClassifier, data: TrainingData) -> dict[str, Any]:
    """What rounds depend on beside the data and the seed, as the parameters say it."""
    n_inner_nodes, n_terms = tree_shape(
        estimator.base, int(estimator.n_inner_nodes), int(estimator.n_terms)
    )
    n_features, n_columns = data.n_features, data.problem.n_columns
    return {
        "n_inner_nodes": n_inner_nodes,
        "n_terms": n_terms,
        "votes": estimator.votes,
        "leaf_votes": estimator.leaf_votes,
        "loss": estimator.loss,
        "weighting": estimator.weighting if data.train.entry_weights is None else "a matrix",
        "learning_rate": float(estimator.learning_rate),
        "max_features": share(estimator.max_features, n_features),
        "max_tree_features": share(estimator.max_tree_features, n_features),
        "subsample": float(estimator.subsample),
        "weight_trimming": float(estimator.weight_trimming),
        "class_sample": share(estimator.class_sample, n_columns),
    }


def _options(estimator: MHBoostClassifier, data: TrainingData, threads: int) -> _core.Options:
    settings = _settings(estimator, data)
    del settings["weighting"]  # the weights have it
    return _core.Options(
        node_features=settings.pop("max_features"),
        tree_features=settings.pop("max_tree_features"),
        **settings,
        effective_rows=data.train.n_effective,
        seed=data.seed,
        n_threads=threads,
    )


def _run(
    estimator: BoostingEstimator,
    booster: _core.Booster | _core.Rival,
    has_evaluation: bool,
    journal: Journal,
) -> str | None:
    """Run the rounds, in slices of time, or one by one if callbacks want to see each.

    Returns why it ended before `n_estimators` rounds were done, if it did.
    """
    began, wanted = time.perf_counter(), int(estimator.n_estimators)
    step = 1 if estimator.callbacks else wanted
    progress = Progress.start(estimator.callbacks, int(estimator.verbose), booster.n_rounds, wanted)
    try:
        with progress:
            while booster.n_rounds < wanted and not booster.finished:
                if _out_of_patience(estimator, booster) is not None:
                    break
                rounds = min(step, wanted - booster.n_rounds)
                booster.run(min(rounds, journal.rounds_left(booster.n_rounds)), SLICE_SECONDS)
                if booster.n_rounds == 0:
                    break
                seconds = time.perf_counter() - began
                state = _round(estimator, booster, has_evaluation, seconds)
                if progress.report(state):
                    return "a callback ended it"
                journal.note(booster)
    except KeyboardInterrupt:
        if booster.n_rounds == 0:
            raise
        warnings.warn(
            f"training was interrupted after {booster.n_rounds} of n_estimators={wanted} rounds; "
            "the model is made of the rounds done.",
            UserWarning,
            stacklevel=4,
        )
        return "it was interrupted"
    if booster.n_rounds == 0:
        warnings.warn(
            f"no round of boosting was possible ({booster.stop_reason}): all scores are zero.",
            UserWarning,
            stacklevel=4,
        )
    if _out_of_patience(estimator, booster) is not None:
        return "the validation score no longer improved"
    return str(booster.stop_reason) or None


def _round(
    estimator: BoostingEstimator,
    booster: _core.Booster | _core.Rival,
    has_evaluation: bool,
    seconds: float,
) -> Round:
    return Round(
        round=booster.n_rounds,
        n_estimators=int(estimator.n_estimators),
        edge=float(booster.edges[-1]),
        alpha=float(booster.alphas[-1]),
        train_score=float(booster.losses[-1]),
        validation_score=float(booster.evaluation(0)[-1]) if has_evaluation else None,
        seconds=seconds,
        estimator=estimator,
    )


def _out_of_patience(
    estimator: BoostingEstimator, booster: _core.Booster | _core.Rival
) -> int | None:
    if not estimator.early_stopping:
        return None
    return patience_ends(booster.evaluation(0), estimator.n_iter_no_change)


def _last_round(estimator: BoostingEstimator, booster: _core.Booster | _core.Rival) -> int:
    """Return the last round that counts: slices of time may have run past the end of patience."""
    end = _out_of_patience(estimator, booster)
    return booster.n_rounds if end is None else end


def _fitted_temperature(
    data: TrainingData, ensemble: _core.Ensemble, n_trees: int, threads: int
) -> float | None:
    if not data.evaluation or len(data.problem.constant_tasks) == len(data.problem.classes):
        return None
    rows = data.evaluation[0].thinned(_temperature_rows(data))
    scores = _scores(data, rows, ensemble, n_trees, threads)
    return fit_temperature(data.problem, scores, rows.positives, rows.weights)


def score_bound(
    votes: str, data: TrainingData, ensemble: _core.Ensemble, n_trees: int, threads: int
) -> float:
    """Return a number that scores hardly exceed: the alphas' sum, or what training rows get."""
    if votes != "real":
        return float(np.abs(ensemble.alphas()[:n_trees]).sum())
    rows = data.train.thinned(_temperature_rows(data))
    return float(np.abs(_scores(data, rows, ensemble, n_trees, threads)).max())


def _temperature_rows(data: TrainingData) -> int:
    return max(1, MAX_TEMPERATURE_ENTRIES // data.problem.n_columns)


def _scores(
    data: TrainingData, rows: Rows, ensemble: _core.Ensemble, n_trees: int, threads: int
) -> NDArray[np.float64]:
    return ensemble.scores(data.schema.encode(rows.table), 0, n_trees, threads)
