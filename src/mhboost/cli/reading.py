"""The file to train on: read, checked, described."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..readers import Options, read
from .features import check_features
from .labels import Labelled, check_classes, labelled
from .options import names_in
from .roles import Asked, choose_roles
from .speaker import Speaker

__all__ = ["read_training"]


def read_training(path: Path, options: Options, asked: Asked, say: Speaker) -> Labelled:
    """Read the file to train on, and say what it is.

    Parameters
    ----------
    path : path
        Name of the file.
    options : Options
        What the user says of the file.
    asked : Asked
        What the user says of the columns.
    say : Speaker
        Tells the user.

    Returns
    -------
    Labelled
        Rows that can be learned from.
    """
    words = tuple(names_in(asked.categorical, []))
    table = read(path, replace(options, words=words))
    for name in words:
        table.column(name)
    roles = choose_roles(table, asked)
    kinds = check_features(table, roles, words)
    rows = labelled(table, roles)
    check_classes(table, roles, rows.y)
    say(
        f"{path.name}: {table.n_rows} rows, {describe(rows, kinds)}",
        data=str(path),
        rows=table.n_rows,
        targets=list(roles.targets),
        kinds=kinds,
    )
    return rows


def describe(rows: Labelled, kinds: dict[str, str]) -> str:
    """Say in a few lines what the columns are.

    Parameters
    ----------
    rows : Labelled
        The training rows.
    kinds : dict
        Kind of each column by name.

    Returns
    -------
    str
        Numbers and names of numeric and categorical features, and of targets.
    """
    table, roles = rows.table, rows.roles
    lines = []
    for kind in ("numeric", "categorical"):
        names = [name for name, k in kinds.items() if k == kind]
        if names:
            lines.append(f"  {len(names)} {kind}: {_some(names)}")
    if table.matrix is not None:
        sparse = "sparse" if hasattr(table.matrix.values, "tocsr") else "numeric"
        lines.append(f"  {table.matrix.values.shape[1]} {sparse} features")
    if roles.dropped:
        lines.append(f"  left out: {_some(list(roles.dropped))}")
    if roles.multi_label:
        lines.append(f"  to predict: {len(roles.targets)} labels: {_some(list(roles.targets))}")
    else:
        for name, column in zip(roles.targets, rows.y.reshape(len(rows.y), -1).T, strict=True):
            classes = sorted(set(map(str, column.tolist())))
            lines.append(f"  to predict: {name}, {len(classes)} classes: {_some(classes)}")
    return "columns:\n" + "\n".join(lines)


def _some(names: list[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
