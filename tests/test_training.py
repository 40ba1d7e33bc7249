"""How training goes: evaluation sets, stopping, going on, looking on, sampling, what is left."""

import json
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp

from estimator_runs import assert_untouched, attributes, bits, small
from mhboost._data import read_data
from mhboost._stopping import patience_ends, smoothed_stopping_time

N = 150
RNG = np.random.default_rng(11)
X = RNG.normal(size=(2 * N, 6)).round(2)
LOGITS = X[:, :3] @ RNG.normal(size=(3, 4))


def problems(logits):
    return {
        "binary": (logits[:, 0] > 0).astype(int),
        "single-label": logits.argmax(axis=1),
        "multi-label": (logits > 0.3).astype(int),
        "multi-task": np.c_[logits.argmax(axis=1), logits[:, 1] > 0],
    }


PROBLEMS = problems(LOGITS + RNG.normal(size=LOGITS.shape))
PLANTED = problems(LOGITS)  # the first three features say all
Y = PROBLEMS["single-label"]
TRAIN, TEST = (X[:N], Y[:N]), (X[N:], Y[N:])
WITH_PROBLEMS = pytest.mark.parametrize("y", PROBLEMS.values(), ids=PROBLEMS)


def model_bits(model):
    """The bits of the ensemble alone, without what is told of its training."""
    return b"".join(array.tobytes() for array in model._model.ensemble.state().values())


def per_task(values):
    return values if isinstance(values, list) else [values]


# ------------------------------------------------------------------------------------ evaluation


def mean_of_tasks(loss, scores, y, kind):
    """Per row, from the loss of a task's scores f (one column, or one per class) and truth t."""
    tasks = list(scores.T) if kind == "multi-label" else per_task(scores)
    truth = np.reshape(y, (len(y), -1)).T
    return np.mean([loss(f, t) for f, t in zip(tasks, truth, strict=True)], axis=0)


def error(scores, y, kind):
    def of_task(f, t):
        return (f > 0 if f.ndim == 1 else f.argmax(axis=1)) != t

    return mean_of_tasks(of_task, scores, y, kind)


def log_loss(scores, y, kind):
    def of_task(f, t):
        if f.ndim == 1:
            return np.logaddexp(0, np.where(t == 1, -2 * f, 2 * f))
        return logsumexp(2 * f, axis=1) - 2 * f[np.arange(len(t)), t.astype(int)]

    return mean_of_tasks(of_task, scores, y, kind)


def exponential(scores, y, kind):
    def of_task(f, t):
        if f.ndim == 1:
            return np.exp(np.where(t == 1, -f, f))
        signs = 2 * (t[:, None] == np.arange(f.shape[1])) - 1
        return np.exp(-f * signs).mean(axis=1)

    return mean_of_tasks(of_task, scores, y, kind)


METRICS = {"error": error, "log_loss": log_loss, "exponential": exponential}


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_an_evaluation_set_is_scored_after_every_round(kind, metric, weighted):
    y = PROBLEMS[kind]
    weights = np.arange(N) % 4 if weighted else np.ones(N)
    model = small(eval_metric=metric).fit(
        X[:N], y[:N], eval_set=(X[N:], y[N:]), eval_sample_weight=weights if weighted else None
    )
    rows = [METRICS[metric](f, y[N:], kind) for f in model.staged_decision_function(X[N:])]
    expected = [np.average(losses, weights=weights) for losses in rows]
    assert model.validation_score_ == pytest.approx(expected, rel=1e-12)


def test_one_evaluation_set_gives_one_history_and_several_give_a_list():
    alone = small().fit(*TRAIN, eval_set=TEST)
    listed = small().fit(*TRAIN, eval_set=[TEST])
    assert np.array_equal(alone.validation_score_, listed.validation_score_)
    several = small().fit(*TRAIN, eval_set=[TRAIN, TEST], eval_sample_weight=[None, np.ones(N)])
    assert isinstance(several.validation_score_, list)
    assert np.array_equal(several.validation_score_[1], alone.validation_score_)
    assert several.validation_score_[0][-1] == pytest.approx(1 - several.score(*TRAIN))


@pytest.mark.parametrize("metric", METRICS)
def test_evaluation_does_not_change_the_model(metric):
    watched = small(eval_metric=metric).fit(*TRAIN, eval_set=[TEST, TRAIN])
    assert model_bits(watched) == model_bits(small().fit(*TRAIN))


def test_a_fit_without_evaluation_forgets_the_history_of_the_one_before():
    model = small().fit(*TRAIN, eval_set=TEST)
    assert not hasattr(model.fit(*TRAIN), "validation_score_")
    assert model.best_iteration_ == model.n_iter_


# ------------------------------------------------------------------------------------ stopping

LONG = {"n_estimators": 150, "n_inner_nodes": 6, "learning_rate": 1.0}


@WITH_PROBLEMS
def test_early_stopping_keeps_the_rounds_of_eq_15(y):
    arguments = {"eval_set": (X[N:], y[N:])}
    whole = small(**LONG).fit(X[:N], y[:N], **arguments)
    stopped = small(**LONG, early_stopping=True, n_iter_no_change=None)
    stopped.fit(X[:N], y[:N], **arguments)
    best = smoothed_stopping_time(whole.validation_score_)
    assert 50 < best < 150  # there is something to choose
    assert stopped.n_iter_ == stopped.best_iteration_ == whole.best_iteration_ == best
    assert np.array_equal(stopped.validation_score_, whole.validation_score_)
    assert np.array_equal(stopped.train_score_, whole.train_score_)
    assert np.array_equal(stopped.alphas_, whole.alphas_[:best])
    assert np.array_equal(stopped.edges_, whole.edges_[:best])
    assert model_bits(stopped) == model_bits(
        small(**{**LONG, "n_estimators": best}).fit(X[:N], y[:N])
    )
    assert stopped.apply(X).shape == (2 * N, best)


@pytest.mark.parametrize("patience", [1, 5, 20])
def test_patience_ends_training(patience):
    whole = small(**{**LONG, "n_estimators": 200}).fit(*TRAIN, eval_set=TEST).validation_score_
    end = patience_ends(whole, patience)
    assert end < 200
    stopped = small(**{**LONG, "n_estimators": 200}, early_stopping=True, n_iter_no_change=patience)
    stopped.fit(*TRAIN, eval_set=TEST)
    assert np.array_equal(stopped.validation_score_, whole[:end])
    assert stopped.n_iter_ == smoothed_stopping_time(whole[:end])


def test_where_training_looks_does_not_matter():
    """A callback makes it look after every round, else it looks twenty times a second."""
    parameters = {**LONG, "n_estimators": 200, "early_stopping": True, "n_iter_no_change": 5}
    seldom = small(**parameters).fit(*TRAIN, eval_set=TEST)
    always = small(**parameters, callbacks=[lambda _: None]).fit(*TRAIN, eval_set=TEST)
    assert bits(seldom) == bits(always)
    assert np.array_equal(seldom.validation_score_, always.validation_score_)


def test_the_first_evaluation_set_stops():
    parameters = {**LONG, "early_stopping": True, "n_iter_no_change": None}
    by_test = small(**parameters).fit(*TRAIN, eval_set=[TEST, TRAIN])
    assert by_test.n_iter_ == smoothed_stopping_time(by_test.validation_score_[0])
    by_train = small(**parameters).fit(*TRAIN, eval_set=[TRAIN, TEST])
    assert by_train.n_iter_ == smoothed_stopping_time(by_train.validation_score_[0])
    assert by_train.n_iter_ != by_test.n_iter_


def test_few_rounds_are_all_kept():
    assert small(early_stopping=True).fit(*TRAIN).n_iter_ == 6


# ------------------------------------------------------------------------------------ the split


def split(y, fraction, seed=0, weights=None):
    """Row numbers that are trained on and held out."""
    model = small(early_stopping=True, validation_fraction=fraction, random_state=seed)
    numbers = np.arange(len(y), dtype=float)[:, None]
    data = read_data(model, numbers, y, weights, None, None, None)
    return [rows.table.array[:, 0].astype(int) for rows in (data.train, data.evaluation[0])]


@WITH_PROBLEMS
@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.5, 0.9])
def test_the_split_takes_its_share_and_loses_no_row(y, fraction):
    train, held_out = split(y, fraction)
    assert len(held_out) == pytest.approx(fraction * len(y), rel=0.1)
    assert sorted([*train, *held_out]) == [*range(len(y))]


def test_the_split_takes_the_same_share_of_every_class():
    y = np.repeat([0, 1, 2, 3], [200, 100, 40, 20])
    _, held_out = split(y, 0.2)
    assert np.bincount(y[held_out]) == pytest.approx([40, 20, 8, 4], abs=1)


@pytest.mark.parametrize("fraction", [0.01, 0.5, 0.99])
def test_training_knows_every_class(fraction):
    y = np.r_[np.zeros(20, int), 1, 2, 2, 3, 3, 3]
    train, held_out = split(y, fraction)
    assert set(y[train]) == {0, 1, 2, 3}
    assert len(held_out) >= 1


def test_the_split_is_seeded():
    first, again, other = split(Y, 0.2), split(Y, 0.2), split(Y, 0.2, seed=1)
    assert np.array_equal(first[1], again[1])
    assert not np.array_equal(first[1], other[1])


def test_rows_of_no_weight_are_on_neither_side():
    weights = (np.arange(2 * N) % 2).astype(float)
    train, held_out = split(Y, 0.2, weights=weights)
    assert sorted([*train, *held_out]) == [*range(1, 2 * N, 2)]


def test_an_evaluation_set_spares_the_split():
    model = small(early_stopping=True).fit(*TRAIN, eval_set=TEST)
    assert model_bits(model) == model_bits(small().fit(*TRAIN))
    assert model_bits(small(early_stopping=True).fit(*TRAIN)) != model_bits(model)


# ------------------------------------------------------------------------------------ warm start

SAMPLING = {
    "features of a node": {"max_features": 0.5},
    "features of a tree": {"max_tree_features": "sqrt"},
    "rows": {"subsample": 0.6},
    "light rows": {"weight_trimming": 0.2},
    "classes": {"class_sample": 2},
}
CONTINUED = {
    **SAMPLING,
    "all of it": {k: v for parameters in SAMPLING.values() for k, v in parameters.items()},
    "ternary": {"votes": "ternary"},
    "real": {"votes": "real", "leaf_votes": "leafwise"},
    "logistic": {"loss": "logistic"},
    "logistic, sampled": {"loss": "logistic", "subsample": 0.6, "votes": "real"},
    "product": {"base": "product", "max_features": 3},
    "stump": {"base": "stump"},
    "exact": {"max_bins": "exact"},
    "few bins": {"max_bins": 5},
    "split": {"early_stopping": True, "subsample": 0.6},
}
WITH_CONTINUED = pytest.mark.parametrize("parameters", CONTINUED.values(), ids=CONTINUED)


def in_pieces(pieces, X, y, *, parameters, **arguments):
    """A model that was trained a few rounds at a time."""
    model = small(**parameters, warm_start=True)
    for rounds in pieces:
        model.set_params(n_estimators=rounds).fit(X, y, **arguments)
    return model


@WITH_CONTINUED
@WITH_PROBLEMS
def test_going_on_is_as_if_training_had_never_stopped(parameters, y):
    at_once = small(**{**parameters, "n_estimators": 9}).fit(X, y)
    assert bits(in_pieces([1, 4, 9], X, y, parameters=parameters)) == bits(at_once)


@WITH_CONTINUED
def test_evaluation_goes_on_too(parameters):
    arguments = {"eval_set": [TEST, TRAIN], "eval_sample_weight": [np.arange(N), None]}
    at_once = small(**{**parameters, "n_estimators": 9}).fit(*TRAIN, **arguments)
    continued = in_pieces([4, 9], *TRAIN, parameters=parameters, **arguments)
    assert bits(continued) == bits(at_once)
    assert np.array_equal(continued.validation_score_, at_once.validation_score_)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_row_weights_and_class_weights_go_on(loss):
    parameters = {"loss": loss, "class_weight": {0: 1, 1: 2, 2: 3, 3: 4}, "weighting": "uniform"}
    weights = np.arange(2 * N) % 5
    at_once = small(**parameters).fit(X, Y, weights)
    continued = in_pieces([2, 6], X, Y, parameters=parameters, sample_weight=weights)
    assert bits(continued) == bits(at_once)


def test_early_stopping_goes_on():
    parameters = {**LONG, "early_stopping": True, "n_iter_no_change": None}
    at_once = small(**parameters).fit(*TRAIN, eval_set=TEST)
    continued = in_pieces([60, 150], *TRAIN, parameters=parameters, eval_set=TEST)
    assert continued.n_iter_ == at_once.n_iter_
    assert np.array_equal(continued.validation_score_, at_once.validation_score_)
    assert np.array_equal(continued.predict_proba(X), at_once.predict_proba(X))


def test_a_seed_that_was_drawn_is_kept():
    model = in_pieces([3, 6], X, Y, parameters={"random_state": None, "subsample": 0.5})
    again = small(subsample=0.5, random_state=None, warm_start=True, n_estimators=3).fit(X, Y)
    assert model._model.seed != again._model.seed
    first = again._model.seed
    assert again.set_params(n_estimators=6).fit(X, Y)._model.seed == first


def test_a_model_that_a_callback_stopped_goes_on():
    model = small(warm_start=True, callbacks=[lambda r: r.round == 2]).fit(X, Y)
    assert model.n_iter_ == 2
    assert bits(model.set_params(callbacks=None).fit(X, Y)) == bits(small().fit(X, Y))


def test_nothing_to_do_leaves_the_same_model():
    model = small(warm_start=True).fit(X, Y)
    before = bits(model)
    assert bits(model.fit(X, Y)) == before


def test_a_finished_model_has_nothing_to_go_on_with():
    x, y = np.arange(20.0)[:, None], np.arange(20) >= 10
    model = in_pieces([50, 100], x, y, parameters={"base": "stump"})
    assert model.n_iter_ == 1
    assert model.score(x, y) == 1


def test_without_warm_start_a_fit_begins_anew():
    model = small(n_estimators=3).fit(X, Y)
    assert bits(model.set_params(n_estimators=6).fit(X, Y)) == bits(small().fit(X, Y))


# ------------------------------------------------------------------------------------ callbacks


def test_callbacks_see_every_round():
    seen = []
    model = small(callbacks=[seen.append])
    model.fit(*TRAIN, eval_set=[TEST, TRAIN])
    assert [state.round for state in seen] == [1, 2, 3, 4, 5, 6]
    assert {state.n_estimators for state in seen} == {6}
    assert {id(state.estimator) for state in seen} == {id(model)}
    assert [state.edge for state in seen] == model.edges_.tolist()
    assert [state.alpha for state in seen] == model.alphas_.tolist()
    assert [state.train_score for state in seen] == model.train_score_.tolist()
    assert [state.validation_score for state in seen] == model.validation_score_[0].tolist()
    assert [state.seconds for state in seen] == sorted(state.seconds for state in seen)
    assert seen[0].seconds > 0


def test_without_evaluation_there_is_no_validation_score():
    seen = []
    small(callbacks=(seen.append,)).fit(*TRAIN)
    assert {state.validation_score for state in seen} == {None}


def test_after_a_warm_start_callbacks_see_the_new_rounds():
    seen = []
    in_pieces([4, 6], X, Y, parameters={"callbacks": [lambda state: seen.append(state.round)]})
    assert seen == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("answer", [True, np.True_, 1])
def test_a_callback_ends_training_by_answering_true(answer):
    model = small(callbacks=[lambda state: answer if state.round == 3 else None])
    assert bits(model.fit(X, Y)) == bits(small(n_estimators=3).fit(X, Y))


@pytest.mark.parametrize("answer", [None, False, np.False_, 0, []])
def test_any_other_answer_goes_on(answer):
    assert small(callbacks=[lambda _: answer]).fit(X, Y).n_iter_ == 6


def test_all_callbacks_are_called_though_one_stops():
    seen = []
    small(callbacks=[lambda _: True, lambda state: seen.append(state.round)]).fit(X, Y)
    assert seen == [1]


class OutOfDiskError(Exception):
    pass


def fail(state):
    if state.round == 3:
        raise OutOfDiskError


@pytest.mark.parametrize("verbose", [0, 1])
@pytest.mark.parametrize("before", ["unfitted", "fitted", "warm"])
def test_an_error_in_a_callback_travels_and_changes_nothing(before, verbose):
    model = small(n_estimators=2, warm_start=before == "warm")
    if before != "unfitted":
        model.fit(X, Y)
    model.set_params(callbacks=[fail], n_estimators=9, verbose=verbose)
    before = attributes(model)
    with pytest.raises(OutOfDiskError):
        model.fit(X, Y)
    assert_untouched(model, before)


# ------------------------------------------------------------------------------------ progress bar


@pytest.mark.parametrize("verbose", [1, 2, True])
def test_verbose_shows_a_bar(capsys, verbose):
    model = small(verbose=verbose).fit(*TRAIN, eval_set=TEST)
    out, err = capsys.readouterr()
    assert out == ""
    last = err.split("\r")[-1]
    assert "MHBoost: 100%" in last
    assert "6/6" in last
    assert f"loss={model.train_score_[-1]:.4g}" in last
    assert f"edge={model.edges_[-1]:.4f}" in last
    assert f"validation={model.validation_score_[-1]:.4f}" in last


@pytest.mark.parametrize("verbose", [0, False])
def test_quiet_is_quiet(capfd, verbose):
    small(verbose=verbose).fit(*TRAIN, eval_set=TEST)
    assert capfd.readouterr() == ("", "")


def test_the_bar_goes_on_where_training_does(capsys):
    in_pieces([4, 6], X, Y, parameters={"verbose": 1})
    bars = capsys.readouterr().err.split("\n")
    assert "4/4" in bars[0]
    assert "4/6" in bars[1]
    assert "6/6" in bars[1]
    assert "validation" not in bars[1]


# ------------------------------------------------------------------------------------ Ctrl-C

CHILD = """
import json, os, signal, sys, threading, time, warnings
import numpy as np
from mhboost import MHBoostClassifier

n_jobs, kind = int(sys.argv[1]), sys.argv[2]
rng = np.random.default_rng(0)
if kind == "long":  # about a second each: hundreds of cuts that ask 200 features of 400 labels
    X, y = rng.integers(0, 200, (6_000, 200), np.uint8), rng.integers(0, 2, (6_000, 400))
else:
    X, y = rng.integers(0, 200, (1_000, 20), np.uint8), rng.integers(0, 10, 1_000)
settings = {"n_inner_nodes": 5000, "class_sample": None, "n_jobs": n_jobs}
pressed = []

def press():
    pressed.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

def press_soon(state):
    if state.round == 1:
        threading.Timer(0.1, press).start()

if kind == "short":  # without a callback the core runs many rounds at a time
    threading.Timer(0.5, press).start()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    callbacks = [press_soon] if kind == "long" else None
    model = MHBoostClassifier(n_estimators=10**8, callbacks=callbacks, **settings).fit(X, y)
seconds = time.perf_counter() - pressed[0]
usable = model.predict(X).shape == y.shape and len(model.alphas_) == model.n_iter_
told = [str(warning.message) for warning in caught]
print(json.dumps([seconds, usable, model.n_iter_, told]))
"""


@pytest.mark.slow  # and a second is a second of a core without sanitizers
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("rounds", ["long", "short"])
def test_ctrl_c_stops_within_a_second_and_leaves_a_model(rounds, n_jobs):
    command = [sys.executable, "-c", CHILD, str(n_jobs), rounds]
    child = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert child.returncode == 0, child.stderr
    seconds, usable, n_rounds, (warning,) = json.loads(child.stdout)
    assert seconds < 1
    assert usable
    assert n_rounds == 1 or rounds == "short"
    assert f"interrupted after {n_rounds} of n_estimators=100000000 rounds" in warning


def interrupt(state):
    if state.round == 4:
        raise KeyboardInterrupt


def test_an_interrupted_model_is_that_of_the_rounds_done_and_goes_on():
    model = small(callbacks=[interrupt], warm_start=True, verbose=1)
    with pytest.warns(UserWarning, match="interrupted after 4 of n_estimators=6 rounds"):
        model.fit(X, Y)
    assert model.stop_reason_ == "it was interrupted"
    assert bits(model) == bits(small(n_estimators=4).fit(X, Y))
    assert bits(model.set_params(callbacks=None).fit(X, Y)) == bits(small().fit(X, Y))


class Pressed:
    """Rows during whose reading the user loses patience."""

    def __array__(self, dtype=None, copy=None):
        raise KeyboardInterrupt


def test_before_the_first_round_an_interruption_is_an_interruption():
    model = small().fit(X, Y)
    before = attributes(model)
    with pytest.raises(KeyboardInterrupt):
        model.fit(Pressed(), Y)
    assert_untouched(model, before)


# ------------------------------------------------------------------------------------ threads


def test_other_threads_run_while_one_trains():
    """A thread that wants to run every millisecond gets its turns inside of single rounds."""
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(5000, 50)), rng.integers(0, 2, (5000, 100))
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(time.perf_counter())

    ticker = threading.Thread(target=tick)
    ticker.start()
    began = time.perf_counter()
    small(n_estimators=1, n_inner_nodes=4000, n_jobs=1, class_sample=None).fit(rows, labels)
    took = time.perf_counter() - began
    done.set()
    ticker.join()
    during = [t for t in ticks if began + took / 4 < t < began + 3 * took / 4]
    assert len(during) >= 10


def test_the_number_of_threads_does_not_change_the_model():
    models = [
        small(**CONTINUED["all of it"], n_jobs=n).fit(*TRAIN, eval_set=TEST) for n in (1, 2, -1)
    ]
    assert len({bits(model) for model in models}) == 1


# ------------------------------------------------------------------------------------ stages


@WITH_PROBLEMS
@pytest.mark.parametrize("votes", ["discrete", "ternary", "real"])
def test_a_stage_is_the_model_of_that_many_rounds(y, votes):
    model = small(votes=votes).fit(X, y)
    stages = zip(
        model.staged_predict(X),
        model.staged_decision_function(X),
        model.staged_predict_proba(X),
        strict=True,
    )
    count = 0
    for t, (labels, scores, probabilities) in enumerate(stages, start=1):
        short = small(votes=votes, n_estimators=t).fit(X, y)
        short.temperature_ = model.temperature_
        assert np.array_equal(labels, short.predict(X))
        for staged, whole in (
            (scores, short.decision_function(X)),
            (probabilities, short.predict_proba(X)),
        ):
            pairs = zip(per_task(staged), per_task(whole), strict=True)
            assert all(np.array_equal(a, b) for a, b in pairs)
        count = t
    assert count == 6


def test_stages_can_be_kept():
    model = small().fit(X, Y)
    for method in ("staged_predict", "staged_decision_function", "staged_predict_proba"):
        stages = list(getattr(model, method)(X))
        assert not np.array_equal(stages[0], stages[-1])


def test_the_training_score_is_the_weighted_exponential_loss():
    model = small(weighting="uniform").fit(X, Y)
    rows = [exponential(f, Y, "single-label").mean() for f in model.staged_decision_function(X)]
    assert model.train_score_ == pytest.approx(rows, rel=1e-5)


def test_stages_know_the_training_error():
    model = small(n_estimators=40).fit(X, Y)
    errors = [np.mean(labels != Y) for labels in model.staged_predict(X)]
    assert errors[-1] == pytest.approx(1 - model.score(X, Y))
    assert errors[-1] < errors[0]


# ------------------------------------------------------------------------------------ attributes

CLASSES = {
    "binary": ([0, 1], 2),
    "single-label": ([0, 1, 2, 3], 4),
    "multi-label": ([0, 1, 2, 3], 4),
    "multi-task": ([[0, 1, 2, 3], [0, 1]], [4, 2]),
}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_attributes_have_the_documented_shapes(kind):
    y, (classes, n_classes) = PROBLEMS[kind], CLASSES[kind]
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = small().fit(frame[:N], y[:N], eval_set=[(frame[N:], y[N:])] * 2)
    assert [np.asarray(c).tolist() for c in model.classes_] == classes
    assert model.n_classes_ == n_classes
    assert model.n_features_in_ == 6
    assert model.feature_names_in_.tolist() == list("abcdef")
    assert model.n_iter_ == model.best_iteration_ == 6
    assert isinstance(model.n_iter_, int)
    for array in (model.edges_, model.alphas_, model.train_score_, *model.validation_score_):
        assert array.shape == (6,)
        assert array.dtype == np.float64
    assert (model.edges_ > 0).all()
    assert (model.edges_ <= 1).all()
    assert (model.alphas_ > 0).all()
    assert isinstance(model.temperature_, float)
    assert model.feature_importances_.shape == (6,)
    assert len(model.estimators_) == 6
    leaves = model.apply(frame)
    assert leaves.shape == (2 * N, 6)
    assert leaves.dtype == np.int32
    for t, tree in enumerate(model.estimators_):
        assert set(leaves[:, t]) <= set(range(tree.n_leaves))
    assert not hasattr(small().fit(X, y), "feature_names_in_")


def test_nothing_to_learn_gives_a_warning_and_a_model_of_no_rounds():
    x, y = np.zeros((20, 2)), np.arange(20) % 2
    with pytest.warns(UserWarning, match="no round of boosting was possible"):
        model = small(early_stopping=True).fit(x, y, eval_set=(x, y))
    assert model.n_iter_ == model.best_iteration_ == len(model.estimators_) == 0
    assert model.decision_function(x).tolist() == [0] * 20
    assert model.predict_proba(x).tolist() == [[0.5, 0.5]] * 20
    assert list(model.staged_predict(x)) == []
    assert model.apply(x).shape == (20, 0)
    assert model.feature_importances_.tolist() == [0, 0]


def test_training_ends_when_nothing_is_left_to_learn():
    x = np.arange(30.0)[:, None]
    model = small(n_estimators=1000).fit(x, np.arange(30) // 10)
    assert model.n_iter_ < 20
    assert model.score(x, np.arange(30) // 10) == 1


SEPARABLE = np.arange(20.0)[:, None], np.arange(20) >= 10
ENDINGS = {
    "all rounds": ({}, TRAIN, None),
    "nothing left": ({"base": "stump"}, SEPARABLE, "the weighted training error is zero"),
    "a callback": ({"callbacks": [lambda _: True]}, TRAIN, "a callback ended it"),
    "patience": (
        {**LONG, "early_stopping": True, "n_iter_no_change": 1},
        TRAIN,
        "the validation score no longer improved",
    ),
}


@pytest.mark.parametrize(("parameters", "data", "reason"), ENDINGS.values(), ids=ENDINGS)
def test_the_model_knows_why_training_ended(parameters, data, reason):
    assert small(**parameters).fit(*data).stop_reason_ == reason


@pytest.mark.parametrize("y", PLANTED.values(), ids=PLANTED)
@pytest.mark.parametrize("base", ["tree", "stump", "product"])
def test_importances_sum_to_one_and_find_what_was_planted(y, base):
    model = small(base, n_estimators=20).fit(X, y)
    importances = model.feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert (importances >= 0).all()
    assert importances[:3].sum() > 0.75
    assert importances[:3].min() > importances[3:].max()


def test_a_feature_that_says_all_has_all_the_importance():
    rows = RNG.normal(size=(100, 5))
    model = small().fit(rows, rows[:, 3] > 0)
    assert model.feature_importances_.tolist() == [0, 0, 0, 1, 0]


# ------------------------------------------------------------------------------------ sampling

RANDOM = {name: SAMPLING[name] for name in SAMPLING if name != "light rows"}


@pytest.mark.parametrize("parameters", SAMPLING.values(), ids=SAMPLING)
def test_sampling_changes_the_model(parameters):
    assert model_bits(small(**parameters).fit(X, Y)) != model_bits(small().fit(X, Y))


@pytest.mark.parametrize("parameters", RANDOM.values(), ids=RANDOM)
def test_a_seed_decides_all_sampling(parameters):
    models = [small(**parameters, random_state=seed).fit(X, Y) for seed in (1, 1, 2)]
    assert bits(models[0]) == bits(models[1])
    assert model_bits(models[0]) != model_bits(models[2])


@pytest.mark.parametrize("parameters", [{}, SAMPLING["light rows"]], ids=["", "light rows"])
def test_without_random_draws_the_seed_does_not_matter(parameters):
    models = [small(**parameters, random_state=seed).fit(X, Y) for seed in (1, 2)]
    assert bits(models[0]) == bits(models[1])


@pytest.mark.parametrize("parameters", RANDOM.values(), ids=RANDOM)
def test_a_random_state_goes_on_and_none_is_new_every_time(parameters):
    state = np.random.RandomState(0)
    first, second = (small(**parameters, random_state=state).fit(X, Y) for _ in range(2))
    assert model_bits(first) != model_bits(second)
    again = small(**parameters, random_state=np.random.RandomState(0)).fit(X, Y)
    assert bits(first) == bits(again)
    news = [small(**parameters, random_state=None).fit(X, Y)._model.seed for _ in range(2)]
    assert news[0] != news[1]


ALL = {
    "max_features": [None, 6, 60, 1.0],
    "max_tree_features": [None, 6, 60, 1.0],
    "subsample": [1.0, 1],
    "weight_trimming": [0.0, 0],
    "class_sample": ["auto", None, 4, 40, 1.0],
}


@pytest.mark.parametrize(("name", "value"), [(name, v) for name in ALL for v in ALL[name]])
def test_all_is_all(name, value):
    assert bits(small(**{name: value}).fit(X, Y)) == bits(small().fit(X, Y))


@pytest.mark.parametrize("name", ["max_features", "max_tree_features"])
def test_shares_and_rules_of_thumb_are_numbers_of_features(name):
    """Six features: the square root and the logarithm are 2, a third is 2, a hundredth 1."""
    two, one = (model_bits(small(**{name: k}).fit(X, Y)) for k in (2, 1))
    assert all(model_bits(small(**{name: k}).fit(X, Y)) == two for k in ("sqrt", "log2", 1 / 3))
    assert model_bits(small(**{name: 0.01}).fit(X, Y)) == one != two


def test_only_of_many_classes_a_sample_is_drawn_by_itself():
    """The 65th class changes the model and lets the seed matter; class_sample=32 says the same."""
    rows, labels = RNG.normal(size=(80, 3)), RNG.integers(0, 2, (80, 65))

    def fit(n_labels, **parameters):
        return model_bits(small(**parameters).fit(rows, labels[:, :n_labels]))

    assert fit(64) == fit(64, class_sample=None) == fit(64, random_state=1)
    assert fit(65) == fit(65, class_sample=32) != fit(65, class_sample=None)
    assert fit(65) != fit(65, random_state=1)


def test_a_tree_knows_no_more_features_than_its_sample():
    model = small(n_inner_nodes=10, n_estimators=20, max_tree_features=2).fit(X, Y)
    used = [
        {term["feature"] for terms in tree.nodes["terms"] for term in terms}
        for tree in model.estimators_
    ]
    assert max(map(len, used)) == 2
    assert len(set.union(*used)) == 6


# ------------------------------------------------------------------------------------ alpha, loss


@pytest.mark.parametrize("votes", ["discrete", "ternary"])
@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_the_learning_rate_shrinks_alpha(votes, loss):
    """In the first round; the later ones see other weights."""
    alphas = {
        rate: small(votes=votes, loss=loss, learning_rate=rate).fit(X, Y).alphas_[0]
        for rate in (1.0, 0.5, 0.1)
    }
    assert alphas[0.5] == pytest.approx(alphas[1.0] / 2)
    assert alphas[0.1] == pytest.approx(alphas[1.0] / 10)


def test_the_learning_rate_shrinks_real_votes():
    scores = [
        small(votes="real", learning_rate=r, n_estimators=1).fit(X, Y).decision_function(X)
        for r in (1.0, 0.25)
    ]
    assert scores[1] == pytest.approx(scores[0] / 4)


def test_logistic_loss_is_gentler_to_flipped_labels():
    """A fifth of the training labels is wrong; the test labels are right."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(6000, 5))
    truth = (rows[:, 0] + rows[:, 1] > 0).astype(int)
    flipped = np.where(rng.random(6000) < 0.2, 1 - truth, truth)
    scores = {
        loss: small("stump", loss=loss, n_estimators=200)
        .fit(rows[:1000], flipped[:1000])
        .score(rows[1000:], truth[1000:])
        for loss in ("exponential", "logistic")
    }
    assert scores["logistic"] > scores["exponential"] + 0.01
