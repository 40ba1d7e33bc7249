"""What a model says of rows, as named columns."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..classifier import MHBoostClassifier

__all__ = ["What", "prediction_columns"]

What: TypeAlias = Literal["classes", "proba", "scores", "top", "staged"]
Array = NDArray[Any]


def prediction_columns(model: MHBoostClassifier, X: Any, what: What, number: int = 0) -> pa.Table:
    """Predict rows.

    Parameters
    ----------
    model : MHBoostClassifier
        A fitted model.
    X : array-like or data frame
        The rows.
    what : str
        "classes", "proba" and "scores" are what `predict`, `predict_proba` and
        `decision_function` say; "top" the likeliest classes with their probabilities; "staged" the
        classes after more and more rounds.
    number : int
        How many classes are "top"; every how many rounds is "staged".

    Returns
    -------
    pyarrow.Table
        One row per row of X.
    """
    match what:
        case "classes":
            columns = _named("prediction", targets(model), model.predict(X))
        case "staged":
            columns = _staged(model, X, number)
        case "top":
            columns = _top(model, model.predict_proba(X), number)
        case "scores":
            columns = _wide(model, "score", model.decision_function(X))
        case "proba":
            columns = _wide(model, "proba", model.predict_proba(X))
    return pa.table(columns)


def targets(model: MHBoostClassifier) -> list[str]:
    """Name the outputs of a model.

    Parameters
    ----------
    model : MHBoostClassifier
        A fitted model.

    Returns
    -------
    list of str
        The names that the model file notes, or numbers; a single output needs no name.
    """
    problem = model._model.problem
    n = len(problem.classes)
    noted = list(getattr(model, "notes_", {}).get("targets", ()))
    if problem.kind == "single-label":
        return [""]
    return noted if len(noted) == n else [str(m) for m in range(n)]


def _joined(*parts: str) -> str:
    return "_".join(part for part in parts if part)


def _named(prefix: str, names: list[str], decided: Array) -> dict[str, Array]:
    columns = decided.reshape(len(decided), -1).T
    return {_joined(prefix, n): _plain(c) for n, c in zip(names, columns, strict=True)}


def _plain(column: Array) -> Array:
    """Give an object column the type of what it holds."""
    return np.array(column.tolist()) if column.dtype.kind == "O" else column


def _staged(model: MHBoostClassifier, X: Any, every: int) -> dict[str, Array]:
    columns: dict[str, Array] = {}
    for t, decided in enumerate(model.staged_predict(X), 1):
        if t % every == 0 or t == model.n_iter_:
            columns.update(_named(f"after_{t}", targets(model), decided))
    return columns


def _tasks(model: MHBoostClassifier, values: Any) -> list[tuple[str, Array, Array]]:
    """Cut scores or probabilities into targets: name, classes, columns."""
    problem, names = model._model.problem, targets(model)
    if problem.kind == "multi-label":
        return [("", np.array(names), values)]
    held = values if isinstance(values, list) else [values]
    return list(zip(names, problem.classes, held, strict=True))


def _wide(model: MHBoostClassifier, prefix: str, values: Any) -> dict[str, Array]:
    columns = {}
    for name, classes, task in _tasks(model, values):
        matrix = task.reshape(len(task), -1)
        # Two classes share one score, which speaks for the second.
        for label, column in zip(classes[-matrix.shape[1] :], matrix.T, strict=True):
            columns[_joined(prefix, name, str(label))] = np.ascontiguousarray(column)
    return columns


def _top(model: MHBoostClassifier, proba: Any, number: int) -> dict[str, Array]:
    columns = {}
    for name, classes, task in _tasks(model, proba):
        order = np.argsort(-task, axis=1, kind="stable")[:, :number]
        for place, chosen in enumerate(order.T, 1):
            columns[_joined(f"top{place}", name)] = classes[chosen]
            columns[_joined(f"proba{place}", name)] = task[np.arange(len(task)), chosen]
    return columns
