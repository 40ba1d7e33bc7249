"""Error against time, from the rows with curves."""

from __future__ import annotations

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
from results import distinct, least, where

SETTINGS = {"svg.hashsalt": "mhboost", "font.size": 9, "axes.spines.top": False}


def draw(rows, folder):
    """Draw a picture per problem; return the paths."""
    rows = where(rows, experiment="curves", failure=None)
    paths = []
    for problem in distinct(rows, "problem"):
        here = where(rows, problem=problem)
        unit = least(where(here, label="LightGBM"), "fit_cpu_s")
        if unit is None:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        paths.append(folder / f"error-against-time-{problem}.svg")
        draw_problem(problem, here, unit, paths[-1])
    return paths


def draw_problem(problem, rows, unit, path):
    with plt.rc_context(SETTINGS):
        figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
        for row in rows:
            _, cpu, _, error = zip(*row["curve"], strict=True)
            axes.plot([t / unit for t in cpu], [100 * e for e in error], label=row["label"])
        axes.set(
            xscale="log",
            yscale="log",
            title=problem,
            xlabel="CPU time (LightGBM's whole training = 1)",
            ylabel="test error, %",
        )
        axes.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
