"""From a TOML file to an experiment, checked before any time is spent.

data = "letter"              a data set of mhboost.datasets
table = "table1"             where its result belongs: table1, table2, mnist or other
t_min = 50                   of eq. 15
one_sigma = false            take the first candidate within one standard error of the best

[folds]
test = "designated"          the data set's own test rows, or a number of test folds
validation = 5               number of validation runs per test fold; 0: nothing is chosen
seed = 0                     of the cuts

[[learners]]                 one or more
name = "Hamming trees"
base = "tree"                or product, stump
rounds = 8000                T_max
parameters = { learning_rate = 1.0 }       of MHBoostClassifier, the same in all candidates
grid = { n_inner_nodes = [8, 20] }         lists of these, smallest first
piece = 5000                 the last training is checkpointed every so many rounds; 0: never

[svm]                        optional: the rival, on the same folds
C = [1, 8]
gamma = [0.1, 1]
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from .. import datasets
from .._stopping import T_MIN
from ..classifier import MHBoostClassifier
from ._errors import ExperimentError
from ._experiment import TABLES, Experiment, FoldPlan, LearnerPlan, SvmPlan

__all__ = ["built_in", "read"]


def built_in() -> dict[str, str]:
    """List the experiments of the paper.

    Returns
    -------
    dict
        The text of each TOML file by name, in the order of the tables.
    """
    folder = files(__package__).joinpath("experiments")
    texts = {
        entry.name.removesuffix(".toml"): entry.read_text(encoding="utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    }
    return dict(sorted(texts.items()))


def read(source: str) -> Experiment:
    """Read an experiment.

    Parameters
    ----------
    source : str
        A path to a TOML file, or the name of one of the paper's experiments.

    Returns
    -------
    Experiment
        Checked.

    Examples
    --------
    >>> read("iris").learners[0].grid["n_inner_nodes"][:3]
    [1, 2, 3]
    """
    name = Path(source).name.removesuffix(".toml")
    if Path(source).is_file():
        text = Path(source).read_text(encoding="utf-8")
    elif source.removesuffix(".toml") in built_in():
        text = built_in()[name]
    else:
        raise ExperimentError(
            f"there is no file {source}, and no experiment of this name; "
            f"there are: {', '.join(built_in())}"
        )
    try:
        return _experiment(name, tomllib.loads(text))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ExperimentError(f"{name}.toml is not TOML: {error}") from error
    except ExperimentError as error:
        raise ExperimentError(f"{name}.toml: {error}") from None


# --- checks ---------------------------------------------------------------------------------------


def _experiment(name: str, text: dict[str, Any]) -> Experiment:
    values = dict(text)
    experiment = Experiment(
        name=name,
        data=_take(values, "data", str),
        table=_take(values, "table", str, "other"),
        t_min=_take(values, "t_min", int, T_MIN),
        one_sigma=_take(values, "one_sigma", bool, False),
        folds=_folds(_take(values, "folds", dict)),
        learners=[_learner(plan) for plan in _take(values, "learners", list, [])],
        svm=_svm(values.pop("svm", None)),
    )
    _nothing_left(values)
    _check(experiment)
    return experiment


def _check(experiment: Experiment) -> None:
    if experiment.data not in datasets.names():
        raise ExperimentError(
            f"data: no data set {experiment.data!r}; there are: {', '.join(datasets.names())}"
        )
    if experiment.table not in TABLES:
        raise ExperimentError(f"table must be one of {', '.join(TABLES)}; got {experiment.table!r}")
    if not experiment.learners and experiment.svm is None:
        raise ExperimentError("there is nothing to run: no [[learners]], no [svm]")
    names = [plan.name for plan in experiment.learners]
    if len(set(names)) < len(names):
        raise ExperimentError("two learners have the same name")
    chosen = max([len(plan.candidates) for plan in experiment.learners], default=1)
    if experiment.svm is not None:
        chosen = max(chosen, len(experiment.svm.C) * len(experiment.svm.gamma))
    if experiment.folds.validation == 0 and chosen > 1:
        raise ExperimentError("without validation runs (validation = 0) a grid must have one value")


def _folds(values: dict[str, Any]) -> FoldPlan:
    test = values.pop("test", None)
    is_number = isinstance(test, int) and not isinstance(test, bool) and test >= 2
    if test != "designated" and not is_number:
        raise ExperimentError(f'folds.test must be "designated" or at least 2; got {test!r}')
    validation, seed = _take(values, "validation", int), _take(values, "seed", int, 0)
    if validation < 0 or validation == 1:
        raise ExperimentError(f"folds.validation must be 0 or at least 2; got {validation}")
    if not 0 <= seed < 2**32:
        raise ExperimentError(f"folds.seed must be from 0 to 2**32 - 1; got {seed}")
    _nothing_left(values)
    return FoldPlan(test, validation, seed)


def _learner(given: Any) -> LearnerPlan:
    if not isinstance(given, dict):
        raise ExperimentError(f"learners must be tables; got {given!r}")
    values = dict(given)
    plan = LearnerPlan(
        name=_take(values, "name", str),
        base=_take(values, "base", str),
        rounds=_take(values, "rounds", int),
        parameters=_take(values, "parameters", dict, {}),
        grid=_take(values, "grid", dict, {}),
        piece=_take(values, "piece", int, 0),
    )
    _nothing_left(values)
    for name, listed in plan.grid.items():
        if not isinstance(listed, list) or not listed:
            raise ExperimentError(f"grid.{name} must be a list of values; got {listed!r}")
    taken = {"n_estimators", "n_jobs", "base", "early_stopping", "eval_metric", "warm_start"}
    known = set(MHBoostClassifier().get_params()) - taken
    unknown = sorted((set(plan.parameters) | set(plan.grid)) - known)
    if unknown:
        raise ExperimentError(f"a learner has no parameter {', '.join(unknown)}")
    if plan.rounds < 1 or plan.piece < 0:
        raise ExperimentError("rounds must be at least 1, and piece at least 0")
    _try(plan)
    return plan


def _try(plan: LearnerPlan) -> None:
    """Let the classifier itself refuse bad values, before any time is spent."""
    for candidate in plan.candidates:
        try:
            plan.classifier(candidate).set_params(n_estimators=1).fit([[0], [1]], [0, 1])
        except (ValueError, TypeError) as error:
            raise ExperimentError(f"learner {plan.name!r}: {error}") from error


def _svm(given: Any) -> SvmPlan | None:
    if given is None:
        return None
    if not isinstance(given, dict):
        raise ExperimentError(f"svm must be a table; got {given!r}")
    values = dict(given)
    lists = {name: _take(values, name, list) for name in ("C", "gamma")}
    _nothing_left(values)
    for name, listed in lists.items():
        if not listed or not all(isinstance(x, (int, float)) and x > 0 for x in listed):
            raise ExperimentError(f"svm.{name} must be a list of positive numbers; got {listed!r}")
    return SvmPlan(**lists)


def _take(values: dict[str, Any], key: str, kind: type, *default: Any) -> Any:
    """Take a value out of a table, of the right type."""
    if key not in values and default:
        return default[0]
    if key not in values:
        raise ExperimentError(f"{key} is missing")
    value = values.pop(key)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ExperimentError(f"{key} must be of type {kind.__name__}; got {value!r}")
    return value


def _nothing_left(values: dict[str, Any]) -> None:
    if values:
        raise ExperimentError(f"unknown key: {', '.join(values)}")
