"""A page of the results book: one experiment, all its curves and all its numbers."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["page"]

Method = Mapping[str, Any]
BOTTOM, TOP, TEXT_TOP = 0.38, 0.93, 0.34
TEXT_WIDTH = 138


def page(result: Mapping[str, Any], size: tuple[float, float]) -> Figure:
    """Draw the page of an experiment.

    Parameters
    ----------
    result : dict
        What `run` returned.
    size : tuple of float
        Of the page, in inches.

    Returns
    -------
    Figure
        Two rows of two panels per learner, and a text below.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=size)
    figure.text(0.07, 0.955, result["name"], fontsize=14)
    learners = result["learners"]
    if learners:
        grid = figure.add_gridspec(
            2 * len(learners),
            2,
            left=0.09,
            right=0.91,
            bottom=BOTTOM,
            top=TOP,
            hspace=0.35 if len(learners) == 1 else 0.5,
            wspace=0.28,
        )
        for l, learner in enumerate(learners):
            panels = [[figure.add_subplot(grid[2 * l + i, j]) for j in (0, 1)] for i in (0, 1)]
            _validation(panels[0][0], learner)
            _smoothed(panels[0][1], learner)
            _test(panels[1][0], learner)
            _training(panels[1][1], learner)
    text = "\n".join(_text(result))
    figure.text(0.07, TEXT_TOP if learners else TOP, text, va="top", family="monospace", fontsize=6)
    return figure


# --- panels ---------------------------------------------------------------------------------------


def _validation(axes: Axes, learner: Method) -> None:
    _frame(axes, f"{learner['name']}: validation error, %")
    for color, label, curve in _candidates(learner, "validation"):
        axes.plot(learner["shown_rounds"], curve, color=color, label=label, linewidth=0.7)
    if learner["validation"]:
        axes.legend(fontsize=5, frameon=False, ncols=2)
    else:
        _nothing(axes)


def _smoothed(axes: Axes, learner: Method) -> None:
    """Smoothed curves, and T* of every test fold: a dot where the fold's own curve has it."""
    _frame(axes, "smoothed (eq. 15), %; T* marked")
    colors = []
    for color, _, curve in _candidates(learner, "smoothed"):
        axes.plot(learner["shown_rounds"], curve, color=color, linewidth=0.7)
        colors.append(color)
    if not learner["smoothed"]:
        _nothing(axes)
        return
    for fold in learner["folds"]:
        c = fold["candidate"]
        height = 100 * fold["smoothed_of_candidates"][c]
        axes.plot(fold["rounds"], height, "o", color=colors[c], markeredgecolor="black", ms=4)
        axes.axvline(fold["rounds"], color=colors[c], linewidth=0.4, linestyle=":")


def _test(axes: Axes, learner: Method) -> None:
    _frame(axes, "test error, %; T* marked")
    curves = 100 * np.array(learner["test"])
    rounds = learner["shown_rounds"]
    if len(curves) > 1:
        for curve in curves:
            axes.plot(rounds, curve, color="0.8", linewidth=0.4)
    axes.plot(rounds, curves.mean(axis=0), color="black", linewidth=0.9)
    for fold in learner["folds"]:
        axes.plot(fold["rounds"], 100 * fold["test_error"], "o", color="tab:red", ms=3)


def _training(axes: Axes, learner: Method) -> None:
    _frame(axes, "training error, %")
    axes.plot(learner["shown_rounds"], 100 * np.array(learner["train"]), color="black", lw=0.9)
    loss = axes.twinx()
    loss.plot(learner["shown_rounds"], learner["loss"], color="tab:blue", linewidth=0.9)
    loss.set_yscale("log")
    loss.set_title("exponential loss", fontsize=8, loc="right", color="tab:blue")
    loss.tick_params(axis="y", labelsize=6, labelcolor="tab:blue")


def _frame(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=8, loc="left")
    axes.set_xscale("log")
    axes.set_xlabel("round", fontsize=6, labelpad=0)
    axes.tick_params(labelsize=6)
    axes.grid(linewidth=0.2)


def _nothing(axes: Axes) -> None:
    axes.text(0.5, 0.5, "no validation", ha="center", transform=axes.transAxes, color="0.5")


def _candidates(learner: Method, key: str) -> list[tuple[Any, str, Any]]:
    from matplotlib import colormaps

    curves = learner[key]
    shades = colormaps["viridis"](np.linspace(0, 0.9, max(len(curves), 1)))
    labels = [_pairs(candidate) for candidate in learner["candidates"]]
    return [(shades[i], labels[i], 100 * np.array(curve)) for i, curve in enumerate(curves)]


# --- text -----------------------------------------------------------------------------------------


def _text(result: Mapping[str, Any]) -> list[str]:
    lines = []
    for learner in result["learners"]:
        lines += [_headline(learner), *_chosen(learner, _learner_fold), ""]
    if result["svm"]:
        lines += [_headline(result["svm"]), *_chosen(result["svm"], _svm_fold), ""]
    data, versions = result["data"], result["versions"]
    state = "verified" if data["verified"] else "NOT the published content"
    facts = [
        f"data           {data['name']}: {data['n_rows']} rows, {data['n_features']} features, "
        f"{data['n_classes']} classes, from {data['source']}, {state}",
        f"time           {result['cpu_seconds']:.0f} CPU seconds, {result['seconds']:.0f} seconds "
        "of work, summed over jobs",
        f"versions       {', '.join(f'{name} {value}' for name, value in versions.items())}",
        f"configuration  {json.dumps(result['experiment'])}",
        f"digest         {result['digest']}",
    ]
    for fact in facts:
        lines += textwrap.wrap(fact, TEXT_WIDTH, subsequent_indent=" " * 15)
    return lines


def _headline(method: Method) -> str:
    return (
        f"{method['name']}: test error {100 * method['error']:.2f} ± "
        f"{100 * method['deviation']:.2f} % ({method['deviation_over']})"
    )


def _chosen(method: Method, describe: Any) -> list[str]:
    """What was chosen: fold by fold in short, if there are several."""
    parts = [f"{describe(fold)}: {100 * fold['test_error']:.2f} %" for fold in method["folds"]]
    return textwrap.wrap("chosen: " + "; ".join(parts), TEXT_WIDTH, subsequent_indent="        ")


def _learner_fold(fold: Mapping[str, Any]) -> str:
    return ", ".join(filter(None, [_pairs(fold["parameters"]), f"T* {fold['rounds']}"]))


def _svm_fold(fold: Mapping[str, Any]) -> str:
    return f"C {fold['C']:g}, gamma {fold['gamma']:g}"


def _pairs(values: Mapping[str, Any]) -> str:
    """Parameters in short, in the paper's letters where it has one."""
    short = {"n_inner_nodes": "N", "n_terms": "m", "learning_rate": "rate"}
    return ", ".join(f"{short.get(name, name)} {value}" for name, value in values.items())
