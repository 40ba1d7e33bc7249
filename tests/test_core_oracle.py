"""The core does what the oracle does, bit for bit, on random problems of every kind."""

import zlib
from dataclasses import replace

import numpy as np
import pytest

from core_runs import Case, csc_of, csr_of, fingerprint, train
from core_twin import assert_close_twins, assert_twins, core_rounds, strangers
from oracle import Problem, Settings, halfway_thresholds
from random_cases import PROBLEMS, random_case, random_labels

SHAPES = {
    "stump": {},
    "tree": {"nodes": 6},
    "product": {"terms": 3},
    "tree of products": {"nodes": 4, "terms": 2},
}
VOTES = ("discrete", "ternary", "real")
LEAVES = ("factorized", "leafwise")
INTEGERS = tuple(f"{sign}int{size}" for sign in ("", "u") for size in (8, 16, 32, 64))


def seeds(*name, n):
    """Seeds of their own for every test."""
    return [[zlib.crc32(repr(name).encode()), k] for k in range(n)]


# -------------------------------------------------------------------------------- all that there is


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize("votes", VOTES)
@pytest.mark.parametrize("kind", PROBLEMS)
def test_twins(kind, votes, leaves, shape):
    for seed in seeds(kind, votes, leaves, shape, n=4):
        assert_twins(random_case(seed, kind, votes=votes, leaves=leaves, **SHAPES[shape]))


@pytest.mark.parametrize("votes", VOTES)
@pytest.mark.parametrize("nodes", range(2, 13))
def test_trees_of_every_size(nodes, votes):
    for seed in seeds(nodes, votes, n=2):
        assert_twins(random_case(seed, nodes=nodes, votes=votes))


@pytest.mark.parametrize("votes", VOTES)
@pytest.mark.parametrize("terms", [2, 3, 4])
def test_products_of_every_size(terms, votes):
    for seed in seeds(terms, votes, n=4):
        assert_twins(random_case(seed, terms=terms, votes=votes))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize("votes", VOTES)
def test_logistic_loss(votes, leaves, shape):
    """Every entry has a weight of its own, so that no two cuts tie.

    Balanced weights do not do: those of a row sum to nothing, g = w (2, -1, -1), so where all
    classes get the same vote the row is worth the same on either side. Such ties are broken by
    the last bit of the weights, and that is where the two exponentials differ.
    """
    for seed in seeds(votes, leaves, shape, n=3):
        case = random_case(seed, columns=("continuous", "continuous", "categories"))
        settings = Settings(
            votes=votes,
            leaves=leaves,
            loss="logistic",
            learning_rate=case.settings.learning_rate,
            weights=np.random.default_rng(seed).exponential(size=case.problem.signs.shape),
            **SHAPES[shape],
        )
        assert_close_twins(replace(case, settings=settings))


# ------------------------------------------------------------------------------------ odd data


@pytest.mark.parametrize("columns", ["continuous", "integers", "categories", "constant"])
@pytest.mark.parametrize("shape", SHAPES)
def test_columns_of_one_kind(columns, shape):
    for seed in seeds(columns, shape, n=4):
        assert_twins(random_case(seed, columns=[columns], **SHAPES[shape]))


@pytest.mark.parametrize("n", range(1, 8))
def test_few_rows(n):
    for seed in seeds(n, n=10):
        case = random_case(seed, nodes=3, terms=2)
        rows = np.random.default_rng(seed).integers(0, len(case.X), n)
        problem = replace(case.problem, signs=case.problem.signs[rows])
        settings = replace(case.settings, weights="balanced", row_weights=None)
        assert_twins(replace(case, X=case.X[rows], problem=problem, settings=settings))


@pytest.mark.parametrize("span", [3, 9, 12])
def test_rows_whose_weight_rounds_to_nothing(span):
    """The search may leave such rows out; the sums over the leaves must not feel it."""
    for seed in seeds(span, n=5):
        case = random_case(seed, nodes=4)
        weights = 10.0 ** np.random.default_rng(seed).uniform(-span, 0, len(case.X))
        assert_twins(replace(case, settings=replace(case.settings, row_weights=weights)))


def test_constant_columns_leave_the_constant():
    problem = Problem.single_label([0, 1, 2, 1, 1])
    training = assert_twins(Case(np.full((5, 2), 3.0), problem, rounds=4))
    assert [r.cuts for r in core_rounds(training)] == [[]] * 4


def test_without_an_edge_there_is_no_round():
    """Two rows alike in all but the label."""
    training = assert_twins(Case(np.zeros((2, 1)), Problem.single_label([0, 1])))
    assert training.booster.n_rounds == 0
    assert training.booster.finished


# ------------------------------------------------------------------------------ wide and many


@pytest.mark.parametrize("K", [3, 4, 5, 8, 9, 16, 17, 32, 33, 48, 49, 64, 65, 70, 128, 130, 200])
@pytest.mark.parametrize("votes", VOTES)
def test_many_classes(K, votes):
    """Class vectors of every padded width, in one chunk and in several."""
    rng = np.random.default_rng(K)
    X = rng.integers(0, 6, (60, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    problem = Problem.single_label(random_labels(rng, X, K), K)
    settings = Settings(votes=votes, nodes=4, terms=1 + K % 2)
    assert_twins(Case(X, problem, settings, rounds=3, categorical={1: 6}))


@pytest.mark.parametrize("max_bins", [0, 255, 256, 257, 300])
def test_more_than_256_bins(max_bins):
    rng = np.random.default_rng(max_bins)
    X = rng.normal(size=(330, 2))
    X[rng.random(330) < 0.1, 1] = np.nan
    problem = Problem.single_label(random_labels(rng, X, 3), 3)
    assert_twins(Case(X, problem, Settings(nodes=3), rounds=3, max_bins=max_bins))


@pytest.mark.parametrize("d", [15, 16, 17, 40])
def test_many_features(d):
    rng = np.random.default_rng(d)
    X = rng.integers(0, 4, (50, d)).astype(float)
    X[rng.random(X.shape) < 0.05] = np.nan
    problem = Problem.single_label(random_labels(rng, X, 4), 4)
    categorical = dict.fromkeys(range(0, d, 7), 4)
    case = Case(X, problem, Settings(nodes=5), rounds=4, categorical=categorical)
    assert_twins(case)
    assert_twins(case, raw=csc_of(X))


@pytest.mark.parametrize("C", [63, 64, 65, 130, 300])
def test_many_categories(C):
    rng = np.random.default_rng(C)
    X = np.column_stack([rng.integers(0, C, 200), rng.integers(0, 3, 200)]).astype(float)
    X[:9, 0] = np.nan
    problem = Problem.single_label(random_labels(rng, X, 3), 3)
    assert_twins(Case(X, problem, Settings(nodes=3), rounds=3, categorical={0: C}))


@pytest.mark.parametrize("votes", VOTES)
def test_many_rounds(votes):
    case = random_case(12, "single-label", rounds=80, votes=votes, nodes=2, learning_rate=1.0)
    assert assert_twins(case).booster.n_rounds == 80


# ------------------------------------------------------------------------------------ containers


@pytest.mark.parametrize("shape", SHAPES)
def test_sparse_columns(shape):
    """Mostly zeros, negative values, missing ones, categories; a column without any zero."""
    for seed in seeds("sparse", shape, n=6):
        rng = np.random.default_rng(seed)
        case = random_case(seed, **SHAPES[shape])
        zero = rng.random(case.X.shape) < 0.7
        zero[:, -1] = False
        sparse = replace(case, X=np.where(zero, 0.0, case.X))
        training = assert_twins(sparse, raw=csc_of(sparse.X))
        assert fingerprint(training) == fingerprint(train(sparse))
        ensemble, others = training.ensemble, strangers(sparse)
        from_rows = ensemble.scores(csr_of(others), 0, ensemble.n_rounds)
        assert np.array_equal(from_rows, training.scores(others))


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float32", "float64"])
def test_types(dtype):
    for seed in seeds(dtype, n=4):
        case = random_case(seed, nodes=4)
        signed = np.nan_to_num(case.X * 5)
        X = (signed if np.dtype(dtype).kind in "if" else abs(signed)).astype(dtype)
        if dtype == "float32":
            X[np.isnan(case.X)] = np.nan
        categorical = {j: int(np.nanmax(X[:, j])) + 1 for j in case.categorical}
        assert_twins(replace(case, X=X, categorical=categorical))


# ------------------------------------------------------------------------------------ cut points


def test_exact_thresholds_lie_halfway():
    for seed in seeds("halfway", n=20):
        case = random_case(seed, columns=["continuous", "integers"], max_bins=0)
        binner = train(case).binner
        for j, x in enumerate(case.X.T):
            assert binner.thresholds(j).tolist() == halfway_thresholds(x)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_values_without_a_number_between_them(n_threads):
    """Neighbouring floats, tiny and huge: the cut is the upper value.

    The tiny ones are denormal; weights that small are flushed to zero, but values are not.
    """
    x = [1.0, np.nextafter(1.0, 2.0), 5e-324, 0.0, -1e308, 1.7e308, -5e-324, 1.6e308]
    X = np.column_stack([x, x[::-1]])
    case = Case(X, Problem.single_label([0, 1] * 4), Settings(nodes=7))
    training = assert_twins(case, n_threads=n_threads)
    for j in (0, 1):
        assert training.binner.thresholds(j).tolist() == halfway_thresholds(X[:, j])


def test_training_and_prediction_leave_denormals_alone():
    case = random_case(0)
    train(case, n_threads=2).scores()
    assert np.float64(5e-324) * np.float64(1) > 0
    assert np.float64(2.0**-1074) + np.float64(2.0**-1074) == 2.0**-1073


@pytest.mark.parametrize("max_bins", [2, 3, 8, 31])
def test_quantiles_are_some_of_the_halfway_points(max_bins):
    for seed in seeds("quantiles", max_bins, n=10):
        case = random_case(seed, columns=["continuous", "integers"], max_bins=max_bins)
        training = train(case)
        for j, x in enumerate(case.X.T):
            exact = halfway_thresholds(x)
            thresholds = training.binner.thresholds(j).tolist()
            room = max_bins - bool(np.isnan(x).any())
            assert set(thresholds) <= set(exact)
            assert len(thresholds) == min(len(exact), max(room, 1) - 1)
            if np.isfinite(x).any():
                assert_bins_are_even(x, thresholds)


def assert_bins_are_even(x, thresholds):
    """No bin can be lighter than an even share by more than the heaviest value."""
    values, counts = np.unique(x[~np.isnan(x)], return_counts=True)
    bins = np.bincount(np.searchsorted(thresholds, values, side="right"), counts)
    assert bins.max() <= np.ceil(counts.sum() / (len(thresholds) + 1)) + counts.max()
