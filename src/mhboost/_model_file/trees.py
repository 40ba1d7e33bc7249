"""The core's binner and ensemble <-> the arrays of a file.

What follows from other arrays is not stored: thresholds of cuts from the bin edges, weights of
inner nodes from those of leaves, begins from sizes. Writing reads its own arrays back and compares,
so nothing that would come back different is ever written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import _core
from ..learners import MAX_COUNT
from .container import Array, ModelFileError, Reader, narrow, narrow_real, pack_bits, require

Arrays = dict[str, Array]

MAX_BINS = 65534  # thresholds or categories of a feature
MAX_TERMS = 2**31 - 1
UNITS = 1e9  # gains are whole billionths of the total weight
SIGNS, SIGNS_AND_SILENCE, REALS = 0, 1, 2  # how the core stores votes


# --- the binner -----------------------------------------------------------------------------------


def binner_arrays(binner: _core.Binner) -> Arrays:
    """Write a binner."""
    state = binner.state()
    arrays = {
        "threshold_count": narrow(np.diff(state["threshold_begin"])),
        "threshold": narrow_real(state["thresholds"]),
        "feature_missing": pack_bits(state["has_missing"]),
    }
    if state["categories"].any():
        arrays["feature_categories"] = narrow(state["categories"])
    return arrays


def read_binner(reader: Reader) -> Arrays:
    """Read a binner.

    Parameters
    ----------
    reader : Reader
        Of the file.

    Returns
    -------
    dict
        The state that `_core.Binner.from_state` takes.
    """
    counts = reader.whole("threshold_count")
    n = len(counts)
    require(n > 0, "there are no features")
    require(counts.max() <= MAX_BINS, f"a feature has more than {MAX_BINS} thresholds")
    thresholds = reader.finite("threshold", int(counts.sum()))
    missing = reader.bits("feature_missing", n)
    categories = np.zeros(n, dtype=np.int64)
    if reader.has("feature_categories"):
        categories = reader.whole("feature_categories", n)
        require(categories.max() <= MAX_BINS, f"a feature has more than {MAX_BINS} categories")
    require(not counts[categories > 0].any(), "a categorical feature has thresholds")
    feature = np.repeat(np.arange(n), counts)
    rises = (np.diff(thresholds) > 0) | (np.diff(feature) > 0)
    require(rises.all(), "the thresholds of a feature do not rise")
    return {
        "thresholds": thresholds,
        "threshold_begin": _begins(counts),
        "categories": categories,
        "has_missing": missing,
    }


# --- the ensemble ---------------------------------------------------------------------------------


def ensemble_arrays(ensemble: _core.Ensemble, binner: _core.Binner) -> Arrays:
    """Write an ensemble whose cuts are those of a binner."""
    state = ensemble.state()
    n_terms = np.diff(_appended(state["node_term_begin"], len(state["term_feature"])))
    arrays = {
        "alpha": state["alpha"],
        "tree_size": narrow(np.diff(state["node_begin"].astype(np.int64))),
        "node_left": narrow(state["node_left"]),
        "node_right": narrow(state["node_right"]),
        "node_gain": narrow(np.rint(state["node_gain"] * UNITS).astype(np.int64)),
        "leaf_weight": narrow_real(state["leaf_weight"]),
        "term_feature": narrow(state["term_feature"]),
        "term_cut": narrow(state["term_first_right"]),
        "term_missing_right": pack_bits(state["term_missing_right"]),
        **_vote_arrays(state),
    }
    if (n_terms != 1).any():
        arrays["node_terms"] = narrow(n_terms)
    if not np.array_equal(state["term_unseen_right"], state["term_missing_right"]):
        arrays["term_unseen_right"] = pack_bits(state["term_unseen_right"])
    bins = binner.state()
    if bins["categories"].any():
        arrays["category_set"] = _set_bytes(state, bins["categories"])
    again = read_ensemble(Reader(dict(arrays)), bins, ensemble.n_columns)
    if any(not np.array_equal(again[name], state[name]) for name in state):
        raise ValueError("this ensemble cannot be saved: it was not trained by this library.")
    return arrays


def _vote_arrays(state: Arrays) -> Arrays:
    n_columns, storage = int(state["shape"][1]), int(state["shape"][2])
    if storage == REALS:
        return {"vote_value": narrow_real(state["real_votes"].reshape(-1, n_columns))}
    names = {"positive": "vote_positive"}
    if storage == SIGNS_AND_SILENCE:
        names["voted"] = "vote_cast"
    return {names[plane]: _bytes_of_words(state[plane], n_columns) for plane in names}


def read_ensemble(reader: Reader, bins: Arrays, n_columns: int) -> Arrays:
    """Read an ensemble.

    Parameters
    ----------
    reader : Reader
        Of the file.
    bins : dict
        State of the binner.
    n_columns : int
        Number of score columns.

    Returns
    -------
    dict
        The state that `_core.Ensemble.from_state` takes; what it checks is not checked here.
    """
    alpha = reader.finite("alpha", None)
    size = reader.whole("tree_size", len(alpha))
    left = reader.signed("node_left")
    n_nodes = len(left)
    require(size.max(initial=0) <= MAX_COUNT, f"a tree has more than {MAX_COUNT} nodes")
    require(size.sum() == n_nodes, f"tree_size does not add up to {n_nodes} nodes")
    right = reader.signed("node_right", n_nodes)
    _check_links(size, left, right)
    n_terms = np.ones(n_nodes, dtype=np.int64)
    if reader.has("node_terms"):
        n_terms = reader.whole("node_terms", n_nodes)
    n_leaves = n_nodes + len(size)
    leaf_weight = reader.finite("leaf_weight", n_leaves)
    storage, votes = _read_votes(reader, n_leaves, n_columns)
    begins = _begins(n_terms)
    return {
        "shape": np.array([len(bins["categories"]), n_columns, storage]),
        "alpha": alpha,
        "node_begin": _begins(size).astype(np.uint64),
        "leaf_begin": _begins(size + 1).astype(np.uint64),
        "node_term_begin": begins[:-1].astype(np.uint32),
        "node_term_end": begins[1:].astype(np.uint32),
        "node_left": left.astype(np.int32),
        "node_right": right.astype(np.int32),
        **_read_terms(reader, bins, int(begins[-1])),
        **votes,
        "node_gain": reader.whole("node_gain", n_nodes) / UNITS,
        "node_weight": _node_weights(size, left, right, leaf_weight),
        "leaf_weight": leaf_weight,
    }


def _check_links(size: Array, left: Array, right: Array) -> None:
    """Children come later than their parents, and exist."""
    place = np.arange(len(left)) - np.repeat(_begins(size)[:-1], size)
    of_tree = np.repeat(size, size)
    for links in (left, right):
        to_node = (links > place) & (links < of_tree)
        to_leaf = (links < 0) & (~links <= of_tree)
        wrong = np.flatnonzero(~(to_node | to_leaf))
        if len(wrong):
            raise ModelFileError(f"node {wrong[0]} links to {links[wrong[0]]}")


def _node_weights(size: Array, left: Array, right: Array, leaf_weight: Array) -> Array:
    """Sum from the leaves up, as the core does; trees side by side, the last nodes first."""
    weight = np.zeros(len(left))
    order = np.argsort(-size, kind="stable")
    first_node, first_leaf = _begins(size)[order], _begins(size + 1)[order]
    rising = np.sort(size)

    def below(links: Array, node: Array, leaf: Array) -> Array:
        is_leaf = links < 0
        weights: Array = leaf_weight[leaf + np.where(is_leaf, ~links, 0)]
        weights[~is_leaf] = weight[(node + links)[~is_leaf]]
        return weights

    for j in range(int(size.max(initial=0)) - 1, -1, -1):
        large = len(size) - int(np.searchsorted(rising, j, side="right"))  # trees with a node j
        node, leaf = first_node[:large], first_leaf[:large]
        on_left, on_right = (below(links[node + j], node, leaf) for links in (left, right))
        weight[node + j] = on_left + on_right
    return weight


def core_binner(bins: Arrays) -> _core.Binner:
    """Build a binner from its state."""
    with _core_errors():
        return _core.Binner.from_state(bins)


def core_ensemble(reader: Reader, bins: Arrays, n_columns: int) -> _core.Ensemble:
    """Build an ensemble from the arrays of a file; the core checks that they make trees."""
    state = read_ensemble(reader, bins, n_columns)
    with _core_errors():
        return _core.Ensemble.from_state(state)


@contextmanager
def _core_errors() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ModelFileError(str(error)) from error


# --- terms ----------------------------------------------------------------------------------------


def _read_terms(reader: Reader, bins: Arrays, n_terms: int) -> Arrays:
    require(n_terms <= MAX_TERMS, f"node_terms adds up to {n_terms} terms")
    feature = reader.whole("term_feature", n_terms)
    n_features = len(bins["categories"])
    require(feature.max(initial=0) < n_features, f"term_feature is not below {n_features}")
    cut = reader.whole("term_cut", n_terms)
    counts = np.diff(bins["threshold_begin"])[feature]
    require((cut <= counts).all(), "term_cut is beyond the thresholds of its feature")
    missing_right = reader.bits("term_missing_right", n_terms)
    unseen_right = missing_right
    if reader.has("term_unseen_right"):
        unseen_right = reader.bits("term_unseen_right", n_terms)
    categories = bins["categories"][feature]
    words = -(-categories // 64)
    return {
        "term_threshold": _thresholds(bins, feature, cut, categories),
        "term_feature": feature.astype(np.uint32),
        "term_first_right": cut.astype(np.uint32),
        "term_set_begin": np.where(words > 0, _begins(words)[:-1], 0).astype(np.uint32),
        "term_set_words": words.astype(np.uint32),
        "term_missing_right": missing_right,
        "term_unseen_right": unseen_right,
        "category_words": _read_sets(reader, categories[categories > 0]),
    }


def _thresholds(bins: Arrays, feature: Array, cut: Array, categories: Array) -> Array:
    thresholds: Array = np.where(categories > 0, 0.0, -np.inf)
    real = np.flatnonzero(cut)
    place = bins["threshold_begin"][feature[real]] + cut[real] - 1
    thresholds[real] = bins["thresholds"][place]
    return thresholds


def _set_bytes(state: Arrays, categories: Array) -> Array:
    """Whole bytes of each set, one set after the other."""
    sizes = categories[state["term_feature"]]
    starts = np.repeat(_begins(8 * -(-sizes // 64))[:-1], -(-sizes // 8))
    stored: Array = _as_bytes(state["category_words"])
    chosen: Array = stored[starts + _within(-(-sizes // 8))]
    return chosen


def _read_sets(reader: Reader, sizes: Array) -> Array:
    """Sets of categories, each in words of its own; `sizes`: how many categories each is of."""
    lengths, words = -(-sizes // 8), -(-sizes // 64)
    if len(sizes) == 0 and not reader.has("category_set"):
        return np.zeros(0, dtype=np.uint64)
    stored = reader.bytes("category_set", int(lengths.sum()))
    last = stored[np.cumsum(lengths) - 1].astype(np.int64)
    beyond = last >> (sizes - 8 * (lengths - 1))
    require(not beyond.any(), "a set has categories beyond those of its feature")
    spread = np.zeros(8 * int(words.sum()), dtype=np.uint8)
    spread[np.repeat(_begins(8 * words)[:-1], lengths) + _within(lengths)] = stored
    return spread.view("<u8").astype(np.uint64)


# --- votes ----------------------------------------------------------------------------------------


def _read_votes(reader: Reader, n_leaves: int, n_columns: int) -> tuple[int, Arrays]:
    none = np.zeros(0, dtype=np.uint64)
    votes: Arrays = {"positive": none, "voted": none, "real_votes": np.zeros(0)}
    if reader.has("vote_value"):
        votes["real_votes"] = reader.finite("vote_value", n_leaves, n_columns).ravel()
        return REALS, votes
    votes["positive"] = _words_of_bytes(reader.bits("vote_positive", n_leaves, n_columns))
    if not reader.has("vote_cast"):
        return SIGNS, votes
    votes["voted"] = _words_of_bytes(reader.bits("vote_cast", n_leaves, n_columns))
    silent = votes["positive"] & ~votes["voted"]
    require(not silent.any(), "vote_positive has votes that vote_cast has not")
    return SIGNS_AND_SILENCE, votes


def _bytes_of_words(words: Array, n_columns: int) -> Array:
    rows: Array = _as_bytes(words).reshape(-1, 8 * -(-n_columns // 64))
    return rows[:, : -(-n_columns // 8)]


def _words_of_bytes(bits: Array) -> Array:
    n_rows, n_columns = bits.shape
    rows = np.zeros((n_rows, 8 * -(-n_columns // 64)), dtype=np.uint8)
    rows[:, : -(-n_columns // 8)] = pack_bits(bits)
    return rows.ravel().view("<u8").astype(np.uint64)


# --- small things ---------------------------------------------------------------------------------


def _begins(sizes: Array) -> Any:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def _appended(values: Array, last: int) -> Array:
    return np.append(values.astype(np.int64), last)


def _within(lengths: Array) -> Any:
    """0, 1 ... of each piece in turn."""
    return np.arange(int(lengths.sum())) - np.repeat(_begins(lengths)[:-1], lengths)


def _as_bytes(words: Array) -> Array:
    return words.astype("<u8").view(np.uint8)
