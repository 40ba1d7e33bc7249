"""The oracle, checked by hand: small sums on paper, brute force, and the paper's identities."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import oracle
from oracle import CONSTANT, Problem, Settings, Subset, Threshold, boost

NAN = math.nan


def column(*values):
    return np.array(values, dtype=np.float64)[:, None]


def whole_numbers(rows, columns, largest=20):
    """Small matrices of whole numbers, zeros and ties included."""
    entry = st.integers(-largest, largest)
    return st.tuples(rows, columns).flatmap(
        lambda shape: st.lists(
            st.lists(entry, min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        ).map(np.array)
    )


def search(X, q, votes="discrete", terms=1, categorical=None):
    X = np.asarray(X, dtype=np.float64)
    features = oracle.make_features(X, None, categorical)
    return oracle.search_cut(features, X, np.asarray(q), Settings(votes=votes, terms=terms))


def some_data(seed, n=90, d=4, classes=4, missing=0.1, categories=6):
    """Noisy classes, numeric columns with ties and missing values, the last column categorical."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), 1)
    X[:, -1] = rng.integers(0, categories, n)
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.3) + (X[:, -1] % 3 == 1)
    y = np.where(rng.random(n) < 0.15, rng.integers(0, classes, n), y % classes)
    X[rng.random(X.shape) < missing] = NAN
    X[:, 0] = np.nan_to_num(X[:, 0])
    return X, y, {d - 1: categories}


# ---------------------------------------------------------------------------------------- weights


def test_units_are_billionths_rounded_to_the_nearest():
    g = np.array([0.25, -0.25, 0.0, -0.0, 0.4e-9, -0.6e-9, 1.6e-9], dtype=np.float32)
    assert oracle.units(g).tolist() == [250_000_000, -250_000_000, 0, 0, 0, -1, 2]


def test_units_round_in_float32():
    g = np.float32(0.1)  # 0.1f * 1e9f = 100000001.49.. -> the nearest float32, 100000000
    assert oracle.units(np.array([g])).tolist() == [100_000_000]


@pytest.mark.parametrize(
    ("problem", "scheme", "expected"),
    [
        (
            Problem.single_label([0, 2], 3),
            "balanced",
            [[1 / 2, 1 / 4, 1 / 4], [1 / 4, 1 / 4, 1 / 2]],
        ),
        (Problem.single_label([0, 2], 3), "uniform", [[1 / 3] * 3] * 2),
        (Problem.single_label([0, 1]), "balanced", [[1], [1]]),
        (
            Problem.multi_label([[1, 0, 0], [0, 0, 0]]),
            "balanced",
            [[1 / 2, 1 / 4, 1 / 4], [1 / 3, 1 / 3, 1 / 3]],
        ),
        (Problem.multi_label([[1, 1], [0, 1]]), "balanced", [[1 / 2, 1 / 2], [1 / 2, 1 / 2]]),
        (Problem.multi_label([[1, 0, 0], [0, 0, 0]]), "uniform", [[1 / 3] * 3] * 2),
        (
            Problem.multi_task([[1, 0], [0, 2]]),
            "balanced",
            [[1 / 2, 1 / 4, 1 / 8, 1 / 8], [1 / 2, 1 / 8, 1 / 8, 1 / 4]],
        ),
        (Problem.single_label([0, 1]), [[2], [3]], [[2], [3]]),
    ],
)
def test_initial_weights(problem, scheme, expected):
    w = oracle.initial_weights(problem, Settings(weights=scheme))
    np.testing.assert_allclose(w, expected, rtol=1e-15)


def test_row_weights_multiply_the_scheme():
    problem = Problem.single_label([0, 1])
    assert oracle.initial_weights(problem, Settings(row_weights=[2, 6])).tolist() == [[2], [6]]
    g = boost(column(0, 1), problem, Settings(row_weights=[2, 6]), rounds=0).initial_g
    assert g.dtype == np.float32
    assert g.tolist() == [[-0.25], [0.75]]


def test_balanced_weights_balance_every_column_of_a_balanced_set():
    g = boost(column(*range(6)), Problem.single_label([0, 1, 2] * 2), rounds=0).initial_g
    np.testing.assert_allclose(g.sum(axis=0), 0, atol=1e-7)
    np.testing.assert_allclose(np.abs(g).sum(), 1, rtol=1e-6)


def test_weights_below_the_smallest_normal_float_become_zero():
    tiny = float(oracle.SMALLEST_NORMAL)
    problem = Problem.single_label([0, 1, 1])
    g = boost(column(0, 1, 2), problem, Settings(weights=[[1], [tiny], [tiny / 2]]), 0).initial_g
    assert g.ravel().tolist() == [-1.0, tiny, 0.0]


# ----------------------------------------------------------------------------- thresholds, missing


def test_thresholds_lie_halfway():
    above_one = np.nextafter(1, 2)
    assert oracle.halfway_thresholds(np.array([3.0, 1, NAN, 1, 2])) == [1.5, 2.5]
    assert oracle.halfway_thresholds(np.array([1, above_one])) == [above_one]
    assert oracle.halfway_thresholds(np.array([-1.5e308, 1.5e308])) == [0.0]
    assert oracle.halfway_thresholds(np.array([1.0, NAN, 1.0])) == []


def test_given_thresholds_replace_the_halfway_points():
    X, problem = column(1, 2, 3, 4), Problem.single_label([0, 0, 1, 1])
    tree = boost(X, problem, rounds=1, thresholds={0: [1.5, 3.25]}).rounds[0].tree
    assert tree.nodes[0].terms == (Threshold(0, 1.5, 1),)  # 1.5 and 3.25 tie: the lower one


def test_is_missing_comes_before_the_thresholds():
    found = search(column(1, 2, NAN, NAN), column(1, 1, -1, -1).astype(int))
    assert found.terms == (Threshold(0, -math.inf, -1),)
    assert found.sides.tolist() == [1, 1, -1, -1]
    assert found.verdict.edge == 4


def test_missing_values_take_the_better_side():
    q = column(-1, 1, 1, 1).astype(int)
    assert search(column(1, 2, 3, NAN), q).terms == (Threshold(0, 1.5, 1),)
    q = column(-1, 1, 1, -1).astype(int)
    assert search(column(1, 2, 3, NAN), q).terms == (Threshold(0, 1.5, -1),)


def test_missing_values_that_do_not_matter_go_to_the_plus_side():
    q = column(-1, 1, -3, 3).astype(int)
    assert search(column(1, 2, NAN, NAN), q).terms == (Threshold(0, 1.5, 1),)


@pytest.mark.parametrize(("q", "side"), [([-1, 2, 2], 1), ([-5, 2, 2], -1), ([-4, 2, 2], 1)])
def test_without_missing_in_training_the_heavier_side_takes_them(q, side):
    found = search(column(1, 2, 3), column(*q).astype(int))
    assert found.terms == (Threshold(0, 1.5, side),)
    assert found.terms[0].sides(column(NAN)).tolist() == [side]


def test_the_constant_wins_a_tie():
    # T = 2: the constant has edge 2, and x >= 1.5 has |2 - 2*0| = 2, too.
    assert search(column(1, 1, 2), column(1, -1, 2).astype(int)).terms == CONSTANT


def test_the_first_feature_and_the_lowest_threshold_win_ties():
    X = np.array([[1, 1], [2, 2], [3, 3], [4, 4]])
    q = column(-1, 1, -1, 1).astype(int)  # 1.5 and 3.5 have edge 2
    assert search(X, q).terms == (Threshold(0, 1.5, 1),)


# -------------------------------------------------------------------------------- stumps and edges


def test_stump_by_hand():
    """Four rows x = 1..4 of classes 0, 0, 1, 2 with balanced weights, in sixteenths:

    g = (2,-1,-1) (2,-1,-1) (-1,2,-1) (-1,-1,2)     T = (2,-1,-1)    constant: edge 4/16
    b = 1.5: L = (2,-1,-1), T - 2L = (-2, 1, 1)     edge  4/16
    b = 2.5: L = (4,-2,-2), T - 2L = (-6, 3, 3)     edge 12/16  <- best, v = (-,+,+)
    b = 3.5: L = (3, 0,-3), T - 2L = (-4,-1, 5)     edge 10/16
    """
    X, problem = column(1, 2, 3, 4), Problem.single_label([0, 0, 1, 2])
    model = boost(X, problem, rounds=1)
    [node] = model.rounds[0].tree.nodes
    assert node.terms == (Threshold(0, 2.5, 1),)
    assert node.right_votes.tolist() == [-1, 1, 1]
    assert node.left_votes.tolist() == [1, -1, -1]
    assert model.edges == [0.75]
    assert model.rounds[0].E == 750_000_000
    s = 0.01 / 4
    assert model.alphas == [0.5 * math.log((1.75 + s) / (0.25 + s))]
    np.testing.assert_array_equal(
        model.scores(column(0, 9)), model.alphas[0] * np.array([[1, -1, -1], [-1, 1, 1]])
    )


def test_two_rounds_by_hand():
    """The same rows. Round 1 is wrong on class 2 of row 3 and class 1 of row 4.

    Against the others, these two grow by r = exp(2 alpha) = (1.75 + s)/(0.25 + s), nearly 7. With
    all other weights as before, in sixteenths, the total is 14 + 2r, and

        g = (2,-1,-1) (2,-1,-1) (-1,2,-r) (-1,-r,2)     T = (2,-r,-r)    constant: 2 + 2r
        b = 1.5: T - 2L = (-2, 2-r, 2-r)                edge 2r - 2
        b = 2.5: T - 2L = (-6, 4-r, 4-r)                edge 2r - 2
        b = 3.5: L = (3, 0, -2-r), T - 2L = (-4, -r, r+4)   edge 8 + 2r  <- best, v = (-,-,+)
    """
    X, problem = column(1, 2, 3, 4), Problem.single_label([0, 0, 1, 2])
    model = boost(X, problem, rounds=2)
    s = 0.01 / 4
    r = (1.75 + s) / (0.25 + s)
    g = np.array([[2, -1, -1], [2, -1, -1], [-1, 2, -r], [-1, -r, 2]]) / (14 + 2 * r)
    np.testing.assert_allclose(model.rounds[0].g, g, rtol=3e-7)
    [node] = model.rounds[1].tree.nodes
    assert node.terms == (Threshold(0, 3.5, -1),)  # most of the weight is on the left
    assert node.right_votes.tolist() == [-1, -1, 1]
    np.testing.assert_allclose(model.edges[1], (8 + 2 * r) / (14 + 2 * r), rtol=1e-7)
    first, second = model.alphas
    np.testing.assert_allclose(
        model.scores(column(3)), [[-first + second, first + second, first - second]]
    )


@given(q=whole_numbers(st.integers(1, 9), st.integers(1, 4)), data=st.data())
@hypothesis_settings(deadline=None)
def test_the_search_finds_the_best_edge_by_definition(q, data):
    """Eq (11): max over cuts and all 2^K vote vectors of sum_i sum_l v_l phi(x_i) q[i,l]."""
    values = st.sampled_from([0.0, 1.0, 2.0, 5.0, NAN])
    X = np.array([[data.draw(values), data.draw(values)] for _ in q])
    best = max(
        sum(
            v * side * value
            for side, row in zip(sides, q.tolist(), strict=True)
            for v, value in zip(votes, row, strict=True)
        )
        for sides in all_stumps(X)
        for votes in itertools.product([-1, 1], repeat=q.shape[1])
    )
    found = search(X, q)
    assert found.verdict.edge == best
    assert (found.verdict.votes * (found.sides[:, None] * q).sum(axis=0)).sum() == best
    np.testing.assert_array_equal(oracle.sides_of(found.terms, X), found.sides)


def all_stumps(X):
    """Every way to cut rows by one threshold with the missing values on either side."""
    yield [1] * len(X)
    for x in X.T.tolist():
        for b in [-math.inf, 0.5, 1.5, 2.5, 3.5]:
            for missing in (-1, 1):
                yield [missing if math.isnan(value) else (1 if value >= b else -1) for value in x]


# ------------------------------------------------------------------------------------- categories


def all_subset_edges(table):
    for choice in itertools.product([False, True], repeat=len(table)):
        yield np.abs(oracle.subset_edges(table, np.array(choice))).sum()


tables = whole_numbers(st.integers(2, 6), st.integers(1, 5))


@given(table=tables)
def test_categories_lie_between_start_a_and_brute_force(table):
    plus, edge = oracle.best_subset(table)
    assert edge == np.abs(oracle.subset_edges(table, plus)).sum()
    assert edge <= max(all_subset_edges(table))
    starts = [oracle.best_one_against_rest(table)]
    if np.count_nonzero(table.any(axis=1)) > 1:
        starts.append(oracle.best_along_singular_vector(table))
    assert edge >= max(np.abs(oracle.subset_edges(table, start)).sum() for start in starts)


@given(table=whole_numbers(st.integers(2, 6), st.just(1)))
def test_categories_are_exact_with_one_column(table):
    assert oracle.best_subset(table)[1] == np.abs(table).sum()


def test_categories_by_hand():
    """G = (3,-1), (-2,1), (-2,2) for categories 0, 1, 2: T = (-1, 2), constant 3.

    {0}: 2R - T = (7,-4), 11. {1}: (-3,0), 3. {2}: (-3,2), 5. Start A is {0}, and v = (+,-) sends
    category 0 to the + side (3 + 1 > 0), the others to the - side: done.
    """
    X, q = column(0, 1, 2), np.array([[3, -1], [-2, 1], [-2, 2]])
    found = search(X, q, categorical={0: 3})
    assert found.terms == (Subset(0, frozenset({0}), 3, -1, -1),)  # weights 4 : 7
    assert found.verdict.edge == 11
    assert found.terms[0].sides(column(0, 1, 2, 3, NAN)).tolist() == [1, -1, -1, -1, -1]


def test_missing_values_are_one_more_category():
    """G = 2, -2 and 2 (missing), T = 2. Alone on the + side, 2R - T: 2, -6, 2."""
    X, q = column(0, 1, 1, NAN), column(2, -1, -1, 2).astype(int)
    found = search(X, q, categorical={0: 2})
    assert found.terms == (Subset(0, frozenset({1}), 2, -1, -1),)  # weights 2 : 4
    assert found.verdict.edge == 6
    # With -3 missing rather than 2, T = -3 and 2R - T = 7, -1, -3: missing stays with category 1.
    # With 3 and q = (2, 1, 1), the constant has all the edge there is.
    q = column(2, -1, -1, -3).astype(int)
    assert search(X, q, categorical={0: 2}).terms == (Subset(0, frozenset({0}), 2, -1, -1),)
    assert search(X, column(2, 1, 1, 3).astype(int), categorical={0: 2}).terms == CONSTANT


def test_missing_values_can_be_the_best_category():
    found = search(column(0, 1, NAN), column(-2, -2, 5).astype(int), categorical={0: 2})
    assert found.terms == (Subset(0, frozenset(), 2, 1, 1),)  # weights 5 : 4
    assert found.terms[0].sides(column(0, 1, NAN, 2, -1)).tolist() == [-1, -1, 1, 1, 1]


def test_unseen_categories_join_missing_values_if_training_had_none():
    found = search(column(0, 1), column(-2, 3).astype(int), categorical={0: 2})
    assert found.terms == (Subset(0, frozenset({0}), 2, -1, -1),)  # edges tie; weights 2 : 3
    assert found.terms[0].sides(column(NAN, 2)).tolist() == [-1, -1]


def test_singular_vector_finds_what_one_against_rest_cannot():
    """Two blocks of categories that differ on many classes: {0,1} against {2,3}."""
    table = np.array([[5, 0, -4], [0, 5, -4], [-5, 0, 4], [0, -5, 4]])
    assert set(np.flatnonzero(oracle.best_along_singular_vector(table))) in ({0, 1}, {2, 3})


def test_singular_coordinates_match_the_svd():
    table = np.array([[9, -2, 1], [-7, 3, 0], [4, -1, 1], [-2, 5, -6]])
    p = np.array(oracle.first_singular_coordinates(table.tolist()))
    left = np.linalg.svd(table)[0][:, 0]
    np.testing.assert_allclose(np.abs(p) / np.linalg.norm(p), np.abs(left), atol=1e-4)


# -------------------------------------------------------------------------------------- ternary


def ternary_energy(D, A, voters):
    right = sum((A[c] + abs(D[c])) / 2 for c in voters)
    wrong = sum((A[c] - abs(D[c])) / 2 for c in voters)
    return sum(A) - right - wrong + 2 * math.sqrt(right * wrong)


def test_ternary_votes_by_hand():
    """Class 0 is always right, class 1 a coin toss: Z = 8 without class 1, 2 sqrt(12*4) with it."""
    votes, energy = oracle.ternary_votes(np.array([8, 0]), np.array([8, 8]))
    assert votes.tolist() == [1, 0]
    assert energy == 8


def test_a_class_with_any_edge_makes_someone_vote():
    """With D = 1 and A = 10^9, 2 sqrt(W+ W-) rounds to A: no gain that float64 could see."""
    votes, energy = oracle.ternary_votes(np.array([0, 1]), np.array([5, 10**9]))
    assert votes.tolist() == [0, 1]
    assert energy == 10**9 + 5
    assert oracle.ternary_votes(np.array([0, 0]), np.array([5, 10**9]))[0].tolist() == [0, 0]


@given(pairs=st.lists(st.tuples(st.integers(-30, 30), st.integers(0, 30)), min_size=1, max_size=6))
def test_the_best_voters_are_a_prefix(pairs):
    D = np.array([d for d, _ in pairs])
    A = np.array([abs(d) + extra for d, extra in pairs])
    votes, energy = oracle.ternary_votes(D, A)
    subsets = itertools.chain.from_iterable(
        itertools.combinations(range(len(D)), k) for k in range(len(D) + 1)
    )
    best = min(ternary_energy(D, A, subset) for subset in subsets)
    np.testing.assert_allclose(energy, best, rtol=1e-12, atol=1e-6)
    np.testing.assert_allclose(
        ternary_energy(D, A, np.flatnonzero(votes)), energy, rtol=1e-12, atol=1e-6
    )
    assert np.any(votes) == np.any(D)
    assert all(v in (0, 1 if d > 0 else -1) for v, d in zip(votes, D, strict=True))


def test_ternary_votes_compare_features_by_energy():
    """Masses A = (4, 5). Feature 0 cuts with D = (0, 5), feature 1 with D = (4, 3).

    By edge feature 1 wins, 7 > 5. By energy feature 0: class 1 alone, all right, leaves Z = 4;
    feature 1 has 5 with class 0 alone, and 2 sqrt(8 * 1) = 5.7 with both.
    """
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0, 0], [1, 1], [1, 0]])
    q = np.array([[-1, 1, -1, 1, 0, 0, 0], [0, 0, 0, 0, -3, 1, 1]]).T
    edges = [(Threshold(j, 0.5, 1).sides(X)[:, None] * q).sum(axis=0).tolist() for j in (0, 1)]
    assert edges == [[0, 5], [4, 3]]
    found = search(X, q)
    assert found.terms[0].feature == 1
    assert found.verdict.edge == 7
    found = search(X, q, votes="ternary")
    assert found.terms[0].feature == 0
    assert found.verdict.energy == 4
    assert found.verdict.votes.tolist() == [0, 1]
    assert found.verdict.edge == 5


# --------------------------------------------------------------------------------------- products


def test_product_by_hand():
    """XOR of two columns, weights 4, 1, 2, 1.

    T = 2. Column 0: L = 3, edge |2 - 6| = 4; column 1: L = 2, edge 2; the constant: 2. So term 1 is
    column 0 with sides - - + +. Multiplied, q = -4 1 -2 1, T = -4; column 1: L = -6, edge 8.
    """
    X, q = [[0, 0], [0, 1], [1, 0], [1, 1]], column(4, -1, -2, 1).astype(int)
    assert search(X, q).verdict.edge == 4
    found = search(X, q, terms=2)
    assert found.terms == (Threshold(0, 0.5, -1), Threshold(1, 0.5, -1))
    assert found.sides.tolist() == [1, -1, -1, 1]
    assert found.verdict.edge == 8
    assert search(X, q, terms=5).terms == found.terms


def test_a_product_whose_first_term_is_the_constant_is_the_constant():
    X, q = [[0, 0], [0, 1], [1, 0], [1, 1]], column(1, -1, -1, 1).astype(int)
    assert search(X, q, terms=3).terms == CONSTANT


def test_a_term_that_hinders_is_dropped():
    """q = 0, 4, -3, -4, 2 and T = -1; L and |T - 2L| of the columns are

    1: 3    -1: 1    -3: 5    term 1 is column 2
    on 0 -4 3 4 2, T = 5, term 2:    -1: 7     5: 5     0: 5     adds column 0
    on 0 4 -3 4 2, T = 7, term 3:     1: 5    -1: 9     5: 3     adds column 1
    on 0 -4 -3 -4 -2, T = -13, term 1: the constant has all 13 and drops column 2
    """
    X = [[0, 0, 1], [0, 1, 0], [0, 0, 0], [1, 1, 0], [1, 0, 1]]
    found = search(X, column(0, 4, -3, -4, 2).astype(int), terms=3)
    assert [term.feature for term in found.terms] == [0, 1]
    assert found.verdict.edge == 13


def entangled_data(seed):
    """Two classes hang on the product of three lopsided cuts, the third on nothing."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (60, 3))
    truth = np.where(X > 1, 1, -1).prod(axis=1)[:, None] * [1, -1, 0]
    return X, truth * rng.integers(1, 9, (60, 3)) + rng.integers(-2, 3, (60, 3))


@pytest.mark.parametrize("votes", ["discrete", "ternary"])
def test_a_product_is_never_worse_than_its_stump(votes):
    sizes = set()
    for seed in range(10):
        X, q = entangled_data(seed)
        one, three = (search(X, q, votes, terms) for terms in (1, 3))
        if votes == "ternary":
            assert three.verdict.energy <= one.verdict.energy
        else:
            assert three.verdict.edge >= one.verdict.edge
        np.testing.assert_array_equal(three.sides, oracle.sides_of(three.terms, X))
        sizes.add(len(three.terms))
    assert sizes >= {2, 3}


@pytest.mark.parametrize("seed", range(5))
def test_a_product_stops_where_no_single_term_helps(seed):
    X, q = entangled_data(seed)
    found = search(X, q, terms=3)
    for k in range(len(found.terms)):
        others = found.terms[:k] + found.terms[k + 1 :]
        flipped = oracle.sides_of(others, X)[:, None] * q
        assert search(X, flipped).verdict.edge <= found.verdict.edge


# ------------------------------------------------------------------------------------------ trees

# Both halves of column 0 are alike but for the sign:    x0 = 0: -3 +1     x0 = 1: +3 -1
TWINS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
TWIN_WEIGHTS = {"weights": [[3], [1], [3], [1]]}
TWIN_LABELS = [0, 1, 1, 0]


def test_tree_by_hand():
    """Root: T = 0, column 0: L = -2, edge 4; column 1: 0. Both children have edge 4 on column 1,
    and inherit 2: their keys tie, and the left one goes first."""
    problem = Problem.single_label(TWIN_LABELS)
    two = boost(TWINS, problem, Settings(nodes=2, **TWIN_WEIGHTS), 1).rounds[0]
    assert [node.terms for node in two.tree.nodes] == [
        (Threshold(0, 0.5, 1),),
        (Threshold(1, 0.5, -1),),
    ]
    assert (two.tree.nodes[0].left, two.tree.nodes[0].right) == (1, None)
    assert two.edge == 6 / 8  # 4 on the left, 2 on the right
    three = boost(TWINS, problem, Settings(nodes=3, **TWIN_WEIGHTS), 5)
    assert (three.rounds[0].tree.nodes[0].left, three.rounds[0].tree.nodes[0].right) == (1, 2)
    assert three.edges == [1.0]
    assert three.stopped == "no error"


def test_a_constant_node_corrects_the_vote_and_is_final():
    """Two rows, two columns of labels: g = (-3, 1) at x = 0, (3, 3) at x = 1, in tenths.

    Root: D = (6, 2), v = (+,+), edge 8. The left leaf inherits (-,-), worth 2 there; the constant
    says (-,+), worth 4. The right leaf inherits (+,+), worth all of its 6: no key is left.
    """
    problem = Problem.multi_label([[0, 1], [1, 1]])
    settings = Settings(nodes=9, weights=[[3, 1], [3, 3]])
    first = boost(column(0, 1), problem, settings, 1).rounds[0]
    root, constant = first.tree.nodes
    assert (root.left, root.right) == (1, None)
    assert root.left_votes is None
    assert constant.terms == CONSTANT
    assert constant.right_votes.tolist() == [-1, 1]
    assert constant.left_votes is None
    assert first.edge == 1.0
    assert first.tree.leaf_places() == [(1, 1), (0, 1)]


@pytest.mark.parametrize("votes", ["discrete", "ternary"])
def test_a_tree_obeys_n_and_more_nodes_never_lower_the_first_edge(votes):
    X, y, categorical = some_data(5)
    edges = []
    for nodes in (1, 2, 4, 8):
        settings = Settings(votes=votes, nodes=nodes)
        model = boost(X, Problem.single_label(y), settings, 1, categorical=categorical)
        assert len(model.rounds[0].tree.nodes) <= nodes
        edges.append(model.edges[0])
    assert edges == sorted(edges)


# --------------------------------------------------------------------------------- the paper's laws

RECIPES = [
    {"votes": votes, "leaves": leaves, **shape}
    for votes in ("discrete", "ternary", "real")
    for leaves in ("factorized", "leafwise")
    for shape in ({}, {"nodes": 5}, {"terms": 3}, {"nodes": 3, "terms": 2, "learning_rate": 0.5})
]


def recipe_name(recipe):
    return "-".join(str(value) for value in recipe.values())


@pytest.mark.parametrize("recipe", RECIPES, ids=recipe_name)
def test_exponential_loss_is_the_product_of_the_energies(recipe):
    X, y, categorical = some_data(1)
    problem = Problem.single_label(y)
    model = boost(X, problem, Settings(**recipe), 6, categorical=categorical)
    w = np.abs(model.initial_g.astype(np.float64))
    margins = model.scores(X) * problem.signs
    loss = (w * np.exp(-margins)).sum()
    np.testing.assert_allclose(model.losses[-1], loss, rtol=2e-6)
    np.testing.assert_allclose(np.prod([r.Z for r in model.rounds]), loss, rtol=2e-6)
    assert all(r.Z < 1 for r in model.rounds)
    assert (w * (margins <= 0)).sum() <= loss  # Hamming loss (2) <= exponential loss (4)
    np.testing.assert_allclose(
        [np.abs(r.g).sum(dtype=np.float64) for r in model.rounds], 1, rtol=1e-6
    )


@pytest.mark.parametrize("leaves", ["factorized", "leafwise"])
def test_energy_is_the_root_of_one_minus_the_squared_edge(leaves):
    X, y, categorical = some_data(2)
    model = boost(
        X, Problem.single_label(y), Settings(nodes=4, leaves=leaves), 10, categorical=categorical
    )
    for r in model.rounds:
        np.testing.assert_allclose(r.Z, math.sqrt(1 - r.edge**2), rtol=1e-6)


@pytest.mark.parametrize("recipe", RECIPES, ids=recipe_name)
def test_logistic_loss_falls_and_follows_the_scores(recipe):
    X, y, categorical = some_data(3)
    problem = Problem.single_label(y)
    model = boost(X, problem, Settings(loss="logistic", **recipe), 5, categorical=categorical)
    w = np.abs(model.initial_g.astype(np.float64))
    loss = (w * np.log1p(np.exp(-2 * model.scores(X) * problem.signs))).sum()
    np.testing.assert_allclose(model.losses[-1], loss, rtol=2e-6)
    assert all(b < a for a, b in itertools.pairwise([math.log(2), *model.losses]))


@pytest.mark.parametrize("votes", ["discrete", "ternary", "real"])
@pytest.mark.parametrize("shape", [{"nodes": 5}, {"terms": 3}], ids=["tree", "product"])
def test_units_change_nothing_material(votes, shape):
    X, y, categorical = some_data(4)
    problem = Problem.single_label(y)
    with_units, on_paper = (
        boost(
            X, problem, Settings(votes=votes, paper_mode=paper, **shape), 6, categorical=categorical
        )
        for paper in (False, True)
    )
    np.testing.assert_allclose(with_units.alphas, on_paper.alphas, rtol=1e-5)
    np.testing.assert_allclose(with_units.losses, on_paper.losses, rtol=1e-5)
    np.testing.assert_allclose(with_units.scores(X), on_paper.scores(X), rtol=1e-4, atol=1e-5)


def test_one_column_stumps_are_freund_and_schapires_adaboost():
    """Twelve lines of the binary algorithm, each row's weight a number."""
    rng = np.random.default_rng(6)
    x, y = rng.permutation(40) / 1.0, np.where(rng.random(40) < 0.5, 1, -1)
    model = boost(
        x[:, None], Problem.single_label((y > 0).astype(int)), Settings(paper_mode=True), 8
    )
    w = np.full(40, 1 / 40)
    for r in model.rounds:
        cuts = [np.ones(40)] + [np.where(x >= b, 1, -1) for b in np.arange(0.5, 39)]
        errors = [w[side * cut != y].sum() for cut in cuts for side in (1, -1)]
        gamma = 1 - 2 * min(errors)
        alpha = 0.5 * math.log((1 + gamma + 0.01 / 40) / (1 - gamma + 0.01 / 40))
        np.testing.assert_allclose([r.edge, r.alpha], [gamma, alpha], rtol=1e-9)
        h = r.tree.votes(x[:, None])[:, 0]
        w = w * np.exp(-r.alpha * h * y)
        w /= w.sum()


# ------------------------------------------------------------------------------ votes, alpha, stop


def test_real_votes_by_hand():
    """g = -1/2 and 1/2 at x = 0 and 1: W+ = 1, W- = 0, e = 1/2, v = 1/2 log(3)."""
    model = boost(column(0, 1), Problem.single_label([0, 1]), Settings(votes="real"), 1)
    [node] = model.rounds[0].tree.nodes
    assert node.right_votes.tolist() == [0.5 * math.log(1.5 / 0.5)]
    assert node.left_votes.tolist() == [-0.5 * math.log(1.5 / 0.5)]
    assert model.alphas == [1.0]
    leafwise = (
        boost(
            column(0, 1), Problem.single_label([0, 1]), Settings(votes="real", leaves="leafwise"), 1
        )
        .rounds[0]
        .tree.nodes[0]
    )
    assert leafwise.right_votes.tolist() == [0.5 * math.log(1.0 / 0.5)]
    assert leafwise.left_votes.tolist() == [0.5 * math.log(0.5 / 1.0)]


def test_real_votes_are_smoothed_by_one_over_n_k():
    """Two rows of three labels, all on where x = 1 and off where x = 0: W+ = 1/3, e = 1/6."""
    model = boost(column(0, 1), Problem.multi_label([[0] * 3, [1] * 3]), Settings(votes="real"), 1)
    votes = model.rounds[0].tree.nodes[0].right_votes
    np.testing.assert_allclose(votes, 0.5 * math.log((1 / 3 + 1 / 6) / (1 / 6)), rtol=1e-7)


def test_a_class_without_edge_is_voted_against():
    """Eq (13): the second label has g = -1/4 and -1/4, D = 0."""
    model = boost(column(0, 1), Problem.multi_label([[0, 0], [1, 0]]), Settings(), 1)
    [node] = model.rounds[0].tree.nodes
    assert node.terms == CONSTANT  # T = (0, -2): as good as the cut, D = (2, 0)
    assert node.right_votes.tolist() == [-1, -1]


def test_the_logistic_loss_takes_half_of_alpha():
    X, problem = column(0, 1, 2, 3), Problem.single_label([0, 1, 0, 1])
    for votes in ("discrete", "ternary", "real"):
        full, half = (
            boost(X, problem, Settings(votes=votes, loss=loss, learning_rate=0.3), 1).alphas[0]
            for loss in ("exponential", "logistic")
        )
        assert half == full / 2


def test_ternary_alpha_is_the_discrete_one_if_nobody_abstains():
    X, problem = column(0, 1, 2, 3), Problem.single_label([0, 1, 0, 1])
    discrete, ternary = (
        boost(X, problem, Settings(votes=votes), 1) for votes in ("discrete", "ternary")
    )
    np.testing.assert_allclose(discrete.alphas, ternary.alphas, rtol=1e-12)


def test_boosting_stops_without_edge():
    X, problem = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), Problem.single_label([0, 1, 1, 0])
    model = boost(X, problem, rounds=5)
    assert model.stopped == "no edge"
    assert model.rounds == []
    assert model.scores(X).tolist() == [[0.0]] * 4


def test_boosting_stops_after_a_hypothesis_without_error():
    model = boost(column(0, 1), Problem.single_label([0, 1]), rounds=5)
    assert model.stopped == "no error"
    assert model.alphas == [0.5 * math.log((2 + 0.005) / 0.005)]
    for votes in ("ternary", "real"):
        model = boost(column(0, 1), Problem.single_label([0, 1]), Settings(votes=votes), 5)
        assert model.stopped == "no error"
        assert model.edges == [1.0]


def test_the_order_of_rows_and_of_classes_does_not_matter():
    X, y, categorical = some_data(7, classes=4)
    problem = Problem.single_label(y, 4)
    settings = Settings(nodes=4, weights=np.full((len(X), 4), 0.25))
    scores = boost(X, problem, settings, 5, categorical=categorical).scores(X)
    rng = np.random.default_rng(0)
    rows, classes = rng.permutation(len(X)), rng.permutation(4)
    shuffled = Problem(problem.signs[rows][:, classes], (4,))
    again = boost(X[rows], shuffled, settings, 5, categorical=categorical).scores(X[rows])
    np.testing.assert_array_equal(again, scores[rows][:, classes])


def test_the_scores_add_up_the_leaves_a_row_falls_into():
    X, y, categorical = some_data(8)
    model = boost(
        X, Problem.single_label(y), Settings(nodes=4, terms=2), 4, categorical=categorical
    )
    strangers = np.array([[NAN, NAN, NAN, NAN], [0.1, -0.2, 9.0, 77]])
    for row, scores in zip(strangers, model.scores(strangers), strict=True):
        total = np.zeros(4)
        for r in model.rounds:
            total += r.alpha * walk(r.tree, row)
        np.testing.assert_array_equal(total, scores)


def walk(tree, row):
    j = 0
    while True:
        node = tree.nodes[j]
        side = math.prod(int(term.sides(row[None, :])[0]) for term in node.terms)
        child = node.left if side < 0 else node.right
        if child is None:
            return node.left_votes if side < 0 else node.right_votes
        j = child
