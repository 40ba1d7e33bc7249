"""What a round draws, and that it is used for the cuts only: votes and alphas see everything.

The draws are made here once more, from (seed, round, purpose) alone; the oracle then cuts the rows,
classes and features drawn.
"""

import math
import zlib
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

import oracle
from core_runs import Case, fingerprint, prepare, raw_of, train
from core_twin import core_rounds, oracle_rounds
from estimator_runs import bits, small
from mhboost import _core
from oracle import Problem, Settings
from random_cases import random_labels, random_problem

ROWS, TREE_FEATURES, NODE_FEATURES, CLASSES, BIN_ROWS = 1, 2, 3, 4, 5
ATTEMPTS = 50
VOTES = ("discrete", "ternary", "real")
SHAPES = {"stump": {}, "tree": {"nodes": 5}, "product": {"terms": 2}}

# ---------------------------------------------------------------------------------- random stream

WORD = 2**64 - 1


def mix(z):
    """The finaliser of splitmix64 (Steele, Lea & Flood 2014)."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


class Stream:
    def __init__(self, seed, t, purpose):
        self.state = mix(mix(seed) ^ mix(t * 8 + purpose))

    def below(self, n):
        self.state = self.state + 0x9E3779B97F4A7C15 & WORD
        return (mix(self.state) >> 32) * n >> 32

    def sample(self, n, k):
        """k of 0 .. n-1, rising: the head of a shuffle."""
        items = list(range(n))
        for i in range(k):
            j = i + self.below(n - i)
            items[i], items[j] = items[j], items[i]
        return sorted(items[:k])


# ------------------------------------------------------------------------------------------ twins


def case_for(seed, kind="single-label", **settings):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(90, 3)), rng.integers(0, 5, (90, 3))])
    X[rng.random(X.shape) < 0.1] = np.nan
    problem = random_problem(rng, X, kind, classes=6)
    weights = rng.exponential(size=problem.signs.shape)
    return Case(X, problem, Settings(weights=weights, **settings), 5, {4: 5})


def numbers_of(*name):
    return zlib.crc32(repr(name).encode())


def drawn(g, t, seed, subsample=1.0, class_sample=0, weight_trimming=0.0, tree_features=0, d=0):
    """(rows, units, features) of round t's search; the units are of all rows."""
    n, K = g.shape
    classes = list(range(K))
    q = oracle.units(g)
    if 0 < class_sample < K:
        classes = Stream(seed, t, CLASSES).sample(K, class_sample)
        q = stretched_units(g[:, classes])
    rows = np.arange(n)
    if subsample < 1:
        rows = np.array(Stream(seed, t, ROWS).sample(n, max(1, int(subsample * n))))
    mass = np.abs(q[rows]).sum(axis=1)
    rows = rows[mass >= lightest_mass(mass, weight_trimming)]
    features = list(range(d))
    if tree_features:
        features = Stream(seed, t, TREE_FEATURES).sample(d, tree_features)
    return rows, q, features


def stretched_units(g):
    """Some classes' weights with the resolution of all."""
    bound = float(np.abs(oracle.units(g)).sum()) + 0.5 * g.size
    scale = np.float32(1e9 * (1e9 / bound))
    return np.trunc(g * scale + np.copysign(np.float32(0.5), g)).astype(np.int64)


def lightest_mass(mass, share):
    """The lightest rows that hold at most this share of the mass are left out.

    Masses count by their five leading binary digits: rows of equal weight stay together.
    """
    if share == 0:
        return 1
    digits = np.array([five_digits(m) for m in mass.tolist()])
    for level in np.unique(digits[digits > 0]):
        if mass[digits <= level].sum() > share * mass.sum():
            return level
    raise AssertionError("a share below 1 leaves a row")


def five_digits(number):
    shift = max(0, number.bit_length() - 5)
    return number >> shift << shift


class SampledBoosting:
    """The oracle's AdaBoost.MH, the search looking at what was drawn."""

    def __init__(self, case, seed, **options):
        self.case, self.seed, self.options = case, seed, options
        self.features = oracle.make_features(case.X, None, case.categorical)
        self.weights = oracle.ExponentialWeights(case.problem, case.settings)
        self.model = oracle.Model(case.problem.signs.shape[1], self.weights.g)
        self.redrawn = 0
        while len(self.model.rounds) < case.rounds and self.round():
            pass

    def round(self):
        """A sample whose tree has no edge on all rows is drawn again."""
        for attempt in range(ATTEMPTS):
            draw = len(self.model.rounds) + attempt * 2**40
            if self.boost(self.tree(draw)):
                self.redrawn += attempt
                return True
        return False

    def tree(self, draw):
        X, d = self.case.X, self.case.X.shape[1]
        options = dict(self.options)
        of_node = options.pop("node_features", 0)
        rows, q, features = drawn(self.weights.g, draw, self.seed, d=d, **options)
        features = [self.features[j] for j in features]
        with drawing_for_each_node(Stream(self.seed, draw, NODE_FEATURES), of_node):
            tree = oracle.grow(features, X[rows], q[rows], self.case.settings)
        return tree if tree.nodes else oracle.Tree([oracle.Node(oracle.CONSTANT)])

    def boost(self, tree):
        X, settings, weights = self.case.X, self.case.settings, self.weights
        q = oracle.units(weights.g)
        oracle.cast_votes(tree, X, q, settings)
        sums = oracle.leaf_sums(tree, X, q)
        if not sums.edge > 0:
            return False
        alpha = oracle.base_coefficient(sums, len(X), settings)
        Z = oracle.energy(sums, alpha, settings)
        weights.update(alpha, tree.votes(X), Z, sums.total)
        done = oracle.Round(tree, alpha, sums.edge, sums.total, Z, weights.loss, weights.g)
        self.model.rounds.append(done)
        return True


@contextmanager
def drawing_for_each_node(stream, k):
    """Every search of a node's cut draws k of the features first; 0: all."""

    def search_some(features, *rest):
        mine = stream.sample(len(features), k) if 0 < k < len(features) else range(len(features))
        return search_cut([features[i] for i in mine], *rest)

    search_cut = oracle.search_cut
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(oracle, "search_cut", search_some)
        yield


OPTIONS = {
    "rows": {"subsample": 0.6},
    "few rows": {"subsample": 0.2},
    "classes": {"class_sample": 3},
    "one class": {"class_sample": 1},
    "heavy rows": {"weight_trimming": 0.2},
    "one row": {"subsample": 1e-6},
    "features of a tree": {"tree_features": 3},
    "features of a node": {"node_features": 2},
    "features of features": {"node_features": 2, "tree_features": 4},
    "rows and classes": {"subsample": 0.6, "class_sample": 4},
    "heavy rows of some": {"subsample": 0.7, "weight_trimming": 0.1},
    "all": {
        "subsample": 0.7,
        "weight_trimming": 0.1,
        "class_sample": 4,
        "tree_features": 5,
        "node_features": 3,
    },
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("votes", VOTES)
@pytest.mark.parametrize("options", OPTIONS)
def test_cuts_are_of_what_was_drawn_votes_and_alphas_of_everything(options, votes, shape):
    for k in range(2):
        seed = numbers_of(options, votes, shape, k)
        case = case_for(seed, votes=votes, **SHAPES[shape])
        training = train(case, seed=seed, **OPTIONS[options])
        assert_sampled_twins(training, SampledBoosting(case, seed, **OPTIONS[options]).model)


def assert_sampled_twins(training, model):
    X, settings = training.case.X, training.case.settings
    for core, twin in zip(core_rounds(training), oracle_rounds(model, X, settings), strict=True):
        assert replace(core, gains=[]) == replace(twin, gains=[])  # gains are of the drawn rows
    assert np.array_equal(training.scores(), model.scores(X))


@pytest.mark.parametrize("kind", ["multi-label", "multi-task"])
def test_columns_are_drawn_from_all_tasks(kind):
    case = case_for(numbers_of(kind), kind, nodes=3)
    options = {"subsample": 0.7, "class_sample": 2}
    assert_sampled_twins(train(case, seed=8, **options), SampledBoosting(case, 8, **options).model)


def test_a_sample_that_teaches_nothing_is_drawn_again():
    """Two rows of one class leave the constant, and both classes have as many rows: no edge."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    case = Case(X, Problem.single_label([0, 1] * 10), rounds=4)
    twins = [SampledBoosting(case, seed, subsample=0.1) for seed in range(8)]
    assert sum(twin.redrawn for twin in twins) > 4
    for seed, twin in enumerate(twins):
        assert_sampled_twins(train(case, seed=seed, subsample=0.1), twin.model)


def test_samples_that_all_teach_nothing_end_the_training():
    case = Case(np.zeros((20, 2)), Problem.single_label([0, 1] * 10))
    booster = train(case, subsample=0.5).booster
    assert (booster.n_rounds, booster.stop_reason) == (0, "no cut has a positive edge")


# ------------------------------------------------------------------------- seed, round, purpose


@pytest.mark.parametrize("options", OPTIONS)
def test_a_continued_model_draws_what_an_uninterrupted_one_draws(options):
    case = case_for(numbers_of(options), nodes=4)
    whole = train(case, seed=4, **OPTIONS[options])
    paused = prepare(case, seed=4, **OPTIONS[options])
    for _ in range(case.rounds):
        paused.booster.run(1, math.inf)
    assert fingerprint(paused) == fingerprint(whole)
    continued = prepare(case, seed=4, **OPTIONS[options])
    continued.booster.replay(whole.ensemble.truncate(min(2, whole.booster.n_rounds)))
    continued.booster.run(case.rounds - 2, math.inf)
    assert fingerprint(continued) == fingerprint(whole)


@pytest.mark.parametrize("options", [o for o in OPTIONS if o not in ("heavy rows", "one row")])
def test_another_seed_draws_otherwise(options):
    case = case_for(numbers_of(options), nodes=4)
    models = [fingerprint(train(case, seed=seed, **OPTIONS[options])) for seed in (1, 2)]
    assert models[0] != models[1]


@pytest.mark.parametrize(
    "options",
    [
        {"class_sample": 6},
        {"class_sample": 60},
        {"node_features": 6},
        {"tree_features": 6},
        {"subsample": 1.0},
    ],
)
def test_to_draw_everything_is_to_draw_nothing(options):
    case = case_for(3, nodes=4)
    assert fingerprint(train(case, seed=1, **options)) == fingerprint(train(case))


def test_light_rows_are_left_out_up_to_a_share_of_the_weight():
    """Ten rows of weight 1 and four of 10, 20, 30 and 30: the ten hold a tenth of the weight.

    Only they tell where to cut.
    """
    x = np.r_[np.arange(10), [20] * 4].astype(float)[:, None]
    labels = Problem.single_label([0] * 5 + [1] * 9)
    weights = np.r_[np.ones(10), 10, 20, 30, 30]
    case = Case(x, labels, Settings(row_weights=weights), rounds=1)
    threshold = {
        share: [cut[0][0][2] for cut in core_rounds(train(case, weight_trimming=share))[0].cuts]
        for share in (0.0, 0.09, 0.1)
    }
    assert threshold == {0.0: [4.5], 0.09: [4.5], 0.1: []}


def test_cut_points_of_long_columns_come_from_200_000_rows():
    n, sampled = 200_100, 200_000
    X = np.random.default_rng(0).normal(size=(n, 1))
    X[-1] = np.nan
    rows = Stream(7, 0, BIN_ROWS).sample(n, sampled)
    whole, part = (_core.Binner(20, [0], 7) for _ in range(2))
    whole.fit(raw_of(X))
    part.fit(raw_of(X[rows]))
    assert np.array_equal(whole.thresholds(0), part.thresholds(0))
    assert whole.has_missing(0)


def test_the_classifier_takes_its_draws_from_random_state():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = random_labels(rng, X, 4)
    draws = {"subsample": 0.5, "class_sample": 2, "max_features": 2}
    models = [bits(small(random_state=state, **draws).fit(X, y)) for state in (0, 0, 1)]
    assert models[0] == models[1]
    assert models[0] != models[2]
