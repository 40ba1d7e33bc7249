"""The rules for the classifier's parameters, and the one place that checks them.

A rule says what is allowed in words, for the error, and in code. What depends on the data (a
matrix of weights, the categorical features) is checked where the data are.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from .learners import MAX_COUNT


@dataclass(frozen=True)
class Rule:
    """What a parameter may be."""

    allowed: str
    accepts: Callable[[Any], bool]

    def __or__(self, other: Rule) -> Rule:
        return Rule(
            f"{self.allowed}, or {other.allowed}", lambda x: self.accepts(x) or other.accepts(x)
        )


def _is_whole(x: Any) -> bool:
    return isinstance(x, Integral) and not isinstance(x, (bool, np.bool_))


def _is_real(x: Any) -> bool:
    return isinstance(x, Real) and not isinstance(x, (bool, np.bool_)) and math.isfinite(x)


def whole(low: int, high: int | None = None) -> Rule:
    """Allow a whole number in a range, ends included."""
    span = f"of at least {low}" if high is None else f"from {low} to {high}"
    return Rule(
        f"a whole number {span}",
        lambda x: _is_whole(x) and x >= low and (high is None or x <= high),
    )


def real(interval: str) -> Rule:
    """Allow a real number in an interval, written as in "(0, 1]"."""
    low, high = (float(end) for end in interval[1:-1].split(","))
    above = operator.gt if interval[0] == "(" else operator.ge
    below = operator.lt if interval[-1] == ")" else operator.le
    return Rule(
        f"a number in {interval}", lambda x: _is_real(x) and above(x, low) and below(x, high)
    )


def fraction() -> Rule:
    """Allow a share written as a float: above 0, at most 1."""
    unit = real("(0, 1]")
    return Rule("a float in (0, 1]", lambda x: not _is_whole(x) and unit.accepts(x))


def word(*words: str) -> Rule:
    """Allow one of some words."""
    listed = " or ".join(map(repr, words))
    return Rule(listed, lambda x: isinstance(x, str) and x in words)


def _is_matrix(x: Any) -> bool:
    try:
        return np.ndim(x) == 2
    except ValueError:  # rows of different lengths
        return False


def _is_callback_list(x: Any) -> bool:
    return isinstance(x, (list, tuple)) and all(map(callable, x))


# Beyond this many classes a tree's structure is searched for a sample of them, two vectors wide: a
# tree that cuts well for 32 classes drawn anew each round does so for hundreds.
MOST_CLASSES_SEARCHED = 64
AUTO_CLASS_SAMPLE = 32

NONE = Rule("None", lambda x: x is None)
FLAG = Rule("True or False", lambda x: isinstance(x, (bool, np.bool_)))
ARRAY = Rule("a matrix with one weight per row and class", _is_matrix)
CALLBACKS = Rule("a list of callables", _is_callback_list)
MAX_JOBS = 1024
JOBS = Rule(
    f"a whole number other than 0, at most {MAX_JOBS}",
    lambda x: _is_whole(x) and x != 0 and x <= MAX_JOBS,
)
CLASS_WEIGHTS = Rule("a dict, or one dict per output", lambda x: isinstance(x, (dict, list, tuple)))
PATH = Rule("the name of a file", lambda x: isinstance(x, (str, os.PathLike)) and x != "")
STATE = Rule("a numpy RandomState", lambda x: isinstance(x, np.random.RandomState))
COUNT = whole(1, MAX_COUNT)
FEATURES = whole(1) | fraction() | word("sqrt", "log2") | NONE

RULES: Mapping[str, Rule] = {
    "n_estimators": whole(1, 2**31 - 1),
    "n_inner_nodes": COUNT,
    "n_terms": COUNT,
    "n_leaves": whole(2, MAX_COUNT),
    "min_samples_leaf": COUNT,
    "base_candidates": COUNT | word("all"),
    "base_gap": whole(0, MAX_COUNT),
    "warm_up": whole(0, MAX_COUNT),
    "learning_rate": real("(0, 1]"),
    "votes": word("discrete", "ternary", "real"),
    "leaf_votes": word("factorized", "leafwise"),
    "loss": word("exponential", "logistic"),
    "weighting": word("auto", "balanced", "uniform") | ARRAY,
    "class_weight": word("balanced") | CLASS_WEIGHTS | NONE,
    "max_bins": whole(2, 65535) | word("exact"),
    "max_features": FEATURES,
    "max_tree_features": FEATURES,
    "subsample": real("(0, 1]"),
    "weight_trimming": real("[0, 1)"),
    "class_sample": whole(1) | fraction() | word("auto") | NONE,
    "real": FLAG,
    "early_stopping": FLAG,
    "validation_fraction": real("(0, 1)"),
    "n_iter_no_change": whole(1) | NONE,
    "eval_metric": word("error", "log_loss", "exponential"),
    "warm_start": FLAG,
    "checkpoint": PATH | NONE,
    "checkpoint_every": whole(1),
    "random_state": whole(0, 2**32 - 1) | STATE | NONE,
    "n_jobs": JOBS | NONE,
    "verbose": whole(0) | FLAG,
    "callbacks": CALLBACKS | NONE,
}


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise an error for the first parameter that breaks its rule.

    Parameters
    ----------
    parameters : mapping
        Names and values.

    Examples
    --------
    >>> check_parameters({"n_estimators": 0})
    Traceback (most recent call last):
    ValueError: n_estimators must be a whole number from 1 to 2147483647; got 0.
    """
    for name, rule in RULES.items():
        if name in parameters and not rule.accepts(parameters[name]):
            raise ValueError(f"{name} must be {rule.allowed}; got {parameters[name]!r:.200}.")


def share(spec: int | float | str | None, total: int) -> int:
    """Turn a number, a fraction or a rule of thumb into a number of features or classes.

    Parameters
    ----------
    spec : int, float, "sqrt", "log2", "auto" or None
        How many; None is all, and so is "auto" (for classes) unless there are very many.
    total : int
        How many there are.

    Returns
    -------
    int
        0 for all, as the core has it.

    Examples
    --------
    >>> share("sqrt", 64), share(0.1, 64), share(100, 64), share("auto", 1000)
    (8, 6, 0, 32)
    """
    match spec:
        case None:
            return 0
        case "auto":
            return AUTO_CLASS_SAMPLE if total > MOST_CLASSES_SEARCHED else 0
        case "sqrt":
            count = math.isqrt(total)
        case "log2":
            count = int(math.log2(total))
        case Integral():
            count = int(spec)
        case _:
            count = int(float(spec) * total)
    return 0 if count >= total else max(1, count)
