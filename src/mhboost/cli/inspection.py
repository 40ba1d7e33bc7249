"""`mhboost inspect`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from .._model_file.container import unpack
from .._saving import load
from ..classifier import MHBoostClassifier
from .options import Json, Model, default_of
from .similarity import names_of, vote_similarity

__all__ = ["inspect"]

MOST_FEATURES, MOST_PAIRS, MOST_CLASSES = 10, 8, 12


def inspect(
    model: Model,
    trees: Annotated[int, typer.Option(help="So many of the first trees are drawn.", min=0)] = 1,
    as_json: Json = False,
) -> None:
    """Show what a model file holds: training, parameters, importances, trees, classes alike.

    Example: [bold]mhboost inspect letter.mhb --trees 2[/bold]
    """
    facts = contents(load(model), model, trees)
    if as_json:
        print(json.dumps(facts))
    else:
        print("\n".join(_lines(facts)))


def contents(model: MHBoostClassifier, path: Path, n_trees: int) -> dict[str, Any]:
    """Collect what there is to say of a model.

    Parameters
    ----------
    model : MHBoostClassifier
        Loaded from the file.
    path : path
        The file.
    n_trees : int
        How many trees to draw.

    Returns
    -------
    dict
        As `mhboost inspect --json` prints it.
    """
    header, _ = unpack(path.read_bytes())
    problem = model._model.problem
    notes = getattr(model, "notes_", {})
    parameters = {
        name: str(value)
        for name, value in model.get_params(deep=False).items()
        if value is not None and str(value) != str(default_of(name))
    }
    facts: dict[str, Any] = {
        "file": str(path),
        "bytes": path.stat().st_size,
        "format": header["format"],
        "written by": header["written_by"],
        "problem": problem.kind,
        "targets": _targets(model),
        "rounds": model.n_iter_,
        "nodes": int(sum(len(t.nodes["is_leaf"]) - t.n_leaves for t in model.estimators_)),
        "stopped": model.stop_reason_,
        "parameters": parameters,
        "training": {**header["training"], "data": notes.get("data", "")},
        "features": _features(model),
        "importances": _importances(model),
        "trees": [_drawn(model, t) for t in range(min(n_trees, model.n_iter_))],
    }
    score = getattr(model, "validation_score_", None)
    if isinstance(score, np.ndarray) and len(score):
        facts["validation"] = {
            "metric": model.eval_metric,
            "last": float(score[model.n_iter_ - 1]),
            "best round": model.best_iteration_,
        }
    pairs = _alike(model)
    if pairs:
        facts["vote alike"] = pairs
    return facts


def _drawn(model: MHBoostClassifier, t: int) -> str:
    tree = model.estimators_[t]
    tree.columns = names_of(model)
    return tree.as_text()


def _targets(model: MHBoostClassifier) -> dict[str, list[str]]:
    problem = model._model.problem
    noted = list(getattr(model, "notes_", {}).get("targets", ()))
    n = len(problem.classes)
    names = noted if len(noted) == n else [str(m) for m in range(n)] if n > 1 else ["target"]
    if problem.kind == "multi-label":
        return {"labels": names}
    return {
        name: list(map(str, classes.tolist()))
        for name, classes in zip(names, problem.classes, strict=True)
    }


def _feature_names(model: MHBoostClassifier) -> list[str]:
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = getattr(model, "notes_", {}).get("features")
    return [f"x{j}" for j in range(model.n_features_in_)] if names is None else list(names)


def _features(model: MHBoostClassifier) -> dict[str, str]:
    kinds = (
        "numeric" if c is None else f"{len(c.labels)} categories"
        for c in model._model.schema.categories
    )
    return dict(zip(_feature_names(model), kinds, strict=True))


def _importances(model: MHBoostClassifier) -> dict[str, float]:
    shares = model.feature_importances_
    order = np.argsort(-shares, kind="stable")
    names = _feature_names(model)
    return {names[j]: float(shares[j]) for j in order if shares[j] > 0}


def _alike(model: MHBoostClassifier) -> list[dict[str, Any]]:
    """Find the pairs of classes whose votes agree most."""
    names, similarity = vote_similarity(model)
    upper: NDArray[Any] = np.triu(np.ones_like(similarity, dtype=bool), 1)
    first, second = np.nonzero(upper)
    order = np.argsort(-similarity[upper], kind="stable")[:MOST_PAIRS]
    return [
        {"classes": [names[first[p]], names[second[p]]], "agreement": float(similarity[upper][p])}
        for p in order
    ]


# --- for people -----------------------------------------------------------------------------------


def _lines(facts: dict[str, Any]) -> list[str]:
    training, parameters = facts["training"], facts["parameters"]
    stopped = f", ended: {facts['stopped']}" if facts["stopped"] else ""
    given = ", ".join(f"{k}={v}" for k, v in parameters.items()) or "the defaults"
    lines = [
        f"{facts['file']}: {facts['bytes'] / 1e3:.0f} kB, format {facts['format']}, "
        f"written by mhboost {facts['written by']}",
        f"problem      {facts['problem']}",
    ]
    for name, classes in facts["targets"].items():
        lines.append(f"target       {name}: {len(classes)}: {_some(classes)}")
    lines += [
        f"model        {facts['rounds']} rounds, {facts['nodes']} cuts{stopped}",
        f"parameters   {given}",
        f"training     {training['rows']} rows, {training['features']} features"
        + (f" of {training['data']}" if training["data"] else ""),
        f"fingerprint  X {training['X']}",
        f"             y {training['y']}",
    ]
    if "validation" in facts:
        v = facts["validation"]
        lines.append(f"validation   {v['metric']} {v['last']:.4f}, best round {v['best round']}")
    categories = {k: v for k, v in facts["features"].items() if v != "numeric"}
    if categories:
        lines.append(f"categorical  {_some([f'{k} ({v})' for k, v in categories.items()])}")
    lines += ["", "importance of features"]
    shares = list(facts["importances"].items())
    width = max((len(name) for name, _ in shares[:MOST_FEATURES]), default=0)
    lines += [f"  {n:{width}}  {100 * s:5.1f} %" for n, s in shares[:MOST_FEATURES]]
    if len(shares) > MOST_FEATURES:
        lines.append(f"  and {len(shares) - MOST_FEATURES} more")
    if "vote alike" in facts:
        lines += ["", "classes that vote alike (1: always, -1: never)"]
        lines += [
            f"  {' and '.join(p['classes'])}  {p['agreement']:.2f}" for p in facts["vote alike"]
        ]
    for tree in facts["trees"]:
        lines += ["", tree]
    return lines


def _some(names: list[str]) -> str:
    more = f" and {len(names) - MOST_CLASSES} more" if len(names) > MOST_CLASSES else ""
    return ", ".join(names[:MOST_CLASSES]) + more
