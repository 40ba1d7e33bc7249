"""What a model knows besides its arrays <-> JSON: problem, features, parameters, origin.

The header has exactly the fields that docs/model-format.md lists; reading refuses others.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import numpy as np

from .._fingerprint import Fingerprint
from .._schema import MAX_CATEGORIES, Categories, Schema
from .._targets import MAX_COLUMNS, Kind, Problem
from .container import Array, Header, ModelFileError, require
from .values import (
    NotPortableError,
    decode_classes,
    decode_label,
    decode_parameter,
    encode_classes,
    encode_labels,
    encode_parameter,
)

VERSION = version("mhboost")
FORMAT = 1
READABLE_BY = "0.1.0"  # the first version of the library that reads FORMAT
LOCAL_PARAMETERS = {"callbacks", "checkpoint"}  # of the program that trained, not of the model
NUMBER = (int, float)


def fields(header: object, name: str, types: Mapping[str, Any]) -> list[Any]:
    """Read the fields of a JSON object.

    Parameters
    ----------
    header : object
        JSON.
    name : str
        What to call it in an error.
    types : mapping
        Each field's type, or types.

    Returns
    -------
    list
        The values, in the order of `types`.
    """
    require(isinstance(header, dict), f"{name} is no JSON object")
    fields: dict[str, Any] = dict(header)  # type: ignore[call-overload]
    odd = sorted(fields.keys() ^ types.keys())
    require(not odd, f"{name} has not the fields of this format: {odd[:3]!r:.100}")
    for key, type_ in types.items():
        is_bool = isinstance(fields[key], bool)
        require(isinstance(fields[key], type_) and not is_bool, f"{name}.{key} is of a wrong type")
    return [fields[key] for key in types]


def stamp(kind: str) -> Header:
    """Say what the file is and who reads it."""
    return {
        "format": FORMAT,
        "kind": kind,
        "written_by": VERSION,
        "readable_by": READABLE_BY,
    }


def check_stamp(header: Header, kind: str) -> Header:
    """Refuse files that this version cannot read; return the header without its stamp."""
    format_, needed = header.get("format"), header.get("readable_by")
    require(type(format_) is int and format_ >= 1, "the header has no format number")
    if format_ != FORMAT:
        is_version = isinstance(needed, str) and re.fullmatch(r"[0-9a-z.+!]{1,40}", needed)
        raise ModelFileError(
            f"it is of format {format_}; mhboost {VERSION} reads format {FORMAT}. "
            f"Install mhboost {needed if is_version else 'of the newest version'} or later."
        )
    require(header.get("kind") == kind, f"it is no {kind}, but a {header.get('kind')!r:.40}")
    require(isinstance(header.get("written_by"), str), "the header does not say who wrote it")
    require(isinstance(needed, str), "the header does not say who reads it")
    return {key: value for key, value in header.items() if key not in stamp(kind)}


# --- the problem ----------------------------------------------------------------------------------


def encode_problem(problem: Problem) -> Header:
    """Write the tasks."""
    if problem.kind == "multi-label":
        return {"kind": problem.kind, "n_labels": len(problem.classes)}
    return {"kind": problem.kind, "classes": [encode_classes(c) for c in problem.classes]}


def decode_problem(header: object) -> Problem:
    """Read the tasks."""
    kinds: dict[Any, tuple[str, type]] = {
        "single-label": ("classes", list),
        "multi-task": ("classes", list),
        "multi-label": ("n_labels", int),
    }
    require(isinstance(header, dict), "problem is no JSON object")
    given = header.get("kind") if isinstance(header, dict) else None
    require(isinstance(given, str) and given in kinds, f"there is no problem {given!r:.40}")
    field, type_ = kinds[given]
    kind, content = fields(header, "problem", {"kind": str, field: type_})
    if kind == "multi-label":
        require(1 <= content <= MAX_COLUMNS, f"problem.n_labels is {content}")
        return Problem("multi-label", (np.array([0, 1]),) * content)
    right = len(content) == 1 if kind == "single-label" else len(content) > 1
    require(right, f"a {kind} problem has {len(content)} tasks")
    types = {"dtype": str, "values": list}
    classes = tuple(decode_classes(*fields(task, "problem.classes", types)) for task in content)
    problem = Problem(_kind(kind), classes)
    require(problem.n_columns <= MAX_COLUMNS, f"there are {problem.n_columns} classes")
    return problem


def _kind(kind: str) -> Kind:
    return "single-label" if kind == "single-label" else "multi-task"


# --- the features ---------------------------------------------------------------------------------


def encode_features(schema: Schema, names: Array | None) -> Header:
    """Write the features' names and categories."""
    categories = {
        str(j): encode_labels(c.labels, f"feature {j} of X")
        for j, c in enumerate(schema.categories)
        if c is not None
    }
    return {"names": None if names is None else [str(n) for n in names], "categories": categories}


def decode_features(header: object, n_categories: Array) -> tuple[Schema, Array | None]:
    """Read the features' names and categories.

    Parameters
    ----------
    header : object
        JSON.
    n_categories : ndarray of shape (n_features,)
        What the binner says of each feature; 0 if it is numeric.

    Returns
    -------
    schema : Schema
        The categories.
    names : ndarray of str or None
        The names.
    """
    types = {"names": (list, type(None)), "categories": dict}
    names, categories = fields(header, "features", types)
    n = len(n_categories)
    if names is not None:
        right = len(names) == n and all(isinstance(name, str) for name in names)
        require(right, f"features.names are not {n} names")
        names = np.array(names, dtype=object)
    wanted = {str(j) for j in np.flatnonzero(n_categories)}
    require(categories.keys() == wanted, "features.categories are not of the categorical features")
    read: list[Categories | None] = [None] * n
    for key, labels in categories.items():
        read[int(key)] = _decode_categories(labels, key, int(n_categories[int(key)]))
    return Schema(tuple(read)), names


def _decode_categories(labels: object, key: str, count: int) -> Categories:
    name = f"features.categories.{key}"
    decoded = [decode_label(x) for x in labels] if isinstance(labels, list) else []
    right = isinstance(labels, list) and max(1, len(decoded)) == count <= MAX_CATEGORIES
    require(right, f"{name} are not {count} labels")
    require(len(set(decoded)) == len(decoded), f"{name} hold a label twice")
    return Categories(tuple(decoded))


# --- parameters and origin ------------------------------------------------------------------------


def encode_parameters(estimator: Any, signature: inspect.Signature) -> tuple[Header, list[str]]:
    """Write the estimator's parameters.

    Parameters
    ----------
    estimator : MHBoostClassifier
        Or a subclass: parameters of its own are left out.
    signature : Signature
        Of the classifier.

    Returns
    -------
    parameters : dict
        JSON. What the file has no words for (a matrix of weights, a RandomState) is written as
        its default.
    lost : list of str
        Names of these.
    """
    encoded, lost = {}, []
    for name, parameter in signature.parameters.items():
        value = getattr(estimator, name)
        if name in LOCAL_PARAMETERS:
            value = parameter.default
        try:
            encoded[name] = encode_parameter(value)
        except NotPortableError:
            encoded[name] = encode_parameter(parameter.default)
            lost.append(name)
    return encoded, lost


def decode_parameters(header: object) -> dict[str, Any]:
    """Read the estimator's parameters; whether they are allowed is not checked here."""
    require(isinstance(header, dict), "parameters are no JSON object")
    given: dict[str, Any] = dict(header)  # type: ignore[call-overload]
    for name in LOCAL_PARAMETERS:  # a file must not choose where later training writes
        require(given.get(name) is None, f"parameters.{name} is not null")
    return {name: decode_parameter(value) for name, value in given.items()}


def encode_fingerprint(fingerprint: Fingerprint) -> Header:
    """Write what the model was trained on."""
    return asdict(fingerprint)


def decode_fingerprint(header: object) -> Fingerprint:
    """Read what the model was trained on."""
    types = {"rows": int, "features": int, "seed": int, "X": str, "y": str, "weights": str}
    values = fields(header, "training", types)
    right = all(re.fullmatch("[0-9a-f]{32}", digest) for digest in values[3:])
    require(right and min(values[:3]) >= 0 and max(values[:3]) < 2**64, "training is damaged")
    return Fingerprint(*values)
