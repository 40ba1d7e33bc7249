"""XGBoost: one tree per class and round, or `multi_strategy="multi_output_tree"`: vector leaves."""

from __future__ import annotations

from functools import partial

import xgboost as xgb

from systems import Trained


class AfterRound(xgb.callback.TrainingCallback):
    def __init__(self, on_round):
        super().__init__()
        self.on_round = on_round

    def after_iteration(self, model, epoch, evals_log):
        self.on_round()
        return False  # go on


def train(problem, rounds, parameters, threads, seed, on_round=None):
    settings = {
        "objective": "multi:softprob",
        "num_class": problem.n_classes,
        "tree_method": "hist",
        "nthread": threads,
        "seed": seed,
        "verbosity": 1,
        **parameters,
    }
    callbacks = None if on_round is None else [AfterRound(on_round)]
    rows = xgb.QuantileDMatrix(
        problem.X_train,
        problem.y_train,
        max_bin=settings.get("max_bin"),
        nthread=threads,
    )
    model = xgb.train(settings, rows, num_boost_round=rounds, callbacks=callbacks)
    return Trained(
        partial(model.inplace_predict, predict_type="margin"),
        model.inplace_predict,
        partial(model.save_raw, raw_format="ubj"),
        model.num_boosted_rounds(),
        partial(staged, model),
    )


def staged(model, X, wanted):
    for t in wanted:
        yield model.inplace_predict(X, iteration_range=(0, t), predict_type="margin")
