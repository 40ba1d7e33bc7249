"""What every rival keeps to, whatever it boosts."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.utils.estimator_checks import parametrize_with_checks

from mhboost import _core, rivals

ALL = [getattr(rivals, name) for name in rivals.__all__]
every = pytest.mark.parametrize("rival", ALL, ids=lambda rival: rival.__name__)


def small(rival, **parameters):
    return rival(**{"n_estimators": 6, "n_leaves": 4, "random_state": 0, **parameters})


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.filterwarnings("ignore:y has one class only")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([rival(n_estimators=10, n_jobs=1) for rival in ALL])
def test_is_a_classifier(estimator, check):
    check(estimator)


@every
def test_learns(rival, iris):
    X, y = iris
    assert small(rival, n_estimators=40).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9


@every
def test_last_stage_is_the_model(rival, iris):
    X, y = iris
    model = small(rival).fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert len(stages) == model.n_iter_ == 6
    np.testing.assert_array_equal(stages[-1], model.decision_function(X))
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))


@every
def test_early_stopping_keeps_the_rounds_up_to_the_best(rival):
    X, y = make_classification(200, flip_y=0.5, random_state=0)
    model = small(rival, n_estimators=150, early_stopping=True, eval_metric="log_loss")
    model.set_params(n_iter_no_change=5).fit(X[::2], y[::2], eval_set=(X[1::2], y[1::2]))
    assert model.n_iter_ == model.best_iteration_ <= len(model.validation_score_) < 150
    assert len(list(model.staged_predict(X[:1]))) == model.n_iter_


@every
def test_validation_score_is_the_error_of_the_stages(rival, iris):
    X, y = iris
    model = small(rival).fit(X[::2], y[::2], eval_set=(X[1::2], y[1::2]))
    errors = [np.mean(stage != y[1::2]) for stage in model.staged_predict(X[1::2])]
    np.testing.assert_allclose(model.validation_score_, errors)


@every
@pytest.mark.parametrize("make", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_copy_predicts_the_same(rival, make, iris):
    X, y = iris
    model = small(rival).fit(X, y)
    np.testing.assert_array_equal(make(model).decision_function(X), model.decision_function(X))


@every
def test_importance_goes_to_the_feature_that_decides(rival):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    model = small(rival).fit(X, np.digitize(X[:, 2], [-0.5, 0.5]))
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_.argmax() == 2


@every
def test_trees_can_be_read(rival, iris):
    model = small(rival).fit(*iris)
    assert max(tree.n_leaves for tree in model.estimators_) == 4
    assert str(model.estimators_[0]).startswith("tree 0, alpha = ")


def easy(n, n_classes):
    return make_classification(
        n,
        12,
        n_informative=8,
        n_classes=n_classes,
        n_clusters_per_class=1,
        class_sep=4,
        random_state=0,
    )


@every
@pytest.mark.parametrize("n_classes", [2, 5, 20])
def test_threads_give_the_same_bits(rival, n_classes):
    X, y = easy(9000, n_classes)
    models = [small(rival, n_estimators=2, n_leaves=40, n_jobs=n).fit(X, y) for n in (1, 2)]
    one, two = (model.decision_function(X) for model in models)
    assert one.tobytes() == two.tobytes()


@every
@pytest.mark.parametrize("n_classes", [2, 5, 20])
def test_kernels_give_the_same_bits(rival, n_classes, monkeypatch):
    X, y = easy(900, n_classes)
    of_kernel = set()
    for name in _core.kernels():
        monkeypatch.setenv("MHBOOST_KERNEL", name)
        model = small(rival, n_leaves=40, n_jobs=1).fit(X, y)
        of_kernel.add(model.decision_function(X).tobytes())
    assert len(of_kernel) == 1


@every
def test_missing_values_and_categories_are_learned_from(rival):
    rng = np.random.default_rng(0)
    category = rng.integers(0, 12, 600).astype(float)
    value = rng.normal(size=600)
    y = np.isin(category, [1, 4, 7]) + 2 * np.isnan(np.where(value > 0.7, np.nan, value))
    X = np.column_stack([category, np.where(value > 0.7, np.nan, value)])
    model = small(rival, n_estimators=30, categorical_features=[0]).fit(X, y)
    assert model.score(X, y) == 1


@every
@pytest.mark.parametrize("y", [[[0, 1], [1, 1], [1, 0]], [[0, 5], [1, 6], [1, 7]]])
def test_several_outputs_are_refused(rival, y):
    with pytest.raises(ValueError, match="y must hold one label per row"):
        small(rival).fit([[1.0], [2.0], [3.0]], y)


@every
def test_wrong_parameters_are_refused(rival, iris):
    with pytest.raises(ValueError, match="n_leaves must be a whole number from 2 to 65535; got 1"):
        small(rival, n_leaves=1).fit(*iris)
