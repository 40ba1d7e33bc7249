"""A fitted estimator <-> the bytes of a model file."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._training import Model, Outcome
from .container import Array, Header, Reader, narrow_real, pack, require, unpack
from .header import (
    NUMBER,
    check_stamp,
    decode_features,
    decode_fingerprint,
    decode_parameters,
    decode_problem,
    encode_features,
    encode_fingerprint,
    encode_parameters,
    encode_problem,
    fields,
    stamp,
)
from .trees import (
    Arrays,
    binner_arrays,
    core_binner,
    core_ensemble,
    ensemble_arrays,
    read_binner,
)
from .values import Notes, check_notes

if TYPE_CHECKING:
    from ..classifier import MHBoostClassifier

MAX_TEMPERATURE = 1e300
MAX_SETS = 65535


@dataclass(frozen=True)
class SavedModel:
    """What a model file holds."""

    parameters: dict[str, Any]
    feature_names: Array | None
    outcome: Outcome
    notes: dict[str, Any]


def encode_model(
    estimator: MHBoostClassifier, signature: inspect.Signature, notes: Notes
) -> tuple[bytes, list[str]]:
    """Write a fitted estimator.

    Parameters
    ----------
    estimator : MHBoostClassifier
        Fitted.
    signature : Signature
        Of the classifier: which parameters to write.
    notes : mapping
        What else to write.

    Returns
    -------
    data : bytes
        The same for the same model.
    lost : list of str
        Parameters that could not be written.
    """
    model = estimator._model
    parameters, lost = encode_parameters(estimator, signature)
    header = {
        **stamp("model"),
        "problem": encode_problem(model.problem),
        "features": encode_features(model.schema, getattr(estimator, "feature_names_in_", None)),
        "fit": {
            "n_iter": int(estimator.n_iter_),
            "best_iteration": int(estimator.best_iteration_),
            "temperature": float(estimator.temperature_),
            "stop_reason": estimator.stop_reason_,
        },
        "training": encode_fingerprint(model.fingerprint),
        "parameters": parameters,
    }
    if notes:
        header["notes"] = check_notes(notes)
    arrays = {
        **binner_arrays(model.binner),
        **ensemble_arrays(model.ensemble, model.binner),
        **_history_arrays(estimator),
    }
    return pack(header, arrays), lost


def _history_arrays(estimator: MHBoostClassifier) -> Arrays:
    arrays = {
        "edge": narrow_real(estimator.edges_),
        "train_score": narrow_real(estimator.train_score_),
    }
    validation: Any = getattr(estimator, "validation_score_", None)
    if validation is not None:
        arrays["validation_score"] = narrow_real(np.atleast_2d(validation))
    return arrays


def decode_model(data: bytes) -> SavedModel:
    """Read a model.

    Parameters
    ----------
    data : bytes
        From anywhere.

    Returns
    -------
    SavedModel
        Checked: whatever it holds, predicting with it is safe.
    """
    header, reader = unpack(data)
    notes = check_notes(header.pop("notes", {}))
    types = dict.fromkeys(("problem", "features", "fit", "training", "parameters"), dict)
    problem, features, fit, training, parameters = fields(
        check_stamp(header, "model"), "the header", types
    )
    bins = read_binner(reader)
    schema, names = decode_features(features, bins["categories"])
    decoded = decode_problem(problem)
    fingerprint = decode_fingerprint(training)
    model = Model(
        problem=decoded,
        schema=schema,
        ensemble=core_ensemble(reader, bins, decoded.n_columns),
        binner=core_binner(bins),
        seed=fingerprint.seed,
        fingerprint=fingerprint,
    )
    outcome = _outcome(fit, model, reader)
    reader.finish()
    return SavedModel(decode_parameters(parameters), names, outcome, notes)


def _outcome(header: Header, model: Model, reader: Reader) -> Outcome:
    types = {
        "n_iter": int,
        "best_iteration": int,
        "temperature": NUMBER,
        "stop_reason": (str, type(None)),
    }
    n_iter, best, temperature, stop_reason = fields(header, "fit", types)
    n_stored = model.ensemble.n_rounds
    require(0 <= n_iter <= n_stored, f"fit.n_iter is {n_iter} of {n_stored} rounds")
    require(0 < temperature < MAX_TEMPERATURE, f"fit.temperature is {temperature!r:.40}")
    train_scores = reader.real("train_score", None)
    n_rounds = len(train_scores)
    require(n_rounds >= n_iter, f"train_score has {n_rounds} of {n_iter} rounds")
    require(0 <= best <= n_rounds, f"fit.best_iteration is {best!r:.40} of {n_rounds} rounds")
    histories: list[Array] = []
    if reader.has("validation_score"):
        scores = reader.real("validation_score", None, n_rounds)
        require(len(scores) <= MAX_SETS, f"there are {len(scores)} evaluation sets")
        histories = list(scores)
    return Outcome(
        model=model,
        n_kept=n_iter,
        best=best,
        edges=reader.finite("edge", n_iter),
        alphas=model.ensemble.alphas()[:n_iter],
        train_scores=train_scores,
        validation_scores=histories,
        temperature=float(temperature),
        stop_reason=stop_reason,
    )
