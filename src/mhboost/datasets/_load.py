"""`load`, `names` and `describe`."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable
from dataclasses import replace

from . import _sources
from ._checks import wrong_content, wrong_counts
from ._dataset import Dataset
from ._errors import (
    DatasetMismatchError,
    DatasetMissingError,
    SourceError,
    UnpublishedCutWarning,
)
from ._table import Entry, entry, table

__all__ = ["describe", "load", "names"]

logger = logging.getLogger(__package__)


def load(name: str, data_home: str | os.PathLike[str] | None = None) -> Dataset:
    """Load a data set by name.

    Three sources are tried in order: the file NAME.npz in a folder, the copies that come with
    scikit-learn, and the OpenML service, whose answers scikit-learn caches. The logger
    `mhboost.datasets` and the result's `source` tell which one answered.

    The file holds the arrays `X` (rows × features), `y` (class numbers from 0, or rows × labels of
    0 and 1) and `split` (0 train, 1 test), as `numpy.savez_compressed` writes them; also, if you
    like, `feature_names` and `class_names` or `label_names`.

    Parameters
    ----------
    name : str
        One of `names()`.
    data_home : path-like, optional
        The folder. By default the one that the environment variable `MHBOOST_DATA` names.

    Returns
    -------
    Dataset
        Counts and, as far as `verified` says so, checksums are those of the published cut.

    Raises
    ------
    DatasetMissingError
        No source has it.
    DatasetMismatchError
        The file in the folder is another set, or another cut.

    Warns
    -----
    UnpublishedCutWarning
        If a copy from elsewhere has the right counts but other content, such as another order of
        the rows: then the test rows are not those of the paper.

    Examples
    --------
    >>> from mhboost.datasets import load
    >>> iris = load("iris")
    >>> iris.class_names
    ('setosa', 'versicolor', 'virginica')
    >>> iris.X[34].tolist()[2:], iris.verified
    ([1.5, 0.10000000149011612], True)
    """
    wanted = entry(name)
    reasons = []
    for place, read in _sources_of(wanted, data_home).items():
        try:
            dataset = read()
        except SourceError as error:
            logger.info("%s: not from %s: %s", name, place, error)
            reasons.append(f"{place}: {error}")
        else:
            logger.info("%s: from %s", name, dataset.source)
            return dataset
    raise DatasetMissingError(_how_to_get(wanted, reasons))


def _sources_of(
    wanted: Entry, data_home: str | os.PathLike[str] | None
) -> dict[str, Callable[[], Dataset]]:
    return {
        "a folder": lambda: _published(_sources.from_folder(wanted, data_home), wanted),
        "scikit-learn": lambda: _checked(_sources.from_sklearn(wanted), wanted),
        "OpenML": lambda: _checked(_sources.from_openml(wanted), wanted),
    }


def _published(dataset: Dataset, wanted: Entry) -> Dataset:
    """Insist on the published cut: whoever names a folder means that file."""
    faults = wrong_counts(dataset, wanted) or wrong_content(dataset, wanted)
    if faults:
        raise DatasetMismatchError(
            f"{dataset.source} is not the published {wanted.name}: {'; '.join(faults)}. "
            f"Write it anew from its origin ({wanted.origin}), rows in that order; "
            f"or move it away, and load({wanted.name!r}) tries the other sources."
        )
    return replace(dataset, verified=True)


def _checked(dataset: Dataset, wanted: Entry) -> Dataset:
    """Refuse a copy with other counts, warn of one with other content."""
    faults = wrong_counts(dataset, wanted)
    if faults:
        raise SourceError("another cut: " + "; ".join(faults))
    faults = wrong_content(dataset, wanted)
    if faults:
        warnings.warn(
            f"{wanted.name} from {dataset.source}: the counts agree, the content is not that of "
            f"the published cut ({'; '.join(faults)}). Results need not agree with the paper's.",
            UnpublishedCutWarning,
            stacklevel=4,
        )
    return replace(dataset, verified=not faults)


def _how_to_get(wanted: Entry, reasons: list[str]) -> str:
    ways = [
        f"put {wanted.name}.npz with the arrays X, y and split (the help of load explains them) "
        f"into a folder and name the folder by data_home= or {_sources.FOLDER_VARIABLE}"
    ]
    if wanted.openml:
        ways.append(f"call load({wanted.name!r}) with a network, which downloads it from OpenML")
    lines = [f"{wanted.name} is in none of its sources:", *(f"  {reason}" for reason in reasons)]
    lines += [f"To get it, {', or '.join(ways)}.", f"Its origin: {wanted.origin}."]
    return "\n".join(lines)


def names() -> tuple[str, ...]:
    """List the data sets.

    Returns
    -------
    tuple of str
        Their names, in alphabetical order.

    Examples
    --------
    >>> from mhboost.datasets import names
    >>> len(names()), names()[:4]
    (22, ('balance', 'blood', 'breast', 'corel5k'))
    """
    return tuple(table())


def describe() -> str:
    """Show sizes and origins of the data sets.

    Returns
    -------
    str
        A table: a line for each set.

    Examples
    --------
    >>> from mhboost.datasets import describe
    >>> for line in describe().splitlines()[:3]:
    ...     print(line[:73])
    name               train   test  features  classes  kind          paper
    balance              625      0         4        3  single-label  Table 2
    blood                748      0         4        2  single-label  Table 2
    """
    row = "{:16} {:>7} {:>6} {:>9} {:>8}  {:12}  {:7}  {:20}  {}".format
    head = ("name", "train", "test", "features", "classes", "kind", "paper", "copies", "origin")
    lines = [row(*head), *(row(*_cells(known)) for known in table().values())]
    return "\n".join(lines)


def _cells(known: Entry) -> tuple[str | int, ...]:
    copies = {"scikit-learn": known.sklearn, "OpenML": known.openml}
    return (
        known.name,
        known.n_train,
        known.n_test,
        known.n_features,
        known.n_classes,
        known.kind,
        known.paper,
        ", ".join(place for place, copy in copies.items() if copy),
        known.origin,
    )
