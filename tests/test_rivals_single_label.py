"""Boosters of trees whose leaves name classes: against the slow twins, and by hand."""

from functools import partial

import numpy as np
import pytest

import rival_twins as twins
from mhboost.rivals import (
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostMMClassifier,
    SAMMEClassifier,
    SingleLabelAdaBoostMHClassifier,
)

TWINS = {
    "SAMME": (SAMMEClassifier, twins.samme_scores),
    "SAMME.R": (partial(SAMMEClassifier, real=True), twins.samme_r_scores),
    "M1": (AdaBoostM1Classifier, partial(twins.samme_scores, m1=True)),
    "M2": (AdaBoostM2Classifier, twins.m2_scores),
    "MM": (AdaBoostMMClassifier, twins.mm_scores),
    "MH": (SingleLabelAdaBoostMHClassifier, twins.mh_scores),
}


def problem(n, K, seed):
    rng = np.random.default_rng([n, K, seed])
    y = np.r_[np.arange(K), rng.integers(0, K, n - K)]
    X = rng.normal(size=(n, 3))
    X[:, 0] += 1.2 * y
    return X, y, rng.uniform(0.2, 3, n)


def one_column(F):
    """Two classes: half of what the second has over the first."""
    return (F[:, 1] - F[:, 0]) / 2 if F.shape[1] == 2 else F


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("K", [2, 3, 7, 17, 34])
@pytest.mark.parametrize("learning_rate", [0.7, 0.4])
def test_scores_are_the_twins(name, K, learning_rate):
    make, scores = TWINS[name]
    X, y, w = problem(90, K, seed=0)
    settings = {"learning_rate": learning_rate, "n_leaves": K + 2}
    model = make(n_estimators=3, max_bins="exact", n_jobs=1, **settings).fit(X, y, w)
    assert model.n_iter_ == 3
    expected = one_column(scores(X, y, K, w, rounds=3, **settings))
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-6, atol=1e-6)


def one_leaf(y, weights):
    """Rows that no cut tells apart."""
    return np.zeros((len(y), 1)), np.array(y), np.array(weights, dtype=float)


# One right and one wrong of two equal rows; a third class exists. Heavy rows make smoothing vanish.
RIGHT_AND_WRONG = one_leaf([0, 1, 2], [1e9, 1e9, 0])


@pytest.mark.parametrize(
    ("name", "rows", "edge", "alpha"),
    [
        ("SAMME", RIGHT_AND_WRONG, 0.25, np.log(2)),
        ("SAMME", one_leaf([0, 1, 2], [3, 1, 0]), 0.625, np.log(3) + np.log(2)),
        ("M1", one_leaf([0, 1, 2], [3, 1, 0]), 0.5, np.log(3)),
        ("MM", RIGHT_AND_WRONG, 0.25, 0.5 * np.log(2)),
        ("MH", RIGHT_AND_WRONG, 0.25, 0.5 * np.log(1.25 / 0.75)),
        ("M2", RIGHT_AND_WRONG, 0.5, np.log(3)),
    ],
)
def test_first_round_by_hand(name, rows, edge, alpha):
    model = TWINS[name][0](n_estimators=1).fit(*rows)
    assert model.edges_[0] == pytest.approx(edge)
    assert model.alphas_[0] == pytest.approx(alpha)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("SAMME", one_leaf([0, 1, 2], [1, 1, 1])),
        ("SAMME.R", one_leaf([0, 1, 2], [1, 1, 1])),
        ("M1", one_leaf([0, 1], [1, 1])),
    ],
)
def test_a_tree_that_is_no_better_than_chance_ends_training(name, rows):
    with pytest.warns(UserWarning, match="no tree is better than chance"):
        model = TWINS[name][0]().fit(*rows)
    assert model.n_iter_ == 0


@pytest.mark.parametrize("name", TWINS)
def test_a_perfect_tree_ends_training(name):
    X, y = np.repeat([[0.0], [1.0], [2.0]], 5, axis=0), np.repeat([0, 1, 2], 5)
    model = TWINS[name][0]().fit(X, y)
    assert model.n_iter_ == 1
    assert model.score(X, y) == 1


@pytest.mark.parametrize("name", ["SAMME", "M1", "MH", "MM"])
def test_a_vote_counts_alpha(name):
    X, y, w = problem(60, 4, seed=0)
    model = TWINS[name][0](n_estimators=3, n_leaves=8).fit(X, y, w)
    sums = np.abs(model.decision_function(X)).sum(axis=1)
    votes = 4 if name == "MH" else 1
    assert sums.max() <= votes * model.alphas_.sum() * (1 + 1e-12)


def exponential_loss(name, F, y):
    """What the method lowers, per row; pairs of a class and the right one are averaged."""
    n, K = F.shape
    own = F[np.arange(n), y][:, None]
    is_own = np.eye(K, dtype=bool)[y]
    match name:
        case "SAMME":
            code = np.where(is_own, 1, -1 / (K - 1))
            return np.exp(-((K - 1) / K) * (code * F).sum(axis=1))
        case "MH":
            signs = np.where(is_own, 1, -1)
            return (np.exp(-signs * F) * np.where(is_own, 0.5, 0.5 / (K - 1))).sum(axis=1)
        case "MM":
            return np.where(is_own, 0, np.exp(F - own)).sum(axis=1) / (K - 1)


@pytest.mark.parametrize("name", ["SAMME", "MH", "MM"])
def test_training_loss_is_that_of_the_scores(name):
    X, y, _ = problem(80, 4, seed=3)
    model = TWINS[name][0](n_estimators=5, n_leaves=8, learning_rate=0.5).fit(X, y)
    losses = [exponential_loss(name, F, y).mean() for F in model.staged_decision_function(X)]
    np.testing.assert_allclose(model.train_score_, losses, rtol=1e-9)
