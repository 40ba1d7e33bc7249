"""Change the data in a way that means nothing, and nothing changes; mostly to the last bit.

Bits are promised where only whole numbers are summed in another order. They cannot be where a tie
is broken by the order of what moved (features, classes); there the data have no ties: values of
their own, and a weight of its own for every entry. The training loss is a sum of doubles over rows.
"""

from dataclasses import replace

import numpy as np
import pytest

from core_runs import Case, fingerprint, train
from core_twin import core_rounds, strangers
from estimator_runs import bits, small
from oracle import Problem, Settings
from random_cases import PROBLEMS, random_case, random_labels, random_problem

VOTES = ("discrete", "ternary", "real")
SHAPES = {
    "stump": {},
    "tree": {"nodes": 3},
    "leafwise tree": {"nodes": 3, "leaves": "leafwise"},
    "product": {"terms": 3},
}
SEEDS = range(4)


def each_shape(test):
    test = pytest.mark.parametrize("votes", VOTES)(test)
    test = pytest.mark.parametrize("shape", SHAPES)(test)
    return pytest.mark.parametrize("seed", SEEDS)(test)


def whole_weights(seed, problem):
    """One for every entry. Their sum is exact in any order, too."""
    return np.random.default_rng(seed).integers(1, 10**6, problem.signs.shape).astype(float)


def case_with_ties(seed, **settings):
    case = random_case([seed, 1], **settings, row_weights=None)
    return with_weights(case, whole_weights(seed, case.problem))


def case_without_ties(seed, kind=None, categories=0, **settings):
    """Rows enough, and such seeds, that no cut takes off one row: any feature can do that."""
    rng = np.random.default_rng([seed, 4])
    n = 400
    X = rng.normal(size=(n, 4))
    X[rng.random(n) < 0.2, 1] = np.nan
    if categories:
        X[:, 2] = rng.integers(0, categories, n)
    problem = random_problem(rng, X, kind or PROBLEMS[seed % len(PROBLEMS)])
    settings = Settings(weights=whole_weights(seed, problem), **settings)
    return Case(X, problem, settings, 5, {2: categories} if categories else {})


def with_weights(case, weights):
    return replace(case, settings=replace(case.settings, weights=weights))


def model_bits(training, without=()):
    """All bits but the losses, and but the arrays named in `without`."""
    left_out = {"losses", *without}
    return {name: array for name, array in fingerprint(training).items() if name not in left_out}


def rounds_with_features(training, numbers):
    """The rounds, with feature j told as numbers[j]."""

    def told(cut):
        terms, *children = cut
        return (tuple((kind, numbers[j], *rest) for kind, j, *rest in terms), *children)

    return [replace(r, cuts=[told(cut) for cut in r.cuts]) for r in core_rounds(training)]


# ------------------------------------------------------------------------------------------- rows


@each_shape
def test_order_of_rows(seed, votes, shape):
    case = case_with_ties(seed, votes=votes, **SHAPES[shape])
    order = np.random.default_rng(seed).permutation(len(case.X))
    shuffled = with_weights(
        replace(case, X=case.X[order], problem=taken(case.problem, order)),
        case.settings.weights[order],
    )
    one, other = train(case), train(shuffled)
    assert model_bits(one) == model_bits(other)
    np.testing.assert_allclose(one.booster.losses, other.booster.losses, rtol=1e-12)


def taken(problem, rows):
    return replace(problem, signs=problem.signs[rows])


@each_shape
def test_rows_without_weight(seed, votes, shape):
    """Their values must be known from other rows, and n be told: it smooths the votes."""
    case = case_with_ties(seed, votes=votes, **SHAPES[shape], max_bins=0)
    n = len(case.X)
    rows = np.r_[np.arange(n), np.random.default_rng(seed).integers(0, n, 10)]
    weights = case.settings.weights[rows]
    weights[n:] = 0
    more = with_weights(replace(case, X=case.X[rows], problem=taken(case.problem, rows)), weights)
    one, other = (train(c, effective_rows=n) for c in (case, more))
    assert model_bits(one) == model_bits(other)


@each_shape
def test_a_row_of_weight_two_is_two_rows(seed, votes, shape):
    """Not to the bit: 2w is rounded to units once, w twice."""
    case = case_without_ties(seed, votes=votes, **SHAPES[shape])
    count = np.random.default_rng(seed).integers(1, 3, len(case.X))
    rows = np.repeat(np.arange(len(case.X)), count)
    heavy = replace(case, settings=replace(case.settings, row_weights=count))
    twice = with_weights(
        replace(case, X=case.X[rows], problem=taken(case.problem, rows)),
        case.settings.weights[rows],
    )
    one, other = (train(c, effective_rows=len(rows)) for c in (heavy, twice))
    pairs = zip(core_rounds(one), core_rounds(other), strict=True)
    assert all(a.cuts == b.cuts for a, b in pairs)
    np.testing.assert_allclose(one.booster.alphas, other.booster.alphas, rtol=1e-5)
    np.testing.assert_allclose(one.scores(), other.scores(case.X), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("nodes", [1, 5])
def test_a_row_of_weight_two_is_two_rows_to_the_bit_where_units_are_whole(seed, nodes):
    """Three classes, total weight 64: entries of 2**-8, 2**-7 and 2**-6 are whole in units."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (40, 3)).astype(float)
    y, count = random_labels(rng, X, 3), np.r_[np.full(24, 2), np.full(16, 1)]
    settings = Settings(nodes=nodes)
    heavy = Case(X, Problem.single_label(y, 3), replace(settings, row_weights=count), 1)
    rows = np.repeat(np.arange(40), count)
    twice = Case(X[rows], Problem.single_label(y[rows], 3), settings, 1)
    one, other = (train(case, effective_rows=64) for case in (heavy, twice))
    assert model_bits(one) == model_bits(other)


def test_the_classifier_takes_a_weight_of_two_for_two_rows():
    rng = np.random.default_rng(5)
    X, count = rng.normal(size=(80, 3)), rng.integers(1, 3, 80)
    y = random_labels(rng, X, 3)
    heavy = small(votes="real").fit(X, y, sample_weight=count)
    twice = small(votes="real").fit(np.repeat(X, count, axis=0), np.repeat(y, count))
    np.testing.assert_allclose(
        heavy.decision_function(X), twice.decision_function(X), rtol=1e-4, atol=1e-5
    )


# --------------------------------------------------------------------------------------- features


@each_shape
def test_order_of_features(seed, votes, shape):
    """Without ties: of two features as good, the first wins."""
    case = case_without_ties(seed, categories=5, votes=votes, **SHAPES[shape])
    order = np.random.default_rng(seed).permutation(4)
    places = np.argsort(order)  # of the old features among the new ones
    moved = replace(case, X=case.X[:, order], categorical={int(places[2]): 5})
    one, other = train(case), train(moved)
    assert core_rounds(one) == rounds_with_features(other, order)
    X = strangers(case)
    assert np.array_equal(one.scores(X), other.scores(X[:, order]))


def test_of_two_features_as_good_the_first_wins():
    X, problem = np.array([[0, 5], [1, 6]]), Problem.single_label([0, 1])
    for features in ([0, 1], [1, 0]):
        [only] = core_rounds(train(Case(X[:, features].astype(float), problem)))
        [([(_, feature, *_)], *_)] = only.cuts
        assert feature == 0


@each_shape
@pytest.mark.parametrize("place", [0, 1, -1])
@pytest.mark.parametrize("value", [7.0, np.nan])
def test_a_constant_feature_more(seed, votes, shape, place, value):
    case = case_with_ties(seed, votes=votes, **SHAPES[shape])
    d = case.X.shape[1]
    place = min(place, d) % (d + 1)
    numbers = np.insert(np.arange(d), place, -1)  # of the new features among the old ones
    columns = {int(np.flatnonzero(numbers == j)[0]): c for j, c in case.categorical.items()}
    more = replace(case, X=np.insert(case.X, place, value, axis=1), categorical=columns)
    one, other = train(case), train(more)
    assert core_rounds(one) == rounds_with_features(other, numbers)
    assert np.array_equal(one.booster.losses, other.booster.losses)


@each_shape
def test_a_feature_twice(seed, votes, shape):
    """The first of equals wins: a copy at the end is never taken, one at the front always."""
    case = case_with_ties(seed, votes=votes, **SHAPES[shape])
    d = case.X.shape[1]
    story = core_rounds(train(case))
    for j in range(d):
        behind = {**case.categorical, **({d: case.categorical[j]} if j in case.categorical else {})}
        copied = replace(case, X=np.c_[case.X, case.X[:, j]], categorical=behind)
        assert core_rounds(train(copied)) == story
    before = {j + 1: c for j, c in case.categorical.items()}
    before |= {0: before[1]} if 1 in before else {}
    copied = train(replace(case, X=np.c_[case.X[:, 0], case.X], categorical=before))
    assert rounds_with_features(copied, [0, None, *range(1, d)]) == story


def cubes(x):
    return x**3


def ranks(x):
    """0, 1, 2, ...: no gap is what it was."""
    values = np.unique(x[~np.isnan(x)])
    return np.where(np.isnan(x), np.nan, np.searchsorted(values, x))


@each_shape
@pytest.mark.parametrize("rising", [cubes, np.arctan, ranks])
def test_rising_scales(seed, votes, shape, rising):
    """Thresholds move, and not a row changes its side, nor a bin its rows."""
    case = case_with_ties(seed, votes=votes, **SHAPES[shape])
    X = case.X.copy()
    for j in set(range(X.shape[1])) - set(case.categorical):
        X[:, j] = rising(X[:, j])
    one, other = train(case), train(replace(case, X=X))
    moved = ("term_threshold",)
    assert model_bits(one, moved) == model_bits(other, moved)
    assert np.array_equal(one.booster.losses, other.booster.losses)
    assert np.array_equal(one.scores(), other.scores())


@each_shape
def test_a_scale_of_two_moves_thresholds_by_two(seed, votes, shape):
    """Exactly, so that rows never seen before go the same way."""
    case = case_with_ties(seed, columns=["continuous", "integers"], votes=votes, **SHAPES[shape])
    one, other = train(case), train(replace(case, X=2 * case.X))
    thresholds = [training.ensemble.state()["term_threshold"] for training in (one, other)]
    assert np.array_equal(2 * thresholds[0], thresholds[1])
    X = strangers(case)
    assert np.array_equal(one.scores(X), other.scores(2 * X))


# ---------------------------------------------------------------------------------------- classes


@each_shape
def test_order_of_classes(seed, votes, shape):
    """Without categories: the power iteration that orders them sums over classes, in doubles.

    Real votes: so does Z, which scales the weights.
    """
    case = case_without_ties(seed, "single-label", votes=votes, **SHAPES[shape])
    K = case.problem.signs.shape[1]
    order = np.random.default_rng(seed).permutation(K)
    renamed = with_weights(
        replace(case, problem=replace(case.problem, signs=case.problem.signs[:, order])),
        case.settings.weights[:, order],
    )
    X = strangers(case)
    one, other = train(case), train(renamed)
    if votes == "real":
        np.testing.assert_allclose(one.scores(X)[:, order], other.scores(X), rtol=1e-6)
    else:
        assert np.array_equal(one.scores(X)[:, order], other.scores(X))
        assert np.array_equal(one.booster.edges, other.booster.edges)


@each_shape
def test_two_classes_are_each_others_opposite(seed, votes, shape):
    case = case_without_ties(seed, "binary", categories=5, votes=votes, **SHAPES[shape])
    mirrored = replace(case, problem=replace(case.problem, signs=-case.problem.signs))
    X = strangers(case)
    one, other = train(case), train(mirrored)
    if votes == "real":  # log(a/b) and log(b/a) round as they like
        np.testing.assert_allclose(one.scores(X), -other.scores(X), rtol=1e-5, atol=1e-6)
    else:
        assert np.array_equal(one.scores(X), -other.scores(X))


NAMES = {
    "numbers": [0, 1, 2, 3, 4],
    "letters": ["a", "b", "c", "d", "e"],
    "backwards": ["e", "d", "c", "b", "a"],
    "mixed": ["kiwi", "fig", "Apple", "pear", "lime"],
}


@pytest.mark.parametrize("names", NAMES)
def test_names_of_classes(names):
    """Five classes: balanced weights of 1/2 and 1/8 add up exactly in any order."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 3))
    y = random_labels(rng, X, 5)
    weights = rng.integers(1, 10**6, 120)  # no two classes tie
    plain = small().fit(X, y, sample_weight=weights)
    named = small().fit(X, np.array(NAMES[names])[y], sample_weight=weights)
    assert named.classes_.tolist() == sorted(NAMES[names])
    order = np.argsort(NAMES[names])
    assert np.array_equal(plain.decision_function(X)[:, order], named.decision_function(X))
    assert named.predict(X).tolist() == [NAMES[names][k] for k in plain.predict(X)]
    if order.tolist() == list(range(5)):
        assert bits(plain) == bits(named)
