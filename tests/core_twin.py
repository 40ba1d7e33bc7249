"""Compares a training of the core with the oracle's, round by round.

    assert_twins(case)

Both are told as the same story, plain numbers compared with ==. The exponential loss agrees to the
last bit, but for the training loss itself, whose sums run in different orders; the losses and the
node weights, sums of doubles both, are compared within `ROUNDING`.

The logistic loss goes through exp, which the core computes in float32 by its own polynomial:
`assert_close_twins` wants the same trees, and numbers within `LOGISTIC`. That takes data in which
no two different cuts tie.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import oracle
from core_runs import raw_of, train, weights_of
from oracle import Threshold

ROUNDING = 1e-12
LOGISTIC = 2e-5
STOPS = {
    "rounds": "",
    "no error": "the weighted training error is zero",
    "no edge": "no cut has a positive edge",
}


@dataclass
class Round:
    """One hypothesis. Leaves have the core's numbers.

    A node of the paper that is the constant is no node here: its leaf votes for itself.
    """

    cuts: list  # (terms, left, right) of each node, a child being ("node", j) or ("leaf", k)
    gains: list  # of each node's cut over the best constant vote there, in units
    leaf_votes: list
    leaf_masses: list  # shares of the weight
    leaf_of_row: list
    alpha: float
    edge: float


# ------------------------------------------------------------------------------------ the core


def core_rounds(training):
    """The core's rounds, from its public tables."""
    ensemble, edges = training.ensemble, training.booster.edges
    leaves = ensemble.apply(raw_of(training.case.X), 0, ensemble.n_rounds)
    return [
        _core_round(ensemble.nodes(t), leaves[:, t], ensemble.alphas()[t], edges[t])
        for t in range(ensemble.n_rounds)
    ]


def _core_round(table, leaf_of_row, alpha, edge):
    leaf = table["is_leaf"].astype(bool)
    cuts = [
        (tuple(map(_core_term, table["terms"][j])), *(_core_child(table, j, s) for s in SIDES))
        for j in np.flatnonzero(~leaf)
    ]
    return Round(
        cuts=cuts,
        gains=(table["gain"][~leaf] * 1e9).round().astype(int).tolist(),
        leaf_votes=table["votes"][leaf].tolist(),
        leaf_masses=table["weight"][leaf].tolist(),
        leaf_of_row=leaf_of_row.tolist(),
        alpha=float(alpha),
        edge=float(edge),
    )


SIDES = ("left", "right")


def _core_child(table, j, side):
    row = int(table[side][j])
    return ("leaf", int(table["leaf"][row])) if table["is_leaf"][row] else ("node", row)


def _core_term(term):
    missing = 1 if term["missing_right"] else -1
    if term["categories"] is None:
        return ("threshold", term["feature"], term["threshold"], missing)
    return ("subset", term["feature"], tuple(term["categories"]), missing)


# ------------------------------------------------------------------------------------ the oracle


def oracle_model(case, binner):
    """The oracle's model. Where thresholds are quantiles it is told which."""
    numeric = set(range(case.X.shape[1])) - set(case.categorical)
    quantiles = {j: tuple(binner.thresholds(j)) for j in numeric} if case.max_bins else None
    return oracle.boost(
        case.X, case.problem, case.settings, case.rounds, quantiles, case.categorical
    )


def oracle_rounds(model, X, settings):
    before = [model.initial_g, *(r.g for r in model.rounds[:-1])]
    return [
        _oracle_round(r, X, oracle.units(g), settings)
        for r, g in zip(model.rounds, before, strict=False)
    ]


def _oracle_round(r, X, q, settings):
    tree, leaves, paths = r.tree, r.tree.leaves(X), r.tree.paths(X)
    masses = [np.abs(q[rows]).sum() for _, _, rows in leaves]
    leaf_of_row = np.zeros(len(X), dtype=int)
    for k, (_, _, rows) in enumerate(leaves):
        leaf_of_row[rows] = k
    inner = [j for j, node in enumerate(tree.nodes) if not node.is_constant]
    places = {("node", j): ("node", k) for k, j in enumerate(inner)}
    places |= {place: ("leaf", k) for k, place in enumerate(tree.leaf_places())}
    return Round(
        cuts=[_oracle_cut(tree, j, places) for j in inner],
        gains=[_gain(tree.nodes[j].terms, X[paths[j][0]], q[paths[j][0]], settings) for j in inner],
        leaf_votes=[tree.leaf_votes(j, side).astype(float).tolist() for j, side, _ in leaves],
        leaf_masses=[float(mass / sum(masses)) for mass in masses],
        leaf_of_row=leaf_of_row.tolist(),
        alpha=r.alpha,
        edge=r.edge,
    )


def _oracle_cut(tree, j, places):
    """`places`: where the core keeps ("node", j), and where the leaf at (j, side)."""
    node = tree.nodes[j]
    children = []
    for side, child in ((-1, node.left), (1, node.right)):
        if child is None:
            children.append(places[j, side])
        else:
            children.append(places.get(("node", child)) or places[child, 1])
    return (tuple(map(_oracle_term, node.terms)), *children)


def _oracle_term(term):
    if isinstance(term, Threshold):
        return ("threshold", term.feature, term.b, term.missing)
    return ("subset", term.feature, tuple(sorted(term.plus)), term.missing)


def _gain(terms, X, q, settings):
    edge = oracle.evaluate(terms, X, q, settings).verdict.edge
    return max(0, int(edge - np.abs(q.sum(axis=0)).sum()))


# ------------------------------------------------------------------------------------ both


def assert_twins(case, raw=None, **more):
    """The core and the oracle agree on `case`, bit for bit. Returns what the core did."""
    training, model, pairs = _run_both(case, raw, **more)
    _assert_same_weights(case, model)
    for t, (core, twin) in enumerate(pairs):
        assert core == twin, f"round {t}"
    np.testing.assert_allclose(training.booster.losses, model.losses, rtol=ROUNDING)
    others = strangers(case)
    assert np.array_equal(training.scores(), model.scores(case.X))
    assert np.array_equal(training.scores(others), model.scores(others))
    return training


def assert_close_twins(case, raw=None, **more):
    """The same, to a tolerance: for the logistic loss."""
    training, model, pairs = _run_both(case, raw, **more)
    _assert_same_weights(case, model)
    for t, (core, twin) in enumerate(pairs):
        assert (core.cuts, core.leaf_of_row) == (twin.cuts, twin.leaf_of_row), f"round {t}"
        for name in ("alpha", "edge", "leaf_masses", "leaf_votes"):
            _assert_close(getattr(core, name), getattr(twin, name))
    _assert_close(training.booster.losses, model.losses)
    others = strangers(case)
    _assert_close(training.scores(others), model.scores(others))
    return training


def _run_both(case, raw, **more):
    """The training, the oracle's model, and both sides of each round."""
    training = train(case, raw, **more)
    model = oracle_model(case, training.binner)
    assert training.booster.n_rounds == len(model.rounds)
    assert training.booster.stop_reason == STOPS[model.stopped]
    twins = oracle_rounds(model, np.asarray(case.X, dtype=np.float64), case.settings)
    return training, model, list(zip(core_rounds(training), twins, strict=True))


def _assert_same_weights(case, model):
    """The core's array has been to units and back."""
    units = np.float32(1e9)
    given = weights_of(case.problem, case.settings).to_array()
    assert np.array_equal(given, model.initial_g * units / units)


def _assert_close(given, wanted):
    np.testing.assert_allclose(given, wanted, rtol=LOGISTIC, atol=LOGISTIC)


def strangers(case, n=40):
    """Rows that training did not see: mixed and shifted values, missing ones, unseen categories."""
    rng = np.random.default_rng(len(case.X))
    X = rng.permuted(np.resize(case.X, (n, case.X.shape[1])).astype(np.float64), axis=0)
    for j in range(X.shape[1]):
        if j in case.categorical:
            X[rng.random(n) < 0.2, j] = -1
        else:
            X[:, j] += rng.choice([-0.5, 0.0, 1e-9, 0.5], n)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X
