"""The target columns of a table -> y, and the column of weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..classifier import MHBoostClassifier
from ..readers import (
    FileError,
    Table,
)
from .roles import Roles

__all__ = ["Labelled", "check_classes", "check_known", "labelled"]

FEW_ROWS = 50


@dataclass(frozen=True)
class Labelled:
    """Rows to learn from, or to be measured on."""

    table: Table
    roles: Roles
    y: NDArray[Any]
    weight: NDArray[np.float64] | None

    @property
    def X(self) -> Any:  # noqa: N802
        """What `fit` and `predict` take."""
        return self.table.features(self.roles.no_features)

    def take(self, rows: NDArray[np.intp]) -> Labelled:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return Labelled(self.table.take(rows), self.roles, self.y[rows], weight)


def labelled(table: Table, roles: Roles, model: MHBoostClassifier | None = None) -> Labelled:
    """Take y and the weights out of a table.

    Parameters
    ----------
    table : Table
        With the columns of `roles`.
    roles : Roles
        Which they are.
    model : MHBoostClassifier or None
        A model whose classes the labels must be among.

    Returns
    -------
    Labelled
        Every row has a label.
    """
    read = _indicator if roles.multi_label else _classes
    columns = [read(table, name) for name in roles.targets]
    if model is not None and not roles.multi_label:
        known = model.classes_ if isinstance(model.classes_, list) else [model.classes_]
        for name, column, classes in zip(roles.targets, columns, known, strict=True):
            check_known(table, name, column, classes)
    if len(columns) == 1:
        y = columns[0]
    elif len({column.dtype.kind for column in columns}) == 1:
        y = np.column_stack(columns)
    else:
        y = np.column_stack([column.astype(object) for column in columns])
    return Labelled(table, roles, y, _weights(table, roles.weight))


def _present(table: Table, name: str, what: str) -> pa.ChunkedArray:
    column = table.column(name)
    if column.null_count:
        row = pc.index(column.is_null(), True).as_py()
        raise table.error(f"{what} is missing", row, name)
    return column


def _classes(table: Table, name: str) -> NDArray[Any]:
    column = _present(table, name, "the target")
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
        values = column.to_numpy().astype(np.float64)
        odd = ~np.isfinite(values) | (values != np.trunc(values))
        if odd.any():
            row = int(np.argmax(odd))
            message = f"{values[row]:g} is a number to estimate, and mhboost predicts classes"
            raise table.error(message, row, name)
        return np.asarray(values, dtype=np.int64)
    if pa.types.is_boolean(column.type) or pa.types.is_integer(column.type):
        return np.asarray(column.to_numpy())
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return np.array(column.to_pylist(), dtype=str)
    raise FileError(table.path, f"the target holds {column.type}, not classes", column=name)


def _indicator(table: Table, name: str) -> NDArray[Any]:
    column = _present(table, name, "the label")
    try:
        values = column.cast(pa.float64()).to_numpy()
    except (pa.ArrowException, ValueError) as error:
        raise FileError(
            table.path, f"a label is 0 or 1; this column holds {column.type}", column=name
        ) from error
    odd = (values != 0) & (values != 1)
    if odd.any():
        row = int(np.argmax(odd))
        raise table.error(f"a label is 0 or 1, not {values[row]:g}", row, name)
    return np.asarray(values, dtype=np.int64)


def check_known(table: Table, name: str, labels: NDArray[Any], classes: NDArray[Any]) -> None:
    """Refuse labels that are none of the classes.

    Parameters
    ----------
    table : Table
        Where the labels are from.
    name : str
        Their column.
    labels : ndarray
        Of all rows.
    classes : ndarray
        Of the training data.
    """
    unknown = ~np.isin(labels, classes)
    if unknown.any():
        row = int(np.argmax(unknown))
        known = ", ".join(map(str, classes[:10])) + (" ..." if len(classes) > 10 else "")
        raise table.error(
            f"class {labels[row].item()!r} is not in the training data, which has {known}",
            row,
            name,
        )


def check_classes(table: Table, roles: Roles, y: NDArray[Any]) -> None:
    """Refuse a target that has too many values to be classes.

    Parameters
    ----------
    table : Table
        The training file.
    roles : Roles
        Its targets.
    y : ndarray
        Their values.
    """
    if roles.multi_label or len(y) < FEW_ROWS:
        return
    for name, column in zip(roles.targets, y.reshape(len(y), -1).T, strict=True):
        distinct = len(set(column.tolist()))
        if 2 * distinct > len(y):
            raise FileError(
                table.path,
                f"{distinct} different values in {len(y)} rows are no classes; is it a name, or a "
                "number to estimate?",
                column=name,
            )


def _weights(table: Table, name: str | None) -> NDArray[np.float64] | None:
    if name is None:
        return None
    column = _present(table, name, "the weight")
    try:
        values = column.cast(pa.float64()).to_numpy()
    except (pa.ArrowException, ValueError) as error:
        raise FileError(table.path, "weights must be numbers", column=name) from error
    odd = ~(np.isfinite(values) & (values >= 0))
    if odd.any():
        row = int(np.argmax(odd))
        raise table.error(f"a weight must not be negative; got {values[row]:g}", row, name)
    return np.asarray(values, dtype=np.float64)
