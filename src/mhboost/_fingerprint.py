"""What a model was trained on, in a few numbers: to tell whether other data are the same.

The digests are of what the core works on (bins, positives, weights), so they do not depend on the
container that the data came in.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._data import TrainingData

BYTES = 16


@dataclass(frozen=True)
class Fingerprint:
    """Rows (without those of no weight or held out), features, seed, and digests."""

    rows: int
    features: int
    seed: int
    X: str
    y: str
    weights: str


def take_fingerprint(
    data: TrainingData, binner: _core.Binner, matrix: _core.BinnedMatrix
) -> Fingerprint:
    """Take the fingerprint of training data.

    Parameters
    ----------
    data : TrainingData
        What `fit` was given.
    binner : Binner
        Fitted on it.
    matrix : BinnedMatrix
        Its training rows.

    Returns
    -------
    Fingerprint
        Equal if the core would see the same.
    """
    rows, problem = data.train, data.problem
    classes = repr((problem.kind, [c.tolist() for c in problem.classes]))
    categories = repr([c and c.labels for c in data.schema.categories])
    weights = [rows.weights] if rows.entry_weights is None else [rows.weights, rows.entry_weights]
    bins = binner.state()
    return Fingerprint(
        rows=matrix.n_rows,
        features=matrix.n_features,
        seed=data.seed,
        X=digest(f"{categories} {[matrix.digest(k) for k in range(2)]}", *bins.values()),
        y=digest(
            classes,
            rows.positives.indptr.astype(np.int64),
            rows.positives.indices.astype(np.int32),
        ),
        weights=digest("", *weights),
    )


def digest(text: str, *arrays: Any) -> str:
    """Digest a text and arrays.

    Parameters
    ----------
    text : str
        Any.
    *arrays : ndarray
        Of any type; their types count.

    Returns
    -------
    str
        Hexadecimal.

    Examples
    --------
    >>> digest("a", np.arange(3, dtype=np.int64))
    'c7f580c46e9e05b85ffd18ed72dba5df'
    """
    state = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=BYTES)
    for array in arrays:
        state.update(f"|{array.dtype.str}{array.shape}".encode())
        state.update(np.ascontiguousarray(array).data)
    return state.hexdigest()
