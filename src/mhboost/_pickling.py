"""Lets the core's fitted objects be pickled and copied: they travel as dicts of arrays.

A fitted estimator travels as the bytes of its model file instead, see `_saving`.
"""

from __future__ import annotations

import copyreg
from typing import Any

from . import _core


def _ensemble(state: dict[str, Any]) -> _core.Ensemble:
    return _core.Ensemble.from_state(state)


def _binner(state: dict[str, Any]) -> _core.Binner:
    return _core.Binner.from_state(state)


def register() -> None:
    """Teach pickle (and joblib, cloudpickle, `copy.deepcopy`) about the core's objects."""
    copyreg.pickle(_core.Ensemble, lambda ensemble: (_ensemble, (ensemble.state(),)))
    copyreg.pickle(_core.Binner, lambda binner: (_binner, (binner.state(),)))
