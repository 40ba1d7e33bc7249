"""The same data give the same bits: on any number of threads, any kernel, any container, any path
through the search, in any process."""

import multiprocessing
import zlib
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from core_runs import Case, csc_of, csr_of, fingerprint, raw_of, train, train_and_fingerprint
from core_twin import assert_twins
from estimator_runs import bits, small
from mhboost import _core
from oracle import Problem, Settings
from random_cases import random_case, random_labels

KERNELS = _core.kernels()
THREADS = (2, 3)
LEARNERS = {
    "tree": {"nodes": 8},
    "leafwise ternary tree": {"nodes": 8, "leaves": "leafwise", "votes": "ternary"},
    "real tree": {"nodes": 8, "votes": "real"},
    "logistic tree": {"nodes": 8, "loss": "logistic"},
    "tree of products": {"nodes": 3, "terms": 2},
    "stump": {},
}
DRAWS = {
    "nothing": {},
    "rows and classes": {"subsample": 0.5, "class_sample": 3},
    "features": {"node_features": 2, "tree_features": 3},
    "heavy rows": {"weight_trimming": 0.1},
}


def made_up(n, d, K, n_values=None, zeros=0.0, seed=0, categorical=None):
    """Noisy classes; numbers of `n_values` kinds, or all different; a share of zeros."""
    rng = np.random.default_rng([n, d, K, seed])
    X = rng.normal(size=(n, d)) if n_values is None else rng.integers(0, n_values, (n, d))
    X = X.astype(float)
    y = random_labels(rng, X[:, : min(d, 4)], K)
    X[rng.random((n, d)) < zeros] = 0
    X[rng.random(n) < 0.05, 0] = np.nan
    return Case(X, Problem.single_label(y, K), rounds=3, categorical=categorical or {})


# The rows of a task, a tile, a block of features are counted in thousands: sizes beyond all these.
SHAPES = {
    "many rows, few bins": lambda: made_up(40_000, 5, 5, n_values=6, categorical={1: 6}),
    "few rows, many bins": lambda: made_up(300, 60, 5),
    "many sparse columns": lambda: made_up(3_000, 40, 5, zeros=0.9),
    "many classes": lambda: made_up(5_000, 6, 70, n_values=30),
}


def with_settings(case, **settings):
    return replace(case, settings=Settings(**settings))


# --------------------------------------------------------------------------------------- threads


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_threads(shape, learner):
    case = with_settings(SHAPES[shape](), **LEARNERS[learner])
    alone = fingerprint(train(case, n_threads=1))
    assert all(fingerprint(train(case, n_threads=n)) == alone for n in THREADS)


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("shape", SHAPES)
def test_threads_that_draw(shape, draws):
    case = with_settings(SHAPES[shape](), nodes=5)
    options = {**DRAWS[draws], "seed": 3}
    alone = fingerprint(train(case, n_threads=1, **options))
    assert all(fingerprint(train(case, n_threads=n, **options)) == alone for n in THREADS)


@pytest.mark.parametrize("shape", SHAPES)
def test_threads_that_predict(shape):
    case = with_settings(SHAPES[shape](), nodes=8)
    ensemble, raw = train(case).ensemble, raw_of(case.X)
    scores, leaves = ensemble.scores(raw, 0, 3, 1), ensemble.apply(raw, 0, 3, 1)
    for n in THREADS:
        assert np.array_equal(ensemble.scores(raw, 0, 3, n), scores)
        assert np.array_equal(ensemble.apply(raw, 0, 3, n), leaves)


# --------------------------------------------------------------------------------------- kernels


@pytest.fixture(params=KERNELS)
def kernel(request, monkeypatch):
    monkeypatch.setenv("MHBOOST_KERNEL", request.param)
    assert _core.active_kernel() == request.param
    return request.param


def test_the_plainest_kernel_is_there_always():
    assert KERNELS[-1] == "baseline"


def test_an_unknown_kernel_is_an_error_that_names_the_known(monkeypatch):
    monkeypatch.setenv("MHBOOST_KERNEL", "abacus")
    with pytest.raises(ValueError, match=r"MHBOOST_KERNEL=abacus.*baseline"):
        train(random_case(0))


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_kernels(shape, learner, monkeypatch):
    case = with_settings(SHAPES[shape](), **LEARNERS[learner])
    of_kernel = set()
    for name in KERNELS:
        monkeypatch.setenv("MHBOOST_KERNEL", name)
        assert _core.active_kernel() == name
        of_kernel.add(repr(sorted(fingerprint(train(case)).items())))
    assert len(of_kernel) == 1


def test_every_kernel_does_what_the_oracle_does(kernel):
    for k, shape in enumerate([{}, {"nodes": 6}, {"terms": 3}, {"nodes": 4, "terms": 2}]):
        for votes in ("discrete", "ternary", "real"):
            seed = zlib.crc32(repr((kernel, k, votes)).encode())
            for i in range(4):
                case = random_case([seed, i], votes=votes, **shape)
                assert_twins(case)
                assert_twins(case, raw=csc_of(case.X))


@pytest.mark.parametrize("K", [3, 4, 5, 8, 9, 16, 17, 32, 33, 48, 49, 64, 65, 130])
def test_every_kernel_sums_every_width(kernel, K):
    case = made_up(80, 3, K, n_values=6, categorical={1: 6})
    assert_twins(with_settings(case, nodes=4, votes=("discrete", "ternary", "real")[K % 3]))


# ------------------------------------------------------------------------------------ containers

# Halves are exact in every type that can hold them.
HALVES = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "columns first": np.asfortranarray,
    "every other": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "read only": lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
    "lists": lambda X: X.tolist(),
    "CSR": sparse.csr_array,
    "CSC": sparse.csc_array,
    "COO": sparse.coo_array,
}


@pytest.mark.parametrize("base", ["tree", "product"])
@pytest.mark.parametrize("container", HALVES)
def test_containers(container, base):
    case = made_up(400, 7, 4, n_values=9, zeros=0.8)
    X, y = np.nan_to_num(case.X - 4) / 2, case.problem.signs.argmax(axis=1)
    plain = small(base).fit(X, y)
    contained = HALVES[container](X)
    other = small(base).fit(contained, y)
    assert bits(plain) == bits(other)
    assert np.array_equal(plain.decision_function(X), other.decision_function(contained))


def test_sparse_columns_with_missing_values_give_the_bits_of_dense_ones():
    for learner in LEARNERS.values():
        case = with_settings(made_up(3_000, 40, 5, zeros=0.9), **learner)
        dense, compressed = train(case), train(case, raw=csc_of(case.X), n_threads=2)
        assert fingerprint(dense) == fingerprint(compressed)
        assert np.array_equal(dense.scores(), dense.ensemble.scores(csr_of(case.X), 0, 3))


# ------------------------------------------------------------------------ paths through the search
#
# A histogram of everything is kept where rows are many and bins are few, also where nodes draw some
# of the features.


def assert_the_same_without_histogram(case, n_threads=1, **more):
    kept = train(case, n_threads=n_threads, **more)
    not_kept = train(case, n_threads=n_threads, keep_histograms=False, **more)
    assert fingerprint(kept) == fingerprint(not_kept)


def all_values(n, d, K, n_values):
    """Every column has every value; none is missing."""
    rng = np.random.default_rng([n, d, K])
    X = np.column_stack([rng.permutation(n) % n_values for _ in range(d)]).astype(float)
    return Case(X, Problem.single_label(random_labels(rng, X, K), K), rounds=3)


@pytest.mark.parametrize("n", [38, 39, 40, 41, 42, 80, 200])
@pytest.mark.parametrize("votes", ["discrete", "real"])
def test_about_as_many_rows_as_bins(n, votes):
    """19 bins and a spare one: kept if 4 n, the adds, are more than 2 * 80, from 41 rows on."""
    case = with_settings(all_values(n, 4, 3, 19), nodes=6, votes=votes)
    assert_twins(case)
    assert_the_same_without_histogram(case)


@pytest.mark.parametrize("learner", ["tree", "real tree", "logistic tree", "stump"])
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("shape", SHAPES)
def test_with_and_without_a_histogram(shape, n_threads, learner):
    case = with_settings(SHAPES[shape](), **LEARNERS[learner])
    assert_the_same_without_histogram(case, n_threads)


@pytest.mark.parametrize("n_drawn", [1, 3, 5])
@pytest.mark.parametrize("shape", SHAPES)
def test_drawn_features_with_and_without_a_histogram(shape, n_drawn):
    case = with_settings(SHAPES[shape](), nodes=9)
    assert_the_same_without_histogram(case, node_features=n_drawn)


@pytest.mark.parametrize("n_values", [10_081, 10_082, 10_083])
def test_a_histogram_as_large_as_is_kept(n_values):
    """200 classes take 832 bytes a bin: 16 MiB hold 2 * 10 082 bins, one of each a spare."""
    case = replace(all_values(24_000, 2, 200, n_values), rounds=1)
    assert_the_same_without_histogram(with_settings(case, nodes=4))


# ------------------------------------------------------------------------------------- processes


def test_again_in_the_same_process():
    case = with_settings(SHAPES["many classes"](), nodes=5)
    assert len({repr(train_and_fingerprint(case)) for _ in range(3)}) == 1


# The thread sanitizer refuses new threads in a forked child.
@pytest.mark.parametrize("how", [pytest.param("fork", marks=pytest.mark.slow), "spawn"])
def test_in_a_child_process(how):
    """The parent has run threads before: none of them is missed by a forked child."""
    case = with_settings(SHAPES["many rows, few bins"](), nodes=5)
    here = train_and_fingerprint(case, n_threads=2)
    with ProcessPoolExecutor(1, multiprocessing.get_context(how)) as child:
        there = child.submit(train_and_fingerprint, case, n_threads=2).result(timeout=60)
    assert here == there


def test_in_several_python_threads_at_once():
    cases = [with_settings(SHAPES[shape](), nodes=5) for shape in SHAPES] * 2
    one_by_one = [train_and_fingerprint(case) for case in cases]
    with ThreadPoolExecutor(4) as pool:
        at_once = list(pool.map(lambda case: train_and_fingerprint(case, n_threads=2), cases))
    assert one_by_one == at_once


def test_classifiers_in_several_python_threads_at_once():
    case = made_up(2_000, 5, 4)
    y = case.problem.signs.argmax(axis=1)

    def fit(seed):
        return bits(small(random_state=seed, subsample=0.5).fit(case.X, y))

    one_by_one = [fit(seed) for seed in range(4)]
    assert len(set(one_by_one)) == 4
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(fit, range(4))) == one_by_one
