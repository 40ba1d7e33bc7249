"""What holds on any data: losses, energies, edges and weights tell one story.

Nothing here knows how the core works. The weights of a round are made from the scores so far, in
float64: w[i,l] = w0[i,l] exp(-f[i,l] y[i,l]), divided by their sum.
"""

import itertools
import math
import zlib

import numpy as np
import pytest

from core_runs import raw_of, train, weights_of
from random_cases import PROBLEMS, random_case

ALMOST = {"rtol": 2e-5, "atol": 1e-8}  # float32 weights, units of 1e-9
VOTES = ("discrete", "ternary", "real")
SHAPES = {
    "stump": {},
    "tree": {"nodes": 6},
    "leafwise tree": {"nodes": 6, "leaves": "leafwise"},
    "product": {"terms": 3},
}
N_CASES = 6
NO_SMOOTHING = {"effective_rows": 1e15}  # s = 0.01 / n in alpha


def cases(kind, n=N_CASES, **settings):
    seed = zlib.crc32(repr((kind, sorted(settings.items()))).encode())
    return [random_case([seed, k], kind, **settings) for k in range(n)]


def each_case(test):
    """Every kind of problem, votes and shape, each with `N_CASES` cases: 288."""
    test = pytest.mark.parametrize("kind", PROBLEMS)(test)
    test = pytest.mark.parametrize("votes", VOTES)(test)
    return pytest.mark.parametrize("shape", SHAPES)(test)


class Story:
    """A training, and what its scores say of the weights."""

    def __init__(self, case, **options):
        self.training = train(case, **options)
        self.case, self.booster = case, self.training.booster
        self.ensemble, self.n_rounds = self.training.ensemble, self.booster.n_rounds
        self.signs, self.raw = case.problem.signs, raw_of(case.X)
        g = weights_of(case.problem, case.settings).to_array()
        self.initial = np.abs(g.astype(np.float64))
        self.leaf_of_row = self.ensemble.apply(self.raw, 0, self.n_rounds)

    def margins(self, t):
        """f y after t rounds."""
        return self.ensemble.scores(self.raw, 0, t) * self.signs

    def weights(self, t):
        """w before round t."""
        w = self.initial * np.exp(-self.margins(t))
        return w / w.sum()

    def votes(self, t):
        """h of round t on every row, without alpha."""
        table = self.ensemble.nodes(t)
        return table["votes"][table["is_leaf"].astype(bool)][self.leaf_of_row[:, t]]

    def energies(self):
        """Z of every round, from the weights that the scores say."""
        alphas = self.booster.alphas
        return [
            (self.weights(t) * np.exp(-alphas[t] * self.votes(t) * self.signs)).sum()
            for t in range(self.n_rounds)
        ]


@each_case
def test_the_training_loss_is_the_exponential_loss_and_the_product_of_energies(kind, votes, shape):
    for case in cases(kind, votes=votes, **SHAPES[shape]):
        story = Story(case)
        losses = [
            (story.initial * np.exp(-story.margins(t + 1))).sum() for t in range(story.n_rounds)
        ]
        np.testing.assert_allclose(story.booster.losses, losses, **ALMOST)
        np.testing.assert_allclose(story.booster.losses, np.cumprod(story.energies()), **ALMOST)


@each_case
def test_every_edge_is_positive_and_the_sum_over_its_leaves(kind, votes, shape):
    """Under the weights that the scores say; of real votes only the signs count."""
    for case in cases(kind, votes=votes, **SHAPES[shape]):
        story = Story(case)
        for t, edge in enumerate(story.booster.edges):
            agreement = story.weights(t) * np.sign(story.votes(t)) * story.signs
            of_leaf = np.bincount(story.leaf_of_row[:, t], agreement.sum(axis=1))
            assert edge > 0
            np.testing.assert_allclose(edge, of_leaf.sum(), **ALMOST)


@each_case
def test_the_leaves_share_the_weight_and_it_sums_to_one(kind, votes, shape):
    """A leaf's share is that of its rows; inner nodes hold what their leaves hold."""
    for case in cases(kind, votes=votes, **SHAPES[shape]):
        story = Story(case)
        for t in range(story.n_rounds):
            table = story.ensemble.nodes(t)
            leaf = table["is_leaf"].astype(bool)
            rows = np.bincount(
                story.leaf_of_row[:, t], story.weights(t).sum(axis=1), minlength=leaf.sum()
            )
            np.testing.assert_allclose(table["weight"][leaf], rows, **ALMOST)
            np.testing.assert_allclose(table["weight"][0], 1.0, rtol=1e-12)


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("votes", ["discrete", "real"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_weights_of_the_search_sum_to_one_in_every_round(kind, votes, shape):
    """A cut's gain, |R - L| - |R + L| summed over the classes, is told in shares of the weight.

    The core does not divide it by the total: were the sum of its weights not 1, gains would be
    off by as much.
    """
    for case in cases(kind, votes=votes, **SHAPES[shape]):
        story = Story(case)
        for t in range(story.n_rounds):
            table, g = story.ensemble.nodes(t), story.weights(t) * story.signs
            for j in np.flatnonzero(table["is_leaf"] == 0):
                left, right = (
                    g[np.isin(story.leaf_of_row[:, t], leaves_below(table, table[side][j]))]
                    for side in ("left", "right")
                )
                L, R = left.sum(axis=0), right.sum(axis=0)
                gain = (np.abs(R - L) - np.abs(R + L)).sum()
                np.testing.assert_allclose(table["gain"][j], gain, rtol=2e-5, atol=2e-6)


def leaves_below(table, row):
    if table["is_leaf"][row]:
        return [table["leaf"][row]]
    return [leaf for side in ("left", "right") for leaf in leaves_below(table, table[side][row])]


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_energy_is_the_root_of_one_minus_the_squared_edge(kind, shape):
    """Discrete votes, learning rate 1, and alpha without its smoothing."""
    for case in cases(kind, n=3 * N_CASES, learning_rate=1.0, **SHAPES[shape]):
        booster = train(case, **NO_SMOOTHING).booster
        edges = booster.edges[booster.edges < 1]  # an edge of 1 ends the training
        wanted = np.sqrt(1 - edges**2)
        energies = [b / a for a, b in itertools.pairwise([1.0, *booster.losses])]
        np.testing.assert_allclose(energies[: len(edges)], wanted, **ALMOST)


@each_case
def test_the_exponential_loss_bounds_the_weighted_hamming_error(kind, votes, shape):
    for case in cases(kind, votes=votes, **SHAPES[shape]):
        story = Story(case)
        for t, loss in enumerate(story.booster.losses):
            error = story.initial[story.margins(t + 1) <= 0].sum()
            assert loss >= error - 1e-6


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("votes", ["discrete", "ternary"])
@pytest.mark.parametrize("shape", SHAPES)
def test_no_round_raises_the_exponential_loss(kind, votes, shape):
    for case in cases(kind, votes=votes, **SHAPES[shape]):
        losses = [1.0, *train(case).booster.losses]
        assert all(b < a for a, b in itertools.pairwise(losses))


@each_case
def test_the_logistic_loss_follows_the_scores_and_falls(kind, votes, shape):
    for case in cases(kind, votes=votes, loss="logistic", **SHAPES[shape]):
        story = Story(case)
        wanted = [
            (story.initial * np.logaddexp(0, -2 * story.margins(t + 1))).sum()
            for t in range(story.n_rounds)
        ]
        np.testing.assert_allclose(story.booster.losses, wanted, **ALMOST)
        assert all(b < a for a, b in itertools.pairwise([math.log(2), *story.booster.losses]))
