"""What was planted is found: thresholds, categories, missing values, products, a whole tree."""

import itertools

import numpy as np
import pytest

from core_runs import Case, csc_of, train
from core_twin import core_rounds
from mhboost import HammingProduct, MHBoostClassifier, Stump
from oracle import Problem, Settings

NAN = np.nan


def first_round(X, y, nodes=1, raw=None, classes=None, **case):
    X = np.asarray(X, dtype=float)
    problem = Problem.single_label(np.asarray(y, dtype=int), classes)
    settings = Settings(nodes=nodes, **case.pop("settings", {}))
    return core_rounds(train(Case(X, problem, settings, rounds=1, **case), raw=raw))[0]


def only_term(found):
    [(terms, left, right)] = found.cuts
    [term] = terms
    assert (left, right) == (("leaf", 0), ("leaf", 1))
    return term


# ------------------------------------------------------------------------------------- thresholds

BINS = [*((12, b) for b in range(1, 12)), *((300, b) for b in (1, 2, 150, 255, 256, 257, 299))]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("n_bins", "b"), BINS)
@pytest.mark.parametrize("container", ["dense", "sparse"])
def test_a_planted_threshold_is_found_for_every_bin_and_sign(n_bins, b, sign, container):
    """In the second of three columns; the others are noise."""
    rng = np.random.default_rng([n_bins, b])
    X = rng.permuted(np.tile(np.arange(n_bins), (3, 2)), axis=1).T.astype(float)
    y = (X[:, 1] >= b) == (sign > 0)
    found = first_round(X, y, raw=csc_of(X) if container == "sparse" else None)
    kind, feature, threshold, _ = only_term(found)
    assert (kind, feature, threshold) == ("threshold", 1, b - 0.5)
    assert found.leaf_votes == [[-sign], [sign]]
    assert found.edge == 1


@pytest.mark.parametrize("b", range(1, 10))
def test_a_planted_threshold_is_found_among_noisy_labels(b):
    rng = np.random.default_rng(b)
    x = np.repeat(np.arange(10), 60)
    y = np.where(rng.random(600) < 0.2, rng.integers(0, 2, 600), x >= b)
    assert only_term(first_round(x[:, None], y))[2] == b - 0.5


@pytest.mark.parametrize("b", [1, 4, 7])
def test_every_class_votes_for_its_side_of_a_planted_threshold(b):
    """Of five classes, those with a 1 in their place lie above the threshold."""
    above = np.array([0, 1, 1, 0, 1])
    rng = np.random.default_rng(b)
    y = np.tile(np.arange(5), 80)
    x = np.where(above[y], rng.integers(b, 8, 400), rng.integers(0, b, 400))
    x[:16], y[:16] = [0, b - 1, b, 7] * 4, [0, 0, 1, 1] * 4  # the values next to the threshold
    found = first_round(x[:, None], y)
    assert only_term(found)[2] == b - 0.5
    assert found.leaf_votes == [(1 - 2 * above).tolist(), (2 * above - 1).tolist()]


# ------------------------------------------------------------------------------------- categories


@pytest.mark.parametrize("n_categories", [2, 3, 12, 65, 130, 300])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("with_missing", [False, True])
def test_a_planted_subset_of_the_categories_is_found(n_categories, sign, with_missing):
    rng = np.random.default_rng([n_categories, with_missing])
    x = np.repeat(np.arange(n_categories), 3).astype(float)
    member = rng.permutation(n_categories) < (n_categories + 1) // 2
    y = member[x.astype(int)] == (sign > 0)
    if with_missing:
        x, y = np.r_[x, [NAN] * 4], np.r_[y, [sign > 0] * 4]  # they go with the members
    X = np.column_stack([rng.permutation(x), x])
    found = first_round(X, y, categorical={0: n_categories, 1: n_categories})
    kind, feature, categories, missing = only_term(found)
    assert (kind, feature, found.edge) == ("subset", 1, 1)
    inside = np.isin(np.arange(n_categories), categories)
    assert inside.tolist() in (member.tolist(), (~member).tolist())
    if with_missing:
        assert (missing > 0) == (inside == member).all()


# ---------------------------------------------------------------------------------- missing values


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("b", [1, 3, 5])
def test_missing_values_are_found_on_their_planted_side(b, side):
    rng = np.random.default_rng(b)
    x = rng.integers(0, 6, 200).astype(float)
    y = x >= b
    x[:40], y[:40] = NAN, side > 0
    assert only_term(first_round(x[:, None], y)) == ("threshold", 0, b - 0.5, side)


@pytest.mark.parametrize("sign", [1, -1])
def test_to_be_missing_can_be_all_that_matters(sign):
    x = np.random.default_rng(0).integers(0, 6, 200).astype(float)
    x[::3] = NAN
    found = first_round(x[:, None], np.isnan(x) == (sign > 0))
    assert only_term(found) == ("threshold", 0, -np.inf, -1)
    assert (found.edge, found.leaf_votes) == (1, [[sign], [-sign]])


# ---------------------------------------------------------------------------------------- products


def xor_data(n_terms, n=400):
    """Two classes by the product of signs. Lopsided: without that no term alone has an edge."""
    rng = np.random.default_rng(n_terms)
    X = rng.uniform(-1, 0.8, (n, n_terms + 1))
    return X, X[:, :n_terms].prod(axis=1) > 0


@pytest.mark.parametrize("n_terms", [2, 3])
def test_a_planted_product_is_found_by_a_product_and_by_no_stump(n_terms):
    X, y = xor_data(n_terms)
    one_round = {"n_estimators": 1, "max_bins": "exact", "n_jobs": 1}
    product = MHBoostClassifier(HammingProduct(n_terms), **one_round).fit(X, y)
    assert product.score(X, y) == 1
    assert product.edges_.tolist() == [1]
    stumps = MHBoostClassifier(Stump(), **one_round | {"n_estimators": 20}).fit(X, y)
    assert stumps.edges_[0] < 0.3
    assert stumps.score(X, y) < 0.75


def test_the_terms_of_a_planted_product_are_its_cuts():
    X, y = xor_data(2)
    [(terms, *_)] = first_round(X, y, settings={"terms": 2}).cuts
    planted = {}
    for j in (0, 1):
        below, above = X[X[:, j] < 0, j].max(), X[X[:, j] > 0, j].min()
        planted[j] = below + (above - below) / 2
    assert {feature: threshold for _, feature, threshold, _ in terms} == planted


# ------------------------------------------------------------------------------------------- trees

CUBE = np.array(list(itertools.product(range(8), repeat=3)))  # every row once


def test_a_bushy_tree_is_grown_again_cut_by_cut():
    """x0 >= 4 parts A, B from C, D; x1 >= 2 parts A from B, x2 >= 6 C from D.

    Both halves gain the same, and the left one goes first. Then every leaf is pure, and says so
    if it votes for itself.
    """
    left, low, short = CUBE[:, 0] < 4, CUBE[:, 1] < 2, CUBE[:, 2] < 6
    y = np.where(left, np.where(low, 0, 1), np.where(short, 2, 3))
    root, second, third = (("threshold", j, b) for j, b in enumerate([3.5, 1.5, 5.5]))
    for nodes, cuts, edge in [
        (1, [root], 2 / 3),
        (2, [root, second], 5 / 6),
        (3, [root, second, third], 1),
        (9, [root, second, third], 1),
    ]:
        found = first_round(CUBE, y, nodes, settings={"leaves": "leafwise"})
        assert [terms[0][:3] for terms, *_ in found.cuts] == cuts
        assert found.edge == pytest.approx(edge, abs=1e-6)
    assert [children for _, *children in found.cuts] == [
        [("node", 1), ("node", 2)],
        [("leaf", 0), ("leaf", 1)],
        [("leaf", 2), ("leaf", 3)],
    ]
    assert np.array_equal(np.argmax(found.leaf_votes, axis=1), [0, 1, 2, 3])


def test_a_slender_tree_is_grown_again_cut_by_cut():
    """Those with x0 < 2 are A, of the others those with x1 < 3 are B, of these with x2 < 5 C; D.

    Nodes 3 and 5 cut nothing: the leaf of B, of fewer rows than its sibling's, has inherited a
    vote for A as well, and that of D one for A and B. They are corrected.
    """
    y = np.where(CUBE[:, 0] < 2, 0, np.where(CUBE[:, 1] < 3, 1, np.where(CUBE[:, 2] < 5, 2, 3)))
    b = [1.5, 2.5, 4.5]
    for nodes, n_cuts, edge, votes in [
        (1, 1, 1 / 2, [[1, -1, -1, -1], [-1, 1, 1, 1]]),
        (2, 2, 3 / 4, [[1, -1, -1, -1], [1, 1, -1, -1], [-1, -1, 1, 1]]),
        (3, 2, 27 / 32, [[1, -1, -1, -1], [-1, 1, -1, -1], [-1, -1, 1, 1]]),
        (4, 3, 113 / 128, [[1, -1, -1, -1], [-1, 1, -1, -1], [-1, -1, 1, -1], [1, 1, -1, 1]]),
        (5, 3, 1, (2 * np.eye(4) - 1).tolist()),
        (9, 3, 1, (2 * np.eye(4) - 1).tolist()),
    ]:
        found = first_round(CUBE, y, nodes)
        cuts = [terms[0][:3] for terms, *_ in found.cuts]
        assert cuts == [("threshold", j, b[j]) for j in range(n_cuts)]
        assert found.edge == pytest.approx(edge, abs=1e-6)
        assert found.leaf_votes == votes


# --------------------------------------------------------------------------------- the best stump


@pytest.mark.parametrize(
    ("features", "cuts", "twentieths", "right_votes"),
    [
        ([0], [("threshold", 0, 3.5)], 12, [-1, -1, 1]),
        ([1], [("threshold", 0, 0.5)], 14, [-1, 1, 1]),
        ([0, 1], [("threshold", 1, 0.5)], 14, [-1, 1, 1]),
        ([2], [], 4, [1, 1, -1]),
        ([2, 0], [("threshold", 1, 3.5)], 12, [-1, -1, 1]),
    ],
)
def test_the_best_stump_by_hand(features, cuts, twentieths, right_votes):
    """The paper's StumpBase and BestStump line by line; balanced weights, in twentieths.

    Feature 0 is 1 2 2 3 4, the classes are A A B B C.

                 w y            gamma           sum
        gamma0                 ( 1,  1, -2)      4     the constant
        s = 1    (2, -1, -1)   (-3,  3,  0)      6     b = 1.5, the best so far
        s = 2    (2, -1, -1)   (-7,  5,  2)     14     no threshold: the next s is the same
        s = 2    (-1, 2, -1)   (-5,  1,  4)     10     b = 2.5, better
        s = 3    (-1, 2, -1)   (-3, -3,  6)     12     b = 3.5, the best of all

    Feature 1 is 0 0 1 1 1: behind the two rows of A, (-7, 5, 2) has its threshold. Feature 2 is
    constant and leaves the constant, with votes sign(gamma0).
    """
    X = np.array([[1, 0, 7], [2, 0, 7], [2, 1, 7], [3, 1, 7], [4, 1, 7]])
    found = first_round(X[:, features], [0, 0, 1, 1, 2])
    assert [terms[0][:3] for terms, *_ in found.cuts] == cuts
    assert found.leaf_votes[-1] == right_votes
    assert found.edge == pytest.approx(twentieths / 20, abs=1e-8)
    assert found.gains == [pytest.approx((twentieths - 4) / 20 * 1e9, abs=9)] * len(cuts)
    gamma, s = found.edge, 0.01 / 5
    assert found.alpha == pytest.approx(np.log((1 + gamma + s) / (1 - gamma + s)) / 2)
