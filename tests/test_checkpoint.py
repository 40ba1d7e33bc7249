"""Durable training: a killed `fit` goes on, and gives the model of an uninterrupted one."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import mhboost
from estimator_runs import assert_untouched, attributes, bits, small
from mhboost import HammingProduct, HammingTree, ModelFileError
from mhboost._checkpoint import read_checkpoint
from mhboost._model_file import disk
from mhboost._model_file.container import pack, unpack

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 5))
Y = (X[:, 0] > 0).astype(int) + (X[:, 1] + RNG.normal(size=120) / 2 > 0.5)
HOLES = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
HOLES[:, 4] = RNG.integers(0, 6, 120)
ROUNDS = 90

CONFIGURATIONS = {
    "trees": {},
    "tree of products": {"base": HammingTree(2, HammingProduct(2))},
    "ternary": {"votes": "ternary"},
    "real": {"votes": "real"},
    "logistic": {"loss": "logistic"},
    "leafwise": {"leaf_votes": "leafwise"},
    "rows sampled": {"subsample": 0.5},
    "features sampled": {"max_features": 2, "max_tree_features": 0.8},
    "classes sampled": {"class_sample": 2},
    "light rows left out": {"weight_trimming": 0.1},
    "categories": {"categorical_features": [4], "max_bins": 8},
    "held-out rows": {"early_stopping": True, "n_iter_no_change": 10},
    "matrix of weights": {"weighting": RNG.uniform(0.5, 1, size=(120, 3))},
    "class weights": {"class_weight": "balanced"},
    "two threads": {"n_jobs": 2},
}


def estimator(name="trees", **more):
    parameters = {"n_estimators": ROUNDS, "n_jobs": 1, **CONFIGURATIONS[name], **more}
    return small(parameters.pop("base", "tree"), **parameters)


def outcome(model):
    """Every bit of a model and of its story."""
    scores = getattr(model, "validation_score_", None)
    told = (model.n_iter_, model.best_iteration_, model.stop_reason_)
    return bits(model), told, None if scores is None else np.array(scores).tobytes()


class KilledError(Exception):
    """Stands in for the end of the process."""


def killed_after(rounds):
    def callback(state):
        if state.round == rounds:
            raise KilledError

    return [callback]


def fit_killed(model, rounds, *data, **named):
    with pytest.raises(KilledError):
        model.set_params(callbacks=killed_after(rounds)).fit(*data, **named)
    model.set_params(callbacks=None)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "rounds.checkpoint"


# ----------------------------------------------------------------------------------------- resuming


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_killed_training_goes_on_to_the_same_model(name, path):
    whole = outcome(estimator(name).fit(HOLES, Y))
    durable = estimator(name, checkpoint=path, checkpoint_every=7)
    fit_killed(durable, 3, HOLES, Y)
    assert read_checkpoint(path).ensemble.n_rounds == 0
    fit_killed(durable, 17, HOLES, Y)
    assert read_checkpoint(path).ensemble.n_rounds == 14
    fit_killed(durable, 60, HOLES, Y)
    assert read_checkpoint(path).ensemble.n_rounds == 56
    assert outcome(durable.fit(HOLES, Y)) == whole
    assert outcome(durable.fit(HOLES, Y)) == whole  # all rounds are in the file


@pytest.mark.parametrize("n_iter_no_change", [10, None])
def test_evaluation_is_worked_out_again(n_iter_no_change, path):
    more = {"early_stopping": True, "n_iter_no_change": n_iter_no_change, "n_estimators": 150}
    evaluation = {"eval_set": [(HOLES[::2], Y[::2]), (HOLES[:9], Y[:9])]}
    whole = outcome(estimator(**more).fit(HOLES, Y, **evaluation))
    durable = estimator(**more, checkpoint=path, checkpoint_every=20)
    fit_killed(durable, 45, HOLES, Y, **evaluation)
    assert outcome(durable.fit(HOLES, Y, **evaluation)) == whole
    assert outcome(durable.fit(HOLES, Y, **evaluation)) == whole


@pytest.mark.parametrize(
    "y", [Y == 0, np.column_stack([Y, Y == 1]), np.stack([Y > 0, Y > 1], axis=1).astype(int)]
)
def test_every_kind_of_problem_goes_on(y, path):
    weights = RNG.integers(0, 3, 120)
    durable = estimator(checkpoint=path, checkpoint_every=10)
    fit_killed(durable, 15, X, y, weights)
    assert outcome(durable.fit(X, y, weights)) == outcome(estimator().fit(X, y, weights))


@pytest.mark.parametrize("early_stopping", [False, True])
def test_seed_that_nobody_gave_is_kept(early_stopping, path):
    more = {"random_state": None, "subsample": 0.5, "early_stopping": early_stopping}
    durable = estimator(**more, checkpoint=path, checkpoint_every=5)
    fit_killed(durable, 12, X, Y)
    seed = read_checkpoint(path).fingerprint.seed
    model = durable.fit(X, Y)
    assert model._model.seed == seed
    assert read_checkpoint(path).fingerprint.seed == seed


@pytest.mark.parametrize("rounds", [20, ROUNDS, 130])
def test_number_of_rounds_may_change(rounds, path):
    estimator(checkpoint=path).fit(X, Y)
    model = estimator(checkpoint=path, n_estimators=rounds).fit(X, Y)
    assert outcome(model) == outcome(estimator(n_estimators=rounds).fit(X, Y))
    assert read_checkpoint(path).ensemble.n_rounds == max(rounds, ROUNDS)


def test_what_does_not_change_rounds_may_change(path):
    fit_killed(estimator(checkpoint=path, checkpoint_every=10), 25, X, Y)
    changed = {"n_jobs": 2, "eval_metric": "log_loss", "checkpoint_every": 4}
    model = estimator(checkpoint=str(path), **changed).fit(np.asfortranarray(X), Y.tolist())
    assert bits(model) == bits(estimator().fit(X, Y))


def test_training_that_ends_by_itself_ends_again(path):
    separable = (X[:, 0] > 0).astype(int)
    whole = outcome(estimator().fit(X, separable))
    for _ in range(2):
        model = estimator(checkpoint=path).fit(X, separable)
        assert outcome(model) == whole
    assert model.n_iter_ < ROUNDS


def test_interrupted_training_writes_its_last_round(path):
    def interrupt(state):
        if state.round == 13:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="interrupted after 13"):
        estimator(checkpoint=path, callbacks=[interrupt]).fit(X, Y)
    assert read_checkpoint(path).ensemble.n_rounds == 13
    assert outcome(estimator(checkpoint=path).fit(X, Y)) == outcome(estimator().fit(X, Y))


# ---------------------------------------------------------------------------------- warm start


def phases(path=None, kill=None):
    """Two fits of one model, the second with another learning rate, which may be killed."""
    model = estimator(n_estimators=30, warm_start=True, checkpoint=path, checkpoint_every=10)
    model.fit(X, Y).set_params(learning_rate=0.1, n_estimators=70)
    if kill:
        before = pickle.dumps(model)
        fit_killed(model, kill, X, Y)
        model = pickle.loads(before)
    return model.fit(X, Y)


@pytest.mark.parametrize("kill", [None, 31, 55])
def test_warm_start_goes_on_from_the_file(path, kill):
    assert outcome(phases(path, kill)) == outcome(phases())


def test_warm_start_of_the_same_training_is_one_training(path):
    more = {"warm_start": True, "checkpoint": path, "checkpoint_every": 10}
    model = estimator(n_estimators=30, **more).fit(X, Y).set_params(n_estimators=70)
    fit_killed(model, 55, X, Y)
    again = estimator(n_estimators=30, **more).fit(X, Y)  # the program starts once more
    assert again.n_iter_ == 30
    assert read_checkpoint(path).ensemble.n_rounds == 50
    again.set_params(n_estimators=70).fit(X, Y)
    assert outcome(again) == outcome(estimator(n_estimators=70).fit(X, Y))


def test_file_of_a_warm_start_needs_the_model_before_it(path):
    phases(path)
    with pytest.raises(ValueError, match="it went on from a model of 30 rounds, which this is not"):
        estimator(learning_rate=0.1, checkpoint=path).fit(X, Y)


def test_file_of_other_rounds_is_refused_by_a_warm_start(path):
    model = estimator(warm_start=True, n_estimators=5, learning_rate=1.0).fit(X, Y)
    estimator(checkpoint=path).fit(X, Y)
    model.set_params(n_estimators=ROUNDS, learning_rate=0.5, checkpoint=path)
    before = attributes(model)
    with pytest.raises(ValueError, match="its first rounds are not those of this model"):
        model.fit(X, Y)
    assert_untouched(model, before)


# ----------------------------------------------------------------------------------- what differs


OTHERS = [
    ({"learning_rate": 0.1}, {}, "learning_rate was 0.5, is 0.1"),
    (
        {"n_inner_nodes": 5, "votes": "real"},
        {},
        "n_inner_nodes was 3, is 5; votes was 'discrete', is",
    ),
    ({"max_features": "sqrt"}, {}, "max_features was 0, is 2"),
    ({"weighting": "uniform"}, {}, "weighting was 'auto', is 'uniform'"),
    ({"random_state": 1}, {}, "random_state gives another seed"),
    ({"max_bins": 5}, {}, "X or its bins .* are others"),
    ({"categorical_features": [4]}, {"X": HOLES}, "X or its bins .* are others"),
    ({"class_weight": "balanced"}, {}, "weights .* are others"),
    ({}, {"sample_weight": np.arange(1, 121)}, "weights .* are others"),
    ({}, {"X": X + (np.arange(120) == 7)[:, None]}, "X or its bins .* are others"),
    ({}, {"y": np.roll(Y, 1)}, "y is another"),
    ({}, {"y": np.array(["a", "b", "c"])[Y]}, "y is another"),
    ({}, {"X": X[1:], "y": Y[1:]}, "there were 120 training rows, are 119"),
    ({"early_stopping": True}, {}, "there were 120 training rows, are 10"),
    ({}, {"X": X[:, 1:]}, "X had 5 features, has 4"),
]


@pytest.mark.parametrize(("parameters", "data", "difference"), OTHERS)
def test_file_of_another_training_is_refused(parameters, data, difference, path):
    fit_killed(estimator(checkpoint=path, checkpoint_every=10), 15, X, Y)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=f"is a file of another training: .*{difference}"):
        estimator(checkpoint=path, **parameters).fit(**{"X": X, "y": Y, **data})
    assert path.read_bytes() == before


def test_file_of_something_else_is_refused_and_left_alone(path):
    model = estimator().fit(X, Y)
    model.save(path)
    with pytest.raises(ModelFileError, match="it is no checkpoint, but a 'model'"):
        estimator(checkpoint=path).fit(X, Y)
    assert bits(mhboost.load(path)) == bits(model)
    path.write_text("my diary")
    with pytest.raises(ModelFileError, match="checkpoint: this is no safetensors file"):
        estimator(checkpoint=path).fit(X, Y)
    assert path.read_text() == "my diary"
    estimator(checkpoint=path.with_name("other")).fit(X, Y)
    with pytest.raises(ModelFileError, match="it is no model, but a 'checkpoint'"):
        mhboost.load(path.with_name("other"))


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("start", 6, "start is 6"),
        ("start", -1, "start is -1"),
        ("start", True, "wrong type"),
        ("n_columns", 0, "n_columns is 0"),
        ("n_columns", 10**9, "n_columns"),
        ("n_columns", 33, "has shape"),
        ("settings", [], "wrong type"),
        ("settings", {"votes": 1}, "settings.'votes' is of a wrong type"),
        ("settings", {"learning_rate": None}, "is of a wrong type"),
        ("training", {}, "has not the fields"),
    ],
)
def test_damaged_file_is_refused(field, value, reason, path):
    estimator(checkpoint=path, n_estimators=5).fit(X, Y)
    header, reader = unpack(path.read_bytes())
    path.write_bytes(pack({**header, field: value}, reader._arrays))
    with pytest.raises(ModelFileError, match=rf"^checkpoint {path}: .*{reason}"):
        estimator(checkpoint=path).fit(X, Y)


# ----------------------------------------------------------------------------------------- writing


def test_folder_that_is_missing_is_told_before_training(tmp_path):
    seen = []
    with pytest.raises(FileNotFoundError):
        estimator(checkpoint=tmp_path / "none" / "x", callbacks=[seen.append]).fit(X, Y)
    assert seen == []


def test_disk_that_fills_up_does_not_end_training(path, monkeypatch):
    write, calls = disk.write, []

    def write_once(*arguments):
        calls.append(arguments)
        if len(calls) > 1:
            raise OSError("no space left")
        write(*arguments)

    monkeypatch.setattr(disk, "write", write_once)
    with pytest.warns(UserWarning, match="checkpoint of .* rounds was not written: no space left"):
        model = estimator(checkpoint=path).fit(X, Y)
    assert outcome(model) == outcome(estimator().fit(X, Y))


def test_leftovers_of_killed_writers_are_removed(path):
    for name in (".rounds.checkpoint.0a.tmp", ".rounds.checkpoint.1b.tmp", ".other.0a.tmp"):
        (path.parent / name).touch()
    estimator(checkpoint=path).fit(X, Y)
    assert {p.name for p in path.parent.iterdir()} == {"rounds.checkpoint", ".other.0a.tmp"}


# ---------------------------------------------------------------------------------------- kills


# Works in a fork for each line that it reads, so that the imports are done once.
WORKER = """
import json, os, signal, sys
import numpy as np
import mhboost

def train(n_estimators, checkpoint, target):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 6))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] + rng.normal(size=600) > 0.5)
    mhboost.MHBoostClassifier(
        n_estimators=n_estimators, subsample=0.7, early_stopping=True, n_iter_no_change=None,
        random_state=0, n_jobs=1, checkpoint=checkpoint, checkpoint_every=3,
    ).fit(X, y).save(target)
    print("done", flush=True)

def save(one, other, target):
    models = [mhboost.load(one), mhboost.load(other)]
    print("done", flush=True)
    while True:
        for model in models:
            model.save(target)

for line in sys.stdin:
    will_be_killed, task, *arguments = json.loads(line)
    pid = os.fork()
    if pid == 0:
        globals()[task](*arguments)
        if will_be_killed:
            signal.pause()
        os._exit(0)
    print(pid, flush=True)
    os.waitpid(pid, 0)
    print("gone", flush=True)
"""


class Worker:
    """Does things in a process of its own that may be killed."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        with self.process:
            self.process.stdin.close()

    def run(self, *task, seconds=None, after="started"):
        """Do a task, and kill it some time after it has started or is done; None: let it end."""
        line = json.dumps([seconds is not None, *task], default=str)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        lines = [self.process.stdout.readline()]
        if seconds is not None:
            if after == "done":
                lines.append(self.process.stdout.readline())
            time.sleep(seconds)
            os.kill(int(next(line for line in lines if line != "done\n")), signal.SIGKILL)
        assert "" not in lines
        while lines[-1] != "gone\n":
            lines.append(self.process.stdout.readline())


def kill_training(folder, n_estimators, times):
    """Return the rounds seen; the files are whole after each kill, the model is right at last."""
    rng = np.random.default_rng(0)
    checkpoint, target, seen = folder / "checkpoint", folder / "model.mhb", set()
    with Worker() as worker:
        worker.run("train", n_estimators, None, target)
        whole, began = target.read_bytes(), time.perf_counter()
        worker.run("train", n_estimators, folder / "clock", target)
        seconds = (time.perf_counter() - began) / 6  # of what training takes on this machine
        for _ in range(times):
            if target.exists():  # it came as far as saving: begin anew
                assert target.read_bytes() == whole
                target.unlink()
                checkpoint.unlink(missing_ok=True)
            worker.run("train", n_estimators, checkpoint, target, seconds=rng.exponential(seconds))
            if checkpoint.exists():
                seen.add(read_checkpoint(checkpoint).ensemble.n_rounds)
        worker.run("train", n_estimators, checkpoint, target)
        assert target.read_bytes() == whole
    return seen


def test_killed_process_goes_on_to_the_same_model(tmp_path):
    assert len(kill_training(tmp_path, n_estimators=300, times=10)) >= 2


@pytest.mark.slow
def test_process_killed_two_hundred_times_goes_on_to_the_same_model(tmp_path):
    assert len(kill_training(tmp_path, n_estimators=600, times=200)) >= 10


@pytest.mark.parametrize("times", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_model_file_is_whole_whenever_saving_is_killed(times, tmp_path):
    one, other, target = (tmp_path / name for name in ("one", "other", "model.mhb"))
    estimator().fit(X, Y).save(one)
    estimator("real").fit(X, Y).save(other)
    rng, whole, seen = np.random.default_rng(0), {one.read_bytes(), other.read_bytes()}, set()
    with Worker() as worker:
        for _ in range(times):
            seconds = 0.005 + rng.exponential(0.01)
            worker.run("save", one, other, target, seconds=seconds, after="done")
            if target.exists():  # it may be killed before the first is there
                seen.add(target.read_bytes())
    assert seen <= whole
    assert len(seen) == 2 or times < 200  # killed early and late
