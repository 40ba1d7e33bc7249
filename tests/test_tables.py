"""The trees as tables: what people read, and that it is the whole truth."""

import sys

import numpy as np
import pandas as pd
import pytest

from estimator_runs import small
from mhboost import HammingProduct, HammingTree

N = 120
RNG = np.random.default_rng(3)
NUMBERS = RNG.normal(size=(N, 3)).round(1)
NUMBERS[RNG.random((N, 3)) < 0.2] = np.nan
NUMBERS[:, 2] = np.nan_to_num(NUMBERS[:, 2])
COLOUR = RNG.choice(["red", "green", "blue", None], N)
FRAME = pd.DataFrame(NUMBERS, columns=["a", "b", "c"]).assign(
    colour=pd.Categorical(COLOUR), size=pd.Categorical(RNG.choice(["S", "M", "L"], N))
)
LOGITS = np.nan_to_num(NUMBERS) @ RNG.normal(size=(3, 4)) + RNG.normal(size=(N, 4))
LOGITS[COLOUR == "red", 1] += 2
PROBLEMS = {
    "binary": LOGITS[:, 0] > 0,
    "single-label": LOGITS.argmax(axis=1),
    "multi-label": (LOGITS > 0.3).astype(int),
    "multi-task": np.c_[LOGITS.argmax(axis=1), LOGITS[:, 0] > 0],
}
BASES = {
    "stump": "stump",
    "tree": HammingTree(6),
    "product": HammingProduct(3),
    "tree of products": HammingTree(4, base=HammingProduct(2)),
}
VOTES = [
    ("discrete", "factorized"),
    ("discrete", "leafwise"),
    ("ternary", "factorized"),
    ("real", "leafwise"),
]


# ------------------------------------------------------------------------------------ the truth


def answers(term, columns):
    """Which rows answer a question with yes; columns hold numbers, or places of categories."""
    x = columns[term["feature"]]
    if term["categories"] is None:
        yes = x >= term["threshold"]
    else:
        yes = np.isin(x, term["categories"])
    return np.where(np.isnan(x), term["missing_right"], yes)


def leaves_by_table(tree, columns):
    """The row of the table that each row of X ends in."""
    nodes, n = tree.nodes, len(columns[0])
    where = np.zeros(n, dtype=int)
    for row in range(len(nodes["leaf"])):  # parents come before their children
        if not nodes["is_leaf"][row]:
            says_no = [~answers(term, columns) for term in nodes["terms"][row]]
            goes_right = np.sum(says_no, axis=0) % 2 == 0  # the product of the signs
            here = where == row
            where[here] = np.where(goes_right, nodes["right"][row], nodes["left"][row])[here]
    return where


def columns_of(frame):
    """Numbers, and categories as their places in the sorted list."""
    codes = {name: frame[name].cat.codes.replace(-1, np.nan) for name in ("colour", "size")}
    return [np.asarray(codes.get(name, frame[name]), dtype=float) for name in frame]


@pytest.mark.parametrize("y", PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
@pytest.mark.parametrize(("votes", "leaf_votes"), VOTES)
def test_the_tables_alone_give_leaves_and_scores(y, base, votes, leaf_votes):
    model = small(base, votes=votes, leaf_votes=leaf_votes, n_estimators=8).fit(FRAME, y)
    columns, scores = columns_of(FRAME), 0.0
    for t, tree in enumerate(model.estimators_):
        where = leaves_by_table(tree, columns)
        assert np.array_equal(tree.nodes["leaf"][where], model.apply(FRAME)[:, t])
        scores = scores + tree.alpha * tree.nodes["votes"][where]
    assert np.array_equal(scores, model._scores(FRAME))


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_the_weights_of_a_table_are_shares_of_the_root(base):
    model = small(base).fit(FRAME, PROBLEMS["single-label"])
    for tree in model.estimators_:
        nodes = tree.nodes
        leaf = nodes["is_leaf"] == 1
        assert nodes["weight"][leaf].sum() == pytest.approx(1, abs=1e-6)
        for row in np.flatnonzero(~leaf):
            children = nodes["left"][row], nodes["right"][row]
            assert nodes["weight"][row] == pytest.approx(nodes["weight"][[*children]].sum())
            assert [*nodes["parent"][[*children]]] == [row, row]
            assert [*nodes["side"][[*children]]] == [-1, 1]


def test_votes_are_of_their_kind():
    for votes, allowed in (("discrete", {-1, 1}), ("ternary", {-1, 0, 1})):
        model = small(votes=votes).fit(FRAME, PROBLEMS["single-label"])
        found = {
            v for t in model.estimators_ for v in t.nodes["votes"][t.nodes["is_leaf"] == 1].flat
        }
        assert found == allowed


# ------------------------------------------------------------------------------------ the sequence


def test_the_trees_are_a_sequence():
    model = small(n_estimators=5).fit(FRAME, PROBLEMS["single-label"])
    trees = model.estimators_
    assert len(trees) == model.n_iter_ == 5
    assert [tree.number for tree in trees] == [0, 1, 2, 3, 4]
    assert trees[-1].number == 4
    assert [tree.number for tree in trees[1:4:2]] == [1, 3]
    assert trees[:0] == []
    assert [tree.alpha for tree in trees] == model.alphas_.tolist()
    assert repr(trees) == "<5 trees>"
    assert repr(trees[0]) == f"Tree(number=0, alpha={model.alphas_[0]:.4g}, n_leaves=4)"
    for index in (5, -6):
        with pytest.raises(IndexError):
            trees[index]


def test_trees_that_early_stopping_dropped_are_not_shown():
    model = small(n_estimators=70, early_stopping=True, n_iter_no_change=None, warm_start=True)
    model.fit(FRAME, PROBLEMS["single-label"])
    assert len(model.estimators_) == model.n_iter_ < 70


# ------------------------------------------------------------------------------------ text

COLD, WARM = [1.0, 2.0, 3.0], [7.0, 8.0, 9.0]


def drawing(x, y, base="stump", **parameters):
    """The first tree, without its title."""
    X = x if isinstance(x, pd.DataFrame) else np.reshape(x, (-1, 1))
    return small(base, **{"n_estimators": 1, **parameters}).fit(X, y).estimators_[0].as_text()


def lines_of(text):
    return [" ".join(line.split()) for line in text.splitlines()[1:]]


def test_a_threshold():
    assert lines_of(drawing(COLD + WARM, [0, 0, 0, 1, 1, 1])) == [
        "[x0 >= 5]? (gain 1.0000)",
        "yes: 1: +1",
        "no: 1: -1",
    ]


def test_a_name_is_used():
    frame = pd.DataFrame({"heat": COLD + WARM})
    assert "[heat >= 5]?" in drawing(frame, ["cold"] * 3 + ["warm"] * 3)


@pytest.mark.parametrize(
    ("of_missing", "question"),
    [(0, "[x0 >= 5]?"), (1, "[x0 >= 5 or missing]?")],
)
def test_missing_values_go_where_they_belong(of_missing, question):
    x = [np.nan, *COLD, *WARM]
    assert lines_of(drawing(x, [of_missing, 0, 0, 0, 1, 1, 1]))[0].startswith(question)


def test_missingness_is_a_question_too():
    assert lines_of(drawing([np.nan, np.nan, 1.0, 2.0], [0, 0, 1, 1])) == [
        "[x0 not missing]? (gain 1.0000)",
        "yes: 1: +1",
        "no: 1: -1",
    ]


def test_a_set_of_categories():
    frame = pd.DataFrame({"colour": pd.Categorical(["red", "green", "blue", "red"])})
    text = lines_of(drawing(frame, [1, 0, 1, 1]))
    assert text in (
        ["[colour in {blue, red}]? (gain 0.5000)", "yes: 1: +1", "no: 1: -1"],
        ["[colour in {green}]? (gain 0.5000)", "yes: 1: -1", "no: 1: +1"],
    )


def test_missing_beside_a_set_of_categories():
    frame = pd.DataFrame({"colour": pd.Categorical(["red", "green", None, "red", None])})
    text = lines_of(drawing(frame, [1, 0, 1, 1, 1]))
    assert text in (
        ["[colour in {red} or missing]? (gain 0.4000)", "yes: 1: +1", "no: 1: -1"],
        ["[colour in {green}]? (gain 0.4000)", "yes: 1: -1", "no: 1: +1"],
    )


def test_categories_of_numbers_show_the_numbers():
    text = drawing([10, 20, 30, 20], [0, 1, 0, 1], categorical_features=[0])
    assert "[x0 in {20}]?" in text or "[x0 in {10, 30}]?" in text


def test_a_product_asks_several_questions_at_once():
    corners = [(0, 0)] * 3 + [(0, 1)] * 3 + [(1, 0)] + [(1, 1)] * 2  # b alone has an edge
    frame = pd.DataFrame(corners, columns=["a", "b"])
    assert lines_of(drawing(frame, frame["a"] ^ frame["b"], HammingProduct(2))) == [
        "[b >= 0.5] x [a >= 0.5]? (gain 0.8889)",
        "yes: 1: -1",
        "no: 1: +1",
    ]


def test_abstaining_and_real_votes():
    """Half of either side is of class 0: of that the stump knows nothing."""
    x, y = COLD * 6 + WARM * 6, [0] * 9 + [1] * 9 + [0] * 9 + [2] * 9
    votes = lines_of(drawing(x, y, votes="ternary"))[1:]
    assert votes == ["yes: 0: 0 1: -1 2: +1", "no: 0: 0 1: +1 2: -1"]
    votes = lines_of(drawing(x, y, votes="real"))[1:]
    assert votes == ["yes: 0: 0 1: -0.642 2: +0.642", "no: 0: 0 1: +0.642 2: -0.642"]


def test_a_tree_that_cannot_cut_is_one_leaf():
    text = drawing(np.zeros(5), [0, 1, 1, 1, 1])
    assert lines_of(text) == ["1: +1"]


@pytest.mark.parametrize(
    ("y", "names"),
    [
        (PROBLEMS["binary"], ["True"]),
        (PROBLEMS["single-label"], ["0", "1", "2", "3"]),
        (np.array(list("wxyz"))[PROBLEMS["single-label"]], ["w", "x", "y", "z"]),
        (PROBLEMS["multi-label"], ["label 0", "label 1", "label 2", "label 3"]),
        (PROBLEMS["multi-task"], [*(f"task 0: {k}" for k in range(4)), "task 1: 1"]),
    ],
    ids=["binary", "single-label", "text", "multi-label", "multi-task"],
)
def test_votes_bear_the_names_of_classes(y, names):
    tree = small().fit(FRAME, y).estimators_[0]
    assert tree.columns == names
    leaf = tree.as_text().splitlines()[-1]
    assert all(f"{name}: " in leaf for name in names)
    assert [*tree.to_frame().columns[-len(names) :]] == [f"vote: {name}" for name in names]


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_a_drawing_has_a_line_per_node(base):
    for tree in small(base).fit(FRAME, PROBLEMS["single-label"]).estimators_:
        lines = str(tree).splitlines()
        assert lines[0] == f"tree {tree.number}, alpha = {tree.alpha:.4g}"
        assert len(lines) == 1 + len(tree.nodes["leaf"])
        assert sum("?  (gain" in line for line in lines) == tree.n_leaves - 1


# ------------------------------------------------------------------------------------ to pandas


def test_the_table_goes_to_pandas():
    tree = small(n_inner_nodes=3).fit(FRAME, PROBLEMS["binary"]).estimators_[0]
    frame = tree.to_frame()
    assert frame.index.name == "node"
    assert [*frame] == ["parent", "side", "leaf", "gain", "weight", "cut", "vote: True"]
    assert len(frame) == 2 * tree.n_leaves - 1
    assert frame["leaf"][frame["leaf"] >= 0].tolist() == [*range(tree.n_leaves)]
    is_leaf = frame["leaf"] >= 0
    assert frame["vote: True"].notna().equals(is_leaf)
    assert frame["gain"].isna().equals(is_leaf)
    assert (frame["cut"] == "").equals(is_leaf)


def test_without_pandas_it_says_what_to_install(monkeypatch):
    tree = small().fit(NUMBERS, PROBLEMS["binary"]).estimators_[0]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame needs pandas: pip install pandas"):
        tree.to_frame()
