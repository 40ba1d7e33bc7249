"""What columns are for: to be predicted, to be learned from, to weigh rows, to be left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..classifier import MHBoostClassifier
from ..readers import (
    FileError,
    Table,
)
from .guard import MistakeError, UsageMistakeError
from .options import names_in

__all__ = ["Asked", "Roles", "choose_roles", "roles_of"]

USUAL_TARGETS = ("class", "target", "label", "y")


@dataclass(frozen=True)
class Roles:
    """What columns are for."""

    targets: tuple[str, ...]
    multi_label: bool
    weight: str | None = None
    dropped: tuple[str, ...] = ()

    @property
    def no_features(self) -> set[str]:
        """Columns that are not learned from."""
        return {*self.targets, *self.dropped} | ({self.weight} if self.weight else set())

    @property
    def several(self) -> bool:
        """Whether y has several columns."""
        return len(self.targets) > 1


@dataclass(frozen=True)
class Asked:
    """What the user says of the columns."""

    target: list[str] | None = None
    labels: list[str] | None = None
    weight: str | None = None
    drop: list[str] | None = None
    categorical: list[str] | None = None


def choose_roles(table: Table, asked: Asked) -> Roles:
    """Decide what columns are for.

    Parameters
    ----------
    table : Table
        The training file.
    asked : Asked
        What the user says.

    Returns
    -------
    Roles
        At least one target.
    """
    target, labels, weight = asked.target, asked.labels, asked.weight
    if target and labels:
        raise UsageMistakeError("--target and --labels exclude each other")
    known = table.names
    dropped = names_in(asked.drop, known)
    for name in dropped + ([weight] if weight else []):
        _column(table, name)
    if labels:
        chosen = _labels(table, names_in(labels, known))
        return Roles(chosen, len(chosen) > 1, weight, tuple(dropped))
    if target:
        chosen = tuple(_column(table, name) for name in names_in(target, known))
        return Roles(chosen, False, weight, tuple(dropped))
    if table.targets:
        return Roles(table.targets, len(table.targets) > 1, weight, tuple(dropped))
    usual = [name for name in known if name.lower() in USUAL_TARGETS]
    if len(usual) != 1:
        raise FileError(
            table.path,
            f"which column is to be predicted? Say it with --target; columns: "
            f"{', '.join(known[:20])}{' ...' if len(known) > 20 else ''}",
        )
    return Roles((usual[0],), False, weight, tuple(dropped))


def _column(table: Table, name: str) -> str:
    """Find a column by its name, or by its number: 1 is the first, -1 the last."""
    known = table.names
    if name in known:
        return name
    number = int(name) if name.lstrip("-").isdecimal() else 0
    if 1 <= abs(number) <= len(known):
        return known[number - 1 if number > 0 else number]
    table.column(name)  # says which columns there are
    raise MistakeError(f"there is no column {name!r}")


def _labels(table: Table, given: Sequence[str]) -> tuple[str, ...]:
    """Find labels by their names, or all whose names begin as given."""
    known = table.names
    found: list[str] = []
    for text in given:
        start = text.removesuffix("*")
        names = [text] if text in known else [n for n in known if n.startswith(start)]
        found += names or [_column(table, text)]
    return tuple(dict.fromkeys(found))


def roles_of(
    model: MHBoostClassifier, target: list[str] | None = None, weight: str | None = None
) -> Roles:
    """Find the targets of a model.

    Parameters
    ----------
    model : MHBoostClassifier
        A fitted model.
    target : list of str or None
        Names that the user gives, instead of those of the training file.
    weight : str or None
        Column of weights.

    Returns
    -------
    Roles
        In the order of training.
    """
    noted = list(getattr(model, "notes_", {}).get("targets", ()))
    targets = tuple(names_in(target, noted)) or tuple(noted)
    if not targets:
        raise MistakeError("the model does not know the name of its target: say it with --target")
    return Roles(targets, model._model.problem.kind == "multi-label", weight)
