"""Every wrong argument gets an error that names it, what was given and what is allowed.

A refused `fit` leaves the estimator exactly as it was, fitted or not.
"""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from estimator_runs import assert_untouched, attributes, bits, small
from mhboost import HammingProduct, HammingTree, MHBoostClassifier
from mhboost._columns import MAX_ROWS

RNG = np.random.default_rng(0)
N, D, K = 30, 3, 3
X = RNG.normal(size=(N, D))
Y = np.arange(N) % K
ONES = np.ones(N)
LABELS = np.eye(K, dtype=int)[Y]
NAN, INF = np.nan, np.inf


def spoiled(array, value):
    """The same with another first entry."""
    array = np.array(array, dtype=np.result_type(array, type(value)))
    array.flat[0] = value
    return array


def objects(*rows):
    return np.array([rows] * N, dtype=object)


def named(array, names="abc"):
    return pd.DataFrame(array, columns=list(names))


def assert_refused(error, words, model, X=X, y=Y, **arguments):
    """`fit` raises, every word is in the message, and the model is as it was."""
    before = attributes(model)
    with pytest.raises(error) as caught:
        model.fit(X, y, **arguments)
    missing = [word for word in words if word not in str(caught.value)]
    assert not missing, str(caught.value)
    assert caught.type is error
    assert_untouched(model, before)


def label(value):
    """A short name of a test's value."""
    return re.sub(r"\s+", " ", f"{value!r}")[:40]


# ------------------------------------------------------------------------------------ parameters

COUNT = "from 1 to 65535"
FEATURES = "at least 1, or a float in (0, 1], or 'sqrt' or 'log2', or None"
PARAMETERS = {
    "n_estimators": ("from 1 to 2147483647", [0, -1, 1.5, 3.0, True, "5", None, NAN, [3], 2**31]),
    "n_inner_nodes": (COUNT, [0, -1, 2.5, True, None, "16", NAN, 65536]),
    "n_terms": (COUNT, [0, 1.5, False, None, NAN, 65536]),
    "learning_rate": ("in (0, 1]", [0, -0.1, 1.5, NAN, INF, "fast", True, None, np.array([0.5])]),
    "votes": ("'discrete' or 'ternary' or 'real'", ["soft", "Real", None, 1, True]),
    "leaf_votes": ("'factorized' or 'leafwise'", ["leaf", None, 0]),
    "loss": ("'exponential' or 'logistic'", ["hinge", None, 1]),
    "weighting": ("'auto' or 'balanced' or 'uniform', or a matrix", ["paper", None, 3, ONES]),
    "max_bins": ("from 2 to 65535, or 'exact'", [1, 0, 65536, "all", 2.5, True, None, NAN]),
    "max_features": (FEATURES, [0, -1, 0.0, 1.5, NAN, "all", True, [1]]),
    "max_tree_features": (FEATURES, [0, -1, 0.0, 1.5, NAN, "all", False]),
    "subsample": ("in (0, 1]", [0, -1, 1.5, NAN, True, None, "half"]),
    "weight_trimming": ("in [0, 1)", [1, 1.0, -0.1, NAN, False, None, "x"]),
    "class_sample": ("a float in (0, 1], or 'auto', or None", [0, 0.0, 1.5, NAN, True, "sqrt"]),
    "class_weight": ("'balanced', or a dict, or one dict per output, or None", ["auto", 3, ONES]),
    "early_stopping": ("True or False", ["auto", 1, 0, None]),
    "validation_fraction": ("in (0, 1)", [0, 1, 1.0, -0.1, 5, NAN, True, None, "x"]),
    "n_iter_no_change": ("at least 1, or None", [0, -1, 1.5, True, "x", NAN]),
    "eval_metric": ("'error' or 'log_loss' or 'exponential'", ["auc", None]),
    "warm_start": ("True or False", ["yes", 1, None]),
    "checkpoint": ("the name of a file, or None", ["", 3, True, b"bytes", ["a"]]),
    "checkpoint_every": ("at least 1", [0, -1, 1.5, True, None, "x"]),
    "random_state": (
        "from 0 to 4294967295, or a numpy RandomState, or None",
        [-1, 1.5, "x", True, NAN, 2**32, np.random.default_rng(0)],
    ),
    "n_jobs": ("a whole number other than 0", [0, 1.5, "all", True, NAN, 2**40]),
    "verbose": ("at least 0, or True or False", [-1, "x", 1.5, None]),
    "callbacks": ("a list of callables, or None", [print, [1], "x", 3, [None]]),
}
WRONG_PARAMETERS = [
    pytest.param(name, value, allowed, id=f"{name}={label(value)}")
    for name, (allowed, values) in PARAMETERS.items()
    for value in values
]


@pytest.mark.parametrize(("name", "value", "allowed"), WRONG_PARAMETERS)
def test_a_wrong_parameter_is_named_with_what_it_may_be(name, value, allowed):
    words = [name, allowed, f"got {value!r}"[:100]]
    assert_refused(ValueError, words, small(**{name: value}))


FEATURE_LISTS = [
    ("all", "'all': no other word"),
    (3, "3: it is no such list"),
    ([[0]], "[[0]]: it is no such list"),
    ([1.5], "[1.5]: it is no such list"),
    ({0: 1}, "{0: 1}: it is no such list"),
    ([3], "3: an index must be from 0 to 2"),
    ([0, -4], "-4: an index must be from 0 to 2"),
    ([None], "None: an index must be from 0 to 2"),
    (["a"], "'a': X has no feature names"),
    ([True, False], "[True, False]: a mask needs one entry per feature, 3 here"),
]


@pytest.mark.parametrize(("value", "why"), FEATURE_LISTS, ids=map(label, FEATURE_LISTS))
def test_wrong_categorical_features_are_named_with_what_they_may_be(value, why):
    allowed = "'from_dtype', None, or a list of feature indices, feature names or a boolean mask"
    words = ["categorical_features", allowed, f"got {why}"]
    assert_refused(ValueError, words, small(categorical_features=value))


def test_an_unknown_feature_name_is_refused():
    words = ["categorical_features", "got 'd': it is not a feature name"]
    assert_refused(ValueError, words, small(categorical_features=["a", "d"]), X=named(X))


def test_every_parameter_is_in_the_tables():
    tables = {*PARAMETERS, "categorical_features", "base"}
    assert tables == set(MHBoostClassifier().get_params(deep=False))


STUMP_WANTED = "the base of a HammingProduct must be a Stump"
ONE_CUT_WANTED = "the base of a HammingTree must be a Stump or a HammingProduct"
ANY_LEARNER = "'tree', 'stump', 'product', or a Stump, HammingTree or HammingProduct object"
LEARNERS = [
    ("forest", ValueError, [ANY_LEARNER, "'forest'"]),
    (None, TypeError, [ANY_LEARNER, "None"]),
    (3, TypeError, [ANY_LEARNER, "3"]),
    (HammingTree, TypeError, [ANY_LEARNER, "HammingTree"]),
    (HammingTree(0), ValueError, ["n_inner_nodes of HammingTree", COUNT, "0"]),
    (HammingTree(True), ValueError, ["n_inner_nodes of HammingTree", COUNT, "True"]),
    (HammingTree(2.5), ValueError, ["n_inner_nodes of HammingTree", COUNT, "2.5"]),
    (HammingTree(65536), ValueError, ["n_inner_nodes of HammingTree", COUNT, "65536"]),
    (HammingTree(base=HammingProduct(0)), ValueError, ["n_terms of HammingProduct", COUNT, "0"]),
    (HammingProduct(NAN), ValueError, ["n_terms of HammingProduct", COUNT, "nan"]),
    (HammingProduct("3"), ValueError, ["n_terms of HammingProduct", COUNT, "'3'"]),
    (HammingTree(base=HammingTree(4)), TypeError, [ONE_CUT_WANTED, "HammingTree(n_inner_nodes=4"]),
    (HammingTree(base="stump"), TypeError, [ONE_CUT_WANTED, "'stump'"]),
    (HammingProduct(base=HammingTree()), TypeError, [STUMP_WANTED, "HammingTree("]),
    (HammingProduct(base=HammingProduct()), TypeError, [STUMP_WANTED, "HammingProduct("]),
]


@pytest.mark.parametrize(("base", "error", "words"), LEARNERS, ids=map(label, LEARNERS))
def test_a_wrong_learner_is_named_with_what_it_may_be(base, error, words):
    assert_refused(error, words, small(base))


def test_a_learner_has_no_parameter_of_another_name():
    with pytest.raises(ValueError, match=r"HammingTree has no parameter 'depth'.*n_inner_nodes"):
        HammingTree().set_params(depth=3)


# ------------------------------------------------------------------------------------ X

MIXED = objects("a", 1.0)
CATEGORIES = "or be named in categorical_features"
TWO_D = "Expected 2D array"
BAD_X = {
    "no rows": (np.empty((0, D)), ValueError, ["X", "0 sample(s)", "minimum of 1"]),
    "no columns": (np.empty((N, 0)), ValueError, ["X", "0 feature(s)", "minimum of 1"]),
    "a frame without columns": (pd.DataFrame(), ValueError, ["X", "0 feature(s)", "minimum of 1"]),
    "a frame without rows": (named(X)[:0], ValueError, ["X", "0 sample(s)", "minimum of 1"]),
    "a vector": (X[:, 0], ValueError, ["X", TWO_D, "1D"]),
    "three dimensions": (X[None], ValueError, ["X", "dim 3", "dim <= 2"]),
    "a number": (3.0, ValueError, ["X", TWO_D, "scalar"]),
    "None": (None, ValueError, ["X", TWO_D, "None"]),
    "a dict": ({"a": 1}, ValueError, ["X", TWO_D, "{'a': 1}"]),
    "rows of unequal length": ([[1, 2], [3]], ValueError, ["X", "inhomogeneous shape"]),
    "another number of rows": (X[:-1], ValueError, ["X and y", "same number of rows", "29 and 30"]),
    "inf": (spoiled(X, INF), ValueError, ["X", "infinity"]),
    "-inf": (spoiled(X, -INF), ValueError, ["X", "infinity"]),
    "inf, sparse": (sparse.csr_array(spoiled(X, INF)), ValueError, ["X", "infinity"]),
    "inf, pandas": (named(spoiled(X, INF)), ValueError, ["column 'a' of X", "infinity"]),
    "inf, polars": (pl.DataFrame({"a": INF * ONES}), ValueError, ["column 'a' of X", "infinity"]),
    "inf, objects": (objects(INF, 1.0), ValueError, ["feature 0 of X", "infinity"]),
    "inf as float64": (np.full((N, 1), np.longdouble("1e400")), ValueError, ["X", "infinity"]),
    "complex": (X + 0j, ValueError, ["Complex data not supported", "X", "complex128"]),
    "complex, sparse": (sparse.csr_array(X + 0j), ValueError, ["Complex data", "X", "complex128"]),
    "complex, pandas": (named(X + 0j), ValueError, ["Complex", "column 'a' of X", "complex128"]),
    "complex, objects": (objects(1j, 1.0), TypeError, ["feature 0 of X", "numbers", "complex"]),
    "text": (np.full((N, 1), "a"), ValueError, ["'a'", "feature 0 of X", CATEGORIES]),
    "text, objects": (MIXED, ValueError, ["'a'", "feature 0 of X", "pandas 'category'"]),
    "text, pandas": (named(MIXED, "ab"), ValueError, ["'a'", "column 'a' of X", CATEGORIES]),
    "text, polars": (pl.DataFrame({"f": ["a"] * N}), ValueError, ["'a'", "column 'f'", CATEGORIES]),
    "bytes": (np.full((N, 1), b"a"), ValueError, ["b'a'", "feature 0 of X", CATEGORIES]),
    "dicts": (objects({}, 1.0), TypeError, ["feature 0 of X", "numbers or categories", "dict"]),
    "lists": (pl.DataFrame({"f": [[1, 2]] * N}), TypeError, ["column 'f' of X", "numbers", "list"]),
    "dates": (np.full((N, 1), "2020", "M8[D]"), TypeError, ["X", "numbers", "datetime64[D]"]),
    "dates, pandas": (
        pd.DataFrame({"day": pd.date_range("2020", periods=N)}),
        TypeError,
        ["column 'day' of X", "numbers", "datetime64"],
    ),
    "a lazy frame": (pl.LazyFrame({"a": ONES}), TypeError, ["X", "in memory", "collect"]),
}


@pytest.mark.parametrize(("bad", "error", "words"), BAD_X.values(), ids=BAD_X)
def test_bad_x_is_refused(bad, error, words):
    assert_refused(error, words, small(), X=bad)


TOO_LONG = {
    "dense": np.broadcast_to(np.int8(0), (MAX_ROWS + 1, 1)),
    "sparse": sparse.csc_array((MAX_ROWS + 1, 1)),
}


@pytest.mark.parametrize("long", TOO_LONG.values(), ids=TOO_LONG)
def test_more_rows_than_the_core_counts_are_refused(long):
    assert_refused(ValueError, ["X", "2147483648", "at most 2147483647"], small(), X=long)


# ------------------------------------------------------------------------------------ y

BAD_Y = {
    "None": (None, ValueError, ["requires y", "None"]),
    "empty": ([], ValueError, ["X and y", "same number of rows", "30 and 0"]),
    "short": (Y[:-1], ValueError, ["X and y", "same number of rows", "30 and 29"]),
    "a number": (3, ValueError, ["y", "1d array", "shape ()"]),
    "three dimensions": (np.zeros((N, 2, 2)), ValueError, ["y", "1d array", "(30, 2, 2)"]),
    "no columns": (np.empty((N, 0)), ValueError, ["y", "(n_samples, n_outputs)", "(30, 0)"]),
    "sets of labels": ([[1], [1, 2]] * 15, ValueError, ["y must be an array", "inhomogeneous"]),
    "NaN": (spoiled(Y, NAN), ValueError, ["y contains NaN"]),
    "NaN, objects": (np.array([NAN, *"ab" * 14, "a"], object), ValueError, ["y contains NaN"]),
    "None among labels": (np.array([None, *Y[1:]], object), ValueError, ["y contains NaN or None"]),
    "NA, pandas": (pd.Series([pd.NA, *"ab" * 14, "a"]), ValueError, ["y contains NaN or None"]),
    "no category": (
        pd.Series([None, *"ab" * 14, "a"], dtype="category"),
        ValueError,
        ["y contains missing values"],
    ),
    "null, polars": (pl.Series([None, *Y[1:].tolist()]), ValueError, ["y contains NaN"]),
    "NaN among labels of tasks": (spoiled(np.c_[Y, Y], NAN), ValueError, ["y contains NaN"]),
    "None among labels of tasks": (objects("a", None), ValueError, ["y contains NaN or None"]),
    "NaN in a sparse indicator": (sparse.csr_array(NAN * LABELS), ValueError, ["y contains NaN"]),
    "inf": (spoiled(Y, INF), ValueError, ["y contains infinity"]),
    "fractions": (Y + 0.5, ValueError, ["y", "class labels", "[0.5, 1.5", "continuous"]),
    "fractions of tasks": (LABELS + 0.5, ValueError, ["y", "class labels", "continuous"]),
    "complex": (Y + 0j, ValueError, ["Complex data not supported", "y", "complex128"]),
    "numbers and text": (np.array(["a", 1] * 15, object), TypeError, ["y", "labels", "'a', 1"]),
    "text and numbers": (np.array([1, "a"] * 15, object), ValueError, ["y", "labels", "1, 'a'"]),
    "bytes": (np.array([b"a", b"b"] * 15), TypeError, ["y", "labels", "b'a'", "string or integer"]),
    "a sparse matrix of classes": (
        sparse.csr_array(LABELS * 2),
        ValueError,
        ["sparse y", "zeros and ones", "3 columns", "2"],
    ),
    "too many labels": (
        np.zeros((N, 65536), dtype=np.int8),
        ValueError,
        ["y", "65536 classes", "at most 65535"],
    ),
}


@pytest.mark.parametrize(("bad", "error", "words"), BAD_Y.values(), ids=BAD_Y)
def test_bad_y_is_refused(bad, error, words):
    assert_refused(error, words, small(), y=bad)


def test_too_many_classes_are_refused():
    y = np.repeat(np.arange(65536), 2)
    words = ["y", "65536 classes", "at most 65535"]
    assert_refused(ValueError, words, small(), X=np.zeros((len(y), 1)), y=y)


# ------------------------------------------------------------------------------------ weights

MATRIX = np.ones((N, K))
BAD_WEIGHTS = {
    "negative": (lambda w: spoiled(w, -1.0), ["must not be negative", "-1.0"]),
    "all zero": (lambda w: 0 * w, ["must not be all zero", "positive"]),
    "NaN": (lambda w: spoiled(w, NAN), ["must be finite", "nan"]),
    "inf": (lambda w: spoiled(w, INF), ["must be finite", "inf"]),
    "of infinite sum": (lambda w: 1e308 * w, ["finite sum", "1e+308"]),
    "of another length": (lambda w: w[:-1], ["shape (30,", "(29,"]),
}
WITH_BAD_WEIGHTS = pytest.mark.parametrize(
    ("spoil", "words"), BAD_WEIGHTS.values(), ids=BAD_WEIGHTS
)


@WITH_BAD_WEIGHTS
def test_bad_weights_of_rows_are_refused(spoil, words):
    assert_refused(ValueError, ["sample_weight", *words], small(), sample_weight=spoil(ONES))


@WITH_BAD_WEIGHTS
def test_bad_weights_of_entries_are_refused(spoil, words):
    assert_refused(ValueError, ["weighting", *words], small(weighting=spoil(MATRIX)))


@WITH_BAD_WEIGHTS
def test_bad_weights_of_evaluation_sets_are_refused(spoil, words):
    arguments = {"eval_set": (X, Y), "eval_sample_weight": spoil(ONES)}
    assert_refused(ValueError, ["eval_sample_weight", *words], small(), **arguments)


ODD_WEIGHTS = [
    ("x", ValueError, ["must hold numbers", "'x'"]),
    (["a"] * N, ValueError, ["must hold numbers", "'a'"]),
    (ONES + 0j, TypeError, ["must hold numbers", "complex128"]),
    (3, ValueError, ["(30,)", "()"]),
    (ONES[:, None], ValueError, ["(30,)", "(30, 1)"]),
    ([[1], [2, 3]], ValueError, ["must hold numbers", "inhomogeneous"]),
]


@pytest.mark.parametrize(("weights", "error", "words"), ODD_WEIGHTS)
def test_weights_that_are_no_vector_of_numbers_are_refused(weights, error, words):
    assert_refused(error, ["sample_weight", *words], small(), sample_weight=weights)


ODD_MATRICES = [
    (np.ones((N, K + 1)), ValueError, ["(30, 3)", "(30, 4)"]),
    (MATRIX + 0j, TypeError, ["must hold numbers", "complex128"]),
    ([["a"] * K] * N, ValueError, ["must hold numbers", "'a'"]),
    ([[1, 2, 3], [1]], ValueError, ["a matrix with one weight per row and class"]),
]


@pytest.mark.parametrize(("matrix", "error", "words"), ODD_MATRICES)
def test_weightings_that_are_no_matrix_of_numbers_are_refused(matrix, error, words):
    assert_refused(error, ["weighting", *words], small(weighting=matrix))


def test_weights_that_cancel_each_other_are_refused():
    matrix, of_rows = spoiled(0 * MATRIX, 1.0), spoiled(ONES, 0.0)
    words = ["weighting times sample_weight", "all zero"]
    assert_refused(ValueError, words, small(weighting=matrix), sample_weight=of_rows)


CLASS_WEIGHTS = [
    ({0: -1}, Y, ["negative", "-1.0"]),
    ({0: NAN}, Y, ["finite", "nan"]),
    ({0: 0, 1: 0, 2: 0}, Y, ["all zero"]),
    ({0: "a"}, Y, ["{0: 'a'}", "could not convert string to float"]),
    ({7: 1.0}, Y, ["{7: 1.0}", "[0, 1, 2]"]),
    ({0: 1.0}, np.c_[Y, Y], ["{0: 1.0}", "list of dicts"]),
    ([{0: 1.0}], np.c_[Y, Y], ["[{0: 1.0}]", "number of outputs", "2"]),
]


@pytest.mark.parametrize(("class_weight", "y", "words"), CLASS_WEIGHTS)
def test_bad_weights_of_classes_are_refused(class_weight, y, words):
    words = ["class_weight", *words]
    assert_refused(ValueError, words, small(class_weight=class_weight), y=y)


# ------------------------------------------------------------------------------------ eval_set

ONE_OR_LIST = ["eval_set must be one (X, y) or a list of them", "got"]
BAD_EVALUATION = {
    "X alone": (X, ONE_OR_LIST),
    "one": ((X,), ONE_OR_LIST),
    "three": ((X, Y, ONES), ONE_OR_LIST),
    "an empty list": ([], ONE_OR_LIST),
    "a list of two arrays": ([X, Y], ONE_OR_LIST),
    "one bad of two": ([(X, Y), (X,)], ONE_OR_LIST),
    "text": ("ab", [*ONE_OR_LIST, "'ab'"]),
    "a number": (3, [*ONE_OR_LIST, "3"]),
    "no X": ((None, Y), ["eval_set", TWO_D]),
    "no rows": ((X[:0], Y[:0]), ["eval_set", "0 sample(s)"]),
    "fewer features": ((X[:, :2], Y), ["eval_set", "2 features", "expecting 3"]),
    "inf": ((spoiled(X, INF), Y), ["eval_set", "infinity"]),
    "no y": ((X, None), ["y of eval_set", "None"]),
    "fewer labels": ((X, Y[:3]), ["X of eval_set and y of eval_set", "30 and 3"]),
    "NaN": ((X, spoiled(Y, NAN)), ["y of eval_set", "NaN"]),
    "unknown labels": ((X, Y + 5), ["y of eval_set", "[5, 6, 7]", "[0, 1, 2]"]),
    "labels of another type": ((X, ["a"] * N), ["y of eval_set", "['a']", "[0, 1, 2]"]),
    "an indicator": ((X, LABELS), ["y of eval_set", "(n_samples,)", "(n_samples, 3)"]),
}


@pytest.mark.parametrize(("bad", "words"), BAD_EVALUATION.values(), ids=BAD_EVALUATION)
def test_a_bad_evaluation_set_is_refused(bad, words):
    assert_refused(ValueError, words, small(), eval_set=bad)


def test_labels_are_no_indicator_for_a_multi_label_problem():
    words = ["y of eval_set", "zeros and ones with 3 columns", "1 columns"]
    assert_refused(ValueError, words, small(), y=LABELS, eval_set=(X, Y))


@pytest.mark.parametrize("weights", [ONES, [ONES], 3, {0: ONES}], ids=label)
def test_evaluation_weights_match_the_evaluation_sets(weights):
    words = ["eval_sample_weight", "a list of one entry per eval_set, 2 here"]
    pairs = [(X, Y), (X, Y)]
    assert_refused(ValueError, words, small(), eval_set=pairs, eval_sample_weight=weights)


def test_evaluation_weights_need_an_evaluation_set():
    words = ["eval_sample_weight needs an eval_set"]
    assert_refused(ValueError, words, small(), eval_sample_weight=ONES)


def test_a_single_row_cannot_be_split_for_early_stopping():
    words = ["early_stopping=True", "eval_set", "n_samples = 1"]
    only_one = {"sample_weight": spoiled(0 * ONES, 1.0)}
    assert_refused(ValueError, words, small(early_stopping=True), **only_one)


# ------------------------------------------------------------------------------------ warm start

WARM = {
    "fewer rounds": ({"n_estimators": 5}, {}, ["n_estimators", "6 rounds are done", "5"]),
    "fewer features": ({}, {"X": X[:, :2]}, ["X", "3 features", "2"]),
    "names": ({}, {"X": named(X)}, ["X", "3 features []", "['a', 'b', 'c']"]),
    "categories": ({"categorical_features": [0]}, {}, ["X", "categories of the fit before"]),
    "other classes": ({}, {"y": Y + 1}, ["y", "classes of the fit before", "[0 1 2]", "[1 2 3]"]),
    "another problem": ({}, {"y": LABELS}, ["y", "classes of the fit before"]),
}


@pytest.mark.parametrize(("parameters", "arguments", "words"), WARM.values(), ids=WARM)
def test_a_warm_start_wants_the_same_problem(parameters, arguments, words):
    model = small(warm_start=True).fit(X, Y)
    assert_refused(ValueError, words, model.set_params(**parameters), **arguments)


# ------------------------------------------------------------------------------------ as it was

REFUSALS = {
    "parameter": ({"votes": "soft"}, {}),
    "learner": ({"base": HammingTree(0)}, {}),
    "data-dependent parameter": ({"categorical_features": [9]}, {}),
    "X": ({}, {"X": X + 0j}),
    "other features": ({}, {"X": np.full((N, 5), INF)}),
    "text found late": ({}, {"X": MIXED}),
    "y": ({}, {"y": Y + 0.5}),
    "weights": ({}, {"sample_weight": -ONES}),
    "eval_set": ({}, {"eval_set": (X, Y + 1)}),
}


@pytest.mark.parametrize(("parameters", "arguments"), REFUSALS.values(), ids=REFUSALS)
def test_a_refused_fit_leaves_a_fitted_model_as_it_was(parameters, arguments):
    model = small().fit(X, Y)
    before, answers = attributes(model.set_params(**parameters)), model.predict_proba(X)
    with pytest.raises((TypeError, ValueError)):
        model.fit(**{"X": X, "y": Y, **arguments})
    assert_untouched(model, before)
    assert np.array_equal(model.predict_proba(X), answers)


def test_unknown_names_of_parameters_are_refused():
    with pytest.raises(TypeError, match="n_trees"):
        MHBoostClassifier(n_trees=3)
    with pytest.raises(ValueError, match=r"Invalid parameter 'n_trees'"):
        MHBoostClassifier().set_params(n_trees=3)


# ------------------------------------------------------------------------------------ prediction

METHODS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "apply",
    "staged_predict",
    "staged_decision_function",
    "staged_predict_proba",
)
BAD_ROWS = {
    "fewer features": (X[:, :2], ValueError, "2 features, but MHBoostClassifier is expecting 3"),
    "more features": (np.c_[X, X], ValueError, "6 features, but MHBoostClassifier is expecting 3"),
    "sparse": (sparse.csr_array(X[:, :2]), ValueError, "2 features, .* is expecting 3"),
    "inf": (spoiled(X, INF), ValueError, "X contains infinity"),
    "a vector": (X[0], ValueError, "X: Expected 2D array, got 1D"),
    "no rows": (X[:0], ValueError, "X: Found array with 0 sample"),
    "complex": (X + 0j, ValueError, "Complex data not supported: X has type complex128"),
    "text": (objects("a", 1, 2), ValueError, "feature 0 of X must hold numbers"),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("bad", "error", "words"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_bad_rows_cannot_be_predicted(method, bad, error, words):
    model = small().fit(X, Y)
    before = attributes(model)
    with pytest.raises(error, match=words):
        list(getattr(model, method)(bad))
    assert_untouched(model, before)


@pytest.mark.parametrize("names", ["abd", "acb"], ids=["unknown", "another order"])
def test_feature_names_must_be_those_of_training(names):
    model = small().fit(named(X), Y)
    with pytest.raises(ValueError, match="feature names should match those that were passed"):
        model.predict(named(X, names))


@pytest.mark.parametrize(("trained", "given"), [(named(X), X), (X, named(X))])
def test_missing_feature_names_are_warned_of(trained, given):
    model = small().fit(trained, Y)
    with pytest.warns(UserWarning, match="feature names"):
        answers = model.predict(given)
    assert np.array_equal(answers, model.predict(trained))


@pytest.mark.parametrize("method", METHODS)
def test_an_unfitted_model_predicts_nothing(method):
    with pytest.raises(NotFittedError, match="This MHBoostClassifier instance is not fitted yet"):
        list(getattr(small(), method)(X))


@pytest.mark.parametrize("attribute", ["estimators_", "feature_importances_"])
def test_an_unfitted_model_has_no_attributes(attribute):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(small(), attribute)
    assert not hasattr(small(), "classes_")


@pytest.mark.parametrize(("y", "wrong"), [(Y, Y[:3]), (np.c_[Y, Y], Y), (LABELS, LABELS[:, :2])])
def test_scoring_wants_a_y_of_the_right_shape(y, wrong):
    with pytest.raises(ValueError, match=r"y must have 30 rows and \d outputs"):
        small().fit(X, y).score(X, wrong)


# ------------------------------------------------------------------------------------ one class


@pytest.mark.parametrize("base", ["tree", "stump", "product"])
@pytest.mark.parametrize("label", [0, 7, "a", True])
def test_one_class_gives_a_constant_model_and_a_warning(base, label):
    with pytest.warns(UserWarning, match="y has one class only: its predictions are constant"):
        model = small(base).fit(X, [label] * N)
    assert model.classes_.tolist() == [label]
    assert set(model.predict(X).tolist()) == {label}
    assert np.array_equal(model.predict_proba(X), np.ones((N, 1)))
    assert model.decision_function(X).shape == (N,)


def test_a_task_of_one_class_is_constant_and_the_others_learn():
    y = np.c_[Y, np.full(N, 7)]
    with pytest.warns(UserWarning, match=r"output \[1\] of y has one class only"):
        model = small(n_estimators=60).fit(X, y)
    assert set(model.predict(X)[:, 1].tolist()) == {7}
    assert np.array_equal(model.predict(X)[:, 0], Y)
    assert bits(model) != bits(small().fit(X, Y))
