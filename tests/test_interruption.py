"""Ctrl-C while the core bins, predicts or replays: heard in a second, and nothing is changed."""

import subprocess
import sys

import pytest

CHILD = """
import os, signal, sys, threading, time
import numpy as np
from mhboost import MHBoostClassifier

what = sys.argv[1]
rng = np.random.default_rng(0)
small = rng.normal(size=(2000, 40)).astype(np.float32)
large = np.broadcast_to(small[:, None, :], (2000, 1000, 40)).reshape(-1, 40)
y = np.arange(2000) % 3
model = MHBoostClassifier(n_estimators=400, n_jobs=2, warm_start=what == "replay")
model.fit(small, y)
known = dict(vars(model))
calls = {
    "binning": lambda: model.fit(large, np.repeat(y, 1000)),
    "scores": lambda: model.decision_function(large),
    "leaves": lambda: model.apply(large),
    "replay": lambda: model.set_params(n_estimators=500).fit(
        small, y, eval_set=(large[:400_000], np.repeat(y, 200))
    ),
}
known["n_estimators"] = 500 if what == "replay" else 400
pressed = []

def press():
    pressed.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(0.3, press).start()
try:
    calls[what]()
except KeyboardInterrupt:
    print(time.perf_counter() - pressed[0], vars(model) == known)
"""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["binning", "scores", "leaves", "replay"])
def test_ctrl_c_is_heard(what):
    command = [sys.executable, "-c", CHILD, what]
    child = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert child.returncode == 0, child.stderr
    seconds, unchanged = child.stdout.split()
    assert float(seconds) < 1
    assert unchanged == "True"
