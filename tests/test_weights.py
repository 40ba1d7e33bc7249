"""Where boosting starts: weights of entries, rows and classes, and what they must not change."""

import numpy as np
import pytest
from scipy import sparse

from estimator_runs import bits, small
from mhboost._labels import read_labels
from mhboost._targets import learn_problem
from mhboost._weights import RESOLUTION, signed_weights, weighting_matrix, weighty_rows

N = 60
RNG = np.random.default_rng(7)
X = RNG.normal(size=(N, 4)).round(1)
Y = (X @ RNG.normal(size=(4, 3)) + RNG.normal(size=(N, 3))).argmax(axis=1)
LABELS = (X @ RNG.normal(size=(4, 5)) + RNG.normal(size=(N, 5)) > 0.5).astype(int)
LABELS[0], LABELS[1] = 0, 1  # one row without labels, one with all
TASKS = np.c_[Y, (X[:, 0] > 0) + 0, RNG.integers(0, 5, N)]
WEIGHTS = RNG.integers(1, 4, N)

PROBLEMS = {"single-label": Y, "binary": Y > 0, "multi-label": LABELS, "multi-task": TASKS}
WITH_PROBLEMS = pytest.mark.parametrize("y", PROBLEMS.values(), ids=PROBLEMS)
SETTINGS = {
    "discrete": {},
    "leafwise": {"leaf_votes": "leafwise"},
    "ternary": {"votes": "ternary"},
    "real": {"votes": "real"},
    "logistic": {"loss": "logistic"},
    "uniform": {"weighting": "uniform"},
    "balanced": {"weighting": "balanced"},
    "product": {"base": "product"},
}
WITH_SETTINGS = pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)


def start(y, weighting="auto", weights=None):
    """The signed weights that the core starts from, and the tasks' columns."""
    problem = learn_problem(read_labels(y))
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    g = signed_weights(weighting, problem, problem.encode(y), weights).to_array()
    tasks = np.split(np.arange(problem.n_columns), problem.offsets[1:-1])
    return g.astype(float), tasks


# ------------------------------------------------------------------------------------ schemes


@WITH_PROBLEMS
@pytest.mark.parametrize("weighting", ["auto", "balanced", "uniform"])
def test_all_weights_sum_to_one_and_rows_weigh_the_same(y, weighting):
    g, _ = start(y, weighting)
    assert np.abs(g).sum(axis=1) == pytest.approx(1 / N, rel=1e-5)


@pytest.mark.parametrize("weighting", ["auto", "balanced"])
def test_balanced_is_eq_5(weighting):
    g, _ = start(Y, weighting)
    right = np.eye(3, dtype=bool)[Y]
    assert g[right] == pytest.approx(1 / (2 * N), rel=1e-6)
    assert g[~right] == pytest.approx(-1 / (2 * N * 2), rel=1e-6)


def test_uniform_weighs_every_class_the_same():
    g, _ = start(Y, "uniform")
    signs = 2 * np.eye(3)[Y] - 1
    assert g == pytest.approx(signs / (3 * N), rel=1e-6)


@pytest.mark.parametrize("weighting", ["auto", "balanced", "uniform"])
def test_two_classes_share_a_column(weighting):
    g, _ = start(Y > 0, weighting)
    assert g[:, 0] == pytest.approx(np.where(Y > 0, 1, -1) / N, rel=1e-6)


@pytest.mark.parametrize("weighting", ["auto", "uniform"])
def test_labels_weigh_the_same_by_default(weighting):
    """The paper's choice for multi-label data."""
    g, _ = start(LABELS, weighting)
    assert g == pytest.approx((2 * LABELS - 1) / (5 * N), rel=1e-6)


def test_balanced_labels_halve_a_row_between_those_on_and_those_off():
    g, _ = start(LABELS, "balanced")
    two_sided = (LABELS.sum(axis=1) % 5) > 0
    assert np.clip(g, 0, None).sum(axis=1)[two_sided] == pytest.approx(1 / (2 * N), rel=1e-6)
    assert g.sum(axis=1)[two_sided] == pytest.approx(0, abs=1e-9)
    assert g[:2] == pytest.approx(np.outer([-1, 1], np.ones(5)) / (5 * N), rel=1e-6)


@pytest.mark.parametrize("weighting", ["auto", "balanced", "uniform"])
def test_tasks_weigh_the_same(weighting):
    g, tasks = start(TASKS, weighting)
    assert [len(task) for task in tasks] == [3, 1, 5]
    for task in tasks:
        assert np.abs(g[:, task]).sum() == pytest.approx(1 / 3, rel=1e-5)


@WITH_PROBLEMS
def test_rows_multiply_their_entries(y):
    plain, _ = start(y)
    weighted, _ = start(y, weights=WEIGHTS)
    assert weighted == pytest.approx(plain * WEIGHTS[:, None] * N / WEIGHTS.sum(), rel=1e-5)


# ------------------------------------------------------------------------------------ a matrix


def entry_weights(y, scheme):
    """A scheme written out as a matrix with a column for each class."""
    if y.ndim == 1:
        K = len(np.unique(y))
        right = np.eye(K, dtype=bool)[np.unique(y, return_inverse=True)[1]]
        return (
            np.where(right, 1 / 2, 1 / (2 * (K - 1))) if scheme == "balanced" else 1 / K + 0 * right
        )
    if y is LABELS:
        return np.ones(LABELS.shape)
    return np.hstack([entry_weights(task, scheme) for task in y.T])


@WITH_PROBLEMS
@pytest.mark.parametrize("scheme", ["balanced", "uniform"])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weighted"])
def test_a_matrix_that_says_what_a_scheme_says_gives_the_same_bits(y, scheme, weights):
    if y is LABELS and scheme == "balanced":
        scheme = "uniform"
    by_word = small(weighting=scheme).fit(X, y, weights)
    by_matrix = small(weighting=entry_weights(y, scheme)).fit(X, y, weights)
    assert bits(by_word) == bits(by_matrix)


def test_the_two_columns_of_two_classes_are_added():
    problem = learn_problem(read_labels(TASKS))
    matrix = np.arange(N * 10.0).reshape(N, 10)
    narrow = weighting_matrix(matrix, problem, N)
    expected = np.c_[matrix[:, :3], matrix[:, 3] + matrix[:, 4], matrix[:, 5:]]
    assert np.array_equal(narrow, expected)


def test_a_matrix_may_be_a_list_and_of_any_type():
    matrix = RNG.integers(1, 5, (N, 3))
    models = [small(weighting=m).fit(X, Y) for m in (matrix, matrix.tolist(), matrix.astype("f4"))]
    assert len({bits(model) for model in models}) == 1


def test_weight_goes_where_the_matrix_says():
    """Two contradicting halves of the data: the heavy one wins."""
    twice, both = np.r_[X, X], np.r_[Y, (Y + 1) % 3]
    heavy = np.repeat([[50.0], [1.0]], N, axis=0) * np.ones(3)
    for matrix, truth in ((heavy, Y), (heavy[::-1], (Y + 1) % 3)):
        model = small(weighting=matrix, n_estimators=100).fit(twice, both)
        assert (model.predict(X) == truth).mean() > 0.9


# ------------------------------------------------------------------------------------ rows


@WITH_PROBLEMS
@WITH_SETTINGS
def test_rows_of_weight_zero_might_as_well_be_absent(y, settings):
    weights = WEIGHTS * (np.arange(N) % 4 > 0)
    keep = weights > 0
    with_them = small(**settings).fit(X, y, weights)
    without = small(**settings).fit(X[keep], y[keep], weights[keep])
    assert bits(with_them) == bits(without)


TWO_OR_ONE = 1 + (np.arange(N) % 3 == 0)
REPEATED = np.repeat(np.arange(N), TWO_OR_ONE)
CUTS = ("node_left", "node_right", "term_feature", "term_first_right", "term_missing_right")


@pytest.mark.parametrize("y", [Y > 0, TASKS[:, 2], LABELS], ids=["2", "5 classes", "5 labels"])
@pytest.mark.parametrize("name", sorted({*SETTINGS} - {"balanced"}))
def test_a_row_of_weight_two_is_two_rows(y, name):
    """The same bits in the first round: half of 1 / 80 of a fifth is a whole number of units."""
    settings = {**SETTINGS[name], "n_estimators": 1}
    weighted = small(**settings).fit(X, y, TWO_OR_ONE)
    assert bits(weighted) == bits(small(**settings).fit(X[REPEATED], y[REPEATED]))


@WITH_PROBLEMS
@WITH_SETTINGS
def test_a_row_of_weight_two_stays_two_rows(y, settings):
    """Later rounds: the same cuts, and numbers up to the rounding of half weights to units."""
    untied = X + np.random.default_rng(0).normal(size=X.shape)
    weighted = small(**settings).fit(untied, y, TWO_OR_ONE)
    repeated = small(**settings).fit(untied[REPEATED], y[REPEATED])
    states = [model._model.ensemble.state() for model in (weighted, repeated)]
    assert all(np.array_equal(*(state[name] for state in states)) for name in CUTS)
    assert weighted.edges_ == pytest.approx(repeated.edges_, abs=1e-6)
    scores = np.ravel(weighted._scores(untied))
    assert scores == pytest.approx(np.ravel(repeated._scores(untied)), abs=1e-5)


@WITH_PROBLEMS
def test_weights_have_no_unit(y):
    """Powers of two: no rounding. All of them light, because light rows count as one each."""
    few = WEIGHTS / 1024
    assert bits(small().fit(X, y, few)) == bits(small().fit(X, y, few / 2**60))


@WITH_PROBLEMS
def test_ones_are_no_weights(y):
    assert bits(small().fit(X, y)) == bits(small().fit(X, y, np.ones(N)))


def test_rows_lighter_than_the_resolution_are_left_out():
    weights = np.array([1.0, RESOLUTION, 2 * RESOLUTION, 0.0])
    assert weighty_rows(weights).tolist() == [0, 2]
    assert weighty_rows(np.ones(3)) is None


def test_the_order_of_rows_does_not_matter():
    order = RNG.permutation(N)
    assert bits(small().fit(X, Y, WEIGHTS)) == bits(small().fit(X[order], Y[order], WEIGHTS[order]))


# ------------------------------------------------------------------------------------ classes

CLASS_WEIGHTS = {
    "single-label": (Y, {0: 1, 1: 2, 2: 3}, 1.0 + Y),
    "binary": (Y > 0, {False: 1, True: 4}, np.where(Y > 0, 4, 1)),
    "names": (np.array(["a", "b", "c"])[Y], {"a": 1, "b": 2, "c": 3}, 1.0 + Y),
    "multi-label": (LABELS, [{0: 1, 1: 1.0 + l} for l in range(5)], None),
    "multi-task": (
        TASKS,
        [{0: 1, 1: 2, 2: 3}, {0: 1, 1: 1}, {k: 1 for k in range(5)}],
        1.0 + Y,
    ),
}


@pytest.mark.parametrize(("y", "class_weight", "rows"), CLASS_WEIGHTS.values(), ids=CLASS_WEIGHTS)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weighted"])
def test_class_weights_multiply_those_of_rows(y, class_weight, rows, weights):
    if rows is None:
        rows = np.prod(np.where(LABELS > 0, 1.0 + np.arange(5), 1.0), axis=1)
    by_class = small(class_weight=class_weight).fit(X, y, weights)
    by_row = small().fit(X, y, rows if weights is None else rows * weights)
    assert bits(by_class) == bits(by_row)


def test_a_sparse_indicator_takes_class_weights():
    class_weight = [{0: 1, 1: 1.0 + l} for l in range(5)]
    models = [
        small(class_weight=class_weight).fit(X, y) for y in (LABELS, sparse.csr_array(LABELS))
    ]
    assert bits(models[0]) == bits(models[1])


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weighted"])
def test_balanced_classes_weigh_the_same(weights):
    """A row of weight 3 counts as three."""
    y = np.r_[np.zeros(40, int), np.ones(15, int), np.full(5, 2)]
    own = np.ones(N) if weights is None else weights
    rows = own * (own.sum() / 3 / np.bincount(y, own))[y]
    balanced = small(class_weight="balanced").fit(X, y, weights)
    assert bits(balanced) == bits(small().fit(X, y, rows))


def test_a_class_of_weight_zero_is_known_but_not_learned():
    model = small(class_weight={0: 1, 1: 1, 2: 0}, n_estimators=20).fit(X, Y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert 2 not in model.predict(X)
