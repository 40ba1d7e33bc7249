"""Durable training: a file with the rounds done, from which a killed `fit` goes on.

Rounds depend on the training rows, the seed and a few parameters (`settings`), all of which the
file knows and compares. It does not matter how many rounds are wanted, what they are evaluated on,
or who watches: all that is worked out again from the rounds.

A warm start goes on from a model; the file then says how many rounds of it were there before, made
by whatever settings.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._fingerprint import Fingerprint
from ._model_file import disk
from ._model_file.container import ModelFileError, pack, require, unpack
from ._model_file.header import (
    NUMBER,
    check_stamp,
    decode_fingerprint,
    encode_fingerprint,
    fields,
    stamp,
)
from ._model_file.trees import binner_arrays, core_ensemble, ensemble_arrays, read_binner
from ._targets import MAX_COLUMNS

if TYPE_CHECKING:
    from ._estimator import BoostingEstimator

Settings = dict[str, Any]
WORDS = ("votes", "leaf_votes", "loss", "weighting")


@dataclass(frozen=True)
class Checkpoint:
    """What a file holds: rounds, what made them, and how many were there before (`start`)."""

    fingerprint: Fingerprint
    settings: Settings
    start: int
    ensemble: _core.Ensemble


def read_checkpoint(path: disk.FilePath | None) -> Checkpoint | None:
    """Read a checkpoint.

    Parameters
    ----------
    path : path or None
        The parameter.

    Returns
    -------
    Checkpoint or None
        None if there is no such file (yet).
    """
    if path is None or not os.path.lexists(path):
        return None
    try:
        return _decode(Path(path).read_bytes())
    except ModelFileError as error:
        raise ModelFileError(f"checkpoint {os.fspath(path)}: {error}") from error


def _decode(data: bytes) -> Checkpoint:
    header, reader = unpack(data)
    types = {"training": dict, "settings": dict, "start": int, "n_columns": int}
    training, settings, start, n_columns = fields(
        check_stamp(header, "checkpoint"), "the header", types
    )
    require(1 <= n_columns <= MAX_COLUMNS, f"n_columns is {n_columns!r:.40}")
    for name, value in settings.items():
        right = isinstance(value, str) if name in WORDS else isinstance(value, NUMBER)
        require(right, f"settings.{name!r:.40} is of a wrong type")
    ensemble = core_ensemble(reader, read_binner(reader), n_columns)
    reader.finish()
    require(0 <= start <= ensemble.n_rounds, f"start is {start!r:.40}")
    return Checkpoint(decode_fingerprint(training), settings, start, ensemble)


class Journal:
    """Keeps the checkpoint of a running `fit`.

    Parameters
    ----------
    estimator : estimator
        Its parameters say where and how often.
    binner : Binner
        Of the training.
    fingerprint : Fingerprint
        Of the training data.
    settings : dict
        All else that rounds depend on.
    previous : Ensemble
        What the training starts from: no rounds, or those of a warm start.
    saved : Checkpoint or None
        What the file holds.
    """

    def __init__(
        self,
        estimator: BoostingEstimator,
        binner: _core.Binner,
        fingerprint: Fingerprint,
        settings: Settings,
        previous: _core.Ensemble,
        saved: Checkpoint | None,
    ) -> None:
        self.path = estimator.checkpoint
        self.every = int(estimator.checkpoint_every)
        self.wanted = int(estimator.n_estimators)
        self.binner, self.fingerprint, self.settings = binner, fingerprint, settings
        self.start, self.done = _resume(self, previous, saved)
        self.n_written = -1 if saved is None else saved.ensemble.n_rounds
        self.has_written = False
        if self.path is not None:
            disk.remove_leftovers(self.path)
            if self.n_written < self.done.n_rounds:
                self._write(self.done)

    def rounds_left(self, n_rounds: int) -> int:
        """Number of rounds until the next is to be written down."""
        return self.wanted if self.path is None else self.every - n_rounds % self.every

    def note(self, booster: _core.Booster | _core.Rival) -> None:
        """Write the rounds down if it is time."""
        if self.path is not None and booster.n_rounds - self.n_written >= self.every:
            self._write(booster.ensemble())

    def close(self, ensemble: _core.Ensemble) -> None:
        """Write the last rounds down, unless the file knows more than was asked for."""
        knows_more = self.n_written >= self.wanted
        if self.path is not None and not knows_more and self.n_written != ensemble.n_rounds:
            self._write(ensemble)

    def _write(self, ensemble: _core.Ensemble) -> None:
        """Write; an error is an error the first time, when no work is lost, then a warning."""
        header = {
            **stamp("checkpoint"),
            "training": encode_fingerprint(self.fingerprint),
            "settings": self.settings,
            "start": self.start,
            "n_columns": ensemble.n_columns,
        }
        arrays = {**binner_arrays(self.binner), **ensemble_arrays(ensemble, self.binner)}
        try:
            disk.write(os.fspath(self.path), pack(header, arrays))
        except OSError as error:
            if not self.has_written:
                raise
            message = f"the checkpoint of {ensemble.n_rounds} rounds was not written: {error}"
            warnings.warn(message, UserWarning, stacklevel=6)
            return
        self.has_written = True
        self.n_written = ensemble.n_rounds


def _resume(
    now: Journal, previous: _core.Ensemble, saved: Checkpoint | None
) -> tuple[int, _core.Ensemble]:
    """Choose the rounds to go on from, and say how many of them others made."""
    n_previous = previous.n_rounds
    if saved is None:
        return n_previous, previous
    differences = _differences(now, saved)
    agree = _begin_alike(previous, saved.ensemble)
    if agree and 0 < saved.ensemble.n_rounds <= n_previous:  # the file holds nothing new
        is_mine = not differences and saved.ensemble.n_rounds == n_previous
        return (saved.start if is_mine else n_previous), previous
    if saved.start > n_previous or not agree:
        n = saved.start
        differences.append(
            f"it went on from a model of {n} rounds, which this is not"
            if n
            else "its first rounds are not those of this model"
        )
    if differences:
        raise ValueError(
            f"checkpoint={os.fspath(now.path)!r} is a file of another training: "
            f"{'; '.join(differences)}. Delete the file or name another."
        )
    return saved.start, saved.ensemble.truncate(min(saved.ensemble.n_rounds, now.wanted))


def _differences(now: Journal, saved: Checkpoint) -> list[str]:
    mine, other = now.fingerprint, saved.fingerprint
    found = [
        f"{name} was {saved.settings.get(name)!r:.40}, is {value!r}"
        for name, value in now.settings.items()
        if saved.settings.get(name) != value
    ]
    if mine.features != other.features:
        return [*found, f"X had {other.features} features, has {mine.features}"]
    if mine.rows != other.rows:
        return [*found, f"there were {other.rows} training rows, are {mine.rows}"]
    if mine.seed != other.seed:
        return [*found, "random_state gives another seed"]
    digests = {
        "X": "X or its bins (max_bins, categorical_features) are others",
        "y": "y is another",
        "weights": "weights (sample_weight, class_weight, weighting) are others",
    }
    return [*found, *(text for k, text in digests.items() if getattr(mine, k) != getattr(other, k))]


def _begin_alike(a: _core.Ensemble, b: _core.Ensemble) -> bool:
    """Tell whether the shorter of two ensembles is the beginning of the longer one."""
    n = min(a.n_rounds, b.n_rounds)
    states = a.truncate(n).state(), b.truncate(n).state()
    return all(np.array_equal(states[0][name], states[1][name]) for name in states[0])
