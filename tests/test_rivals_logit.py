"""LogitBoost and its kin: against the slow twin, by hand, and by finite differences."""

import numpy as np
import pytest
from scipy.special import log_softmax

from mhboost.rivals import (
    ABCLogitBoostClassifier,
    ABCMartClassifier,
    AOSOLogitBoostClassifier,
    LogitBoostClassifier,
    MARTClassifier,
    VTLogitBoostClassifier,
)
from rival_twins import abc_scores, aoso_scores, logit_round, logit_scores, softmax

CLASSES = {
    "vt": VTLogitBoostClassifier,
    "logitboost": LogitBoostClassifier,
    "mart": MARTClassifier,
}
methods = pytest.mark.parametrize("method", CLASSES)


def problem(n, K, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.r_[np.arange(K), rng.integers(0, K, n - K)]
    X[:, 0] += y
    return X, y


def classifier(method, least=1, **parameters):
    if method != "vt":
        parameters["min_samples_leaf"] = least
    return CLASSES[method](max_bins="exact", n_jobs=1, **parameters)


@methods
@pytest.mark.parametrize(("K", "least"), [(2, 1), (3, 1), (4, 5), (6, 1), (11, 3), (20, 1)])
def test_scores_are_the_twins(method, K, least):
    X, y = problem(70, K, seed=K)
    model = classifier(method, least, n_estimators=4, n_leaves=4, learning_rate=0.3).fit(X, y)
    stages = logit_scores(X, y, K, method, rounds=4, learning_rate=0.3, n_leaves=4, least=least)
    for core, F in zip(model.staged_predict_proba(X), stages, strict=True):
        np.testing.assert_allclose(core, softmax(F), atol=1e-6)


@methods
def test_weights_are_the_twins(method):
    X, y = problem(60, 3, seed=1)
    weights = np.random.default_rng(1).uniform(0.2, 3, 60)
    model = classifier(method, n_estimators=3, n_leaves=4, learning_rate=0.3)
    model.fit(X, y, sample_weight=weights)
    F = logit_scores(X, y, 3, method, rounds=3, learning_rate=0.3, n_leaves=4, weights=weights)[-1]
    np.testing.assert_allclose(model.predict_proba(X), softmax(F), atol=1e-6)


@methods
def test_training_loss_is_that_of_the_probabilities(method):
    X, y = problem(80, 5, seed=2)
    model = classifier(method, n_estimators=10, n_leaves=5).fit(X, y)
    for loss, p in zip(model.train_score_, model.staged_predict_proba(X), strict=True):
        assert loss == pytest.approx(-np.log(p[np.arange(80), y]).mean())


@pytest.mark.parametrize(
    ("method", "first", "others"), [("vt", 3, -1.5), ("logitboost", 2, -1), ("mart", 2, -1)]
)
def test_first_steps_by_hand(method, first, others):
    """Three classes, F = 0: p = 1/3, g = 2/3 or -1/3, h = 2/9, of leaves that hold one class."""
    X, y = np.repeat([[0.0], [1.0], [2.0]], 10, axis=0), np.repeat([0, 1, 2], 10)
    model = classifier(method, n_estimators=1, n_leaves=3, learning_rate=1.0).fit(X, y)
    expected = np.full((3, 3), others / 2) + np.eye(3) * (first - others) / 2
    np.testing.assert_allclose(model.decision_function(X[::10]), expected, rtol=1e-12)


def test_gain_of_vt_by_hand():
    """At F = 0 a row is worth (2/3)^2 / (2/9) + 2 (1/3)^2 / (2/9) = 3; all together nothing."""
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 2]
    model = classifier("vt", n_estimators=1, n_leaves=3, learning_rate=1.0).fit(X, y)
    gains = [model.estimators_[0].nodes["gain"][j] * 3 for j in (0, 1)]
    assert sum(gains) == pytest.approx(9, rel=1e-6)


@methods
@pytest.mark.parametrize("K", [2, 4])
def test_a_single_leaf_steps_down_the_gradient(method, K):
    """Where a tree cannot cut, each class steps by c G / H; finite differences give G and H."""
    rng = np.random.default_rng(0)
    y = np.r_[np.arange(K), rng.integers(0, K, 30)]
    X = np.zeros((len(y), 1))

    def loss(shift):
        return -log_softmax(np.tile(shift, (len(y), 1)), axis=1)[np.arange(len(y)), y].sum()

    model = classifier(method, n_estimators=1, learning_rate=1.0).fit(X, y)
    factor = 1 if method == "vt" else (K - 1) / K
    eps = 1e-4
    steps = []
    for e in np.eye(K) * eps:
        zero = np.zeros(K)
        G = -(loss(e) - loss(-e)) / (2 * eps)
        H = (loss(e) + loss(-e) - 2 * loss(zero)) / eps**2
        steps.append(factor * G / H)
    expected = softmax(np.array([steps]))[0]
    np.testing.assert_allclose(model.predict_proba(X)[0], expected, rtol=1e-5)
    np.testing.assert_allclose(
        logit_round(np.zeros((len(y), K)), X, y, method, n_leaves=2)[0], steps, rtol=1e-5
    )


@methods
def test_training_ends_when_the_loss_is_zero(method):
    X, y = np.repeat([[0.0], [1.0]], 20, axis=0), np.repeat([0, 1], 20)
    model = classifier(method, n_estimators=2000, n_leaves=2, learning_rate=0.5).fit(X, y)
    assert model.n_iter_ < 200
    assert model.train_score_[-1] * 40 <= 2e-14 < model.train_score_[-2] * 40


# ---------------------------------------------------------------------------- pairs of classes


def weighted_problem(n, K, seed):
    """Weights that leave no ties."""
    X, y = problem(n, K, seed)
    return X, y, np.random.default_rng([seed, K]).uniform(0.2, 3, n)


ABC = {"logitboost": ABCLogitBoostClassifier, "mart": ABCMartClassifier}


@pytest.mark.parametrize("method", ABC)
@pytest.mark.parametrize(("K", "candidates", "gap"), [(3, "all", 0), (5, 1, 0), (6, 2, 2)])
def test_abc_scores_are_the_twins(method, K, candidates, gap):
    X, y, w = weighted_problem(70, K, seed=4)
    model = ABC[method](
        n_estimators=4,
        n_leaves=4,
        learning_rate=0.3,
        min_samples_leaf=2,
        base_candidates=candidates,
        base_gap=gap,
        max_bins="exact",
        n_jobs=1,
    ).fit(X, y, w)
    F, bases = abc_scores(
        X,
        y,
        K,
        w,
        rounds=4,
        candidates=K if candidates == "all" else candidates,
        gap=gap,
        n_leaves=4,
        learning_rate=0.3,
        least=2,
        first_order=method == "mart",
    )
    np.testing.assert_allclose(model.predict_proba(X), softmax(F), atol=1e-6)
    empty = [t for t, tree in enumerate(model.estimators_) if tree.n_leaves == 1]
    assert empty == [t * K + base for t, base in enumerate(bases)]


@pytest.mark.parametrize("method", ABC)
def test_abc_begins_without_a_base_while_it_warms_up(method):
    X, y, w = weighted_problem(70, 4, seed=5)
    parameters = {"n_leaves": 4, "max_bins": "exact", "n_jobs": 1}
    warm = ABC[method](n_estimators=3, warm_up=2, **parameters).fit(X, y, w)
    plain = CLASSES[method](n_estimators=2, **parameters).fit(X, y, w)
    stages = list(warm.staged_decision_function(X))
    np.testing.assert_array_equal(stages[1], plain.decision_function(X))
    assert [tree.n_leaves == 1 for tree in warm.estimators_].count(True) == 1


@pytest.mark.parametrize("method", ABC)
def test_two_classes_have_no_base(method):
    X, y, w = weighted_problem(70, 2, seed=6)
    models = [c[method](n_estimators=3, n_leaves=4).fit(X, y, w) for c in (ABC, CLASSES)]
    np.testing.assert_array_equal(*(model.decision_function(X) for model in models))


@pytest.mark.parametrize("K", [2, 3, 5, 9, 18])
def test_aoso_scores_are_the_twins(K):
    X, y, w = weighted_problem(80, K, seed=7)
    settings = {"n_leaves": 4, "learning_rate": 0.3}
    model = AOSOLogitBoostClassifier(n_estimators=4, max_bins="exact", n_jobs=1, **settings)
    F = aoso_scores(X, y, K, w, rounds=4, **settings)
    np.testing.assert_allclose(model.fit(X, y, w).predict_proba(X), softmax(F), atol=1e-6)


# One row of class 0 that weighs much; the others hardly count. p = 1/3 each at first.
ONE_ROW = (np.zeros((3, 1)), np.array([0, 1, 2]), np.array([1e6, 1, 1]))


def test_aoso_step_by_hand():
    """r = 0, s = 1 or 2: Q = 2/3, (G_r - G_s) / Q = 1.5."""
    model = AOSOLogitBoostClassifier(n_estimators=1, learning_rate=1.0).fit(*ONE_ROW)
    steps = np.sort(2 * model.decision_function(ONE_ROW[0][:1])[0])
    np.testing.assert_allclose(steps, [-1.5, 0, 1.5], atol=1e-4)


@pytest.mark.parametrize("method", ABC)
def test_abc_steps_by_hand(method):
    """Base 0 is best: g = -1/3 - 2/3, h = 2/3 for both others. The base gains what they lose."""
    model = ABC[method](n_estimators=1, learning_rate=1.0, base_candidates="all").fit(*ONE_ROW)
    steps = 2 * model.decision_function(ONE_ROW[0][:1])[0]
    np.testing.assert_allclose(steps, [3, -1.5, -1.5], atol=1e-4)
    assert steps.sum() == pytest.approx(0, abs=1e-9)
