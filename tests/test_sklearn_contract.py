"""The estimator among scikit-learn's tools: its own checks, model selection, processes, pickles."""

from __future__ import annotations

import copy
import importlib
import inspect
import io
import os
import pickle
import pkgutil
import re
import subprocess
import sys

import cloudpickle
import joblib
import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency, check_estimator

import mhboost
import mhboost.rivals
from estimator_runs import bits, small
from mhboost import HammingProduct, HammingTree, MHBoostClassifier, Stump
from mhboost._parameters import RULES

# Two rounds: a row of weight 2 and two rows of weight 1 differ by the rounding of weights, some
# 1e-8. That decides between equally good cuts, of which scikit-learn's 15 rows with 30 features
# have many in later rounds; and it wants seven equal digits of scores that cancel to almost zero.
CONFIGURATIONS = {
    "tree": {},
    "stump": {"base": "stump"},
    "product": {"base": HammingProduct(2)},
    "tree of products": {"base": HammingTree(2, HammingProduct(2))},
    "ternary": {"votes": "ternary"},
    "real": {"votes": "real"},
    "leafwise": {"leaf_votes": "leafwise"},
    "logistic": {"loss": "logistic"},
    "uniform": {"weighting": "uniform"},
    "class weights": {"class_weight": "balanced"},
    "exact cuts": {"max_bins": "exact"},
    "categories": {"categorical_features": [0]},
    "features per node": {"max_features": 0.5},
    "features per tree": {"max_tree_features": 0.5, "n_estimators": 6},
    "class sampling": {"class_sample": 2},
    "weight trimming": {"weight_trimming": 0.1},
    "warm start": {"warm_start": True},
    "two threads": {"n_jobs": 2},
}

# A row drawn into a sample weighs 3 there; of three equal rows any number is drawn. No estimator
# that draws rows can treat the two alike, so two checks do not apply;
# `test_row_of_weight_zero_is_no_row` stands in.
DRAWS_ROWS = {
    "early stopping": {"early_stopping": True, "n_estimators": 60},
    "row sampling": {"subsample": 0.7},
}
ON_DRAWN_ROWS = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}
# Skipped by scikit-learn unless the environment says SCIPY_ARRAY_API=1 before scipy is imported;
# `test_array_api_checks_pass` does that.
NEEDS_ENVIRONMENT = {"check_array_api_input"}


def configured(name):
    parameters = {"n_estimators": 2, "n_jobs": 1, **(CONFIGURATIONS | DRAWS_ROWS)[name]}
    base = parameters.pop("base", "tree")
    return small(base, **parameters)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


# ---------------------------------------------------------------------------------------- checks


def not_passed(estimator):
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    return {r["check_name"]: r["exception"] for r in results if r["status"] != "passed"}


@pytest.mark.filterwarnings("ignore:y has one class only")
@pytest.mark.parametrize("name", [*CONFIGURATIONS, *DRAWS_ROWS])
def test_scikit_learn_checks_pass(name):
    failures = not_passed(configured(name))
    if os.environ.get("SCIPY_ARRAY_API") != "1":
        failures = {k: v for k, v in failures.items() if k not in NEEDS_ENVIRONMENT}
    if name in DRAWS_ROWS:
        failures = {k: v for k, v in failures.items() if k not in ON_DRAWN_ROWS}
    assert failures == {}


ARRAY_API_CHECKS = """
from sklearn.utils.estimator_checks import check_estimator
from mhboost import MHBoostClassifier

results = check_estimator(MHBoostClassifier(n_estimators=3, n_jobs=1), on_skip=None, on_fail=None)
assert results and all(r["status"] == "passed" for r in results), results
"""


def test_array_api_checks_pass():
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-c", ARRAY_API_CHECKS], env=environment, check=True)


def test_feature_names_are_checked_as_in_scikit_learn():
    """One of scikit-learn's checks that `check_estimator` does not run."""
    check_dataframe_column_names_consistency("MHBoostClassifier", small(n_jobs=1))


@pytest.mark.parametrize("name", [*CONFIGURATIONS, *DRAWS_ROWS])
def test_row_of_weight_zero_is_no_row(name):
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(60, 3)), rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    kept = weights > 0
    with_zeros = configured(name).fit(X, y, sample_weight=weights)
    without = configured(name).fit(X[kept], y[kept], sample_weight=weights[kept])
    assert bits(with_zeros) == bits(without)


def test_balanced_class_weights_count_weights_not_rows():
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(40, 3)), rng.integers(0, 3, 40), rng.integers(1, 4, 40)
    weighted = small(class_weight="balanced").fit(X, y, sample_weight=weights)
    repeated = small(class_weight="balanced").fit(X.repeat(weights, axis=0), y.repeat(weights))
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), rtol=0, atol=1e-5
    )


def test_tags_say_what_the_estimator_takes():
    tags = MHBoostClassifier().__sklearn_tags__()
    assert is_classifier(MHBoostClassifier())
    assert tags.input_tags.allow_nan
    assert tags.input_tags.sparse
    assert tags.target_tags.multi_output
    assert tags.target_tags.single_output
    assert tags.classifier_tags.multi_class
    assert tags.classifier_tags.multi_label


# ------------------------------------------------------------------------------- model selection


@pytest.mark.parametrize(
    ("base", "grid"),
    [
        ("tree", {"n_inner_nodes": [1, 3], "learning_rate": [0.5, 1.0]}),
        ("tree", {"base": [Stump(), "product", HammingTree(2)]}),
        (HammingTree(1), {"base__n_inner_nodes": [1, 3]}),
        (HammingTree(1, HammingProduct(1)), {"base__base__n_terms": [1, 2]}),
    ],
)
def test_grid_search(iris, base, grid):
    search = GridSearchCV(small(base), grid, cv=2).fit(*iris)
    best = small(base).set_params(**search.best_params_)
    assert bits(search.best_estimator_) == bits(best.fit(*iris))


def test_search_leaves_the_learner_alone(iris):
    base = HammingTree(1)
    search = GridSearchCV(small(base), {"base__n_inner_nodes": [2, 3]}, cv=2).fit(*iris)
    assert base == HammingTree(1)
    assert search.best_estimator_.base.n_inner_nodes in (2, 3)


@pytest.mark.parametrize(
    "scoring", ["accuracy", "f1_macro", "neg_log_loss", "roc_auc_ovr", "d2_log_loss_score"]
)
def test_cross_val_score(iris, scoring):
    assert np.isfinite(cross_val_score(small(), *iris, cv=2, scoring=scoring)).all()


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_cross_val_predict(iris, method):
    X, y = iris
    shape = (150,) if method == "predict" else (150, 3)
    assert cross_val_predict(small(), X, y, cv=2, method=method).shape == shape


@pytest.mark.parametrize("base", ["tree", Stump(), HammingTree(2, HammingProduct(2))])
def test_clone_has_equal_parameters_and_nothing_fitted(iris, base):
    model = small(base, max_bins="exact").fit(*iris)
    copied = clone(model)
    assert copied.get_params() == model.get_params()
    assert not hasattr(copied, "classes_")
    assert bits(copied.fit(*iris)) == bits(model)


@pytest.mark.parametrize(
    "around",
    [
        lambda: make_pipeline(StandardScaler(), small()),
        lambda: CalibratedClassifierCV(small(), cv=2),
        lambda: BaggingClassifier(small(), n_estimators=2, random_state=0),
        lambda: VotingClassifier([("a", small()), ("b", small("stump"))], voting="soft"),
        lambda: StackingClassifier([("a", small()), ("b", small("stump"))], small(), cv=2),
        lambda: OneVsRestClassifier(small()),
        lambda: make_pipeline(SelectFromModel(small()), small()),
    ],
)
def test_part_of_something_larger(iris, around):
    assert around().fit(*iris).score(*iris) > 0.9


def test_chain_of_classifiers(iris):
    X, y = iris
    Y = np.column_stack([y == "setosa", y == "virginica"]).astype(int)
    assert ClassifierChain(small()).fit(X, Y).predict(X).shape == (150, 2)


def test_permutation_importance_finds_what_the_model_uses(iris):
    model = small("stump", n_estimators=1).fit(*iris)
    (used,) = np.flatnonzero(model.feature_importances_)
    importances = permutation_importance(model, *iris, n_repeats=2, random_state=0)
    assert np.flatnonzero(importances.importances_mean).tolist() == [used]


def test_set_output_names_reach_the_model(iris):
    for container in ("pandas", "polars"):
        pipeline = make_pipeline(StandardScaler(), small()).set_output(transform=container)
        model = pipeline.fit(*iris)[-1]
        assert model.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]
        plain = make_pipeline(StandardScaler(), small()).fit(*iris)[-1]
        assert bits(model) == bits(plain)


def test_diagram_shows_the_learner():
    assert "n_inner_nodes" in small(HammingTree(2))._repr_html_()


# ------------------------------------------------------------------------------ metadata routing


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
def test_sample_weight_is_routed_through_a_pipeline(iris):
    X, y = iris
    weights = np.arange(150) % 3
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    routed = make_pipeline(scaler, small().set_fit_request(sample_weight=True))
    routed.fit(X, y, sample_weight=weights)
    expected = small().fit(StandardScaler().fit_transform(X), y, sample_weight=weights)
    assert bits(routed[-1]) == bits(expected)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("scored", [True, False])
def test_sample_weight_is_routed_through_a_search(iris, scored):
    X, y = iris
    weights = np.where(y == "setosa", 0.0, 1.0)
    model = small()
    model.set_fit_request(sample_weight=True).set_score_request(sample_weight=scored)
    result = cross_validate(model, X, y, params={"sample_weight": weights}, cv=2)
    # Trained without setosa, the model gets all of it wrong: this counts if rows count the same.
    assert (result["test_score"].min() > 0.8) == scored
    search = GridSearchCV(model, {"n_estimators": [5, 6]}, cv=2).fit(X, y, sample_weight=weights)
    assert (search.best_score_ > 0.8) == scored


@pytest.mark.usefixtures("routing")
def test_what_fit_and_score_can_be_given():
    requests = small().get_metadata_routing()
    assert set(requests.fit.requests) == {"sample_weight", "eval_set", "eval_sample_weight"}
    assert set(requests.score.requests) == {"sample_weight"}


# -------------------------------------------------------------------------- threads and processes


# The thread sanitizer allows no threads after a fork, and `slow` keeps a test away from it.
AFTER_A_FORK = pytest.param("multiprocessing", marks=pytest.mark.slow)


@pytest.mark.parametrize("backend", ["threading", "loky", AFTER_A_FORK])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_joblib_trains_and_predicts_the_same(iris, backend, n_jobs):
    X, y = iris
    here = small(n_jobs=2).fit(X, y)  # before the fork: its threads must not be waited for
    with Parallel(2, backend=backend) as parallel:
        models = parallel(delayed(small(n_jobs=n_jobs).fit)(X, y) for _ in range(2))
        scores = parallel(delayed(model.decision_function)(X) for model in models)
    assert {bits(model) for model in models} == {bits(here)}
    assert all(np.array_equal(s, here.decision_function(X)) for s in scores)


# ---------------------------------------------------------------------------------------- copies


def through_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


COPIES = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "pickle 2": lambda model: pickle.loads(pickle.dumps(model, protocol=2)),
    "cloudpickle": lambda model: pickle.loads(cloudpickle.dumps(model)),
    "joblib": through_joblib,
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("way", COPIES)
def test_copy_of_a_model_is_the_model(iris, way, name):
    X, y = iris
    model = configured(name).fit(X, y)
    copied = COPIES[way](model)
    assert bits(copied) == bits(model)
    for method in ("predict", "predict_proba", "decision_function", "apply"):
        assert getattr(copied, method)(X).tobytes() == getattr(model, method)(X).tobytes()
    assert str(copied.estimators_[-1]) == str(model.estimators_[-1])


@pytest.mark.parametrize("way", COPIES)
def test_copy_goes_on_from_the_rounds_done(iris, way):
    model = COPIES[way](small(warm_start=True).fit(*iris))
    assert bits(model.set_params(n_estimators=9).fit(*iris)) == bits(
        small(warm_start=True, n_estimators=9).fit(*iris)
    )


@pytest.mark.parametrize("learner", [Stump(), HammingTree(3, HammingProduct(2))])
def test_copy_of_a_learner_is_equal(learner):
    assert pickle.loads(pickle.dumps(learner)) == learner
    assert copy.deepcopy(learner) == learner
    assert clone(learner) == learner


# --------------------------------------------------------------------------------- documentation


def public_modules():
    names = ["mhboost", *(m.name for m in pkgutil.iter_modules(mhboost.__path__, "mhboost."))]
    return [importlib.import_module(n) for n in names if not re.search(r"\._", n)]


def public_things():
    """{name: thing} of all classes and functions that public modules export, and their methods."""
    things = {}
    for module in public_modules():
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                things[name] = thing
            if inspect.isclass(thing):
                things |= {f"{name}.{m}": f for m, f in public_methods(thing).items()}
    return things


def public_methods(cls):
    methods = inspect.getmembers(cls, inspect.isfunction)
    ours = {n: m for n, m in methods if m.__module__.startswith("mhboost")}
    return {n: m for n, m in ours.items() if not n.startswith("_")}


def documented_parameters(thing):
    sections = re.split(r"\n(\w[\w ]*)\n-+\n", inspect.cleandoc(thing.__doc__ or ""))
    texts = dict(zip(sections[1::2], sections[2::2], strict=True))
    heads = re.findall(r"^(\S.*?) : ", texts.get("Parameters", ""), re.MULTILINE)
    return [name.strip(" *") for head in heads for name in head.split(",")]


def signature_parameters(thing):
    is_error = inspect.isclass(thing) and issubclass(thing, Exception)
    if is_error and "__init__" not in vars(thing):
        return []  # a message
    known = list(inspect.signature(thing).parameters)
    return [name for name in known if name != "self"]


@pytest.mark.parametrize("name", public_things())
def test_public_thing_documents_its_parameters(name):
    thing = public_things()[name]
    assert thing.__doc__.strip()
    assert documented_parameters(thing) == signature_parameters(thing)


def test_public_things_were_found():
    """Guard against passing because there was nothing to look at."""
    names = set(public_things())
    assert names >= {"MHBoostClassifier", "Stump", "HammingTree", "HammingProduct", "Learner"}
    assert names >= {"MHBoostClassifier.fit", "MHBoostClassifier.staged_predict"}


def test_parameters_are_those_of_the_signature():
    assert list(MHBoostClassifier().get_params()) == sorted(signature_parameters(MHBoostClassifier))


def test_signature_is_the_only_home_of_defaults():
    documentation = inspect.cleandoc(MHBoostClassifier.__doc__).split("Attributes\n---")[0]
    assert "default" not in documentation.lower()
    assert MHBoostClassifier().n_inner_nodes == HammingTree().n_inner_nodes
    assert MHBoostClassifier().n_terms == HammingProduct().n_terms


def test_every_parameter_has_a_rule():
    checked_elsewhere = {"base", "categorical_features"}  # by the learners, against the data
    classifiers = [MHBoostClassifier, *(getattr(mhboost.rivals, n) for n in mhboost.rivals.__all__)]
    known = {name for classifier in classifiers for name in signature_parameters(classifier)}
    assert set(RULES) | checked_elsewhere == known


def test_attributes_are_documented(iris):
    X, y = iris
    model = small(early_stopping=True).fit(X, y)
    fitted = {n for n in vars(model) if n.endswith("_")} | {"feature_importances_", "estimators_"}
    documentation = MHBoostClassifier.__doc__.split("Attributes\n")[1].split("Notes\n")[0]
    documented = set(re.findall(r"\b[a-z][a-z_]*_(?= :|,)", documentation))
    assert fitted | {"feature_names_in_"} == documented
