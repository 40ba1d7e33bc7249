"""Labels and parameters <-> JSON, with their types."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from ..learners import HammingProduct, HammingTree, Learner, Stump
from .container import Array, ModelFileError, require

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = ["float16", "float32", "float64"]
TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "str": (str,),
    "object": (str, int, float, bool),
    **{name: (int,) for name in INTEGERS},
    **{name: (float,) for name in FLOATS},
}
MAX_CHARACTERS = 2**26  # of all labels of a problem, if they were as long as the longest
LEARNERS = {learner.__name__: learner for learner in (Stump, HammingProduct, HammingTree)}


Notes: TypeAlias = "Mapping[str, str | Sequence[str]]"
MAX_NOTES = 2**24  # characters


class NotPortableError(TypeError):
    """A label or a parameter that the file has no words for."""


def encode_label(label: object, where: str) -> object:
    """Write a label; `where` is for the error."""
    value = label.item() if isinstance(label, np.generic) else label
    if type(value) not in (str, float, bool) and not _is_small_int(value):
        raise NotPortableError(
            f"labels must be str, int (of 64 bits), float or bool to be saved in a model file; "
            f"{where} has {label!r:.100} of type {type(label).__name__}."
        )
    is_infinite = isinstance(value, float) and not math.isfinite(value)
    return {"float": str(value)} if is_infinite else value


def _is_small_int(value: object) -> bool:
    return type(value) is int and -(2**63) <= value < 2**64


def decode_label(value: object) -> Any:
    """Read a label."""
    if value == {"float": "inf"} or value == {"float": "-inf"}:
        return math.inf if value == {"float": "inf"} else -math.inf
    fine = type(value) in (str, bool) or (type(value) is float and math.isfinite(value))
    require(fine or _is_small_int(value), f"{value!r:.60} is no label")
    return value


def encode_labels(labels: Iterable[object], where: str) -> list[object]:
    """Write labels; `where` is for the error."""
    return [encode_label(label, where) for label in labels]


def encode_classes(classes: Array) -> dict[str, object]:
    """Write class labels and their type.

    Parameters
    ----------
    classes : ndarray
        Rising.

    Returns
    -------
    dict
        "dtype" and "values".

    Examples
    --------
    >>> encode_classes(np.array(["no", "yes"]))
    {'dtype': 'str', 'values': ['no', 'yes']}
    """
    dtype = "str" if classes.dtype.kind == "U" else classes.dtype.name
    if dtype not in TYPES:
        raise NotPortableError(
            f"class labels of type {classes.dtype} cannot be saved in a model file; "
            f"allowed are {', '.join(TYPES)}."
        )
    values = encode_labels(classes.tolist(), "y")
    if not _is_short(classes.tolist()):
        raise NotPortableError("class labels are too long to be saved in a model file.")
    return {"dtype": dtype, "values": values}


def decode_classes(dtype: str, values: Sequence[object]) -> Array:
    """Read class labels.

    Parameters
    ----------
    dtype : str
        Their type, as `encode_classes` called it.
    values : sequence
        JSON.

    Returns
    -------
    ndarray
        At least one label; rising.
    """
    require(dtype in TYPES, f"class labels cannot be of type {dtype!r:.60}")
    labels = [decode_label(value) for value in values]
    right = len(labels) > 0 and all(type(label) in TYPES[dtype] for label in labels)
    require(right, f"class labels are not of type {dtype}")
    require(_is_short(labels), "class labels are too long")
    try:
        require(all(a < b for a, b in pairwise(labels)), "class labels do not rise")
        with np.errstate(over="ignore"):
            classes = np.array(labels, dtype=dtype)
    except (OverflowError, TypeError) as error:
        raise ModelFileError(f"class labels are not of type {dtype} ({error})") from error
    require(classes.tolist() == labels, f"class labels are not of type {dtype}")
    return classes


def _is_short(labels: Sequence[object]) -> bool:
    """Tell whether labels side by side, each as long as the longest, fit into memory."""
    longest = max((len(label) for label in labels if isinstance(label, str)), default=0)
    return len(labels) * longest <= MAX_CHARACTERS


# --- notes ----------------------------------------------------------------------------------------


def check_notes(notes: Any) -> dict[str, str | list[str]]:
    """Check what users note beside a model.

    Parameters
    ----------
    notes : object
        Texts and lists of texts by name.

    Returns
    -------
    dict
        A copy, in order of the names.

    Examples
    --------
    >>> check_notes({"targets": ["species"]})
    {'targets': ['species']}
    """
    require(isinstance(notes, Mapping), "notes are no JSON object")
    size = 0
    checked: dict[str, str | list[str]] = {}
    for name in sorted(notes, key=str):
        value = notes[name]
        texts = [value] if isinstance(value, str) else value
        right = isinstance(texts, (list, tuple)) and all(isinstance(t, str) for t in (name, *texts))
        require(right, f"the note {name!r:.60} is no text and no list of texts")
        size += sum(map(len, (name, *texts)))
        checked[name] = value if isinstance(value, str) else list(texts)
    require(size <= MAX_NOTES, "the notes are too long")
    return checked


# --- parameters -----------------------------------------------------------------------------------


def encode_parameter(value: Any) -> object:
    """Write a parameter of the estimator.

    Parameters
    ----------
    value : object
        A learner, a scalar, None, or lists, arrays and dicts of such.

    Returns
    -------
    object
        JSON.

    Examples
    --------
    >>> encode_parameter(HammingTree(8))
    {'learner': 'HammingTree', 'n_inner_nodes': 8, 'base': {'learner': 'Stump'}}
    """
    if value is None:
        return None
    if type(value) in LEARNERS.values():
        own = value.get_params(deep=False)
        names = [name for name in type(value).__dataclass_fields__ if name in own]
        return {
            "learner": type(value).__name__,
            **{name: encode_parameter(own[name]) for name in names},
        }
    if isinstance(value, dict):
        pairs = [[encode_parameter(k), encode_parameter(v)] for k, v in value.items()]
        return {"dict": pairs}
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return [encode_parameter(item) for item in value]
    if isinstance(value, Integral) and not isinstance(value, (bool, np.bool_)):
        value = int(value)
    return encode_label(value, "a parameter")


def decode_parameter(value: Any) -> Any:
    """Read a parameter of the estimator.

    Parameters
    ----------
    value : object
        JSON.

    Returns
    -------
    object
        Whether it is allowed is not checked here.
    """
    if value is None:
        return None
    if isinstance(value, list):
        return [decode_parameter(item) for item in value]
    if isinstance(value, dict) and value.keys() == {"dict"}:
        return _decode_dict(value["dict"])
    if isinstance(value, dict) and "learner" in value:
        return _decode_learner(dict(value))
    return decode_label(value)


def _decode_dict(pairs: Any) -> dict[Any, Any]:
    right = isinstance(pairs, list) and all(isinstance(p, list) and len(p) == 2 for p in pairs)
    require(right, "a parameter is no list of keys and values")
    return {decode_label(key): decode_parameter(value) for key, value in pairs}


def _decode_learner(value: dict[str, Any]) -> Learner:
    name = value.pop("learner")
    require(isinstance(name, str) and name in LEARNERS, f"there is no learner {name!r:.60}")
    learner: type[Learner] = LEARNERS[name]
    fields = getattr(learner, "__dataclass_fields__", {})
    require(value.keys() == fields.keys(), f"{name} has other parameters than {list(value)!r:.60}")
    return learner(**{key: decode_parameter(item) for key, item in value.items()})
