"""What a model, or a training file, needs of another file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
from numpy.typing import NDArray

from ..classifier import MHBoostClassifier
from ..readers import (
    Matrix,
    Options,
    Wanted,
    gather,
    kind_of,
    stream,
)
from .features import check_finite
from .guard import MistakeError
from .labels import Labelled, labelled
from .roles import Roles

__all__ = ["like_training", "read_labelled", "wanted_by"]


def wanted_by(model: MHBoostClassifier, roles: Roles | None = None) -> Wanted:
    """Say what a model needs of a file.

    Parameters
    ----------
    model : MHBoostClassifier
        A fitted model.
    roles : Roles or None
        Targets and weights, if they are wanted too.

    Returns
    -------
    Wanted
        For `stream`.
    """
    notes = getattr(model, "notes_", {})
    categories = model._model.schema.categories
    names = getattr(model, "feature_names_in_", None)
    columns = {}
    for j, name in enumerate(() if names is None else names):
        held = categories[j]
        words = held is not None and all(isinstance(label, str) for label in held.labels)
        columns[str(name)] = pa.string() if words else pa.float64()
    targets: dict[str, pa.DataType] = {}
    if roles is not None:
        targets = dict(zip(roles.targets, _target_types(model, roles), strict=True))
        if roles.weight is not None:
            targets[roles.weight] = pa.float64()
    features = notes.get("features")
    return Wanted(
        columns,
        model.n_features_in_,
        targets,
        tuple(features) if features else None,
        int(notes.get("first feature", 1)),
    )


def _target_types(model: MHBoostClassifier, roles: Roles) -> list[pa.DataType]:
    if roles.multi_label:
        return [pa.float64()] * len(roles.targets)
    classes = model.classes_ if isinstance(model.classes_, list) else [model.classes_]
    if len(classes) != len(roles.targets):
        raise MistakeError(f"the model has {len(classes)} targets; got {len(roles.targets)}")
    return [_type_of(c) for c in classes]


def _type_of(classes: NDArray[Any]) -> pa.DataType:
    kinds = {type(label) for label in classes.tolist()}
    return pa.string() if kinds == {str} else pa.bool_() if kinds == {bool} else pa.float64()


def read_labelled(
    path: Path, wanted: Wanted, roles: Roles, options: Options, model: MHBoostClassifier
) -> Labelled:
    """Read rows that a model is to be measured on.

    Parameters
    ----------
    path : path
        Name of the file.
    wanted : Wanted
        Features and targets with their types.
    roles : Roles
        Which are the targets.
    options : Options
        What the user says of the file.
    model : MHBoostClassifier
        A fitted model, whose classes the labels must be among.

    Returns
    -------
    Labelled
        All rows.
    """
    table = gather(stream(path, wanted, options))
    for name in wanted.columns:
        check_finite(table, name)
    return labelled(table, roles, model)


def like_training(training: Labelled) -> Wanted:
    """Say what a file must have to be measured beside the training file.

    Parameters
    ----------
    training : Labelled
        The training rows.

    Returns
    -------
    Wanted
        The same columns, with the same types.
    """
    table, roles = training.table, training.roles
    matrix = table.matrix
    is_words = {n: kind_of(table.arrow.column(n)) != "numeric" for n in table.arrow.column_names}
    features = [n for n in table.arrow.column_names if n not in roles.no_features]
    targets = {n: table.column(n).type for n in roles.targets}
    targets = {
        n: pa.string() if pa.types.is_dictionary(t) or pa.types.is_string(t) else t
        for n, t in targets.items()
    }
    if roles.weight is not None:
        targets[roles.weight] = pa.float64()
    return Wanted(
        {n: pa.string() if is_words[n] else pa.float64() for n in features},
        matrix.values.shape[1] if isinstance(matrix, Matrix) else len(features),
        targets,
        None if matrix is None else _sparse_names(matrix, roles),
        table.first_index,
    )


def _sparse_names(matrix: Matrix, roles: Roles) -> tuple[str, ...] | None:
    if matrix.names is None:
        return None
    return tuple(name for name in matrix.names if name not in roles.no_features)
