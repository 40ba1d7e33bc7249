"""Small estimators for the tests of the Python side, and the bits that tell two models apart."""

from __future__ import annotations

import numpy as np

from mhboost import MHBoostClassifier

SMALL = {"n_estimators": 6, "n_inner_nodes": 3, "random_state": 0}


def small(base="tree", **parameters):
    """A classifier that is trained in a few milliseconds."""
    return MHBoostClassifier(base, **{**SMALL, **parameters})


def bits(model):
    """Every bit of a fitted model that does not depend on what X and y came in."""
    told = (model.edges_, model.alphas_, model.train_score_, np.array(model.temperature_))
    parts = (*model._model.ensemble.state().values(), *model._model.binner.state().values(), *told)
    return b"|".join(_bits_of(part) for part in parts)


def _bits_of(part):
    array = np.asarray(part)
    return f"{array.dtype} {array.shape} ".encode() + array.tobytes()


def attributes(model):
    """What a failed `fit` must leave alone: the attributes, and what they hold."""
    held = dict(vars(model))
    return held, bits(model) if hasattr(model, "_model") else None


def assert_untouched(model, before):
    held, model_bits = before
    assert vars(model).keys() == held.keys()
    assert all(vars(model)[name] is value for name, value in held.items())
    assert model_bits is None or bits(model) == model_bits
