"""From config.toml to a list of jobs.

    experiment x problem x run x rounds x threads x seed x repeat  ->  Job

A job may follow another one of the same experiment and problem: a curve looks for the first round
that reaches another run's error, a budget for the rounds that fit into another run's CPU time, and
a run may take its number of rounds from either. The id of a job covers all that it follows, so a
result is kept exactly as long as it means the same.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path

CONFIG = Path(__file__).with_name("config.toml")
FOLLOWING = ("until", "within", "rounds_from")  # keys of a run that name another one


@dataclass(frozen=True)
class Job:
    experiment: str
    problem: str
    label: str
    system: str
    task: str
    rounds: int | None  # None: as many as the job it follows found
    parameters: dict = field(hash=False)
    threads: int
    seed: int
    repeat: int
    timeout: float
    after: Job | None

    @property
    def id(self):
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def name(self):
        return f"{self.experiment}/{self.problem}/{self.label}"


def read_config(path=CONFIG):
    return tomllib.loads(Path(path).read_text(encoding="utf-8"))


def merged(*layers):
    """Overlay tables; their `parameters` are merged too."""
    result, parameters = {}, {}
    for layer in layers:
        result |= layer
        parameters |= layer.get("parameters", {})
    return result | {"parameters": parameters}


def as_list(value):
    return value if isinstance(value, list) else [value]


def run_table(config, experiment, run, problem):
    """Return all that is known of one run on one problem; what is nearer to the run wins."""
    layers = [config["defaults"]]
    for table in (config["presets"].get(run.get("preset"), {}), experiment, run):
        by_problem = table.get("by_problem", {})
        names = (problem.partition(":")[0], problem)
        layers += [table, *(by_problem[name] for name in names if name in by_problem)]
    return merged(*layers)


def jobs_of(config, name, problem):
    """Return the jobs of one experiment and problem, in the order to do them: repeat by repeat."""
    experiment = config["experiments"][name]
    first, jobs = {}, []
    for label, run in experiment["runs"].items():
        if problem not in run.get("problems", [problem]):
            continue
        table = run_table(config, experiment, run, problem)
        follows = next((table[key] for key in FOLLOWING if key in table), None)
        if follows is not None and follows not in first:
            raise ValueError(f"{name}: {label!r} follows {follows!r}, which must come before it")
        wanted = [None] if "rounds_from" in table else as_list(table["rounds"])
        axes = (wanted, as_list(table["threads"]), table["seeds"], range(table["repeats"]))
        for rounds, threads, seed, repeat in product(*axes):
            job = Job(
                name,
                problem,
                label,
                table["system"],
                table["task"],
                rounds,
                table["parameters"],
                threads,
                seed,
                repeat,
                table["timeout"],
                first.get(follows),
            )
            first.setdefault(label, job)
            jobs.append(job)
    return sorted(jobs, key=lambda job: job.repeat)


def plan(config, selection):
    """Return the jobs of a selection, or of a single experiment."""
    experiments, selections = config["experiments"], config["selections"]
    if selection in selections:
        wanted = selections[selection]
    elif selection in experiments:
        wanted = {selection: {}}
    else:
        known = ", ".join([*selections, *experiments])
        raise ValueError(f"selection must be one of {known}; got {selection!r}")
    jobs = []
    for name, changes in wanted.items():
        chosen = changes.get("runs", list(experiments[name]["runs"]))
        rest = {key: value for key, value in changes.items() if key != "runs"}
        runs = {label: experiments[name]["runs"][label] for label in chosen}
        narrowed = config | {
            "experiments": experiments | {name: experiments[name] | {"runs": runs} | rest}
        }
        for problem in narrowed["experiments"][name]["problems"]:
            jobs += jobs_of(narrowed, name, problem)
    return jobs
