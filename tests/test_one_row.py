"""Rows one at a time, without validation: the same bits as a batch."""

import numpy as np
import pytest

from estimator_runs import small

LEARNERS = {
    "tree": {},
    "many trees": {"n_estimators": 21},
    "product": {"base": "product"},
    "ternary": {"votes": "ternary"},
    "real": {"votes": "real"},
    "truncated": {"n_estimators": 60, "early_stopping": True, "warm_start": True},
}
LABELS = {
    "two classes": lambda rng, n: rng.choice(["no", "yes"], n),
    "classes": lambda rng, n: rng.integers(0, 5, n),
    "many classes": lambda rng, n: np.r_[np.arange(70), rng.integers(0, 70, n - 70)],
    "labels": lambda rng, n: rng.integers(0, 2, (n, 3)),
    "tasks": lambda rng, n: rng.integers(0, 4, (n, 2)),
}


def problem(labels, n=160):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 6)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, LABELS[labels](rng, n)


def assert_same(one, batch, i):
    if isinstance(batch, list):
        for of_task, of_batch in zip(one, batch, strict=True):
            np.testing.assert_array_equal(of_task, of_batch[i])
    else:
        np.testing.assert_array_equal(one, batch[i])


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_one_row_is_a_batch_of_one(learner, labels):
    X, y = problem(labels)
    model = small(**LEARNERS[learner]).fit(X, y)
    answers = [
        (model.decision_function_one, model.decision_function(X)),
        (model.predict_one, model.predict(X)),
        (model.predict_proba_one, model.predict_proba(X)),
    ]
    for i in range(0, len(X), 17):
        for one, batch in answers:
            assert_same(one(X[i]), batch, i)


@pytest.mark.parametrize("kind", [list, tuple, np.float64, np.float16, ">f8"])
def test_any_container(kind):
    X, y = problem("classes")
    X = np.nan_to_num(np.round(X))
    model = small().fit(X, y)
    row = kind(X[3]) if kind in (list, tuple) else X[3].astype(kind)
    np.testing.assert_array_equal(model.decision_function_one(row), model.decision_function(X)[3])


def test_a_row_that_is_no_neighbour_in_memory():
    X, y = problem("classes")
    model = small().fit(X, y)
    turned = np.asfortranarray(X)
    np.testing.assert_array_equal(
        model.decision_function_one(turned[3]), model.decision_function(X)[3]
    )


def test_categories():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"a": pd.Categorical(["x", "y", "z"] * 8), "b": np.arange(24.0)})
    y = (X["a"] == "y").to_numpy() ^ (X["b"].to_numpy() > 12)
    model = small(n_estimators=10, categorical_features=["a"]).fit(X, y)
    for i in (0, 1, 13):
        row = np.array(X.iloc[i], dtype=object)
        with pytest.warns(UserWarning, match="feature names"):
            assert model.predict_one(row) == y[i]


@pytest.mark.parametrize("row", [[1.0, 2.0], [], [[1.0] * 6], 1.0])
def test_length_is_checked(row):
    X, y = problem("classes")
    model = small().fit(X, y)
    with pytest.raises(ValueError, match=r"x must be one row of 6 features; got shape"):
        model.predict_one(row)


def test_not_fitted():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        small().predict_one([1.0])
