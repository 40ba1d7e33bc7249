"""Choose settings on training parts alone; config.toml holds what won, and why.

    python benchmarks/choose.py speed     presets.mhboost: CPU time to LightGBM's validation error
    python benchmarks/choose.py labels    multi-label presets: validation Hamming loss

Both cut the training part of each problem into folds, train on all but one and look at that one.
The test parts are not touched. A setting has to serve all problems: what counts is its mean over
them, relative to the rival (speed) or to the best setting (labels).
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import problems
import systems
from clocks import Clock
from measure import error_of, measure_curve
from plan import read_config
from sklearn.model_selection import KFold, StratifiedKFold
from tables import markdown, number, percent

FOLDS = 3
SETTINGS = {"threads": 1, "seed": 0}
SPEED_PROBLEMS = ("letter", "pendigits", "optdigits", "usps")
SPEED_ROUNDS = 1000
SPEED_GRID = {
    "n_inner_nodes": (16, 31),
    "leaf_votes": ("factorized", "leafwise"),
    "max_features": (None, 0.3),
}
LABEL_ROUNDS = (250, 500, 1000, 2000)
LABEL_GRID = {
    "n_inner_nodes": (3, 8, 31),
    "learning_rate": (0.1, 0.5),
    "max_features": (None, 0.3),
}
RIVAL_ROUNDS = (100, 300)
RIVAL_GRID = {"num_leaves": (8, 31)}


def candidates(grid):
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def parts(problem, seed=0):
    """Return problems made of the training part alone, one a fold."""
    kind = KFold if problem.is_multi_label else StratifiedKFold
    X, y = problem.X_train, problem.y_train
    return [
        replace(problem, X_train=X[fit], y_train=y[fit], X_test=X[look], y_test=y[look])
        for fit, look in kind(FOLDS, shuffle=True, random_state=seed).split(X, y)
    ]


def timed(train, part, rounds, parameters):
    clock = Clock()
    model = train(part, rounds, parameters, **SETTINGS)
    return clock.read()[0], model


def geometric(values):
    return float(np.exp(np.mean(np.log(values)))) if len(values) else None


def name_of(parameters):
    return ", ".join(f"{key} {value}" for key, value in parameters.items())


# --- speed ----------------------------------------------------------------------------------------


def speed_on(part, grid):
    """Return, per candidate: LightGBM's CPU time / the candidate's (None: not reached), and the
    candidate's last error / LightGBM's."""
    rival = read_config()["presets"]["lightgbm"]
    own = systems.load("mhboost")
    rival_cpu, model = timed(systems.load("lightgbm"), part, rival["rounds"], rival["parameters"])
    target = error_of(part, model.scores(part.X_test))
    found = []
    for parameters in grid:
        request = {"system": "mhboost", "target": target}
        settings = SETTINGS | {"parameters": parameters}
        curve = measure_curve(own, part, SPEED_ROUNDS, settings, request)
        reached = curve["reached"]
        cpu = reached and min(timed(own, part, reached, parameters)[0] for _ in range(3))
        found.append((cpu and rival_cpu / cpu, curve["error"] / target))
    return found


def choose_speed():
    grid = [candidate | {"learning_rate": 0.5} for candidate in candidates(SPEED_GRID)]
    found = {
        name: [speed_on(part, grid) for part in parts(problems.load(name))]
        for name in SPEED_PROBLEMS
    }
    lines = []
    for i, parameters in enumerate(grid):
        cells, means = [], []
        for of_folds in found.values():
            speedups = [fold[i][0] for fold in of_folds if fold[i][0]]
            means.append(geometric(speedups) if len(speedups) == FOLDS else None)
            missed = "" if len(speedups) == FOLDS else f" ({len(speedups)} of {FOLDS} folds)"
            cells.append(number(geometric(speedups), "×") + missed)
        last = geometric([fold[i][1] for of_folds in found.values() for fold in of_folds])
        overall = geometric(means) if all(means) else None
        lines.append((name_of(parameters), *cells, number(overall, "×"), number(last)))
    heads = ("LightGBM's CPU time / mhboost's", *found, "mean", "last error / LightGBM's")
    return markdown(heads, lines)


# --- labels ---------------------------------------------------------------------------------------


def own_losses(part, parameters):
    model = systems.load("mhboost")(part, LABEL_ROUNDS[-1], parameters, **SETTINGS)
    return [error_of(part, scores) for scores in model.staged(part.X_test, list(LABEL_ROUNDS))]


def rival_losses(part, parameters):
    train = systems.load("multi_label")
    parameters = {"wrap": "outputs", "base": "lightgbm", **parameters}
    models = (train(part, rounds, parameters, **SETTINGS) for rounds in RIVAL_ROUNDS)
    return [error_of(part, model.scores(part.X_test)) for model in models]


def choose_labels():
    folds = {name: parts(problems.load(name)) for name in problems.MULTI_LABEL}
    lines = []
    for losses, grid, rounds in (
        (own_losses, candidates(LABEL_GRID), LABEL_ROUNDS),
        (rival_losses, candidates(RIVAL_GRID), RIVAL_ROUNDS),
    ):
        table = np.array(  # candidate x rounds x problem
            [
                np.transpose(
                    [np.mean([losses(p, c) for p in of_folds], 0) for of_folds in folds.values()]
                )
                for c in grid
            ]
        )
        relative = (table / table.min((0, 1))).mean(2)
        for i, k in np.ndindex(relative.shape):
            name = f"{losses.__name__.partition('_')[0]}: {name_of(grid[i])}, rounds {rounds[k]}"
            lines.append((name, *map(percent, table[i, k]), f"{relative[i, k]:.3f}"))
    return markdown(("Hamming loss", *folds, "mean / best"), lines)


def main(arguments=None):
    choices = {"speed": choose_speed, "labels": choose_labels}
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=choices)
    warnings.filterwarnings("ignore", "X does not have valid feature names")
    print("\n".join(choices[parser.parse_args(arguments).what]()))


if __name__ == "__main__":
    main()
