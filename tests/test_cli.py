"""The command line: what each command does, what it says, and how it ends."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv as arrow_csv
from pyarrow import feather
from sklearn.datasets import load_iris
from typer.testing import CliRunner

import mhboost
from mhboost import MHBoostClassifier, cli
from mhboost.cli.app import COMMANDS, app
from mhboost.cli.columns import prediction_columns
from mhboost.cli.live import Display, figures

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
ROUNDS = ["--rounds", "10", "--inner-nodes", "3", "--jobs", "1"]


def iris_table():
    X, y = load_iris(return_X_y=True)
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    table = pa.table({name: X[:, j] for j, name in enumerate(names)})
    colour = np.where(X[:, 2] > 2, np.where(X[:, 3] > 1.5, "blue", "violet"), "white")
    kinds = np.array(["setosa", "versicolor", "virginica"])[y]
    return table.append_column("colour", pa.array(colour)).append_column("kind", pa.array(kinds))


IRIS = iris_table()


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in, with the irises as iris.csv."""
    monkeypatch.chdir(tmp_path)
    write_csv(IRIS, "iris.csv")
    return tmp_path


def write_csv(table, name):
    with open(name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table.column_names)
        writer.writerows(zip(*table.to_pydict().values(), strict=True))


def run(*arguments, code=DONE):
    """Run a command in this process, and check how it ends."""
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, (result.output, result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def told(*arguments):
    """What a command tells a script."""
    return json.loads(run(*arguments, "--json").stdout)


def refused(*arguments, code=FAILED):
    """What a command says of a mistake: one line."""
    result = run(*arguments, code=code)
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def train(*arguments):
    return told("train", "iris.csv", "--target", "kind", *ROUNDS, *arguments)


# --- train ----------------------------------------------------------------------------------------


def test_train_says_what_it_found_and_did(here):
    said = run("train", "iris.csv", "--target", "kind", *ROUNDS).stdout
    for part in (
        "iris.csv: 150 rows",
        "4 numeric: sepal length, sepal width",
        "1 categorical: colour",
        "to predict: kind, 3 classes: setosa, versicolor, virginica",
        "held out: 29 rows (20 %)",
        "trained 10 rounds",
        "error on the 29 rows held out: ",
        "saved iris.mhb",
        "next: mhboost inspect iris.mhb",
    ):
        assert part in said


def test_model_is_what_the_estimator_makes(here):
    train("--holdout", "0")
    model = mhboost.load("iris.mhb")
    own = MHBoostClassifier(n_estimators=10, n_inner_nodes=3, random_state=0, n_jobs=1)
    features = IRIS.drop_columns(["kind"])
    j = features.column_names.index("colour")
    features = features.set_column(j, "colour", features.column(j).dictionary_encode())
    own.fit(features, IRIS.column("kind").to_numpy())
    assert np.array_equal(own.alphas_, model.alphas_)
    assert np.array_equal(own.predict_proba(features), model.predict_proba(features))
    assert model.notes_ == {"data": "iris.csv", "targets": ["kind"]}


def test_error_has_its_binomial_deviation(here):
    facts = train("--holdout", "0.5")
    error, n = facts["error"], facts["held_out"]
    assert facts["deviation"] == pytest.approx((error * (1 - error) / n) ** 0.5)
    assert 0 < error < 0.2


@pytest.mark.parametrize("option", ["--test", "--valid"])
def test_other_file_measures(option, here):
    write_csv(IRIS.take(list(range(0, 150, 3))), "other.csv")
    facts = train(option, "other.csv")
    assert "held_out" not in facts
    model = mhboost.load("iris.mhb")
    assert hasattr(model, "validation_score_") == (option == "--valid")
    rows = told("evaluate", "iris.mhb", "other.csv")
    assert (rows["rows"], rows["error"]) == (50, facts["error"])


def test_cross_validation_trains_on_all_rows_at_last(here):
    facts = train("--cv", "3")
    assert len(facts["folds"]) == 3
    assert facts["error"] == pytest.approx(np.mean(facts["folds"]))
    assert told("inspect", "iris.mhb")["training"]["rows"] == 150


def test_own_test_rows_of_a_file_measure(here):
    X, y = load_iris(return_X_y=True)
    np.savez("iris.npz", X=X, y=y, split=np.arange(150) % 3 == 0)
    assert told("train", "iris.npz", *ROUNDS)["error"] < 0.2
    assert told("inspect", "iris.mhb")["training"]["rows"] == 100


def test_weights_count(here):
    weighted = IRIS.append_column("w", pa.array([0.0] * 50 + [1.0] * 100))
    write_csv(weighted, "iris.csv")
    train("--weight", "w", "--holdout", "0")
    facts = told("inspect", "iris.mhb")
    assert facts["training"]["rows"] == 100
    assert "w" not in facts["features"]


def test_dropped_columns_are_not_learned_from(here):
    train("--drop", "colour,sepal width")
    assert list(told("inspect", "iris.mhb")["features"]) == [
        "sepal length",
        "petal length",
        "petal width",
    ]


def test_numbers_can_be_categories(here):
    write_csv(pa.table({"zip": [100, 200, 100, 300] * 10, "class": list("abac") * 10}), "z.csv")
    assert told("train", "z.csv", "--categorical", "zip", *ROUNDS)["kinds"] == {
        "zip": "categorical"
    }
    write_csv(pa.table({"zip": [300, 100]}), "new.csv")
    assert run("predict", "z.mhb", "new.csv").stdout.split() == ['"prediction"', '"c"', '"a"']


def test_several_targets_are_tasks(here):
    facts = told("train", "iris.csv", "--target", "kind", "--target", "colour", *ROUNDS)
    assert facts["targets"] == ["kind", "colour"]
    run("predict", "iris.mhb", "iris.csv", "--out", "out.parquet")
    assert pq.read_table("out.parquet").column_names == ["prediction_kind", "prediction_colour"]
    assert list(told("evaluate", "iris.mhb", "iris.csv")["targets"]) == ["kind", "colour"]


@pytest.mark.parametrize("labels", ["is_white,is_wide", "is_", "is_*"])
def test_labels(labels, here):
    X, _ = load_iris(return_X_y=True)
    table = IRIS.drop_columns(["kind", "colour"])
    table = table.append_column("is_white", pa.array((X[:, 2] < 2.5).astype(int)))
    table = table.append_column("is_wide", pa.array((X[:, 1] > 3).astype(int)))
    write_csv(table, "labels.csv")
    facts = told("train", "labels.csv", "--labels", labels, *ROUNDS)
    assert (facts["targets"], facts["metric"]) == (["is_white", "is_wide"], "Hamming loss")
    measured = told("evaluate", "labels.mhb", "labels.csv", "--by-round", "5")
    assert [row["class"] for row in measured["labels"]] == ["is_white", "is_wide"]
    assert measured["measures"]["Hamming loss"] == pytest.approx(measured["error"])
    assert [row["rounds"] for row in measured["by_round"]] == [5, 10]
    assert "is_white: -1" in run("inspect", "labels.mhb").stdout
    run("predict", "labels.mhb", "labels.csv", "--out", "out.csv", "--proba")
    with open("out.csv", encoding="utf-8") as file:
        assert next(csv.reader(file)) == ["proba_is_white", "proba_is_wide"]


def test_tasks_of_words_and_numbers(here):
    width = [int(w > 0.8) for w in IRIS.column("petal width").to_pylist()]
    write_csv(IRIS.append_column("wide", pa.array(width)), "iris.csv")
    told("train", "iris.csv", "--target", "kind,wide", *ROUNDS)
    measured = told("evaluate", "iris.mhb", "iris.csv")["targets"]
    assert [row["class"] for row in measured["wide"]["classes"]] == [0, 1]
    assert measured["kind"]["classes"][0]["class"] == "setosa"


@pytest.mark.parametrize("labels", [["a"] * 60, [True, False] * 30, [1.0, 2.0] * 30])
def test_classes_of_any_kind_go_all_the_way(labels, here):
    table = pa.table({"x": [float(i % 2) for i in range(60)], "y": labels})
    pq.write_table(table, "any.parquet")
    told("train", "any.parquet", *ROUNDS)
    measured = told("evaluate", "any.mhb", "any.parquet")["targets"]["y"]
    assert measured["measures"]["error"] == 0
    assert [row["class"] for row in measured["classes"]] == sorted(set(labels))


def test_fold_of_an_unknown_class_is_all_wrong(here):
    write_csv(pa.table({"x": [1.0, 2.0], "y": ["a", "b"]}), "two.csv")
    assert told("train", "two.csv", "--cv", "2", *ROUNDS)["folds"] == [1.0, 1.0]


@pytest.mark.parametrize("name", ["flags.csv", "flags.parquet"])
def test_flags_are_features(name, here):
    table = pa.table({"flag": [True, False, True] * 20, "y": ["a", "b", "a"] * 20})
    write_csv(table, "flags.csv")
    pq.write_table(table, "flags.parquet")
    told("train", name, *ROUNDS)
    assert told("evaluate", "flags.mhb", name)["error"] == 0


def test_usual_name_of_a_target_is_known(here):
    write_csv(IRIS.rename_columns([*IRIS.column_names[:-1], "Class"]), "usual.csv")
    assert told("train", "usual.csv", *ROUNDS)["targets"] == ["Class"]


def test_target_is_found_by_its_number(here):
    assert told("train", "iris.csv", "--target", "-1", *ROUNDS)["targets"] == ["kind"]


SVM = "1 1:0.5 3:2\n2 2:1\n" * 10
ARFF = "@relation 'r: -C 1'\n@attribute l {0,1}\n@attribute f real\n@attribute g real\n@data\n"


@pytest.mark.parametrize(
    ("name", "text", "target"),
    [
        ("a.svm", SVM, "label"),
        ("a.svm", SVM.replace("2 2", "0 0"), "label"),
        ("a.arff", ARFF + "{0 1,1 2.5}\n{2 1}\n" * 10, "l"),
        ("a.arff", ARFF.replace("f real", "f {no,yes}") + "{0 1,1 yes}\n{2 1}\n" * 10, "l"),
        ("a.arff", ARFF + "1,2.5,0\n0,0,1\n" * 10, "l"),
    ],
)
def test_other_formats_go_all_the_way(name, text, target, here):
    (here / name).write_text(text, encoding="utf-8")
    assert told("train", name, *ROUNDS)["targets"] == [target]
    assert told("evaluate", "a.mhb", name)["error"] == 0
    assert len(run("predict", "a.mhb", name).stdout.split()) == 21


def test_same_command_gives_the_same_bytes(here):
    train("--model", "one.mhb")
    train("--model", "two.mhb")
    assert (here / "one.mhb").read_bytes() == (here / "two.mhb").read_bytes()


def test_ctrl_c_saves_the_rounds_done(here, monkeypatch):
    class Impatient(Display):
        callbacks = property(lambda self: [self])

        def __call__(self, state):
            if state.round == 3:
                raise KeyboardInterrupt

    monkeypatch.setattr("mhboost.cli.training.Display", Impatient)
    result = run("train", "iris.csv", "--target", "kind", *ROUNDS, code=INTERRUPTED)
    assert "trained 3 rounds" in result.stdout
    assert mhboost.load("iris.mhb").n_iter_ == 3


def test_ctrl_c_ends_cross_validation(here, monkeypatch):
    def interrupted(estimator, *_):
        estimator.stop_reason_ = "it was interrupted"
        estimator.n_iter_ = 1
        return np.ones(1)

    monkeypatch.setattr("mhboost.cli.training.fit_and_score", interrupted)
    run("train", "iris.csv", "--target", "kind", "--cv", "3", code=INTERRUPTED)
    assert not (here / "iris.mhb").exists()


def test_display_shows_the_round():
    model = MHBoostClassifier(n_estimators=10)
    state = mhboost.Round(5, 10, 0.25, 0.5, 0.125, 0.0625, 0.5, model)
    assert figures(state) == "10/s  loss 0.1250  validation 0.0625  edge 0.250"


def test_display_draws_on_a_terminal_only():
    from io import StringIO

    from rich.console import Console

    for is_terminal in (True, False):
        drawn = StringIO()
        with Display(10, Console(file=drawn, force_terminal=is_terminal, width=120)) as display:
            model = MHBoostClassifier(n_estimators=10, n_inner_nodes=3)
            model.set_params(callbacks=display.callbacks)
            X, y = load_iris(return_X_y=True)
            model.fit(X, y)
        assert ("round 10 of 10" in drawn.getvalue()) == is_terminal


# --- predict --------------------------------------------------------------------------------------


@pytest.fixture
def model(here):
    """A model of the irises, and its features."""
    train("--holdout", "0")
    loaded = mhboost.load("iris.mhb")
    features = IRIS.drop_columns(["kind"])
    j = features.column_names.index("colour")
    return loaded, features.set_column(j, "colour", features.column(j).dictionary_encode())


WAYS = {
    (): (lambda m, X: m.predict(X)[:, None], ["prediction"]),
    ("--proba",): (
        lambda m, X: m.predict_proba(X),
        ["proba_setosa", "proba_versicolor", "proba_virginica"],
    ),
    ("--scores",): (
        lambda m, X: m.decision_function(X),
        ["score_setosa", "score_versicolor", "score_virginica"],
    ),
    ("--top", "1"): (
        lambda m, X: np.column_stack([m.predict(X).astype(object), m.predict_proba(X).max(axis=1)]),
        ["top1", "proba1"],
    ),
    ("--staged", "4"): (
        lambda m, X: np.column_stack([list(m.staged_predict(X))[t] for t in (3, 7, 9)]),
        ["after_4", "after_8", "after_10"],
    ),
}


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(way) or "classes")
def test_predictions_are_the_estimators(way, ending, model):
    expected, names = WAYS[way]
    run("predict", "iris.mhb", "iris.csv", *way, "--out", f"out.{ending}")
    read = {
        "csv": lambda: arrow_csv.read_csv("out.csv"),
        "parquet": lambda: pq.read_table("out.parquet"),
        "arrow": lambda: feather.read_table("out.arrow"),
    }
    table = read[ending]()
    assert table.column_names == names
    values = np.column_stack([c.to_numpy().astype(object) for c in table.columns])
    assert np.array_equal(values, expected(*model))


def test_top_classes_are_in_order(model):
    loaded, features = model
    table = prediction_columns(loaded, features, "top", 5)
    assert table.column_names == ["top1", "proba1", "top2", "proba2", "top3", "proba3"]
    p = np.column_stack([table.column(f"proba{i}").to_numpy() for i in (1, 2, 3)])
    assert (np.diff(p, axis=1) <= 0).all()


def test_predictions_can_be_json_lines(model):
    lines = run("predict", "iris.mhb", "iris.csv", "--json").stdout.splitlines()
    assert json.loads(lines[0]) == {"prediction": "setosa"}
    assert len(lines) == 150


def test_parts_make_the_same_whole(model, monkeypatch):
    whole = run("predict", "iris.mhb", "iris.csv", "--scores").stdout
    monkeypatch.setattr("mhboost.cli.predict.CELLS", 50)
    assert run("predict", "iris.mhb", "iris.csv", "--scores").stdout == whole


def test_columns_are_found_by_name(model):
    write_csv(IRIS.select(IRIS.column_names[::-1]), "turned.csv")
    outputs = [run("predict", "iris.mhb", name).stdout for name in ("iris.csv", "turned.csv")]
    assert outputs[0] == outputs[1]


def test_output_appears_whole_or_not_at_all(model, here):
    (here / "out.csv").write_text("precious", encoding="utf-8")
    text = (here / "iris.csv").read_text(encoding="utf-8")
    (here / "bad.csv").write_text(text + "1,2\n", encoding="utf-8")
    before = sorted(os.listdir(here))
    message = refused("predict", "iris.mhb", "bad.csv", "--out", "out.csv")
    assert "bad.csv, line 152: expected 6 values, found 2" in message
    assert (here / "out.csv").read_text(encoding="utf-8") == "precious"
    assert sorted(os.listdir(here)) == before


def test_failure_between_parts_leaves_nothing(model, here, monkeypatch):
    monkeypatch.setattr("mhboost.cli.predict.CELLS", 50)
    calls = []

    def failing(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise ValueError("it broke")
        return prediction_columns(*arguments)

    monkeypatch.setattr("mhboost.cli.predict.prediction_columns", failing)
    before = sorted(os.listdir(here))
    assert refused("predict", "iris.mhb", "iris.csv", "--out", "o.parquet") == "error: it broke\n"
    assert sorted(os.listdir(here)) == before


# --- evaluate and inspect -------------------------------------------------------------------------


def test_measures_are_those_of_scikit_learn(model):
    from sklearn import metrics

    loaded, X = model
    y, p = IRIS.column("kind").to_numpy(), loaded.predict_proba(X)
    found = told("evaluate", "iris.mhb", "iris.csv", "--by-round", "5")
    task = found["targets"]["kind"]
    decided = loaded.predict(X)
    expected = {
        "error": 1 - metrics.accuracy_score(y, decided),
        "balanced error": 1 - metrics.balanced_accuracy_score(y, decided),
        "log-loss": metrics.log_loss(y, p),
        "Brier score": np.mean(((p - (y[:, None] == loaded.classes_)) ** 2).sum(axis=1)),
        "AUC (macro)": metrics.roc_auc_score(
            y, loaded.predict_proba(X), multi_class="ovr", average="macro"
        ),
        "F1 (macro)": metrics.f1_score(y, decided, average="macro"),
        "Hamming loss": np.mean(
            (loaded.decision_function(X) > 0) != (y[:, None] == loaded.classes_)
        ),
    }
    assert task["measures"] == pytest.approx(expected)
    assert task["confusion"] == metrics.confusion_matrix(y, decided).tolist()
    assert found["by_round"][-1]["error"] == pytest.approx(found["error"])
    assert found["error"] == pytest.approx(expected["error"])


def test_evaluation_for_people_has_the_tables(model):
    said = run("evaluate", "iris.mhb", "iris.csv", "--by-round", "5").stdout
    for part in ("150 rows, 10 rounds", "balanced error", "true \\ predicted", "virginica  "):
        assert part in said


def test_training_file_is_no_honest_test(model, here):
    assert "is no honest one" in run("evaluate", "iris.mhb", "iris.csv").stderr
    (here / "iris.csv").rename("other.csv")
    assert run("evaluate", "iris.mhb", "other.csv").stderr == ""


def test_many_classes_are_told_by_their_confusions(here):
    chance = np.random.default_rng(0)
    table = pa.table(
        {"x": np.arange(200) % 20 + chance.normal(0, 2, 200), "y": np.arange(200) % 20}
    )
    write_csv(table, "many.csv")
    told("train", "many.csv", *ROUNDS)
    said = run("evaluate", "many.mhb", "many.csv").stdout
    assert "commonest confusions" in said
    assert " taken for " in said


def test_inspection_tells_all(model):
    loaded, _ = model
    facts = told("inspect", "iris.mhb", "--trees", "2")
    assert facts["targets"] == {"kind": ["setosa", "versicolor", "virginica"]}
    assert facts["features"]["colour"] == "3 categories"
    assert facts["parameters"] == {"n_estimators": "10", "n_inner_nodes": "3", "random_state": "0"}
    assert facts["trees"] == [str(loaded.estimators_[t]) for t in range(2)]
    assert sum(facts["importances"].values()) == pytest.approx(1)
    assert facts["training"]["data"] == "iris.csv"
    assert len(facts["vote alike"]) == 3


def test_inspection_for_people(model):
    said = run("inspect", "iris.mhb").stdout
    for part in ("problem      single-label", "importance of features", "tree 0, alpha ="):
        assert part in said


def test_two_classes_have_no_pairs_to_compare(here):
    write_csv(IRIS.slice(0, 100), "two.csv")
    told("train", "two.csv", "--target", "kind", *ROUNDS)
    assert "vote alike" not in told("inspect", "two.mhb")
    assert told("evaluate", "two.mhb", "two.csv")["error"] == 0


# --- mistakes -------------------------------------------------------------------------------------


def changed(column, values):
    j = IRIS.column_names.index(column)
    return IRIS.set_column(j, column, pa.array(values))


NUMBERS = [str(v) for v in range(150)]
MISTAKES = {
    "text": (changed("colour", [f"a b {i}" for i in range(150)]), "'colour': holds text, with 150"),
    "odd word": (
        changed("petal width", [*NUMBERS[:149], "much"]),
        "line 151, column 'petal width': 'much' is no number",
    ),
    "dates": (
        changed("colour", [f"2020-01-{1 + i % 28:02}" for i in range(150)]),
        "column 'colour': holds dates or times",
    ),
    "empty column": (changed("colour", [""] * 150), "column 'colour': is empty in all rows"),
    "infinite": (
        changed("petal width", ["1.5", "inf", *NUMBERS[2:]]),
        "line 3, column 'petal width': an infinite value",
    ),
    "missing target": (
        changed("kind", ["a", "", *"ab" * 74]),
        "line 3, column 'kind': the target is missing",
    ),
    "real target": (
        changed("kind", [str(i / 8) for i in range(150)]),
        "line 3, column 'kind': 0.125 is a number to estimate",
    ),
    "names as target": (
        changed("kind", NUMBERS),
        "150 different values in 150 rows are no classes",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_columns_that_cannot_be_are_refused(case, here):
    table, message = MISTAKES[case]
    write_csv(table, "iris.csv")
    assert message in refused("train", "iris.csv", "--target", "kind", *ROUNDS)
    assert not (here / "iris.mhb").exists()


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["--target", "king"], "there is no column 'king'; columns: sepal length", FAILED),
        ([], "which column is to be predicted? Say it with --target", FAILED),
        (["--target", "kind", "--drop", "x"], "there is no column 'x'", FAILED),
        (["--target", "kind", "--categorical", "x"], "there is no column 'x'", FAILED),
        (["--target", "kind", "--weight", "colour"], "'colour': weights must be numbers", FAILED),
        (["--labels", "kind,colour"], "column 'kind': a label is 0 or 1", FAILED),
        (["--target", "kind", "--test", "no.csv"], "no.csv: there is no such file", FAILED),
        (["--target", "kind", "--cv", "1"], "1 folds need 2 folds or more", FAILED),
        (["--target", "kind", "--model", "no/a.mhb"], "No such file or directory", FAILED),
        (["--target", "kind", "--labels", "a"], "--target and --labels exclude", USAGE),
        (["--target", "kind", "--cv", "3", "--test", "a"], "--test and --cv exclude", USAGE),
        (["--target", "kind", "--holdout", "1"], "--holdout must be at least 0", USAGE),
        (["--target", "kind", "--learner", "forest"], "base must be 'tree', 'stump'", USAGE),
        (["--target", "kind", "--rounds", "0"], "n_estimators must be a whole number", USAGE),
    ],
)
def test_arguments_that_cannot_be_are_refused(arguments, message, code, here):
    assert message in refused("train", "iris.csv", *arguments, code=code)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            ["evaluate", "iris.mhb", "new.csv"],
            "new.csv, line 2, column 'kind': class 'rose' is not",
        ),
        (["evaluate", "iris.mhb", "iris.csv", "--target", "a,b"], "the model has 1 targets; got 2"),
        (["predict", "iris.mhb", "few.csv"], "few.csv: there is no column 'sepal length'"),
        (["predict", "iris.csv", "iris.csv"], "iris.csv: this is no safetensors file"),
        (["predict", "no.mhb", "iris.csv"], "no.mhb: No such file or directory"),
        (["inspect", "no.mhb"], "no.mhb: No such file or directory"),
    ],
)
def test_files_that_do_not_fit_are_refused(command, message, model):
    write_csv(changed("kind", ["rose"] * 150), "new.csv")
    write_csv(IRIS.select(["colour"]), "few.csv")
    assert message in refused(*command)


def test_test_file_with_another_class_is_refused(here):
    write_csv(changed("kind", ["setosa"] * 149 + ["rose"]), "test.csv")
    message = refused("train", "iris.csv", "--target", "kind", "--test", "test.csv", *ROUNDS)
    assert "test.csv, line 151, column 'kind': class 'rose' is not in the training data" in message


@pytest.mark.parametrize(
    "options", [["--proba", "--scores"], ["--top", "2", "--staged", "2"], ["--out", "a.xls"]]
)
def test_options_of_predict_that_cannot_be_are_refused(options, model):
    refused("predict", "iris.mhb", "iris.csv", *options, code=USAGE)


@pytest.mark.parametrize("arguments", [["train"], ["train", "a", "--nonsense"], ["fly"]])
def test_wrong_usage_ends_with_2(arguments):
    assert "Usage:" in run(*arguments, code=USAGE).stderr


# --- the program ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [c.__name__ for c in COMMANDS])
def test_help_has_an_example(command):
    assert f"Example: mhboost {command}" in " ".join(run(command, "--help").stdout.split())


def test_version():
    assert told("version")["mhboost"] == mhboost.__version__
    assert mhboost.__version__ in run("--version").stdout


def test_demo_leaves_its_files(tmp_path):
    said = run("demo", "--folder", tmp_path / "digits").stdout
    assert "$ mhboost evaluate digits.mhb digits-test.csv" in said
    assert mhboost.load(tmp_path / "digits" / "digits.mhb").n_iter_ == 100


def test_missing_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "typer", None)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == FAILED
    assert "pip install 'mhboost[cli]'" in capsys.readouterr().err


def program(*arguments, **options):
    command = [sys.executable, "-m", "mhboost.cli", *arguments]
    return subprocess.Popen(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )


@pytest.mark.slow
def test_program_can_be_piped_into_one_that_stops_reading(model, here):
    write_csv(pa.concat_tables([IRIS] * 300), "long.csv")
    process = program("predict", "iris.mhb", "long.csv", cwd=here)
    assert process.stdout.readline() == '"prediction"\n'
    process.stdout.close()
    assert process.wait(60) == FAILED
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.slow
def test_program_interrupted_saves_the_rounds_done(here):
    write_csv(pa.concat_tables([IRIS] * 20), "long.csv")
    options = ["--target", "kind", "--rounds", "1000000", "--inner-nodes", "1", "--holdout", "0"]
    process = program("train", "long.csv", *options, cwd=here)
    assert "long.csv: 3000 rows" in process.stdout.readline()
    time.sleep(2.0)  # the first round is done long before
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED
    assert "saved long.mhb" in out
    assert 0 < mhboost.load(here / "long.mhb").n_iter_ < 1_000_000


def test_shell_completes_commands():
    words = {"_MHBOOST_COMPLETE": "complete_bash", "COMP_WORDS": "mhboost ev", "COMP_CWORD": "1"}
    result = CliRunner().invoke(app, [], env=words, prog_name="mhboost")
    assert result.stdout.split() == ["evaluate"]
