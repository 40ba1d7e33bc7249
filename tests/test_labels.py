"""y of every kind: equal classes give equal models, answers come in the shape of the question."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import accuracy_score

from estimator_runs import bits, small

WORDS = np.array(["low", "mid", "top"])


def rows(n=60):
    """X, three classes, and three labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    classes = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    labels = np.column_stack([classes > 0, classes > 1, X[:, 2] + X[:, 3] > 0]).astype(int)
    return X, classes, labels


# ------------------------------------------------------------------------------------ single-label

# What a user may write for the classes 0, 1, 2.
NAMES_OF_CLASSES = {
    "integers": lambda k: k,
    "int8": lambda k: k.astype(np.int8),
    "uint64": lambda k: k.astype(np.uint64),
    "negative": lambda k: 2 * k - 3,
    "far apart": lambda k: (k - 1) * 2**62,
    "whole floats": lambda k: k.astype(float),
    "list": lambda k: k.tolist(),
    "tuple": tuple,
    "read-only": lambda k: np.broadcast_to(k, (2, len(k)))[0],
    "every other": lambda k: k.repeat(2)[::2],
    "objects that are integers": lambda k: k.astype(object),
    "strings": lambda k: WORDS[k],
    "list of strings": lambda k: WORDS[k].tolist(),
    "objects that are strings": lambda k: WORDS.astype(object)[k],
    "days": lambda k: np.datetime64("2020-01-01") + k,
    "pandas integers": lambda k: pd.Series(k, index=range(7, 7 + len(k))),
    "pandas Int64": lambda k: pd.Series(k, dtype="Int64"),
    "pandas objects": lambda k: pd.Series(k, dtype=object),
    "pandas strings": lambda k: pd.Series(WORDS[k]),
    "pandas string": lambda k: pd.Series(WORDS[k], dtype="string"),
    "pandas category": lambda k: pd.Series(WORDS[k], dtype="category"),
    "pandas category, other order": lambda k: pd.Series(
        pd.Categorical(WORDS[k], categories=["unused", *WORDS[::-1]])
    ),
    "pandas Categorical": lambda k: pd.Categorical(WORDS[k]),
    "pandas Index": lambda k: pd.Index(WORDS[k]),
    "pandas, Arrow": lambda k: pd.Series(WORDS[k]).astype(pd.ArrowDtype(pa.string())),
    "polars integers": pl.Series,
    "polars strings": lambda k: pl.Series(WORDS[k]),
    "polars Categorical": lambda k: pl.Series(WORDS[k], dtype=pl.Categorical),
    "polars Enum": lambda k: pl.Series(WORDS[k], dtype=pl.Enum([*WORDS[::-1], "unused"])),
    "pyarrow integers": pa.array,
    "pyarrow strings": lambda k: pa.array(WORDS[k]),
    "pyarrow dictionary": lambda k: pa.array(WORDS[k]).dictionary_encode(),
    "pyarrow chunks": lambda k: pa.chunked_array([pa.array(WORDS[k[:9]]), pa.array(WORDS[k[9:]])]),
}


@pytest.mark.parametrize("name", NAMES_OF_CLASSES)
def test_names_of_classes_do_not_matter(name):
    X, k, _ = rows()
    y = NAMES_OF_CLASSES[name](k)
    model = small().fit(X, y)
    assert bits(model) == bits(small().fit(X, k))
    assert model.classes_.tolist() == sorted(set(np.asarray(y).tolist()))
    assert model.predict(X).tolist() == np.asarray(y).tolist()
    assert model.score(X, y) == 1


@pytest.mark.parametrize(
    ("y", "dtype"),
    [
        ("int8", np.int8),
        ("uint64", np.uint64),
        ("whole floats", np.float64),
        ("strings", np.dtype("U3")),
        ("days", np.dtype("M8[D]")),
        ("objects that are strings", object),
        ("objects that are integers", np.int64),
    ],
)
def test_predictions_have_the_type_of_the_labels(y, dtype):
    X, k, _ = rows()
    model = small().fit(X, NAMES_OF_CLASSES[y](k))
    assert model.classes_.dtype == dtype
    assert model.predict(X).dtype == dtype


NAMES_OF_TWO = {
    "truth values": lambda b: b,
    "list of truth values": lambda b: b.tolist(),
    "objects that are truth values": lambda b: b.astype(object),
    "numpy truth values in a list": list,
    "signs": lambda b: np.where(b, 1, -1),
    "words": lambda b: np.where(b, "yes", "no"),
    "pandas boolean": lambda b: pd.Series(b, dtype="boolean"),
    "polars": pl.Series,
    "pyarrow": pa.array,
}


@pytest.mark.parametrize("name", NAMES_OF_TWO)
def test_two_classes_share_a_column_for_the_second(name):
    X, k, _ = rows()
    y = NAMES_OF_TWO[name](k > 0)
    model = small().fit(X, y)
    assert bits(model) == bits(small().fit(X, (k > 0).astype(int)))
    scores = model.decision_function(X)
    assert scores.shape == (60,)
    assert np.array_equal(model.predict(X), model.classes_[(scores > 0).astype(int)])
    assert model.predict_proba(X).shape == (60, 2)
    assert np.array_equal(model.predict_proba(X)[:, 1] > 0.5, scores > 0)
    assert model.score(X, y) == 1


@pytest.mark.parametrize("n_classes", [3, 7])
def test_many_classes_have_a_column_each(n_classes):
    X, *_ = rows()
    y = np.arange(60) % n_classes
    model = small().fit(X, y)
    scores, shares = model.decision_function(X), model.predict_proba(X)
    assert scores.shape == shares.shape == (60, n_classes)
    assert model.n_classes_ == n_classes
    assert np.array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    # Probabilities order the classes as the scores do.
    assert np.all(np.diff(np.take_along_axis(shares, scores.argsort(axis=1), axis=1)) >= 0)


@pytest.mark.parametrize("label", ["only", 7, True])
@pytest.mark.parametrize("parameters", [{}, {"early_stopping": True}, {"votes": "real"}])
def test_one_class_is_a_constant_with_a_warning(label, parameters):
    X, *_ = rows()
    with pytest.warns(UserWarning, match="y has one class only: its predictions are constant"):
        model = small(**parameters).fit(X, [label] * 60)
    assert model.classes_.tolist() == [label]
    assert model.predict(X).tolist() == [label] * 60
    assert np.array_equal(model.predict_proba(X), np.ones((60, 1)))
    assert model.predict_log_proba(X).tolist() == [[0.0]] * 60
    assert model.decision_function(X).shape == (60,)
    assert model.score(X, [label] * 60) == 1


def test_class_of_weight_zero_is_a_class_that_is_never_predicted():
    X, k, _ = rows()
    model = small().fit(X, k, sample_weight=k != 1)
    assert model.classes_.tolist() == [0, 1, 2]
    assert set(model.predict(X)) == {0, 2}


def test_column_vector_is_taken_with_a_warning():
    X, k, _ = rows()
    for column in (k[:, None], pd.DataFrame({"y": k}), pl.DataFrame({"y": k})):
        with pytest.warns(DataConversionWarning, match="column-vector y"):
            model = small().fit(X, column)
        assert model.predict(X).shape == (60,)
        assert bits(model) == bits(small().fit(X, k))


MISSING_LABELS = [
    pd.Series(["a", pd.NA, "b"], dtype="string"),
    pd.Series(["a", None, "b"], dtype="category"),
    pd.Series([0, pd.NA, 1], dtype="Int64"),
    pd.Series([True, pd.NA, False], dtype="boolean"),
    pd.Series([0, None, 1]).astype("int64[pyarrow]"),
    pl.Series(["a", None, "b"]),
    pl.Series(["a", None, "b"], dtype=pl.Categorical),
    pl.Series([0, None, 1]),
    pl.Series([True, None, False]),
    pa.array(["a", None, "b"]),
    pa.array(["a", None, "b"]).dictionary_encode(),
    pa.array([0, None, 1]),
]


@pytest.mark.parametrize("y", MISSING_LABELS)
def test_missing_label_is_refused(y):
    with pytest.raises(ValueError, match=r"y contains (NaN|missing values)"):
        small().fit(np.ones((3, 1)), y)


# ------------------------------------------------------------------------------------- multi-label

INDICATORS = {
    "integers": lambda Y: Y,
    "uint8": lambda Y: Y.astype(np.uint8),
    "floats": lambda Y: Y.astype(float),
    "truth values": lambda Y: Y.astype(bool),
    "objects": lambda Y: Y.astype(object),
    "Fortran order": np.asfortranarray,
    "lists": lambda Y: Y.tolist(),
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "coo of floats": lambda Y: sparse.coo_array(Y.astype(float)),
    "lil of truth values": lambda Y: sparse.lil_array(Y.astype(bool)),
    "csr matrix": sparse.csr_matrix,
    "pandas": lambda Y: pd.DataFrame(Y),
    "pandas Int64": lambda Y: pd.DataFrame(Y).astype("Int64"),
    "pandas boolean": lambda Y: pd.DataFrame(Y).astype("boolean"),
    "pandas sparse": lambda Y: pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(Y)),
    "polars": pl.DataFrame,
    "polars truth values": lambda Y: pl.DataFrame(Y.astype(bool)),
    "pyarrow": lambda Y: pa.table({str(m): column for m, column in enumerate(Y.T)}),
}


@pytest.mark.parametrize("container", INDICATORS)
def test_indicator_of_any_container(container):
    X, _, Y = rows()
    given = INDICATORS[container](Y)
    model, plain = small().fit(X, given), small().fit(X, Y)
    assert bits(model) == bits(plain)
    assert np.array_equal(model.predict(X), plain.predict(X))
    assert model.score(X, given) == accuracy_score(Y, plain.predict(X))


def test_shapes_of_a_multi_label_problem():
    X, _, Y = rows()
    model = small().fit(X, Y)
    scores, shares, labels = model.decision_function(X), model.predict_proba(X), model.predict(X)
    assert scores.shape == shares.shape == labels.shape == (60, 3)
    assert labels.dtype == np.int64
    assert np.array_equal(labels, scores > 0)
    assert np.array_equal(shares > 0.5, scores > 0)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(shares))
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.n_classes_ == 3


def test_labels_that_all_or_no_rows_have():
    X, _, Y = rows()
    Y = np.column_stack([Y[:, 0], np.zeros(60, int), np.ones(60, int)])
    model = small().fit(X, Y)
    assert np.array_equal(model.predict(X)[:, 1:], Y[:, 1:])
    assert np.all(np.isfinite(model.predict_log_proba(X)))


def test_one_sparse_column_is_one_label():
    X, _, Y = rows()
    given = sparse.csr_array(Y[:, :1])
    model = small().fit(X, given)
    assert model.predict(X).shape == model.predict_proba(X).shape == (60, 1)
    assert model.score(X, given) == 1


def test_sparse_y_must_be_an_indicator():
    X, _, Y = rows()
    with pytest.raises(ValueError, match="must be a multi-label indicator of zeros and ones"):
        small().fit(X, sparse.csr_array(2 * Y))


# -------------------------------------------------------------------------------------- multi-task


def two_tasks():
    X, k, Y = rows()
    return X, k, Y[:, 2]


TASKS = {
    "integers": lambda k, b: np.column_stack([k, b]),
    "floats": lambda k, b: np.column_stack([k, b]).astype(float),
    "objects that are integers": lambda k, b: np.column_stack([k, b]).astype(object),
    "lists": lambda k, b: np.column_stack([k, b]).tolist(),
    "strings": lambda k, b: np.column_stack([WORDS[k], WORDS[b]]),
    "objects of two kinds": lambda k, b: np.column_stack([WORDS[k].astype(object), b > 0]),
    "pandas": lambda k, b: pd.DataFrame({"k": WORDS[k], "b": b > 0}),
    "pandas category": lambda k, b: pd.DataFrame({"k": pd.Categorical(WORDS[k]), "b": b}),
    "pandas Int64": lambda k, b: pd.DataFrame({"k": k, "b": b}, dtype="Int64"),
    "polars": lambda k, b: pl.DataFrame({"k": WORDS[k], "b": b > 0}),
    "pyarrow": lambda k, b: pa.table({"k": WORDS[k], "b": b}),
}


@pytest.mark.parametrize("container", TASKS)
def test_tasks_of_any_container(container):
    X, k, b = two_tasks()
    given = TASKS[container](k, b)
    model, plain = small().fit(X, given), small().fit(X, np.column_stack([k, b]))
    assert bits(model) == bits(plain)
    assert model.predict(X).shape == (60, 2)
    numbers = [np.searchsorted(model.classes_[m], model.predict(X)[:, m]) for m in (0, 1)]
    assert np.array_equal(np.column_stack(numbers), plain.predict(X))
    assert model.score(X, given) == plain.score(X, np.column_stack([k, b]))


def test_shapes_of_a_multi_task_problem():
    X, k, b = two_tasks()
    model = small().fit(X, np.column_stack([k, b]))
    scores, shares = model.decision_function(X), model.predict_proba(X)
    assert [s.shape for s in scores] == [(60, 3), (60,)]
    assert [p.shape for p in shares] == [(60, 3), (60, 2)]
    assert [p.shape for p in model.predict_log_proba(X)] == [(60, 3), (60, 2)]
    assert all(np.allclose(p.sum(axis=1), 1) for p in shares)
    assert model.n_classes_ == [3, 2]
    assert [c.tolist() for c in model.classes_] == [[0, 1, 2], [0, 1]]
    decisions = np.column_stack([scores[0].argmax(axis=1), scores[1] > 0])
    assert np.array_equal(model.predict(X), decisions)


def test_score_of_tasks_counts_rows_right_in_all():
    X, k, b = two_tasks()
    y = np.column_stack([k, b])
    model = small(n_estimators=2).fit(X, y)
    right = np.all(model.predict(X) == y, axis=1)
    assert 0 < right.mean() < 1
    assert model.score(X, y) == right.mean()
    weights = np.arange(60)
    assert model.score(X, y, sample_weight=weights) == np.average(right, weights=weights)


def test_task_of_one_class_is_constant_with_a_warning():
    X, k, _ = two_tasks()
    with pytest.warns(UserWarning, match=r"output \[1\] of y has one class only"):
        model = small().fit(X, np.column_stack([k, np.full(60, 5)]))
    assert set(model.predict(X)[:, 1]) == {5}
    assert [p.shape for p in model.predict_proba(X)] == [(60, 3), (60, 1)]


def test_problems_of_two_strings_per_column_are_tasks():
    """Only zeros and ones are an indicator."""
    X, _, Y = rows()
    model = small().fit(X, np.where(Y, "yes", "no"))
    assert [c.tolist() for c in model.classes_] == 3 * [["no", "yes"]]
    assert np.array_equal(model.predict(X) == "yes", small().fit(X, Y).predict(X) == 1)


# ------------------------------------------------------------------------------------------- score


def test_score_takes_labels_that_training_did_not_see():
    X, k, _ = rows()
    model = small().fit(X, WORDS[k])
    truth = np.where(np.arange(60) < 15, "other", WORDS[k])
    assert model.score(X, truth) == 0.75


@pytest.mark.parametrize(
    ("truth", "match"),
    [
        (lambda k: k, "Mix of label input types"),
        (lambda k: WORDS[k][:-1], "must have 60 rows and 1 outputs.* 59 rows"),
        (lambda k: np.column_stack([WORDS[k], WORDS[k]]), "got 60 rows and 2 outputs"),
    ],
)
def test_score_refuses_labels_of_another_kind(truth, match):
    X, k, _ = rows()
    model = small().fit(X, WORDS[k])
    with pytest.raises(ValueError, match=match):
        model.score(X, truth(k))
