"""Models whose files are kept in tests/data and must load and predict the same for ever.

    python tests/kept_models.py FORMAT

trains them and writes the files of a format: once, when the format is new.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np

from mhboost import HammingProduct, HammingTree, MHBoostClassifier

FOLDER = Path(__file__).parent / "data"
N_ROWS = 90
N_ASKED = 30  # rows whose predictions are kept


def people(rng):
    """Numbers, categories of strings and of numbers, and holes in all of them."""
    size = rng.normal(size=N_ROWS).round(2)
    colour = rng.choice(["red", "green", "blue", None], N_ROWS, p=[0.3, 0.3, 0.3, 0.1])
    grade = rng.choice([1, 2.5, -3, np.nan], N_ROWS).astype(object)
    y = np.where(colour == "red", "high", np.where(size > 0, "low", "middle"))
    y[grade == 2.5] = "ünder"
    size[::7] = np.nan
    return np.column_stack([size.astype(object), colour, grade]), y


def labels(rng):
    X = rng.normal(size=(N_ROWS, 4)).round(2)
    return X, (X @ rng.normal(size=(4, 5)) + rng.normal(size=(N_ROWS, 5)) > 0.5).astype(int)


def tasks(rng):
    X = rng.integers(0, 9, size=(N_ROWS, 3)) / 4
    a = np.array(["no", "yes"], dtype=object)[(X[:, 0] > 1).astype(int)]
    b = np.array(["x", "y", "z"], dtype=object)[rng.integers(0, 2, N_ROWS) + (X[:, 1] > 1)]
    return X, np.column_stack([a, b])


MODELS = {
    "single-label": (people, {"categorical_features": [1, 2], "class_weight": {"low": 2.0}}),
    "multi-label": (labels, {"votes": "ternary", "early_stopping": True, "n_estimators": 60}),
    "multi-task": (tasks, {"votes": "real", "base": HammingTree(3, HammingProduct(2))}),
}


def train(name):
    """The model of this name, and the rows that it is asked about."""
    make, parameters = MODELS[name]
    X, y = make(np.random.default_rng(0))
    model = MHBoostClassifier(**{"n_estimators": 20, "random_state": 0, "n_jobs": 1, **parameters})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y), X[:N_ASKED]


def answers(model, X):
    """What must stay the same: labels and the bits of scores; of probabilities twelve digits."""

    def flat(output):
        arrays = output if isinstance(output, list) else [output]
        return np.concatenate([np.ravel(array) for array in arrays]).tolist()

    return {
        "predict": np.asarray(model.predict(X)).tolist(),
        "decision_function": [x.hex() for x in flat(model.decision_function(X))],
        "predict_proba": [round(x, 12) for x in flat(model.predict_proba(X))],
    }


def rows_of(lists):
    """Rows as JSON keeps them; nan is null."""
    return np.array([[np.nan if x is None else x for x in row] for row in lists], dtype=object)


def json_rows(X):
    return [[None if x is None or x != x else x for x in row] for row in X.tolist()]


if __name__ == "__main__":
    for name in MODELS:
        model, X = train(name)
        path = FOLDER / f"model-v{sys.argv[1]}-{name}.mhb"
        model.save(path)
        kept = {"rows": json_rows(X), **answers(model, rows_of(json_rows(X)))}
        path.with_suffix(".json").write_text(json.dumps(kept), encoding="utf-8")
        print(path.name, path.stat().st_size, path.with_suffix(".json").stat().st_size)
