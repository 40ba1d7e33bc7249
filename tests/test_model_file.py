"""Model files: what comes back, what is refused, and that no bytes can do harm."""

from __future__ import annotations

import copy
import datetime
import json
import os
import pickle
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits

import kept_models
import mhboost
from estimator_runs import bits, small
from mhboost import HammingProduct, HammingTree, MHBoostClassifier, ModelFileError, Stump
from mhboost._model_file import disk
from mhboost._model_file.container import pack, unpack
from mhboost._model_file.model import decode_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(70, 4)).round(3)
Y3 = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]
LABELS = (X @ RNG.normal(size=(4, 9)) > 0).astype(int)
TASKS = np.column_stack([Y3, np.where(X[:, 2] > 0, "yes", "no")])
HOLES = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
CATEGORIES = np.column_stack([HOLES[:, :2], RNG.integers(0, 70, 70), RNG.integers(0, 2, 70)])

MODELS = {
    "tree": (X, Y3, {}),
    "binary": (X, Y3 == "a", {"base": "stump"}),
    "one class": (X, np.zeros(70), {}),
    "multi-label": (X, LABELS, {}),
    "sparse multi-label": (X, sparse.csr_array(LABELS), {"votes": "ternary"}),
    "multi-task": (X, TASKS, {"votes": "real"}),
    "missing": (HOLES, Y3, {"base": HammingProduct(2)}),
    "categories": (CATEGORIES, Y3, {"categorical_features": [2, 3], "votes": "ternary"}),
    "products of categories": (
        CATEGORIES,
        LABELS,
        {"base": HammingTree(2, HammingProduct(2)), "categorical_features": [False, True] * 2},
    ),
    "frame": (pd.DataFrame(X, columns=list("wxyz")).astype({"w": "str"}), Y3, None),
    "exact, logistic": (X, Y3, {"max_bins": "exact", "loss": "logistic"}),
    "warm start, stopped": (
        X,
        Y3,
        {"warm_start": True, "early_stopping": True, "n_estimators": 60, "n_iter_no_change": None},
    ),
}


def trained(name):
    rows, y, parameters = MODELS[name]
    if parameters is None:
        parameters = {"categorical_features": ["w"]}
    parameters = dict(parameters)
    model = small(parameters.pop("base", "tree"), **parameters)
    if name == "one class":
        with pytest.warns(UserWarning, match="one class only"):
            return model.fit(rows, y)
    is_stopped = parameters.get("early_stopping")
    return model.fit(rows, y, eval_set=[(rows, y), (rows[:9], y[:9])] if is_stopped else None)


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return trained(request.param), MODELS[request.param][0]


def saved_bytes(model, folder):
    model.save(folder / "model.mhb")
    return (folder / "model.mhb").read_bytes()


def reloaded(model, folder):
    model.save(folder / "model.mhb")
    return mhboost.load(folder / "model.mhb")


# --------------------------------------------------------------------------------- what comes back


def assert_same(a, b):
    assert type(a) is type(b)
    if isinstance(a, list):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            assert_same(one, other)
    elif isinstance(a, np.ndarray):
        assert (a.dtype, a.shape, a.tolist()) == (b.dtype, b.shape, b.tolist())
    else:
        assert a == b


def test_predictions_come_back_bit_for_bit(model, tmp_path):
    before, rows = model
    after = reloaded(before, tmp_path)
    assert bits(after) == bits(before)
    for method in ("predict", "predict_proba", "decision_function", "apply"):
        assert_same(getattr(after, method)(rows), getattr(before, method)(rows))
    assert [str(tree) for tree in after.estimators_] == [str(tree) for tree in before.estimators_]


def test_attributes_and_parameters_come_back(model, tmp_path):
    before, _ = model
    after = reloaded(before, tmp_path)
    assert after.get_params() == before.get_params()
    fitted = [name for name in vars(before) if name.endswith("_")]
    assert fitted == [name for name in vars(after) if name.endswith("_")]
    for name in fitted:
        assert_same(getattr(after, name), getattr(before, name))


def test_saved_again_it_has_the_same_bytes(model, tmp_path):
    first = saved_bytes(model[0], tmp_path)
    assert saved_bytes(mhboost.load(tmp_path / "model.mhb"), tmp_path) == first


def test_pickle_holds_the_file(model, tmp_path):
    first = saved_bytes(model[0], tmp_path)
    pickled = pickle.dumps(model[0])
    assert first in pickled
    assert saved_bytes(pickle.loads(pickled), tmp_path) == first


def test_notes_last_until_the_next_fit(tmp_path):
    model, path = trained("tree"), tmp_path / "noted.mhb"
    model.save(path, notes={"target": "kind", "labels": ("a", "b")})
    loaded = mhboost.load(path)
    copies = [loaded, copy.deepcopy(loaded), pickle.loads(pickle.dumps(loaded))]
    assert [c.notes_ for c in copies] == [{"labels": ["a", "b"], "target": "kind"}] * 3
    loaded.save(tmp_path / "again.mhb")
    assert path.read_bytes() == (tmp_path / "again.mhb").read_bytes()
    assert not hasattr(loaded.fit([[0.0], [1.0]], [0, 1]), "notes_")


def test_loaded_model_goes_on_from_its_rounds(tmp_path):
    model = reloaded(small(warm_start=True).fit(X, Y3), tmp_path)
    longer = model.set_params(n_estimators=9).fit(X, Y3)
    assert bits(longer) == bits(small(n_estimators=9).fit(X, Y3))


CLASSES = {
    **{d: np.array([0, 1, 5]).astype(d) for d in np.typecodes["AllInteger"]},
    **{d: np.array([-2.0, 0.0, 3.0]).astype(d) for d in "efd"},
    "limits": np.array([-(2**63), 0, 2**63 - 1]),
    "unsigned limits": np.array([0, 2**64 - 1], dtype=np.uint64),
    "bool": np.array([False, True]),
    "strings": np.array(["", "ü", "\U0001f333 tree"]),
    "padded": np.array(["n", "y"], dtype="<U40"),
    "objects": np.array(["no", "yes"], dtype=object),
    "a surrogate": np.array(["a", "\ud800"]),
    "big-endian": np.array([3, 4], dtype=">i4"),
}


@pytest.mark.parametrize("name", CLASSES)
def test_classes_of_any_type_come_back(name, tmp_path):
    y = CLASSES[name][np.arange(70) % len(CLASSES[name])]
    before = small(n_estimators=1).fit(X, y)
    after = reloaded(before, tmp_path)
    assert after.classes_.tolist() == np.unique(y).tolist()
    assert after.classes_.dtype.kind == y.dtype.kind
    assert after.classes_.dtype.itemsize <= y.dtype.itemsize
    assert after.predict(X).tolist() == before.predict(X).tolist()


def test_categories_of_any_type_come_back(tmp_path):
    values = ["word", "", 3, -(2**62), 2.5, 1e300, True, np.int8(7), np.float32(0.1), np.str_("s")]
    rows = np.array([*values, np.nan, None] * 3, dtype=object)[:, None]
    y = np.arange(36) % 12 < 5
    before = small(categorical_features=[0]).fit(rows, y)
    after = reloaded(before, tmp_path)
    labels = after._model.schema.categories[0].labels
    assert labels == before._model.schema.categories[0].labels
    assert {type(label) for label in labels} == {str, int, float, bool}
    assert np.array_equal(after.decision_function(rows), before.decision_function(rows))


PARAMETERS = {
    "base": [Stump(), "product", HammingTree(2, HammingProduct(2)), HammingTree(np.int64(2))],
    "max_features": ["sqrt", 0.5, np.int32(2), np.float32(0.5), None],
    "class_weight": [None, "balanced", {"a": 1, "b": 2.5, "c": 0.5}],
    "categorical_features": [None, [0], (0, 2), np.array([True, False, True, False])],
    "random_state": [0, np.uint32(7), None],
    "warm_start": [True, np.True_],
}


@pytest.mark.parametrize(("name", "value"), [(k, v) for k in PARAMETERS for v in PARAMETERS[k]])
def test_parameter_comes_back(name, value, tmp_path):
    rows = np.round(X)
    after = reloaded(MHBoostClassifier(n_estimators=1, **{name: value}).fit(rows, Y3), tmp_path)
    back = after.get_params(deep=False)[name]
    is_list = isinstance(value, (tuple, np.ndarray))
    assert back == (list(value) if is_list else value)
    clone(after).fit(rows, Y3)


@pytest.mark.parametrize(
    ("name", "value"),
    [("weighting", np.ones((70, 3))), ("random_state", np.random.RandomState(0))],
)
def test_parameter_that_cannot_be_saved_is_told(name, value, tmp_path):
    before = small(**{name: value}).fit(X, Y3)
    with pytest.warns(UserWarning, match=rf"(?s)^{name}=.* cannot be saved"):
        after = reloaded(before, tmp_path)
    assert after.get_params()[name] == MHBoostClassifier().get_params()[name]
    assert pickle.loads(pickle.dumps(before)).get_params()[name] is not None
    assert saved_bytes(after, tmp_path) == saved_bytes(
        mhboost.load(tmp_path / "model.mhb"), tmp_path
    )


def test_what_belongs_to_the_program_is_not_saved(tmp_path):
    local = {"callbacks": [lambda state: False], "checkpoint": tmp_path / "rounds"}
    after = reloaded(small(**local).fit(X, Y3), tmp_path)
    assert after.callbacks is after.checkpoint is None


@pytest.mark.parametrize(
    "container",
    [np.asfortranarray, np.float32, sparse.csr_array, sparse.csc_array, lambda A: A.tolist()],
)
def test_container_leaves_no_trace(container, tmp_path):
    rows = np.round(4 * X) / 4  # halves and quarters are exact in float32
    rows[rows < 0] = 0
    first = saved_bytes(small().fit(rows, Y3), tmp_path)
    assert saved_bytes(small().fit(container(rows), Y3.tolist()), tmp_path) == first


def test_fingerprint_tells_data_apart():
    def fingerprint(rows=X, y=Y3, weights=None, **parameters):
        return small(**parameters).fit(rows, y, weights)._model.fingerprint

    swapped = X.copy()
    swapped[[0, 1], 0] = X[[1, 0], 0]
    other = [
        fingerprint(swapped),
        fingerprint(X[1:], Y3[1:]),
        fingerprint(y=np.roll(Y3, 1)),
        fingerprint(weights=np.arange(1, 71)),
        fingerprint(random_state=1),
    ]
    assert len({fingerprint(), *other}) == 6
    assert fingerprint(X.copy(), Y3.astype(object), np.ones(70)) == fingerprint()


def test_model_is_small(tmp_path):
    digits, y = load_digits(return_X_y=True)
    model = MHBoostClassifier(n_estimators=200, random_state=0).fit(digits, y)
    n_bytes = [len(saved_bytes(model, tmp_path))]
    n_nodes = sum(tree.n_leaves for tree in model.estimators_)
    assert n_bytes[0] < 24 * n_nodes


# ------------------------------------------------------------------------------ pickles and copies


class Named(MHBoostClassifier):
    """A subclass with a parameter and an attribute of its own."""

    def __init__(self, name="x", n_estimators=3):
        super().__init__(n_estimators=n_estimators, random_state=0)
        self.name = name

    def fit(self, *arguments, **named):
        self.story_ = {"fits": [1]}
        return super().fit(*arguments, **named)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_subclass_keeps_its_own(copied, tmp_path):
    before = Named("y").fit(X, Y3)
    after = copied(before)
    assert type(after) is Named
    assert (after.name, after.story_) == ("y", {"fits": [1]})
    assert after.story_ is not before.story_
    assert bits(after) == bits(before)
    assert type(reloaded(before, tmp_path)) is MHBoostClassifier


def test_shallow_copy_shares_the_model():
    model = small().fit(X, Y3)
    assert copy.copy(model)._model is model._model
    assert vars(copy.copy(model)) == vars(model)


def test_unfitted_estimator_can_be_pickled():
    assert pickle.loads(pickle.dumps(small())).get_params() == small().get_params()


def test_model_with_labels_of_other_types_can_be_pickled_but_not_saved(tmp_path):
    days = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")[(X[:, 0] > 0).astype(int)]
    by_day = np.array([datetime.date(2020, 1, 1 + i % 5) for i in range(70)], dtype=object)[:, None]
    for model, rows in (
        (small().fit(X, days), X),
        (small(categorical_features=[0]).fit(by_day, Y3), by_day),
    ):
        after = pickle.loads(pickle.dumps(model))
        assert np.array_equal(after.predict(rows), model.predict(rows))
        with pytest.raises(TypeError, match=r"cannot be saved|must be str, int .* datetime\.date"):
            model.save(tmp_path / "model.mhb")
        assert list(tmp_path.iterdir()) == []


def test_damaged_pickle_is_told():
    state = small().fit(X, Y3).__getstate__()
    state["_model_file"] = state["_model_file"][:-1]
    with pytest.raises(ModelFileError, match=r"^a pickled model: this is no safetensors file"):
        MHBoostClassifier.__new__(MHBoostClassifier).__setstate__(state)


# ------------------------------------------------------------------------------------- kept files


KEPT = sorted(kept_models.FOLDER.glob("model-v*.mhb"))


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_kept_file_predicts_what_it_did(path):
    kept = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    found = kept_models.answers(mhboost.load(path), kept_models.rows_of(kept["rows"]))
    for method in ("predict", "decision_function"):
        assert found[method] == kept[method]
    assert found["predict_proba"] == pytest.approx(kept["predict_proba"], abs=1e-11)


def test_kept_files_are_all_there_and_small():
    assert {path.stem for path in KEPT} >= {f"model-v1-{name}" for name in kept_models.MODELS}
    assert max(path.stat().st_size for path in KEPT) < 20_000


# -------------------------------------------------------------------------------------- writing


def test_unfitted_model_cannot_be_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        small().save(tmp_path / "model.mhb")


def test_failed_writing_leaves_what_was_there(tmp_path, monkeypatch):
    model = small().fit(X, Y3)
    before = saved_bytes(model, tmp_path)

    def fail(*arguments):
        raise OSError("no space")

    for step in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(disk.os, step, fail)
            with pytest.raises(OSError, match="no space"):
                small("stump").fit(X, Y3).save(tmp_path / "model.mhb")
    assert [path.name for path in tmp_path.iterdir()] == ["model.mhb"]
    assert (tmp_path / "model.mhb").read_bytes() == before


def test_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    small().fit(X, Y3).save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert bits(mhboost.load(tmp_path / "target")) == bits(mhboost.load(str(tmp_path / "link")))


def test_file_has_the_permissions_of_any_other(tmp_path):
    (tmp_path / "other").touch()
    small().fit(X, Y3).save(tmp_path / "model.mhb")
    assert len({(tmp_path / name).stat().st_mode for name in ("other", "model.mhb")}) == 1


def test_missing_folder_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        small().fit(X, Y3).save(tmp_path / "none" / "model.mhb")
    with pytest.raises(FileNotFoundError):
        mhboost.load(tmp_path / "none.mhb")


# ------------------------------------------------------------------------------- what is refused


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """Bytes of small models of every vote storage."""
    folder = tmp_path_factory.mktemp("samples")
    names = ("categories", "products of categories", "multi-task", "missing")
    return {name: saved_bytes(trained(name), folder) for name in names}


def refuse(data, folder, reason):
    (folder / "bad.mhb").write_bytes(data)
    with pytest.raises(ModelFileError, match=reason) as error:
        mhboost.load(folder / "bad.mhb")
    assert str(error.value).startswith(f"{folder / 'bad.mhb'}: ")
    return str(error.value)


def test_every_truncated_file_is_refused(samples):
    data = samples["categories"]
    for n in range(len(data)):
        with pytest.raises(ModelFileError):
            decode_model(data[:n])


def test_file_of_something_else_is_refused(samples, tmp_path):
    for data in (b"", b"PK\x03\x04", b"tree\nversion=v4\n" * 40, os.urandom(999), b"\0" * 99):
        refuse(data, tmp_path, "this is no safetensors file")
    refuse(pack({}, {})[:8] + b"{}", tmp_path, "this is no safetensors file")
    refuse((2).to_bytes(8, "little") + b"{}", tmp_path, "not of mhboost")
    refuse(samples["missing"] + b"\0", tmp_path, "this is no safetensors file")


def test_later_format_names_the_version_to_install(samples, tmp_path):
    def later(**changes):
        header, reader = unpack(samples["missing"])
        return pack({**header, **changes}, reader._arrays)

    data = later(format=2, readable_by="3.1.0", kind="something new", more=1)
    assert "Install mhboost 3.1.0 or later" in refuse(data, tmp_path, "it is of format 2; mhboost ")
    assert "of the newest version" in refuse(later(format=2, readable_by="x" * 99), tmp_path, "2")


def header_of(data):
    return unpack(data)[0]


def changed(data, path="", value=None, **arrays):
    """The file with one entry of the header changed, and arrays replaced by f(array) or removed."""
    header, reader = unpack(data)
    if path:
        *outer, last = path.split("/")
        inner = header
        for key in outer:
            inner = inner[int(key) if isinstance(inner, list) else key]
        inner[int(last) if isinstance(inner, list) else last] = value
    stored = dict(reader._arrays)
    for name, change in arrays.items():
        stored[name] = change(stored[name].copy()) if name in stored else change(None)
        if stored[name] is None:
            del stored[name]
    return pack(header, stored)


def at(place, value):
    """Set one element."""

    def change(array):
        array.flat[place] = value
        return array

    return change


BAD_ARRAYS = {
    "array '.*' is missing": [{"alpha": lambda a: None}, {"threshold": lambda a: None}],
    "array 'surplus' is not known": [{"surplus": lambda a: np.zeros(3)}],
    "has type": [
        {"alpha": lambda a: a.astype(np.int8)},
        {"tree_size": lambda a: a.astype(np.float32)},
        {"node_gain": lambda a: a.astype(np.int32)},
        {"vote_positive": lambda a: a.astype(np.uint16)},
        {"alpha": lambda a: a.astype(np.float16)},
        {"surplus": lambda a: np.zeros(3, dtype=np.int64)},
    ],
    "has shape": [
        {"alpha": lambda a: a[:, None]},
        {"node_right": lambda a: a[:-1]},
        {"term_cut": lambda a: a[1:]},
        {"leaf_weight": lambda a: a[1:]},
        {"vote_positive": lambda a: a[1:]},
        {"category_set": lambda a: a[:-1]},
        {"category_set": lambda a: np.zeros(0, dtype=np.uint8)},
        {"feature_missing": lambda a: np.zeros(9, dtype=np.uint8)},
        {"edge": lambda a: a[:-1]},
    ],
    "is not finite": [
        {"alpha": at(0, np.nan)},
        {"alpha": at(-1, np.inf)},
        {"threshold": at(0, np.nan)},
        {"threshold": at(-1, np.inf)},
        {"leaf_weight": at(0, np.nan)},
        {"edge": at(0, np.nan)},
    ],
    "thresholds of a feature do not rise": [{"threshold": lambda a: a[::-1]}],
    "tree_size does not add up": [{"tree_size": at(0, 200)}, {"tree_size": at(0, 0)}],
    "links to": [
        {"node_left": at(0, 0)},  # a cycle
        {"node_right": at(-1, 0)},  # back to the root
        {"node_left": at(0, 100)},
        {"node_right": at(1, -100)},
        {"node_left": at(slice(None), -1)},  # a leaf with many parents
    ],
    "term_feature is not below": [{"term_feature": at(0, 4)}],
    "beyond the thresholds": [{"term_cut": at(slice(None), 70)}],
    "a set has categories beyond": [{"category_set": at(slice(None), 255)}],
    "bits set beyond": [{"vote_positive": at(slice(None), 255)}, {"feature_missing": at(0, 255)}],
    "a categorical feature has thresholds": [{"feature_categories": at(0, 3)}],
    "vote_cast has not": [{"vote_cast": at(slice(None), 0)}],
    "more than 65534 thresholds": [
        {"threshold_count": lambda a: np.full(len(a), 65535, dtype=np.uint16)}
    ],
    "more than 65534 categories": [
        {"feature_categories": lambda a: np.full(len(a), 65535, dtype=np.uint16)}
    ],
    "there are no features": [{"threshold_count": lambda a: a[:0]}],
    "features.categories are not": [
        {"feature_categories": at(2, 0)},
    ],
    "features.categories.2 are not 69 labels": [{"feature_categories": at(2, 69)}],
    "train_score has": [{"train_score": lambda a: a[:1]}],
}


@pytest.mark.parametrize(
    ("reason", "arrays"),
    [(reason, arrays) for reason in BAD_ARRAYS for arrays in BAD_ARRAYS[reason]],
)
def test_bad_array_is_refused(reason, arrays, samples, tmp_path):
    refuse(changed(samples["categories"], **arrays), tmp_path, reason)


def test_bad_terms_and_real_votes_are_refused(samples, tmp_path):
    products, reals = samples["products of categories"], samples["multi-task"]
    refuse(changed(products, node_terms=at(0, 0)), tmp_path, "has shape")
    refuse(changed(products, node_terms=lambda a: a.astype("u4") + 2**31), tmp_path, "terms")
    fewer = changed(products, node_terms=lambda a: np.append(a[1:] * 0, a.sum()).astype("u4"))
    refuse(fewer, tmp_path, "terms of a node overlap")
    refuse(changed(reals, vote_value=at(0, np.inf)), tmp_path, "not finite")
    refuse(changed(reals, vote_positive=lambda a: np.zeros((1, 1), "u1")), tmp_path, "not known")


BAD_HEADERS = [
    ("format", 0, "no format number"),
    ("format", True, "no format number"),
    ("kind", "checkpoint", "it is no model"),
    ("written_by", None, "who wrote it"),
    ("surplus", 1, r"has not the fields of this format: \['surplus'\]"),
    ("fit", [], "header.fit is of a wrong type"),
    ("fit/n_iter", 7, "fit.n_iter is 7 of 6 rounds"),
    ("fit/n_iter", -1, "fit.n_iter"),
    ("fit/n_iter", True, "wrong type"),
    ("fit/n_iter", 2.0, "wrong type"),
    ("fit/best_iteration", 10**30, "fit.best_iteration"),
    ("fit/temperature", 0, "fit.temperature"),
    ("fit/temperature", 10**400, "fit.temperature"),
    ("fit/stop_reason", 3, "wrong type"),
    ("training/X", "0" * 31 + "G", "training is damaged"),
    ("training/seed", -1, "training is damaged"),
    ("problem", {}, "there is no problem None"),
    ("problem/kind", "regression", "there is no problem 'regression'"),
    ("problem/kind", "multi-task", "a multi-task problem has 1 tasks"),
    ("problem", {"kind": "multi-label", "n_labels": 10**12}, "problem.n_labels"),
    ("problem", {"kind": "multi-label", "n_labels": 65535}, "has shape"),
    ("problem/classes", [], "has 0 tasks"),
    ("problem/classes/0/values", [], "class labels are not"),
    ("problem/classes/0/values", ["b", "a", "c"], "class labels do not rise"),
    ("problem/classes/0/values", ["a", "a", "c"], "class labels do not rise"),
    ("problem/classes/0/values", ["a", 1, "c"], "class labels are not of type str"),
    ("problem/classes/0/values", ["a", None, "c"], "None is no label"),
    ("problem/classes/0/values", ["a", "b", "c\0"], "class labels are not of type str"),
    ("problem/classes/0/values", [*map(chr, range(40, 2000)), "z" * 2**16], "labels are too long"),
    ("problem/classes/0/dtype", "int8", "class labels are not of type int8"),
    ("problem/classes/0/dtype", "O8", "class labels cannot be of type 'O8'"),
    ("problem/classes/0", {"dtype": "int8", "values": [1, 2, 300]}, "not of type int8"),
    (
        "problem/classes/0",
        {"dtype": "float16", "values": [1.0, 2.0, 2.0001]},
        "not of type float16",
    ),
    ("problem/classes/0", {"dtype": "object", "values": ["1", 1, 2]}, "not of type object"),
    ("features/names", ["a"], "features.names are not 4 names"),
    ("features/names", [1, 2, 3, 4], "features.names are not 4 names"),
    ("features/categories", {}, "features.categories are not"),
    ("features/categories/02", [1], "features.categories are not"),
    ("features/categories/2", list(range(3)), "are not 44 labels"),
    ("features/categories/3", [1, 1.0], "hold a label twice"),
    ("features/categories/3", [[], []], r"\[\] is no label"),
    ("parameters", [], "wrong type"),
    ("parameters/checkpoint", "somewhere", "parameters.checkpoint is not null"),
    ("parameters/callbacks", [], "parameters.callbacks is not null"),
    ("parameters/n_estimators", 0, "parameters are not allowed: n_estimators must be"),
    ("parameters/n_estimators", 10**400, "is no label"),
    ("parameters/n_jobs", 10**6, "n_jobs must be"),
    ("parameters/base", {"learner": "BaseEstimator"}, "there is no learner 'BaseEstimator'"),
    ("parameters/base", {"learner": "Stump", "x": 1}, "Stump has other parameters"),
    ("parameters/base", {"learner": "HammingTree", "n_inner_nodes": "x", "base": None}, "allowed"),
    ("notes", [], "notes are no JSON object"),
    ("notes", {"target": 1}, "the note 'target' is no text"),
    ("notes", {"target": ["a", None]}, "the note 'target' is no text"),
    ("notes", {"target": "x" * 2**24}, "the notes are too long"),
    ("parameters/class_weight", {"dict": [1]}, "no list of keys and values"),
    ("parameters/class_weight", {"dict": [[[], 1]]}, "no label"),
]


@pytest.mark.parametrize(("path", "value", "reason"), BAD_HEADERS)
def test_bad_header_is_refused(path, value, reason, samples, tmp_path):
    refuse(changed(samples["categories"], path, value), tmp_path, reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no JSON"),
        ("[]", "no JSON object"),
        ('{"format": NaN}', "holds NaN"),
        ('{"format": ' + "9" * 9999 + "}", "no JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_header_that_is_no_json_object_is_refused(text, reason, tmp_path):
    outer = json.dumps({"__metadata__": {"mhboost": text}}).encode()
    refuse(len(outer).to_bytes(8, "little") + outer, tmp_path, reason)


def test_deep_nesting_is_refused(samples, tmp_path):
    deep = "x"
    for _ in range(400):
        deep = {"learner": "HammingTree", "n_inner_nodes": 1, "base": deep}
    refuse(changed(samples["missing"], "parameters/base", deep), tmp_path, "nested too|not allowed")


def test_unknown_parameter_is_left_out_with_a_warning(samples, tmp_path):
    (tmp_path / "new.mhb").write_bytes(changed(samples["missing"], "parameters/colour", "red"))
    with pytest.warns(UserWarning, match="knows no parameter 'colour'"):
        model = mhboost.load(tmp_path / "new.mhb")
    assert not hasattr(model, "colour")


# ------------------------------------------------------------------------------------ random damage


def survives(data):
    """Whether the bytes are a model; if so it predicts, whatever it predicts."""
    try:
        saved = decode_model(data)
    except ModelFileError:
        return False
    model = saved.outcome.model
    raw = mhboost._core.RawMatrix.from_array(np.vstack([X, HOLES])[:, : model.ensemble.n_features])
    model.ensemble.scores(raw, 0, model.ensemble.n_rounds)
    binned = model.binner.transform(raw)
    assert binned.n_rows == 140
    str(model.ensemble.nodes(0))
    return True


def flipped(data, rng):
    """A few bits changed; mostly near each other, often in the header."""
    damaged = bytearray(data)
    start = rng.integers(len(damaged)) if rng.random() < 0.5 else rng.integers(8 + 3000)
    for place in start + rng.integers(0, 30, rng.integers(1, 4)):
        damaged[min(place, len(damaged) - 1)] ^= 1 << rng.integers(8)
    return bytes(damaged)


def spoiled(data, rng):
    """A well-formed file, with a few numbers of an array replaced by others or its end cut off."""
    name = str(rng.choice(list(unpack(data)[1]._arrays)))

    def change(array):
        if array.size == 0 or rng.random() < 0.2:
            return array[: rng.integers(len(array) + 1)]
        extremes = [0, 1, -1, 127, 128, 255, 2**31 - 1, np.inf, np.nan, -np.inf, 1e-320]
        with np.errstate(all="ignore"):
            number = np.array(rng.choice(extremes)).astype(array.dtype)
        return at(rng.integers(array.size, size=rng.integers(1, 4)), number)(array)

    return changed(data, **{name: change})


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize(("damage", "times"), [(flipped, 1000), (spoiled, 350)])
@pytest.mark.parametrize("name", ["categories", "products of categories", "multi-task"])
def test_damaged_file_is_refused_or_predicts(name, damage, times, samples):
    rng = np.random.default_rng(0)
    outcomes = [survives(damage(samples[name], rng)) for _ in range(times)]
    assert {True, False} == set(outcomes)


def peak_of_reading(data):
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError):
            decode_model(data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


LIES = [
    ("problem", {"kind": "multi-label", "n_labels": 65535}, {}),
    ("", None, {"tree_size": lambda a: np.full(len(a), 2**32 - 1, dtype=np.uint32)}),
    ("", None, {"threshold_count": lambda a: np.full(len(a), 2**32 - 1, dtype=np.uint32)}),
    ("", None, {"node_terms": lambda a: np.full(10_000, 2**31, dtype=np.uint32)}),
    ("features/categories/2", [*range(65534)], {"feature_categories": at(2, 70)}),
    ("", None, {"validation_score": lambda a: np.zeros((2**30, 0))}),
    (
        "features/categories/2",
        [*range(65534)],
        {
            "feature_categories": lambda a: np.array([0, 0, 65534, 2], dtype=np.uint16),
            "term_feature": lambda a: np.full(len(a), 2, dtype=np.uint8),
            "term_cut": lambda a: np.zeros_like(a),
        },
    ),
]


@pytest.mark.parametrize(("path", "value", "arrays"), LIES)
def test_lying_sizes_allocate_nothing_large(path, value, arrays, samples):
    assert peak_of_reading(changed(samples["categories"], path, value, **arrays)) < 40e6


# --------------------------------------------------------------------------------- specification


SPECIFICATION = (Path(__file__).parents[1] / "docs" / "model-format.md").read_text(encoding="utf-8")


def test_every_array_and_field_is_specified(tmp_path):
    arrays, fields = set(), set()
    for name in MODELS:
        header, reader = unpack(saved_bytes(trained(name), tmp_path))
        arrays |= set(reader._arrays)
        fields |= {*header, *header["fit"], *header["training"], *header["features"]}
    specified = set(re.findall(r"^\| `(\w+)`", SPECIFICATION, re.MULTILINE))
    assert arrays | fields == specified - {"settings", "start", "n_columns", "notes"}


def test_example_of_the_specification_is_a_header(tmp_path):
    (block,) = re.findall(r"```json\n(.*?)```", SPECIFICATION, re.DOTALL)
    header = header_of(saved_bytes(trained("tree"), tmp_path))

    def shape(value):
        return {k: shape(v) for k, v in value.items()} if isinstance(value, dict) else type(value)

    example = json.loads(block)
    assert example.pop("parameters").keys() <= header.pop("parameters").keys()
    assert example.pop("problem").keys() == header.pop("problem").keys()
    example["features"] = header["features"] = None
    assert shape(example) == shape(header)
