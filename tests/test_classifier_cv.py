"""The estimator that validates: what it chooses, what it shows, and scikit-learn's checks."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.model_selection import KFold, cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from estimator_runs import bits, small
from mhboost import MHBoostClassifier, MHBoostClassifierCV
from mhboost._selection import choose
from mhboost._stopping import smoothed_scores
from mhboost._validation import fit_and_score

X, y = load_iris(return_X_y=True)
GRID = {"n_inner_nodes": [1, 3]}
NEEDS_ENVIRONMENT = {"check_array_api_input"}  # skipped unless SCIPY_ARRAY_API=1


def tiny(**parameters):
    told = {"param_grid": GRID, "cv": 3, "t_min": 2, "random_state": 0, **parameters}
    return MHBoostClassifierCV(small(n_estimators=8), **told)


@pytest.fixture(scope="module")
def fitted():
    return tiny(cv=KFold(3, shuffle=True, random_state=1)).fit(X, y)


def test_curves_and_choice_are_the_rule_by_hand(fitted):
    folds = list(KFold(3, shuffle=True, random_state=1).split(X))
    curves = np.array(
        [
            [fit_and_score(small(n_estimators=8, n_inner_nodes=N), X, y, *fold) for fold in folds]
            for N in (1, 3)
        ]
    )
    choice = choose(list(curves), t_min=2)
    np.testing.assert_array_equal(fitted.cv_results_["curves"], curves)
    np.testing.assert_array_equal(
        fitted.cv_results_["smoothed"], [smoothed_scores(c.mean(axis=0)) for c in curves]
    )
    assert fitted.cv_results_["rounds"].tolist() == list(choice.rounds)
    assert fitted.best_score_ == choice.errors[choice.candidate]
    assert fitted.best_iteration_ == choice.n_rounds
    assert fitted.best_n_inner_nodes_ == (1, 3)[choice.candidate]
    assert fitted.best_params_ == {
        "n_inner_nodes": fitted.best_n_inner_nodes_,
        "n_estimators": choice.n_rounds,
    }


def test_best_estimator_is_trained_on_all_rows(fitted):
    by_hand = small(**fitted.best_params_).fit(X, y)
    assert bits(fitted.best_estimator_) == bits(by_hand)


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "decision_function", "apply"]
)
def test_predictions_are_the_best_estimators(fitted, method):
    ours, theirs = (getattr(model, method)(X) for model in (fitted, fitted.best_estimator_))
    np.testing.assert_array_equal(ours, theirs)


def test_attributes_are_the_best_estimators(fitted):
    best = fitted.best_estimator_
    np.testing.assert_array_equal(fitted.classes_, [0, 1, 2])
    np.testing.assert_array_equal(fitted.feature_importances_, best.feature_importances_)
    assert (fitted.n_iter_, len(fitted.estimators_)) == (best.n_iter_, best.n_iter_)
    assert fitted.score(X, y) == best.score(X, y)
    stages = list(fitted.staged_predict(X))
    np.testing.assert_array_equal(stages[-1], best.predict(X))


@pytest.mark.parametrize(
    "change",
    [{"n_jobs": 2}, {"verbose": 1}, {"estimator": small(n_estimators=8, early_stopping=True)}],
    ids=str,
)
def test_model_does_not_depend_on(change):
    assert bits(tiny().set_params(**change).fit(X, y)) == bits(tiny().fit(X, y))


def test_number_of_folds_is_dealt_and_stratified():
    curves = tiny(cv=5).fit(X, y).cv_results_["curves"]
    assert curves.shape == (2, 5, 8)
    assert np.allclose(curves * 30, np.round(curves * 30))  # thirty rows each


def test_pairs_of_rows_are_taken_as_folds():
    rows = np.arange(150)
    pairs = [(rows[rows % 2 == 0], rows[rows % 2 == 1])]
    assert tiny(cv=pairs).fit(X, y).cv_results_["curves"].shape == (2, 1, 8)


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("tree", [{"n_inner_nodes": N} for N in (2, 4, 8, 16, 32)]),
        ("product", [{"n_terms": m} for m in (2, 3, 4, 5)]),
        ("stump", [{}]),
    ],
)
def test_default_grids(base, expected):
    estimator = MHBoostClassifier(base, n_estimators=2)
    model = MHBoostClassifierCV(estimator, cv=2, random_state=0).fit(X, y)
    assert model.cv_results_["params"] == expected


def test_eval_metric_is_what_is_validated():
    estimator = small(n_estimators=8, eval_metric="log_loss")
    model = tiny().set_params(estimator=estimator).fit(X, y)
    assert model.cv_results_["curves"].min() > 0


def test_row_of_weight_zero_does_not_count():
    """The same folds with and without rows of weight zero."""
    weights = np.where(np.arange(150) % 5 == 0, 0.0, 1.0)
    kept = weights > 0
    half = np.arange(150) % 2 == 0
    all_rows, rest = np.arange(150), np.arange(kept.sum())
    weighted = tiny(cv=[(all_rows[half], all_rows[~half])]).fit(X, y, sample_weight=weights)
    removed = tiny(cv=[(rest[half[kept]], rest[~half[kept]])]).fit(X[kept], y[kept])
    np.testing.assert_allclose(
        weighted.cv_results_["curves"], removed.cv_results_["curves"], atol=1e-12
    )
    assert weighted.best_params_ == removed.best_params_


@pytest.mark.parametrize("container", ["frame", "sparse", "list"])
def test_containers_give_the_same_choice(container):
    make = {
        "frame": pytest.importorskip("pandas").DataFrame,
        "sparse": pytest.importorskip("scipy.sparse").csc_array,
        "list": np.ndarray.tolist,
    }[container]
    labels = y.tolist() if container == "list" else y
    given, plain = tiny().fit(make(X), labels), tiny().fit(X, y)
    np.testing.assert_array_equal(given.cv_results_["curves"], plain.cv_results_["curves"])


def test_multi_label_problem():
    X, Y = make_multilabel_classification(60, random_state=0)
    model = tiny().fit(X, Y)
    assert model.predict(X).shape == Y.shape


def test_feature_names_of_an_earlier_fit_are_forgotten():
    pd = pytest.importorskip("pandas")
    model = tiny().fit(pd.DataFrame(X, columns=list("abcd")), y)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert not hasattr(model.fit(X, y), "feature_names_in_")


def test_works_among_scikit_learns_tools():
    assert cross_val_score(tiny(), X, y, cv=3).mean() > 0.8
    model = clone(tiny()).set_params(estimator__learning_rate=0.25)
    assert model.estimator.learning_rate == 0.25
    fitted = model.fit(X, y)
    copied = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copied.decision_function(X), fitted.decision_function(X))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"estimator": "tree"}, TypeError, "estimator must be"),
        ({"param_grid": [1, 2]}, TypeError, "param_grid must be a dict"),
        ({"param_grid": {"n_nodes": [1]}}, ValueError, "got 'n_nodes'"),
        ({"param_grid": {"n_estimators": [1]}}, ValueError, "got 'n_estimators'"),
        ({"param_grid": {"n_inner_nodes": 3}}, ValueError, "must be a sequence"),
        ({"param_grid": {"n_inner_nodes": []}}, ValueError, "must be a sequence"),
        ({"param_grid": {"n_inner_nodes": [0]}}, ValueError, "n_inner_nodes must be"),
        ({"cv": 1}, ValueError, "1 folds need"),
        ({"cv": 200}, ValueError, "200 folds need"),
        ({"cv": "five"}, ValueError, "cv must be"),
        ({"one_sigma": 1}, ValueError, "one_sigma must be"),
        ({"t_min": -1}, ValueError, "t_min must be"),
    ],
    ids=str,
)
def test_bad_parameter_is_refused(change, error, message):
    with pytest.raises(error, match=message):
        tiny().set_params(**change).fit(X, y)


@pytest.mark.filterwarnings("ignore:y has one class only")
def test_scikit_learn_checks_pass():
    model = MHBoostClassifierCV(
        small(n_estimators=2, n_jobs=1), param_grid=GRID, cv=2, t_min=0, random_state=0
    )
    results = check_estimator(model, on_skip=None, on_fail=None)
    failures = {r["check_name"]: r["exception"] for r in results if r["status"] != "passed"}
    assert failures.keys() <= NEEDS_ENVIRONMENT, failures
