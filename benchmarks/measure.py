"""One measurement, in a process of its own.

    request (JSON, stdin) --> load, warm up, train, predict --> result (JSON, stdout)

`measure(request)` starts the process; the file run as a script is that process. A request says
problem, system, rounds, parameters, threads, seed, and the task:

    fit     train and predict with the clock running
    curve   train once, then look at the test error after every round: error against time, and the
            first round whose error is not above `target`
    budget  train until the CPU seconds `target` are nearly spent; how many rounds is that?
    micro   a program of its own: what a cut costs
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

WARM_UP_ROWS = 1000
SHORT = 0.3  # seconds; what is shorter is done again, and the least counts
CURVE_POINTS = 80
BUDGET_SHARE = 0.8  # the rest is kept back: a repeat of the rival may be faster than the first


class MeasurementError(RuntimeError):
    """The process failed."""


class NotHereError(RuntimeError):
    """The problem's data or the system's library is not on this machine."""


class OutOfTimeError(RuntimeError):
    """The process took longer than it may."""


# --- outside --------------------------------------------------------------------------------------


def measure(request, timeout=None):
    """Run a measurement and return its result."""
    threads = str(request["threads"])
    names = ("OMP", "OPENBLAS", "MKL", "NUMEXPR")
    limits = {f"{name}_NUM_THREADS": threads for name in names}
    command = [sys.executable, str(Path(__file__).resolve())]
    try:
        process = subprocess.run(
            command,
            input=json.dumps(request),
            capture_output=True,
            text=True,
            env=os.environ | limits,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise OutOfTimeError(f"not done after {timeout} s") from error
    if process.returncode:
        tail = "\n".join(process.stderr.strip().splitlines()[-5:])
        raise MeasurementError(f"exit code {process.returncode}\n{tail}")
    result = json.loads(process.stdout)
    if "not_here" in result:
        raise NotHereError(result["not_here"])
    return result


# --- inside ---------------------------------------------------------------------------------------


def main():
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print goes to stderr
    request = json.load(sys.stdin)
    import cut_cost
    import problems
    import systems

    not_here = (
        problems.ProblemMissingError,
        systems.LibraryMissingError,
        cut_cost.ProgramMissingError,
    )
    try:
        result = run(request)
    except not_here as error:
        result = {"not_here": str(error)}
    json.dump(result, out)
    out.close()


def run(request):
    """Measure in this process."""
    import cut_cost
    import problems
    import systems

    if request["task"] == "micro":
        return cut_cost.search_cost(request["parameters"])
    problem = problems.load(request["problem"])
    train = systems.load(request["system"])
    settings = {key: request[key] for key in ("parameters", "threads", "seed")}
    warm_up(train, problem, settings)
    tasks = {"fit": measure_fit, "curve": measure_curve, "budget": measure_budget}
    result = tasks[request["task"]](train, problem, request["rounds"], settings, request)
    return problem.shape() | result


def warm_up(train, problem, settings):
    """Train and predict once on few rows, every class among them: libraries loaded, caches warm."""
    y = problem.y_train
    columns = y.T if problem.is_multi_label else [y]
    first = np.concatenate([np.unique(column, return_index=True)[1] for column in columns])
    rows = np.union1d(first, np.arange(min(WARM_UP_ROWS, len(y))))
    few = replace(problem, X_train=problem.X_train[rows], y_train=problem.y_train[rows])
    train(few, 2, **settings).scores(problem.X_test[:100])


def measure_fit(train, problem, rounds, settings, request):
    from clocks import baseline_bytes, best_of, peak_bytes

    gc.collect()
    peaks, baseline = [], baseline_bytes()

    def fit():
        model = train(problem, rounds, **settings)
        peaks.append(peak_bytes())
        return model

    fit_cpu, fit_wall, model = best_of(fit, SHORT)
    predict_cpu, predict_wall, scores = best_of(lambda: model.scores(problem.X_test), SHORT)
    return {
        "rounds": model.rounds,
        "fit_cpu_s": fit_cpu,
        "fit_wall_s": fit_wall,
        "predict_cpu_s": predict_cpu,
        "predict_wall_s": predict_wall,
        "latency_us": latency(model.scores, problem.X_test, one_row=False),
        "latency_one_us": model.one and latency(model.one, problem.X_test, one_row=True),
        "peak_bytes": peaks[0] - baseline,
        "model_bytes": len(model.dump()),
        "scores_sha": hashlib.sha256(np.ascontiguousarray(scores).tobytes()).hexdigest()[:12],
        **quality(problem, scores, model.proba(problem.X_test)),
    }


def latency(call, X, one_row, seconds=SHORT, most=2000):
    """Return the median microseconds of predicting one row through Python."""
    rows = [X[i] if one_row else X[i : i + 1] for i in range(min(len(X), 200))]
    began, readings = time.perf_counter(), []
    while len(readings) < most and time.perf_counter() - began < seconds:
        row = rows[len(readings) % len(rows)]
        start = time.perf_counter_ns()
        call(row)
        readings.append(time.perf_counter_ns() - start)
    return float(np.median(readings)) / 1000


def error_of(problem, scores):
    """Return the share of wrong rows, or the Hamming loss: of wrong entries."""
    if problem.is_multi_label:
        return float(np.mean((scores > 0) != problem.y_test))
    return float(np.mean(np.argmax(scores, axis=1) != problem.y_test))


def quality(problem, scores, proba):
    proba, y = np.asarray(proba, dtype=np.float64), problem.y_test
    if problem.is_multi_label:
        right = np.where(y, proba, 1 - proba)
    else:
        right = proba[np.arange(len(proba)), y]
    log_loss = -np.log(np.clip(right, 1e-15, 1)).mean()
    return {"error": error_of(problem, scores), "log_loss": float(log_loss)}


def measure_curve(train, problem, rounds, settings, request):
    from clocks import Clock

    clock, readings = Clock(), []
    model = train(problem, rounds, **settings, on_round=lambda: readings.append(clock.read()))
    fit_cpu, fit_wall = clock.read()
    if model.staged is None or len(readings) < model.rounds:
        raise ValueError(f"{request['system']} cannot show its error after every round")
    target = request.get("target")
    shown = thinned(model.rounds)
    stages = shown if target is None else list(range(1, model.rounds + 1))
    errors = {
        t: error_of(problem, scores)
        for t, scores in zip(stages, model.staged(problem.X_test, stages), strict=True)
    }
    return {
        "rounds": model.rounds,
        "fit_cpu_s": fit_cpu,
        "fit_wall_s": fit_wall,
        "error": errors[model.rounds],
        "reached": None if target is None else first_reaching(errors, target),
        "curve": [[t, *readings[t - 1], errors[t]] for t in shown],
    }


def first_reaching(errors, target):
    """Return the first round whose error is not above the target, or None."""
    return next((t for t in sorted(errors) if errors[t] <= target), None)


def measure_budget(train, problem, rounds, settings, request):
    from clocks import Clock

    clock, readings = Clock(), []
    allowed = BUDGET_SHARE * request["target"]

    def on_round():
        readings.append(clock.read()[0])
        return readings[-1] > allowed  # True ends training

    model = train(problem, rounds, **settings, on_round=on_round)
    fit_cpu, fit_wall = clock.read()
    left = allowed - (fit_cpu - readings[-1])  # what training does after its rounds counts too
    return {
        "rounds": model.rounds,
        "fit_cpu_s": fit_cpu,
        "fit_wall_s": fit_wall,
        "error": error_of(problem, model.scores(problem.X_test)),
        "reached": sum(cpu <= left for cpu in readings) or None,
    }


def thinned(rounds, points=CURVE_POINTS):
    """Return up to `points` round numbers, about evenly spaced in their logarithm."""
    spaced = np.geomspace(1, rounds, points).round().astype(int)
    return [1] + [int(b) for a, b in pairwise(spaced) if b > a]


if __name__ == "__main__":
    main()
