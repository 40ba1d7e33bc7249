"""The data sets: what is checked, which source answers, and what an error advises."""

import logging
import os
import socket
import urllib.error
from dataclasses import replace

import numpy as np
import pytest
from sklearn.utils import Bunch

from mhboost import datasets
from mhboost.datasets import _checks, _sources, _table

PAPER = {
    "Table 1": {"isolet", "letter", "optdigits", "pendigits", "usps"},
    "Table 2": {
        *("balance", "blood", "wdbc", "breast", "ecoli", "iris", "pima", "sonar", "wine"),
    },
    "MNIST": {"mnist"},
}
OTHERS = {"digits", "waveform-21", "covertype", "emotions", "scene", "yeast-multilabel", "corel5k"}
IN_SKLEARN = ("digits", "iris", "wdbc", "wine")
FOLDER = os.environ.get("MHBOOST_DATA")


@pytest.fixture(autouse=True)
def no_sources(monkeypatch):
    """Start without a folder and without a network."""
    monkeypatch.delenv("MHBOOST_DATA", raising=False)
    monkeypatch.setattr(_sources.sklearn_datasets, "fetch_openml", unreachable)


def unreachable(**_):
    raise urllib.error.URLError("no network")


def openml_answers(monkeypatch, bunch):
    """Let OpenML answer with `bunch`; return the list of what it was asked."""
    asked = []
    monkeypatch.setattr(
        _sources.sklearn_datasets, "fetch_openml", lambda **key: asked.append(key) or bunch
    )
    return asked


# --- little sets, so that few tests need the real ones --------------------------------------------


def little_entry(name, X, y, **columns):
    sha256 = {"X": X, "y": y, "split": np.array([0, 0, 0, 1, 1], dtype=np.uint8)}
    return _table.Entry(
        name=name,
        origin=f"the old {name} files",
        n_train=3,
        n_test=2,
        n_features=X.shape[1],
        dtype=str(X.dtype),
        sha256={key: _checks.digest(array) for key, array in sha256.items()},
        openml={"data_id": 7},
        **columns,
    )


SPLIT = np.array([0, 0, 0, 1, 1])
X = np.array([[1, 2], [3, 4], [5, 6], [7, 8], [9, 0]], dtype=np.uint8)
Y = np.array([0, 1, 2, 1, 0], dtype=np.int32)
LABELS = np.array([[0, 1], [1, 1], [0, 0], [1, 0], [1, 1]], dtype=np.uint8)


@pytest.fixture(autouse=True)
def little_sets(monkeypatch):
    """Add two sets to the table: `fruit` with three classes, `music` with two labels."""
    fruit = little_entry(
        "fruit", X, Y, class_names=("fig", "apple", "pear"), class_counts=(2, 2, 1)
    )
    fruit = replace(fruit, aliases=("1", "2", "3"))
    music = little_entry("music", X.astype(np.float32) / 10, LABELS, n_labels=2)
    everything = {**_table.table(), "fruit": fruit, "music": music}
    monkeypatch.setattr(_table, "table", lambda: everything)


def write(folder, name="fruit", **changes):
    """Write NAME.npz with `changes` (None: leave this array out) and return the folder."""
    arrays = {"X": X, "y": Y, "split": SPLIT, **changes}
    np.savez(folder / f"{name}.npz", **{k: v for k, v in arrays.items() if v is not None})
    return folder


# --- the table ------------------------------------------------------------------------------------


def test_every_set_of_the_paper_is_known():
    table = _table.table()
    found = {place: {name for name in table if table[name].paper == place} for place in PAPER}
    assert found == PAPER
    assert set(datasets.names()) == set().union(*PAPER.values(), OTHERS)


@pytest.mark.parametrize("name", datasets.names())
def test_entry_is_consistent(name):
    entry = _table.entry(name)
    assert set(entry.sha256) == {"X", "y", "split"}
    assert all(len(value) == 64 for value in entry.sha256.values())
    if entry.kind == "single-label":
        assert sum(entry.class_counts) == entry.n_rows
        assert len(entry.class_counts) == len(set(entry.class_names))
        assert len(set(entry.aliases)) in (0, entry.n_classes)
    split = np.arange(entry.n_rows) >= entry.n_train
    assert _checks.digest(split.astype(np.uint8)) == entry.sha256["split"]


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"no data set 'leter'; there are: .*letter"):
        datasets.load("leter")


def test_description_has_a_line_for_each_set():
    head, *lines = datasets.describe().splitlines()
    assert head.split()[:4] == ["name", "train", "test", "features"]
    assert tuple(line.split()[0] for line in lines) == datasets.names()
    (wdbc,) = (line for line in lines if line.startswith("wdbc"))
    assert wdbc.split()[1:5] == ["569", "0", "30", "2"]
    assert "scikit-learn, OpenML" in wdbc


# --- a folder -------------------------------------------------------------------------------------


def test_folder_is_read_and_verified(tmp_path):
    names = {"feature_names": ["size", "mass"], "class_names": ["Fig", "Apple", "Pear"]}
    fruit = datasets.load("fruit", data_home=write(tmp_path, **names))
    assert fruit.verified
    assert fruit.source == f"folder: {tmp_path / 'fruit.npz'}"
    assert (fruit.feature_names, fruit.class_names) == (("size", "mass"), ("Fig", "Apple", "Pear"))
    np.testing.assert_array_equal(fruit.X, X)
    np.testing.assert_array_equal(fruit.y, Y)
    np.testing.assert_array_equal(fruit.split, SPLIT)


def test_train_and_test_are_the_rows_that_split_marks(tmp_path):
    fruit = datasets.load("fruit", data_home=write(tmp_path))
    for (rows, classes), expected in ((fruit.train, slice(3)), (fruit.test, slice(3, None))):
        np.testing.assert_array_equal(rows, X[expected])
        np.testing.assert_array_equal(classes, Y[expected])
    assert fruit.has_test
    assert repr(fruit) == "<fruit: 5 rows (3 train, 2 test), 2 features, 3 classes>"


def test_names_may_be_left_out(tmp_path):
    fruit = datasets.load("fruit", data_home=write(tmp_path))
    assert (fruit.feature_names, fruit.class_names) == (("f0", "f1"), ("fig", "apple", "pear"))


@pytest.mark.parametrize("dtype", ["float64", "int64", ">f4"])
def test_number_types_become_the_published_ones(tmp_path, dtype):
    folder = write(tmp_path, X=np.asfortranarray(X.astype(dtype)), y=Y.astype(dtype))
    fruit = datasets.load("fruit", data_home=folder)
    assert (fruit.X.dtype, fruit.y.dtype, fruit.split.dtype) == (np.uint8, np.int32, np.uint8)
    assert fruit.X.flags.c_contiguous
    assert fruit.verified


def test_labels_are_read(tmp_path):
    folder = write(tmp_path, "music", X=X / 10, y=LABELS, label_names=["calm", "sad"])
    music = datasets.load("music", data_home=folder)
    assert (music.kind, music.class_names, music.X.dtype) == (
        "multi-label",
        ("calm", "sad"),
        np.float32,
    )
    np.testing.assert_array_equal(music.test[1], LABELS[3:])


def test_environment_names_the_folder_and_data_home_overrides_it(tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setenv("MHBOOST_DATA", str(write(tmp_path)))
    assert datasets.load("fruit").verified
    with pytest.raises(LookupError, match=r"no fruit\.npz in .*other"):
        datasets.load("fruit", data_home=other)


def changed(array, value):
    array = array.copy()
    array.flat[0] = value
    return array


@pytest.mark.skipif(not FOLDER, reason="MHBOOST_DATA does not name the folder of the data sets")
@pytest.mark.parametrize("name", sorted(set(datasets.names()) - {"digits"}))
def test_recorded_files_are_the_published_cuts(name):
    dataset = datasets.load(name, data_home=FOLDER)
    entry = _table.entry(name)
    assert dataset.verified
    assert dataset.has_test == (entry.n_test > 0)
    assert len(dataset.feature_names) == entry.n_features
    assert len(dataset.class_names) == entry.n_classes
    assert entry.class_names in ((), dataset.class_names)


@pytest.mark.skipif(not FOLDER, reason="MHBOOST_DATA does not name the folder of the data sets")
def test_digits_is_the_test_part_of_optdigits():
    digits, (X_test, y_test) = datasets.load("digits"), datasets.load("optdigits", FOLDER).test
    np.testing.assert_array_equal(digits.X, X_test)
    np.testing.assert_array_equal(digits.y, y_test)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"y": None}, "has no array y"),
        ({"X": X[:4]}, r"X has the shape \(4, 2\), expected \(5, 2\)"),
        ({"y": LABELS}, r"y has the shape \(5, 2\), expected \(5,\)"),
        ({"split": 1 - SPLIT}, r"split has 2 training rows \(0\), expected 3"),
        ({"split": 2 * SPLIT}, r"split has 0 test rows \(1\), expected 2"),
        ({"y": changed(Y, 1)}, r"class 0 \(fig\) has 1 rows, expected 2; class 1 \(apple\) has 3"),
        ({"y": Y.astype(str)}, "y is of type <U11, expected whole numbers"),
        ({"y": Y + 0.5}, "y is of type float64, expected whole numbers"),
        ({"X": changed(X, 2)}, r"X has SHA-256 \w{12}…, expected \w{12}…\. Write it anew"),
        ({"X": X + 0.5}, "X has values that uint8 cannot hold"),
        ({"X": X.astype(float) * np.nan}, "X has values that uint8 cannot hold"),
        ({"y": Y[[1, 0, 2, 3, 4]]}, "y has SHA-256"),
        ({"split": SPLIT[[3, 0, 1, 2, 4]]}, "split has SHA-256"),
        ({"X": np.array([{}])}, "is not a readable npz file"),
    ],
)
def test_wrong_file_is_refused_with_the_difference(tmp_path, changes, fault):
    with pytest.raises(datasets.DatasetMismatchError, match=fault):
        datasets.load("fruit", data_home=write(tmp_path, **changes))


@pytest.mark.parametrize("content", [b"", b"not a zip file", b"PK\3\4 half of one"])
def test_damaged_file_is_refused(tmp_path, content):
    (tmp_path / "fruit.npz").write_bytes(content)
    with pytest.raises(datasets.DatasetMismatchError, match="not a readable npz file"):
        datasets.load("fruit", data_home=tmp_path)


def test_checksum_ignores_the_sign_of_zero():
    assert _checks.digest(np.array([0.0, 1.0])) == _checks.digest(np.array([-0.0, 1.0]))
    assert _checks.digest(np.array([0.0, 1.0])) != _checks.digest(np.array([0.0, -1.0]))


# --- scikit-learn ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", IN_SKLEARN)
def test_copies_in_scikit_learn_are_the_published_cut(name):
    dataset = datasets.load(name)
    assert dataset.verified
    assert dataset.source.startswith("scikit-learn: load_")
    assert not dataset.has_test
    assert len(dataset.feature_names) == dataset.X.shape[1]


def test_set_without_test_rows_says_so():
    with pytest.raises(ValueError, match="wine has no designated test rows; cross-validate"):
        _ = datasets.load("wine").test


def test_folder_comes_before_scikit_learn(tmp_path):
    wine = datasets.load("wine")
    folder = write(tmp_path, "wine", X=wine.X, y=wine.y, split=wine.split)
    assert datasets.load("wine", data_home=folder).source.startswith("folder")


# --- OpenML ---------------------------------------------------------------------------------------


def fruit_bunch(**changes):
    target = np.array(["fig", "apple", "pear", "apple", "fig"], dtype=object)
    fields = {"data": X.astype(float), "target": target, "feature_names": ["size", "mass"]}
    return Bunch(**{**fields, **changes})


def test_openml_is_asked_by_the_key_of_the_table(monkeypatch):
    asked = openml_answers(monkeypatch, fruit_bunch())
    fruit = datasets.load("fruit")
    assert asked[0].items() >= {"data_id": 7, "as_frame": False, "n_retries": 1}.items()
    assert (fruit.source, fruit.verified) == ("OpenML: data_id 7", True)
    np.testing.assert_array_equal(fruit.y, Y)
    np.testing.assert_array_equal(fruit.split, SPLIT)


def test_openml_may_call_the_classes_by_other_names(monkeypatch):
    openml_answers(monkeypatch, fruit_bunch(target=np.array(["1", "2", "3", "2", "1"])))
    fruit = datasets.load("fruit")
    assert fruit.verified
    assert fruit.class_names == ("fig", "apple", "pear")


@pytest.mark.parametrize(("no", "yes"), [("FALSE", "TRUE"), ("0", "1")])
def test_openml_labels_are_read(monkeypatch, no, yes):
    target = np.where(LABELS == 1, yes, no).astype(object)
    names = {"feature_names": ["a", "b"], "target_names": ["calm", "sad"]}
    asked = openml_answers(monkeypatch, Bunch(data=X / 10, target=target, **names))
    music = datasets.load("music")
    assert asked[0]["parser"] == "liac-arff"  # the other parser cannot read labels
    assert music.verified
    assert music.class_names == ("calm", "sad")
    np.testing.assert_array_equal(music.y, LABELS)


def test_other_order_of_rows_at_openml_is_warned_of(monkeypatch):
    rows = [4, 1, 2, 3, 0]
    bunch = fruit_bunch(data=X[rows].astype(float))
    openml_answers(monkeypatch, bunch)
    with pytest.warns(
        datasets.UnpublishedCutWarning, match="the counts agree, the content is not"
    ) as caught:
        fruit = datasets.load("fruit")
    assert caught[0].filename == __file__
    assert not fruit.verified
    np.testing.assert_array_equal(fruit.X, X[rows])


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"data": X[:4]}, "another cut: X has the shape"),
        ({"target": fruit_bunch().target[[1, 1, 2, 3, 4]]}, r"another cut: class 0 \(fig\) has 1"),
        ({"target": np.array(list("abcab"))}, "its classes are a, b, c; expected fig, apple, pear"),
    ],
)
def test_other_counts_at_openml_are_refused(monkeypatch, changes, fault):
    openml_answers(monkeypatch, fruit_bunch(**changes))
    with pytest.raises(datasets.DatasetMissingError, match=fault):
        datasets.load("fruit")


# --- nobody has it --------------------------------------------------------------------------------


def test_error_says_why_and_what_to_do(tmp_path):
    with pytest.raises(datasets.DatasetMissingError) as caught:
        datasets.load("fruit", data_home=tmp_path)
    message = str(caught.value)
    for part in (
        f"a folder: there is no fruit.npz in {tmp_path}",
        "scikit-learn: holds no copy",
        "OpenML: data_id 7: URLError: <urlopen error no network>",
        "put fruit.npz with the arrays X, y and split",
        "data_home= or MHBOOST_DATA",
        "call load('fruit') with a network",
        "Its origin: the old fruit files.",
    ):
        assert part in message


def test_error_does_not_send_to_openml_in_vain():
    with pytest.raises(LookupError, match="OpenML: holds no copy") as caught:
        datasets.load("corel5k")
    assert "network" not in str(caught.value)


def test_missing_folder_is_reported(tmp_path):
    with pytest.raises(LookupError, match=r"a folder: there is no folder .*nowhere"):
        datasets.load("fruit", data_home=tmp_path / "nowhere")


def test_log_tells_each_source(monkeypatch, caplog):
    openml_answers(monkeypatch, fruit_bunch())
    with caplog.at_level(logging.INFO, logger="mhboost.datasets"):
        datasets.load("fruit")
    assert [record.getMessage() for record in caplog.records] == [
        "fruit: not from a folder: data_home is not given and MHBOOST_DATA is not set",
        "fruit: not from scikit-learn: holds no copy",
        "fruit: from OpenML: data_id 7",
    ]


def test_timeout_of_other_connections_is_left_alone(monkeypatch):
    seen = []

    def slow(**_):
        seen.append(socket.getdefaulttimeout())
        raise TimeoutError("timed out")

    monkeypatch.setattr(_sources.sklearn_datasets, "fetch_openml", slow)
    with pytest.raises(LookupError, match="TimeoutError: timed out"):
        datasets.load("fruit")
    assert seen == [_sources.SILENCE]
    assert socket.getdefaulttimeout() is None
