"""CatBoost: symmetric trees with a vector in every leaf."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from catboost import CatBoostClassifier

from systems import Trained


def train(problem, rounds, parameters, threads, seed, on_round=None):
    model = CatBoostClassifier(
        iterations=rounds,
        loss_function="MultiClass",
        thread_count=threads,
        random_seed=seed,
        verbose=False,
        allow_writing_files=False,
        **parameters,
    )
    model.fit(problem.X_train, problem.y_train)
    return Trained(
        partial(model.predict, prediction_type="RawFormulaVal", thread_count=threads),
        partial(model.predict_proba, thread_count=threads),
        partial(dump, model),
        model.tree_count_,
    )


def dump(model):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.cbm"
        model.save_model(path)
        return path.read_bytes()
