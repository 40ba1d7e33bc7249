"""Problems made by a recipe and a seed, for scaling in rows, features and classes.

A class is a point in the first `informative` features; a row is its class's point plus noise of
standard deviation 1, and the other features are noise only. Labels are balanced.
"""

from __future__ import annotations

import numpy as np

BLOCK = 1 << 18  # rows made at once: no temporary array of the size of X


def centres(n_classes, informative, spread, seed):
    """Return where the classes are, n_classes x informative."""
    rng = np.random.default_rng([seed, 0])
    return rng.normal(0, spread, (n_classes, informative)).astype(np.float32)


def blobs(n_rows, n_features, n_classes, *, informative, spread, seed, part):
    """Draw rows; each `part` (0 = train, 1 = test) has its own noise around the same centres."""
    points = centres(n_classes, informative, spread, seed)
    rng = np.random.default_rng([seed, 1 + part])
    y = rng.permutation(np.arange(n_rows, dtype=np.int32) % np.int32(n_classes))
    X = np.empty((n_rows, n_features), dtype=np.float32)
    for begin in range(0, n_rows, BLOCK):
        rows = slice(begin, min(begin + BLOCK, n_rows))
        rng.standard_normal(out=X[rows], dtype=np.float32)
        X[rows, :informative] += points[y[rows]]
    return X, y
