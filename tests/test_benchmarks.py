"""The benchmark's own tests: problems, plan, result table, session, report; and a tiny real run."""

import doctest
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
if not FOLDER.is_dir():
    pytest.skip("the benchmarks are in the repository only", allow_module_level=True)

MODULES = (
    "choose",
    "cut_cost",
    "generators",
    "machine",
    "measure",
    "plan",
    "problems",
    "report",
    "results",
    "run",
    "systems",
    "tables",
)
sys.path.insert(0, str(FOLDER))
try:
    (
        choose,
        cut_cost,
        generators,
        machine,
        measure,
        plan,
        problems,
        report,
        results,
        run,
        systems,
        tables,
    ) = map(importlib.import_module, MODULES)
finally:
    sys.path.remove(str(FOLDER))

HERE = {
    "cpu": "a CPU",
    "cores": 2,
    "os": "an OS",
    "kernel": "avx2",
    "build": "0123abcd",
    "versions": {"mhboost": "0.1.0", "lightgbm": "4.7.0", "catboost": None},
}


def row(**values):
    """Return a made-up row of the result table."""
    usual = {
        "experiment": "peers",
        "problem": "letter",
        "label": "mhboost",
        "system": "mhboost",
        "task": "fit",
        "parameters": {"learning_rate": 0.1},
        "threads": 1,
        "seed": 0,
        "repeat": 0,
        "rounds": 10,
        "n_train": 100,
        "n_test": 50,
        "n_features": 4,
        "n_classes": 5,
        "date": "2030-01-02T03:04:05+00:00",
        "load": 0.5,
    }
    return results.complete(usual | HERE | values)


# --- problems -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "shape"),
    [("scale_n:1e4", (10_000, 20, 10)), ("scale_d:7", (20_000, 7, 10))],
)
def test_generated_problem_has_its_shape(name, shape):
    problem = problems.load(name)
    n, d, k = shape
    assert problem.shape() == {"n_train": n, "n_test": 10_000, "n_features": d, "n_classes": k}
    assert problem.X_train.shape == (n, d)
    assert problem.X_train.dtype == np.float32
    assert problem.X_train.flags.c_contiguous
    assert set(np.unique(problem.y_test)) == set(range(k))


def small_blobs(part, seed=1, n_rows=2000):
    return generators.blobs(n_rows, 9, 5, informative=3, spread=3.0, seed=seed, part=part)


def test_generator_repeats_itself():
    for again, first in zip(small_blobs(part=0), small_blobs(part=0), strict=True):
        np.testing.assert_array_equal(again, first)
    assert not np.array_equal(small_blobs(part=0)[0], small_blobs(part=1)[0])
    assert not np.array_equal(small_blobs(part=0)[0], small_blobs(part=0, seed=2)[0])


def test_generator_does_not_depend_on_blocks(monkeypatch):
    whole = small_blobs(part=0)
    monkeypatch.setattr(generators, "BLOCK", 64)
    for in_blocks, at_once in zip(small_blobs(part=0), whole, strict=True):
        np.testing.assert_array_equal(in_blocks, at_once)


def test_generator_plants_the_classes_in_the_first_features():
    X, y = small_blobs(part=1)
    points = generators.centres(5, 3, 3.0, seed=1)
    means = np.array([X[y == k].mean(axis=0) for k in range(5)])
    np.testing.assert_allclose(means[:, :3], points, atol=0.3)
    np.testing.assert_allclose(means[:, 3:], 0, atol=0.3)
    nearest = ((X[:, None, :3] - points) ** 2).sum(axis=2).argmin(axis=1)
    assert np.mean(nearest == y) > 0.7


def test_recorded_problem_without_data_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("MHBOOST_DATA", raising=False)
    with pytest.raises(problems.ProblemMissingError, match="set MHBOOST_DATA to the folder"):
        problems.load("letter")
    monkeypatch.setenv("MHBOOST_DATA", str(tmp_path))
    with pytest.raises(problems.ProblemMissingError, match=r"there is no letter\.npz"):
        problems.load("letter")


def test_recorded_problem_is_split_as_it_says(monkeypatch, tmp_path):
    X, y = np.arange(12, dtype=np.uint8).reshape(6, 2), np.arange(6)
    np.savez(tmp_path / "letter.npz", X=X, y=y, split=np.array([0, 1, 0, 2, 0, 0]))
    monkeypatch.setenv("MHBOOST_DATA", str(tmp_path))
    problem = problems.load("letter")
    assert problem.y_train.tolist() == [0, 2, 4, 5]
    assert problem.X_test.tolist() == [[2, 3], [6, 7]]


@pytest.fixture
def labelled(monkeypatch, tmp_path):
    """A made-up multi-label set in place of a recorded one; its last label is rare."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, :3] > [0, 0.5, 2]).astype(np.uint8)
    y[[55, 58], 2] = 1
    np.savez(tmp_path / "emotions.npz", X=X, y=y, split=np.arange(60) % 3 == 0)
    monkeypatch.setenv("MHBOOST_DATA", str(tmp_path))
    return problems.load("emotions")


def test_multi_label_problem_has_a_column_a_label(labelled):
    assert labelled.is_multi_label
    assert labelled.shape() == {"n_train": 40, "n_test": 20, "n_features": 4, "n_classes": 3}


@pytest.mark.parametrize("name", ["no-such", "scale_n", "letter:3"])
def test_unknown_problem_is_refused(name):
    with pytest.raises(ValueError, match=r"problem must be one of letter, .*; got"):
        problems.load(name)


# --- systems --------------------------------------------------------------------------------------


def test_unknown_system_is_refused():
    with pytest.raises(ValueError, match=r"system must be one of mhboost, .*; got 'no-such'"):
        systems.load("no-such")


def test_missing_library_names_the_extra(monkeypatch):
    def refuse(name):
        raise ModuleNotFoundError("no lightgbm", name="lightgbm")

    monkeypatch.setattr(systems.importlib, "import_module", refuse)
    with pytest.raises(systems.LibraryMissingError, match=r"pip install 'mhboost\[bench\]'"):
        systems.load("lightgbm")


def test_a_model_weighs_what_its_own_file_weighs():
    class Model:
        def save(self, path):
            path.write_bytes(b"123")

    assert importlib.import_module("systems.mhboost").dump(Model()) == b"123"


def test_micro_benchmark_is_asked_for_a_shape(monkeypatch, tmp_path):
    program = tmp_path / "search_cost"
    program.write_text(
        '#!/bin/sh\necho "{\\"rows\\": $1, \\"features\\": $2, \\"bins\\": $3, \\"classes\\": $4,'
        ' \\"search_ns\\": 0.5, \\"bare_ns\\": 0.25}"\n'
    )
    program.chmod(0o755)
    monkeypatch.setattr(cut_cost, "PROGRAM", program)
    found = cut_cost.search_cost({"rows": 7, "features": 3, "bins": 4, "classes": 2})
    assert found == {
        "n_train": 7,
        "n_features": 3,
        "n_classes": 2,
        "search_ns": 0.5,
        "bare_ns": 0.25,
    }
    program.unlink()
    with pytest.raises(cut_cost.ProgramMissingError, match="make build/micro/search_cost"):
        cut_cost.search_cost({})


# --- plan -----------------------------------------------------------------------------------------


def small_config():
    return {
        "defaults": {"task": "fit", "threads": 1, "seeds": [0], "repeats": 2, "timeout": 60},
        "presets": {
            "own": {
                "system": "mhboost",
                "rounds": 5,
                "parameters": {"n_inner_nodes": 3, "learning_rate": 1.0},
                "by_problem": {"scale_n": {"parameters": {"n_inner_nodes": 4}}},
            },
            "rival": {"system": "floor", "rounds": 1},
        },
        "experiments": {
            "race": {
                "problems": ["iris", "scale_n:100"],
                "runs": {
                    "rival": {"preset": "rival"},
                    "curve": {"preset": "own", "task": "curve", "until": "rival", "repeats": 1},
                    "own": {"preset": "own", "rounds_from": "curve"},
                    "pair": {"preset": "own", "rounds": [2, 4], "problems": ["iris"]},
                },
            }
        },
        "selections": {"quick": {"race": {"problems": ["iris"], "runs": ["rival"]}}},
    }


def labels(jobs):
    return [(job.label, job.rounds, job.repeat) for job in jobs]


def test_plan_interleaves_repeats():
    jobs = [job for job in plan.plan(small_config(), "race") if job.problem == "iris"]
    assert labels(jobs) == [
        ("rival", 1, 0),
        ("curve", 5, 0),
        ("own", None, 0),
        ("pair", 2, 0),
        ("pair", 4, 0),
        ("rival", 1, 1),
        ("own", None, 1),
        ("pair", 2, 1),
        ("pair", 4, 1),
    ]


def test_plan_narrows_and_merges():
    config = small_config()
    assert labels(plan.plan(config, "quick")) == [("rival", 1, 0), ("rival", 1, 1)]
    last = plan.plan(config, "race")[-1]
    assert last.problem == "scale_n:100"
    assert last.parameters == {"n_inner_nodes": 4, "learning_rate": 1.0}


def test_job_changes_with_what_it_follows():
    before = plan.plan(small_config(), "race")
    config = small_config()
    config["presets"]["rival"]["rounds"] = 2
    after = plan.plan(config, "race")
    changed = {b.label for a, b in zip(before, after, strict=True) if a.id != b.id}
    assert changed == {"rival", "curve", "own"}
    assert len({job.id for job in before}) == len(before)


def test_plan_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match="selection must be one of quick, race; got 'slow'"):
        plan.plan(small_config(), "slow")
    config = small_config()
    config["experiments"]["race"]["runs"] = {"own": {"preset": "own", "rounds_from": "curve"}}
    with pytest.raises(ValueError, match="'own' follows 'curve', which must come before it"):
        plan.plan(config, "race")


@pytest.mark.parametrize("selection", ["quick", "full"])
def test_the_configuration_is_sound(selection):
    config = plan.read_config()
    jobs = plan.plan(config, selection)
    assert {job.experiment for job in jobs} <= set(tables.TABLES)
    assert {job.system for job in jobs if job.task != "micro"} <= set(systems.NAMES)
    assert {job.task for job in jobs} <= {"fit", "curve", "budget", "micro"}
    assert len({job.id for job in jobs}) == len(jobs)
    names = {job.problem for job in jobs if job.task != "micro"}
    assert {name.partition(":")[0] for name in names} <= {*problems.WHOLE, *problems.SIZED}


# --- result table ---------------------------------------------------------------------------------


def test_rows_survive_the_csv(tmp_path):
    rows = [
        row(fit_cpu_s=0.1 + 0.2, curve=[[1, 0.5, 0.5, 0.25]], failure=None),
        row(label='a "label", with\ncomma', failure="not done after 3 s", reached=7),
    ]
    results.write(tmp_path / "new" / "a.csv", rows)
    assert results.read(tmp_path / "new" / "a.csv") == rows
    assert results.read(tmp_path / "none.csv") == []


def test_table_of_other_columns_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("job,seconds\n1,2\n")
    with pytest.raises(ValueError, match="other columns"):
        results.read(tmp_path / "a.csv")
    with pytest.raises(ValueError, match="no such column: seconds"):
        results.complete({"seconds": 3})


def test_minimum_of_repeats_and_cost_of_a_round():
    rows = [
        row(rounds=10, fit_cpu_s=1.5),
        row(rounds=10, fit_cpu_s=1.2, repeat=1),
        row(rounds=30, fit_cpu_s=3.2),
        row(rounds=30, fit_cpu_s=9.0, repeat=1),
    ]
    assert results.least(rows, "fit_cpu_s") == 1.2
    assert results.per_round(rows) == pytest.approx(0.1)
    assert results.per_round(rows[:2]) == pytest.approx(0.12)
    assert results.per_round([]) is None
    assert results.least(rows, "error") is None
    assert results.ratio(None, 2) is results.ratio(1, None) is results.ratio(1, 0) is None


# --- session --------------------------------------------------------------------------------------


class FakeMeasure:
    """Stand in for a process: takes note of what is asked, and answers at once."""

    def __init__(self, reached=3):
        self.asked, self.reached, self.fault = [], reached, None

    def __call__(self, request, timeout):
        self.asked.append(request)
        if self.fault:
            raise self.fault
        answer = {"rounds": request["rounds"], "error": 0.25, "fit_cpu_s": 1.0}
        return answer | ({"reached": self.reached} if request["task"] != "fit" else {})


@pytest.fixture
def fake():
    return FakeMeasure()


@pytest.fixture
def session(tmp_path, fake):
    return run.Session(tmp_path / "race.csv", HERE, fake)


def iris_jobs():
    return [job for job in plan.plan(small_config(), "race") if job.problem == "iris"]


def test_session_hands_results_on(session, fake):
    (own,) = [job for job in iris_jobs() if job.label == "own" and job.repeat == 0]
    assert session.do(own)["rounds"] == 3
    assert [request["task"] for request in fake.asked] == ["fit", "curve", "fit"]
    assert fake.asked[1]["target"] == 0.25
    assert "target" not in fake.asked[2]


def test_session_hands_cpu_time_on_to_a_budget(session, fake):
    config = small_config()
    runs = config["experiments"]["race"]["runs"]
    runs["curve"] = {"preset": "own", "task": "budget", "within": "rival", "repeats": 1}
    (own, *_) = [job for job in plan.plan(config, "race") if job.label == "own"]
    session.do(own)
    assert [(request["task"], request.get("target")) for request in fake.asked] == [
        ("fit", None),
        ("budget", 1.0),
        ("fit", None),
    ]


def test_session_measures_nothing_twice(session, fake):
    for job in iris_jobs():
        session.do(job)
    assert len(fake.asked) == len(iris_jobs())
    again = run.Session(session.path, HERE, fake)
    again.set_aside_others(keep_builds=False)
    again.drop_unplanned(iris_jobs())
    assert [again.do(job) for job in iris_jobs()] == list(again.rows.values())
    assert len(fake.asked) == len(iris_jobs())
    again.drop_unplanned(iris_jobs()[:2])
    assert len(again.rows) == 2


@pytest.mark.parametrize(("keep_builds", "n_kept"), [(False, 0), (True, 1)])
def test_session_sets_other_builds_aside(session, fake, keep_builds, n_kept):
    session.do(iris_jobs()[0])
    again = run.Session(session.path, HERE | {"build": "other"}, fake)
    again.set_aside_others(keep_builds)
    assert len(again.rows) == n_kept
    aside = session.path.with_name("race.previous.csv")
    assert len(results.read(aside)) == 1 - n_kept


def test_session_sets_other_machines_aside_always(session, fake):
    session.do(iris_jobs()[0])
    again = run.Session(session.path, HERE | {"kernel": "other"}, fake)
    again.set_aside_others(keep_builds=True)
    assert again.rows == {}


def test_target_out_of_reach_leaves_the_run_out(session, fake):
    fake.reached = None
    (own,) = [job for job in iris_jobs() if job.label == "own" and job.repeat == 0]
    assert session.do(own) is None
    assert session.given_up[own.id] == "curve did not reach its target"


def test_running_out_of_time_is_a_result(session, fake):
    fake.fault = measure.OutOfTimeError("not done after 60 s")
    found = session.do(iris_jobs()[0])
    assert found["failure"] == "not done after 60 s"
    assert results.read(session.path) == [found]


@pytest.mark.parametrize(
    ("fault", "n_failed"),
    [(measure.NotHereError("no data"), 0), (measure.MeasurementError("crash"), 1)],
)
def test_what_cannot_be_measured_gets_no_row(session, fake, fault, n_failed):
    fake.fault = fault
    assert session.do(iris_jobs()[0]) is None
    assert session.do(iris_jobs()[0]) is None
    assert len(fake.asked) == 1
    assert session.outcome["failed"] == n_failed
    assert not session.path.exists()


# --- tables and report ----------------------------------------------------------------------------


def cells(lines):
    """Return the body of a Markdown table as lists of text."""
    body = [line for line in lines if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body]


def test_module_examples_hold():
    for module in (tables, report):
        assert doctest.testmod(module).failed == 0


def test_time_to_error_is_a_ratio_of_minima():
    race = {"experiment": "time_to_error"}
    rows = [
        row(**race, label="LightGBM", fit_cpu_s=8.0, error=0.03),
        row(**race, label="LightGBM", fit_cpu_s=6.0, error=0.03, repeat=1),
        row(**race, label="mhboost-curve", error=0.02, rounds=900, reached=120),
        row(**race, label="mhboost", fit_cpu_s=0.2),
        row(**race, label="mhboost", fit_cpu_s=0.3, repeat=1),
    ]
    assert cells(tables.time_to_error(rows)) == [
        ["letter", "3.00 %", "120 rounds", "30.0×", "20.0×", "2.00 % (900 rounds)"]
    ]
    rows[2]["reached"] = None
    assert cells(tables.time_to_error(rows[:3]))[0][2:4] == ["never", "–"]


def test_peers_are_compared_with_mhboost():
    rows = [
        row(fit_cpu_s=2.0, peak_bytes=100, error=0.1, log_loss=0.5),
        row(label="rival", fit_cpu_s=5.0, peak_bytes=50, error=0.2, log_loss=0.7),
        row(label="slow", failure="not done after 9 s"),
    ]
    own, rival, slow = cells(tables.peers(rows))
    assert own == ["letter: mhboost", "10", "10.00 %", "0.50", "1.00×", "–", "1.00×", "–"]
    assert rival[4:] == ["2.50×", "–", "0.50×", "–"]
    assert slow[1] == "not done after 9 s"


def test_threads_compare_scores():
    rows = [
        row(threads=1, fit_wall_s=3.0, predict_wall_s=1.0, scores_sha="a"),
        row(threads=2, fit_wall_s=1.5, predict_wall_s=0.5, scores_sha="a"),
    ]
    assert cells(tables.threads(rows)) == [["letter", "2.00×", "2.00×", "yes"]]
    rows[1]["scores_sha"] = "b"
    assert cells(tables.threads(rows))[0][3] == "NO"


def test_many_classes_grow_from_the_fewest():
    rows = [
        row(problem=f"many_classes:{k}", n_classes=k, rounds=t, fit_cpu_s=s, peak_bytes=800)
        for k, t, s in [(10, 1, 1.0), (10, 3, 2.0), (40, 1, 2.0), (40, 3, 5.0)]
    ]
    few, many = cells(tables.many_classes(rows))
    assert few[1:3] == ["1.00×", "1.00×"]
    assert many[1:3] == ["1.00×", "3.00×"]
    assert many[4] == "0.20"


def test_scaling_is_per_row():
    rows = [
        row(problem=f"scale_n:{n}", n_train=n, rounds=t, fit_cpu_s=s, peak_bytes=44 * n)
        for n, t, s in [(100, 1, 1.0), (100, 2, 2.0), (200, 1, 1.0), (200, 2, 4.0)]
    ]
    small, large = cells(tables.scale_n(rows))
    assert small == ["100: mhboost", "1.00×", "1.00×", "1.00"]
    assert large == ["200: mhboost", "1.50×", "1.00×", "1.00"]


def test_curves_show_the_lowest_error_so_far():
    curve = [[1, 0.005, 0, 0.5], [2, 0.5, 0, 0.2], [3, 1.0, 0, 0.3]]
    race = {"experiment": "curves", "task": "curve", "fit_cpu_s": 1.0, "error": 0.3}
    rows = [row(**race, label="LightGBM", curve=curve, rounds=3)]
    assert cells(tables.curves(rows)) == [
        ["letter: LightGBM", *["50.00 %"] * 4, "20.00 %", "–", "20.00 %", "2 of 3"]
    ]


def test_labels_are_compared_with_chosen_settings_and_with_defaults():
    rows = [
        row(label="chain", fit_cpu_s=3.0, error=0.2),
        row(label="chain, defaults", fit_cpu_s=1.0, error=0.3),
        row(label="mhboost-budget", task="budget", fit_cpu_s=9.0, error=0.4),
        row(label="mhboost", fit_cpu_s=1.5, error=0.1),
        row(label="mhboost, defaults", fit_cpu_s=2.0, error=0.15),
    ]
    assert cells(tables.multi_label(rows)) == [
        ["letter: chain", "20.00 %", "2.00×", "30.00 %", "0.50×"],
        ["letter: mhboost", "10.00 %", "1.00×", "15.00 %", "1.00×"],
    ]


def test_a_cut_is_compared_with_the_bare_loop():
    shape = {"rows": 16000, "features": 16, "bins": 8, "classes": 26}
    rows = [row(problem="letter-like", parameters=shape, search_ns=0.6, bare_ns=0.4)]
    assert cells(tables.micro(rows)) == [
        ["letter-like: 16,000 × 16, 8, 26", "1.50×", "2.00×", "0.60", "0.40"]
    ]


@pytest.mark.parametrize("name", sorted(set(tables.TABLES) - {"micro"}))
def test_every_table_stands_little(name):
    """A table of one row, with most figures missing, is still a table."""
    lines = tables.table(name, [row(experiment=name, fit_cpu_s=1.0, fit_wall_s=1.0, error=0.5)])
    assert lines[-1].startswith("*a CPU, 2 cores, kernel avx2; mhboost 0.1.0, lightgbm 4.7.0;")
    assert tables.table(name, []) == []


def test_mixed_builds_are_marked():
    rows = [row(), row(build="other", repeat=1)]
    assert "Rows of 2 builds" in tables.origin(rows)
    assert "Rows of" not in tables.origin(rows[:1])


def test_report_rewrites_only_what_was_measured():
    text = "a\n<!-- bench:iris -->\nold\n<!-- /bench:iris -->\nb\n<!-- bench:mnist -->\nkept\n"
    text += "<!-- /bench:mnist -->\nc\n"
    new = report.rewrite(text, lambda name: ["new"] if name == "iris" else [])
    assert new == text.replace("old", "new")
    assert report.rewrite(new, lambda name: ["new"] if name == "iris" else []) == new
    assert report.rewrite("nothing", lambda name: ["new"]) == "nothing"


def test_pictures_stand_below_their_table():
    drawn = [Path("anywhere/error-against-time-letter.svg")]
    link = "![error against time letter](pictures/error-against-time-letter.svg)"
    assert report.with_pictures("curves", ["table"], drawn) == ["table", "", link]
    assert report.with_pictures("curves", ["table"], []) == ["table"]
    assert report.with_pictures("curves", [], drawn) == []
    assert report.with_pictures("iris", ["table"], drawn) == ["table"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<!-- bench:iris -->", "do not pair up"),
        ("<!-- /bench:iris --><!-- bench:iris -->", "do not pair up"),
        ("<!-- bench:iris --><!-- /bench:mnist -->", "do not pair up"),
        ("<!-- bench:none --><!-- /bench:none -->", "no such table"),
    ],
)
def test_report_refuses_broken_markers(text, fault):
    with pytest.raises(ValueError, match=fault):
        report.rewrite(text, lambda name: ["new"])


@pytest.mark.parametrize("path", report.FILES, ids=lambda path: path.name)
def test_markers_in_the_documentation_are_sound(path):
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    assert report.rewrite(text, lambda name: []) == text


# --- a real measurement ---------------------------------------------------------------------------


def request(system, **values):
    usual = {"problem": "iris", "rounds": 5, "parameters": {}, "threads": 1, "seed": 0}
    return usual | {"system": system, "task": "fit"} | values


@pytest.mark.parametrize("system", ["mhboost", "floor"])
def test_a_measurement_fills_the_row(system):
    found = measure.measure(request(system), timeout=120)
    results.complete(found)
    for name in ("fit_cpu_s", "fit_wall_s", "predict_cpu_s", "predict_wall_s"):
        assert 0 < found[name] < 60
    assert 0 < found["latency_us"] < 1e6
    assert 0 <= found["peak_bytes"] < 1e9
    assert found["model_bytes"] > 0
    assert found["error"] < (0.2 if system == "mhboost" else 0.7)
    assert 0 < found["log_loss"] < 1.2


def test_a_curve_ends_at_the_error_of_the_same_fit():
    fit = measure.measure(request("mhboost"), timeout=120)
    curve = measure.measure(request("mhboost", task="curve", target=1.0), timeout=120)
    assert curve["error"] == fit["error"]
    assert curve["reached"] == 1
    rounds, cpu, wall, errors = zip(*curve["curve"], strict=True)
    assert rounds == (1, 2, 3, 4, 5)
    assert list(cpu) == sorted(cpu)
    assert list(wall) == sorted(wall)
    assert errors[-1] == curve["error"]


def test_error_of_labels_is_the_hamming_loss(labelled):
    scores = np.where(labelled.y_test, 1.0, -1.0)
    scores[0] *= -1
    assert measure.error_of(labelled, scores) == pytest.approx(1 / 20)
    proba = np.where(labelled.y_test, 0.8, 0.2)
    assert measure.quality(labelled, scores, proba)["log_loss"] == pytest.approx(-np.log(0.8))


@pytest.mark.usefixtures("labelled")
def test_labels_are_measured_like_classes():
    found = measure.run(request("mhboost", problem="emotions", rounds=20))
    results.complete(found)
    assert found["error"] < 0.2
    assert 0 < found["log_loss"] < 1


def test_warm_up_sees_both_sides_of_every_label(labelled, monkeypatch):
    monkeypatch.setattr(measure, "WARM_UP_ROWS", 3)
    seen = []

    def train(problem, rounds, **settings):
        seen.append(problem.y_train)
        return systems.Trained(np.asarray, np.asarray, bytes, rounds)

    measure.warm_up(train, labelled, {})
    assert len(seen[0]) < 10
    assert (seen[0].min(axis=0) == 0).all()
    assert (seen[0].max(axis=0) == 1).all()


@pytest.mark.parametrize(("seconds", "reached"), [(4, 2), (1.5, None), (9, 5)])
def test_a_budget_counts_the_rounds_within(labelled, monkeypatch, seconds, reached):
    """Every round takes a second, and so does what comes after; a fifth is kept back."""
    now = iter(range(100))
    monkeypatch.setattr("time.process_time", lambda: next(now))

    def train(problem, rounds, on_round):
        done = next(t for t in range(1, rounds + 1) if on_round() or t == rounds)
        return systems.Trained(lambda X: np.ones((len(X), 3)), None, None, done)

    found = measure.measure_budget(train, labelled, 5, {}, {"target": seconds})
    assert found["reached"] == reached


def test_settings_are_chosen_on_the_training_part_alone(labelled):
    rows = np.concatenate([part.X_test for part in choose.parts(labelled)])
    assert sorted(rows.tolist()) == sorted(labelled.X_train.tolist())
    for part in choose.parts(labelled):
        assert len(part.X_train) + len(part.X_test) == len(labelled.X_train)
        assert not set(map(tuple, part.X_train)) & set(map(tuple, part.X_test))


def test_every_combination_is_a_candidate():
    assert choose.candidates({"a": (1, 2), "b": (None,)}) == [
        {"a": 1, "b": None},
        {"a": 2, "b": None},
    ]
    assert choose.geometric([2, 8]) == pytest.approx(4)
    assert choose.geometric([]) is None


def test_a_failing_process_tells_why():
    with pytest.raises(measure.MeasurementError, match="n_inner_nodes"):
        measure.measure(request("mhboost", parameters={"n_inner_nodes": 0}), timeout=120)
    with pytest.raises(measure.MeasurementError, match="cannot show its error"):
        measure.measure(request("floor", task="curve"), timeout=120)
    with pytest.raises(measure.OutOfTimeError, match="not done after"):
        measure.measure(request("floor"), timeout=0.001)


def test_missing_data_are_not_a_failure(monkeypatch):
    monkeypatch.delenv("MHBOOST_DATA", raising=False)
    with pytest.raises(measure.NotHereError, match="MHBOOST_DATA"):
        measure.measure(request("floor", problem="letter"), timeout=120)


def test_first_reaching_and_thinned():
    assert measure.first_reaching({3: 0.1, 1: 0.3, 2: 0.2}, 0.2) == 2
    assert measure.first_reaching({1: 0.3}, 0.2) is None
    assert measure.thinned(1) == [1]
    shown = measure.thinned(4000)
    assert shown[0] == 1
    assert shown[-1] == 4000
    assert shown == sorted(set(shown))
    assert len(shown) <= 80


def test_the_machine_describes_itself():
    here = machine.describe()
    assert machine.describe() == here
    results.complete(here | machine.moment())
    assert here["cores"] >= 1
