"""The paper's protocol: cuts, choices, checkpoints, results, tables, book and command line."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from mhboost import MHBoostClassifier, datasets
from mhboost._selection import candidates, choose
from mhboost._stopping import smoothed_scores
from mhboost._validation import deal, fit_and_score
from mhboost.protocol import (
    Experiment,
    ExperimentError,
    FoldPlan,
    LearnerPlan,
    SvmPlan,
    _jobs,
    built_in,
    load_results,
    make_folds,
    markdown,
    read,
    read_folds,
    run,
    write_book,
    write_folds,
)
from mhboost.protocol._command import main
from mhboost.protocol._folds import Fold
from mhboost.protocol._tables import paper
from mhboost.protocol._work import test_curves as final_curves

TREES = LearnerPlan("Hamming trees", "tree", 6, {}, {"n_inner_nodes": [1, 3]})
SVM = SvmPlan(C=[1, 8], gamma=[0.1, 1])
TINY = Experiment("tiny", "iris", "table2", FoldPlan(3, 2), [TREES], SVM, t_min=2)
NOT_NUMBERS = {"seconds", "cpu_seconds"}

TOML = """
data = "wine"
t_min = 2
[folds]
test = 4
validation = 3
[[learners]]
name = "Hamming trees"
base = "tree"
rounds = 300
grid = { n_inner_nodes = [1, 3, 8] }
"""


def numbers(result):
    """What must be the same each time."""
    return {name: value for name, value in result.items() if name not in NOT_NUMBERS}


def designated(name="digest", n_train=60, n_test=30):
    """Iris, as if some rows had been designated for tests."""
    iris = datasets.load("iris")
    rows = np.random.RandomState(3).permutation(150)[: n_train + n_test]
    split = (np.arange(n_train + n_test) >= n_train).astype(np.uint8)
    return replace(iris, name=name, X=iris.X[rows], y=iris.y[rows], split=split)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    out = tmp_path_factory.mktemp("tiny")
    return run(TINY, out=out), out


# --- the choice -----------------------------------------------------------------------------------


def test_stopping_time_is_that_of_the_mean_curve():
    """Each run alone would stop elsewhere: the first at 3, the second at 5."""
    runs = np.array([[9, 9, 1, 9, 9, 9], [9, 5, 5, 5, 1, 1]], dtype=float)
    mean = [9, 7, 3, 7, 5, 5]
    smoothed = [9, 16, (7 + 3) / 1, (3 + 7) / 1, (7 + 5) / 1, (7 + 5 + 5) / 2]
    np.testing.assert_allclose(smoothed_scores(mean), smoothed)
    choice = choose([runs], t_min=2)
    assert (choice.n_rounds, choice.errors) == (6, (8.5,))


def test_smallest_smoothed_error_wins_and_of_equals_the_first():
    flat = np.ones((2, 10))
    choice = choose([flat * 3, flat, flat], t_min=5)
    assert choice.candidate == 1
    assert choice.rounds == (6, 6, 6)


def test_one_sigma_prefers_small_candidates():
    """The best has errors 1 and 3 (times 3/2): mean 3, standard error 1.5."""
    curves = [np.full((2, 10), level) for level in (3.1, 2.9)] + [np.array([[1.0], [3.0]])]
    curves[2] = np.repeat(curves[2], 10, axis=1)
    assert choose(curves, t_min=9).candidate == 2
    assert choose(curves, t_min=9, one_sigma=True).candidate == 1


def test_candidates_are_all_combinations_in_order():
    assert candidates({"b": [1, 2], "a": [3, 4]}) == [
        {"b": 1, "a": 3},
        {"b": 1, "a": 4},
        {"b": 2, "a": 3},
        {"b": 2, "a": 4},
    ]
    assert candidates({}) == [{}]


# --- the cuts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["iris", "wine", "wdbc"])
def test_folds_are_disjoint_complete_and_stratified(name):
    data = datasets.load(name)
    folds = make_folds(data, FoldPlan(10, 10))
    everything = np.arange(len(data.y))
    assert len(folds) == 10
    np.testing.assert_array_equal(np.sort(np.concatenate([f.test for f in folds])), everything)
    for fold in folds:
        np.testing.assert_array_equal(np.union1d(fold.learning, fold.test), everything)
        assert not np.intersect1d(fold.learning, fold.test).size
        held_out = np.concatenate(fold.validation)
        np.testing.assert_array_equal(np.sort(held_out), fold.learning)
        assert not np.intersect1d(fold.training(3), fold.validation[3]).size
        for parts in (fold.validation, [f.test for f in folds]):
            counts = np.array([np.bincount(data.y[part], minlength=3) for part in parts])
            assert (np.ptp(counts, axis=0) <= 1).all()
            assert np.ptp(counts.sum(axis=1)) <= 1


def test_designated_test_rows_are_the_test():
    data = designated()
    (fold,) = make_folds(data, FoldPlan("designated", 5))
    np.testing.assert_array_equal(fold.test, np.flatnonzero(data.split))
    assert [len(part) for part in fold.validation] == [12] * 5


def test_cuts_depend_on_the_seed_only():
    iris = datasets.load("iris")

    def first(seed):
        return make_folds(iris, FoldPlan(10, 10, seed))[0]

    np.testing.assert_array_equal(first(0).test, first(0).test)
    np.testing.assert_array_equal(first(0).validation[4], first(0).validation[4])
    assert not np.array_equal(first(0).test, first(1).test)
    assert not np.array_equal(first(0).validation[0], first(1).validation[0])


def test_first_rows_of_the_published_cut():
    """Fixed for good: another cut would be another experiment."""
    fold = make_folds(datasets.load("iris"), FoldPlan(10, 10))[0]
    assert fold.test.tolist() == CUT_TEST
    assert fold.validation[0].tolist() == CUT_VALIDATION


CUT_TEST = [14, 15, 17, 26, 33, 56, 62, 66, 82, 98, 110, 114, 138, 141, 147]
CUT_VALIDATION = [0, 5, 24, 40, 43, 57, 58, 73, 94, 108, 109, 129, 146, 148]


def test_published_cuts_are_read_back(tmp_path):
    folds = make_folds(datasets.load("wine"), FoldPlan(4, 3))
    path = tmp_path / "cuts.txt"
    write_folds(path, folds, "wine")
    for ours, theirs in zip(folds, read_folds(path, 178), strict=True):
        for part in ("learning", "test"):
            np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))
        for a, b in zip(ours.validation, theirs.validation, strict=True):
            np.testing.assert_array_equal(a, b)


def test_run_publishes_its_cuts(tiny):
    _, out = tiny
    folds = read_folds(out / "folds" / "iris-3-2-seed0.txt", 150)
    np.testing.assert_array_equal(
        folds[2].test, make_folds(datasets.load("iris"), TINY.folds)[2].test
    )


@pytest.mark.parametrize("n_folds", [1, 0, 7])
def test_impossible_number_of_folds_is_refused(n_folds):
    with pytest.raises(ValueError, match=f"{n_folds} folds"):
        deal(None, 6, n_folds, np.random.RandomState(0))


# --- validation and final training ----------------------------------------------------------------


def test_row_of_a_class_unseen_in_training_is_an_error():
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 1, 1, 1, 1, 2])
    model = MHBoostClassifier(n_estimators=3)
    curve = fit_and_score(model, X, y, np.arange(6), np.array([6, 7]))
    np.testing.assert_allclose(curve, [0.5, 0.5, 0.5])
    assert fit_and_score(model, X, y, np.arange(6), np.array([7])).tolist() == [1, 1, 1]


def test_curve_that_ends_early_goes_on_as_it_was():
    X, y = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    model = MHBoostClassifier(n_estimators=2000, n_inner_nodes=1)
    curve = fit_and_score(model, X, y, np.array([0, 1, 2, 4, 5, 6]), np.array([3, 7]))
    assert len(model.validation_score_) < 2000
    assert curve.tolist() == [curve[-1]] * 2000


def test_curves_are_those_of_an_estimator_trained_by_hand(tiny):
    """The error at T* on a test fold is that of a model of T* rounds."""
    result, _ = tiny
    iris = datasets.load("iris")
    (learner,) = result["learners"]
    for fold, chosen in zip(make_folds(iris, TINY.folds), learner["folds"], strict=True):
        model = MHBoostClassifier(n_estimators=chosen["rounds"], **chosen["parameters"])
        model.fit(iris.X[fold.learning], iris.y[fold.learning])
        error = 1 - model.score(iris.X[fold.test], iris.y[fold.test])
        assert chosen["test_error"] == pytest.approx(error, abs=1e-12)


def test_choice_on_a_fold_is_that_of_its_validation_runs(tiny):
    result, _ = tiny
    iris = datasets.load("iris")
    fold = make_folds(iris, TINY.folds)[1]
    curves = [
        np.array(
            [
                fit_and_score(TREES.classifier(c), iris.X, iris.y, fold.training(j), held_out)
                for j, held_out in enumerate(fold.validation)
            ]
        )
        for c in TREES.candidates
    ]
    choice = choose(curves, t_min=2)
    chosen = result["learners"][0]["folds"][1]
    assert (chosen["candidate"], chosen["rounds"]) == (choice.candidate, choice.n_rounds)
    assert chosen["smoothed_of_candidates"] == list(choice.errors)


def test_deviation_over_folds_is_not_divided(tiny):
    result, _ = tiny
    for method in (*result["learners"], result["svm"]):
        errors = [fold["test_error"] for fold in method["folds"]]
        assert method["error"] == pytest.approx(np.mean(errors))
        assert method["deviation"] == pytest.approx(np.std(errors, ddof=1))
        assert method["deviation_over"] == "folds"


def test_deviation_on_designated_rows_is_binomial(monkeypatch, tmp_path):
    data = designated("iris")
    monkeypatch.setattr(datasets, "load", lambda *_: data)
    result = run(replace(TINY, folds=FoldPlan("designated", 3)), out=tmp_path)
    (learner,) = result["learners"]
    error = learner["error"]
    assert learner["deviation"] == pytest.approx(np.sqrt(error * (1 - error) / 30))
    assert learner["deviation_over"] == "binomial"


def test_without_validation_nothing_is_chosen(monkeypatch, tmp_path):
    """As on MNIST: one candidate, all rounds, in pieces, a page without validation curves."""
    data = designated("iris")
    monkeypatch.setattr(datasets, "load", lambda *_: data)
    fixed = replace(TREES, grid={"n_inner_nodes": [3]}, piece=4)
    plan = replace(TINY, folds=FoldPlan("designated", 0), learners=[fixed], svm=None)
    result = run(plan, out=tmp_path)
    (learner,) = result["learners"]
    model = MHBoostClassifier(n_estimators=6, n_inner_nodes=3).fit(*data.train)
    assert learner["error"] == pytest.approx(1 - model.score(*data.test))
    assert learner["folds"][0]["rounds"] == 6
    assert learner["validation"] == []
    longer = run(replace(plan, learners=[replace(fixed, rounds=9)]), out=tmp_path)
    assert longer["learners"][0]["test"][0][:6] == learner["test"][0]
    write_book([result], tmp_path / "book.pdf")


def test_pieces_and_longer_runs_give_the_same_bits(tmp_path):
    """Five pieces from a run that wanted less, against one go."""
    iris = datasets.load("iris")
    fold = Fold(np.arange(0, 150, 2), np.arange(1, 150, 2), ())
    state, candidate = tmp_path / "model.pickle", {"n_inner_nodes": 3}
    plan = replace(TREES, rounds=7, piece=3)
    final_curves(iris.X, iris.y, fold, plan, candidate, 1, state)
    resumed = final_curves(iris.X, iris.y, fold, replace(plan, rounds=15), candidate, 1, state)
    whole = final_curves(
        iris.X, iris.y, fold, replace(plan, rounds=15, piece=0), candidate, 1, state
    )
    shorter = final_curves(iris.X, iris.y, fold, replace(plan, rounds=4), candidate, 1, state)
    for name in ("test", "train", "loss"):
        np.testing.assert_array_equal(resumed[name], whole[name])
        np.testing.assert_array_equal(shorter[name], whole[name][:4])
    assert resumed["earlier_seconds"][0] > 0


def interrupt(state):
    if state.round == 2:
        raise KeyboardInterrupt


@pytest.mark.parametrize("piece", [0, 3])
def test_interrupt_leaves_no_curve_behind(tmp_path, piece):
    """Alone, the estimator would warn and give a model of two rounds."""
    X, y = datasets.load("iris").train
    rows = np.arange(150)
    plan = replace(TREES, piece=piece, parameters={"callbacks": [interrupt]})
    with pytest.raises(KeyboardInterrupt):
        fit_and_score(plan.classifier({}), X, y, rows[::2], rows[1::2])
    fold = Fold(rows[::2], rows[1::2], ())
    with pytest.raises(KeyboardInterrupt):
        final_curves(X, y, fold, plan, {}, 1, tmp_path / "model.pickle")
    assert not list(tmp_path.iterdir())


# --- the same again -------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_same_file_same_bits(tiny, tmp_path, n_jobs):
    result, out = tiny
    again = run(TINY, out=tmp_path, n_jobs=n_jobs)
    assert numbers(again) == numbers(result)
    for name in ("folds/iris-3-2-seed0.txt", "curves/tiny.npz"):
        assert (tmp_path / name).read_bytes() == (out / name).read_bytes()


def test_finished_experiment_is_not_run_again(tiny, monkeypatch):
    result, out = tiny
    monkeypatch.setattr(_jobs, "_run", None)
    assert run(TINY, out=out) == result


@pytest.mark.parametrize(
    "other", [TINY.limited(5), replace(TINY, folds=FoldPlan(3, 2, seed=1)), replace(TINY, t_min=3)]
)
def test_another_configuration_has_another_digest(other):
    assert other.digest() != TINY.digest()
    assert TINY.limited(6).digest() == TINY.digest()


class StoppedError(Exception):
    pass


def test_interrupted_run_goes_on_where_it_was(tiny, monkeypatch, tmp_path):
    result, _ = tiny
    run_job, ran = _jobs._run, []

    def run_five(job, *rest):
        if len(ran) == 5:
            raise StoppedError
        ran.append(job.name)
        return run_job(job, *rest)

    def run_rest(job, *rest):
        ran.append(job.name)
        return run_job(job, *rest)

    monkeypatch.setattr(_jobs, "_run", run_five)
    with pytest.raises(StoppedError):
        run(TINY, out=tmp_path)
    assert not (tmp_path / "tiny.json").exists()
    monkeypatch.setattr(_jobs, "_run", run_rest)
    assert numbers(run(TINY, out=tmp_path)) == numbers(result)
    assert len(ran) == len(set(ran)) == 3 * (2 + 1 + 1 + 1)  # validation, SVM; their tests


def test_damaged_checkpoint_is_made_again(tmp_path):
    path = tmp_path / "job.npz"
    _jobs.write_arrays(path, {"a": np.arange(3)})
    np.testing.assert_array_equal(_jobs.read_arrays(path)["a"], [0, 1, 2])
    path.write_bytes(path.read_bytes()[:60])
    assert _jobs.read_arrays(path) is None


@pytest.mark.slow
def test_killed_process_goes_on_with_the_same_bits(tmp_path):
    experiment, killed = tmp_path / "wine-cut.toml", tmp_path / "killed"
    experiment.write_text(TOML)
    command = [sys.executable, "-m", "mhboost.protocol", "reproduce", str(experiment)]
    process = subprocess.Popen([*command, "--out", str(killed), "--no-book"])
    while len(list(killed.glob(".runs/*/*.npz"))) < 2 and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert len(list(killed.glob(".runs/*/*.npz"))) >= 2
    resumed = run(read(str(experiment)), out=killed)
    whole = run(read(str(experiment)), out=tmp_path / "whole")
    assert numbers(resumed) == numbers(whole)
    assert not list(killed.glob(".runs/*/*.npz"))


# --- results, tables, book ------------------------------------------------------------------------


def test_result_names_no_path(tiny):
    _, out = tiny
    text = (out / "tiny.json").read_text()
    assert str(out) not in text
    assert os.environ.get("MHBOOST_DATA", "no folder") not in text


def test_all_rounds_of_all_curves_are_kept(tiny):
    _, out = tiny
    with np.load(out / "curves" / "tiny.npz") as curves:
        assert curves["Hamming trees, fold 2, validation"].shape == (2, 6)
        assert curves["Hamming trees, fold 0, loss"].shape == (6,)
        assert len(curves.files) == 3 * 4


def made_up(table, data, learners, svm=None):
    """A result as tables see it."""
    methods = [{"name": n, "error": e, "deviation": d} for n, e, d in learners]
    return {
        "name": data,
        "experiment": {"table": table},
        "data": {"name": data},
        "learners": methods,
        "svm": svm and {"name": "SVM", "error": svm[0], "deviation": svm[1]},
        "cpu_seconds": 90.0,
    }


def test_second_table_stands_beside_the_paper():
    results = [
        made_up("table2", "iris", [("Hamming trees", 0.05, 0.04)], (0.05, 0.06)),
        made_up("table2", "wine", [("Hamming trees", 0.03, 0.02)], (0.01, 0.02)),
    ]
    text = markdown(results)
    assert "| iris | 5.0 ± 4.0 | 7.0 ± 6.0 | 5.0 ± 6.0 | 5.0 ± 6.0 |" in text
    assert "| pima | — | 24.0 ± 5.0 | — | 24.0 ± 4.0 |" in text
    assert "no worse than the SVM on 1 of 2 sets" in text
    assert "3.0 minutes" in text


def test_first_table_has_methods_down_and_means():
    sets = paper()["table1"]["sets"]
    results = [made_up("table1", name, [("Hamming trees", 0.02, 0.003)]) for name in sets]
    text = markdown(results)
    assert f"| Hamming trees |{' 2.00 ± 0.30 |' * 5} 2.00 |" in text
    assert "| Hamming trees, paper | 3.5 ± 0.5 |" in text
    assert text.count("2.84") == 1  # the mean of the paper's row


def test_book_has_an_index_and_a_page_per_experiment(tiny, tmp_path):
    result, _ = tiny
    results = [
        {**result, "learners": [], "name": "SVM only"},
        {**result, "svm": None, "learners": result["learners"] * 2, "name": "two learners"},
    ]
    write_book(results, tmp_path / "book.pdf")
    content = (tmp_path / "book.pdf").read_bytes()
    assert len(re.findall(rb"/Type /Page\b", content)) == 1 + 2
    write_book(results, tmp_path / "again.pdf")
    assert (tmp_path / "again.pdf").read_bytes() == content


def test_book_without_matplotlib_says_what_to_install(tiny, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install mhboost\[plot\]"):
        write_book([tiny[0]], tmp_path / "book.pdf")


# --- experiments ----------------------------------------------------------------------------------


def test_built_in_experiments_are_the_papers():
    experiments = [read(name) for name in built_in()]
    for table, learners in (("table1", 2), ("table2", 1), ("mnist", 1)):
        here = [e.data for e in experiments if e.table == table]
        assert sorted(here) == sorted(paper()[table]["sets"] * learners)
        assert {plan.name for e in experiments if e.table == table for plan in e.learners} <= set(
            paper()[table]["methods"]
        )
    for experiment in experiments:
        if experiment.table == "table2":
            assert experiment.svm is not None
            assert (experiment.folds.test, experiment.folds.validation) == (10, 10)
        if experiment.table == "table1":
            assert (experiment.folds.test, experiment.folds.validation) == ("designated", 5)
        assert (experiment.t_min, experiment.one_sigma) == (50, False)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"wine"', '"vine"', "no data set 'vine'"),
        ("rounds = 300", "", "rounds is missing"),
        ("rounds = 300", "rounds = 0", "rounds must be at least 1"),
        ("rounds = 300", "rounds = '300'", "rounds must be of type int"),
        ("test = 4", "test = 1", "folds.test must be"),
        ("validation = 3", "validation = 1", "folds.validation must be"),
        ("validation = 3", "validation = 0", "a grid must have one value"),
        ("n_inner_nodes", "n_nodes", "no parameter n_nodes"),
        ("[1, 3, 8]", "[0]", "'Hamming trees': n_inner_nodes must be"),
        ("[1, 3, 8]", "3", "must be a list of values"),
        ('base = "tree"', 'base = "bush"', "base must be"),
        ("t_min = 2", "tmin = 2", "unknown key: tmin"),
        ("t_min = 2", 'table = "table3"', "table must be one of"),
        ("[folds]", "[svm]\nC = [0]\ngamma = [1]\n[folds]", "svm.C must be a list of positive"),
        ("t_min = 2", "t_min = ", "is not TOML"),
    ],
)
def test_wrong_experiment_is_refused(tmp_path, old, new, message):
    path = tmp_path / "wrong.toml"
    assert old in TOML
    path.write_text(TOML.replace(old, new))
    with pytest.raises(ExperimentError, match=re.escape(message)):
        read(str(path))


# --- the command line -----------------------------------------------------------------------------


def test_command_writes_results_tables_and_book(tmp_path, capsys):
    experiment = tmp_path / "wine-cut.toml"
    experiment.write_text(TOML)
    out = tmp_path / "out"
    assert main(["reproduce", str(experiment), "--rounds", "3", "--out", str(out)]) == 0
    assert "wine-cut: Hamming trees" in capsys.readouterr().out
    assert (
        json.loads((out / "wine-cut.json").read_text())["experiment"]["learners"][0]["rounds"] == 3
    )
    assert "wine-cut" in (out / "tables.md").read_text()
    (out / "book.pdf").unlink()
    assert main(["book", "--out", str(out)]) == 0
    assert (out / "book.pdf").is_file()
    assert [result["name"] for result in load_results(out)] == ["wine-cut"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reproduce", "table3"], "there is no file table3"),
        (["reproduce", "iris", "--data-home", "nowhere"], "letter"),
        (["book", "--out", "nowhere"], "there are no results in nowhere"),
    ],
)
def test_mistake_is_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    if message == "letter":  # a set that is not on board, from a folder that is not there
        monkeypatch.setattr("mhboost.datasets._sources.from_openml", _no_network)
        arguments = ["reproduce", "letter-trees", *arguments[2:]]
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error
    assert "Traceback" not in error


def _no_network(entry):
    from mhboost.datasets._errors import SourceError

    raise SourceError("no network")


@pytest.mark.parametrize("arguments", [[], ["reproduce"], ["reproduce", "iris", "--jobs", "0"]])
def test_wrong_usage_is_explained(arguments, capsys):
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_interrupt_says_how_to_go_on(monkeypatch, capsys, tmp_path):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("mhboost.protocol._command.run", interrupted)
    assert main(["reproduce", "iris", "--out", str(tmp_path)]) == 130
    assert "goes on from here" in capsys.readouterr().err


def test_list_names_all_experiments(capsys):
    assert main(["list"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == list(built_in())
