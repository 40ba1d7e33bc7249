"""Measure.

    python benchmarks/run.py [--selection quick|full|EXPERIMENT] [--only WORD[,WORD]]

Rows go to benchmarks/results/SELECTION.csv as they come. What is there already is not measured
again, so an interrupted run goes on where it stopped. Rows of another machine, build or version
are set aside first (SELECTION.previous.csv): ratios are worth something within one run only.
`--only letter,mhboost` takes the jobs in which every word is the problem, system or label, and
those that they follow.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import machine
import results
from measure import MeasurementError, NotHereError, OutOfTimeError, measure
from plan import plan, read_config


def say(text):
    print(text, file=sys.stderr, flush=True)


class Session:
    """The table on disk, and the jobs that are added to it."""

    def __init__(self, path, here, measure=measure):
        self.path, self.here, self.measure = Path(path), here, measure
        self.rows = {row["job"]: row for row in results.read(path)}
        self.outcome = Counter()
        self.given_up = {}  # job -> why it has no row

    def set_aside_others(self, keep_builds):
        """Move the rows of other runs out of the way."""
        skipped = {"build", "versions"} if keep_builds else set()
        wanted = {key: value for key, value in self.here.items() if key not in skipped}
        if not any(row | wanted != row for row in self.rows.values()):
            return
        aside = self.path.with_suffix(".previous.csv")
        say(f"the rows in {self.path} are of another machine, build or version; now in {aside}")
        self.path.replace(aside)
        self.rows = {}

    def drop_unplanned(self, jobs):
        """Forget the rows that the configuration no longer asks for."""
        planned = {job.id for job in jobs}
        self.rows = {key: row for key, row in self.rows.items() if key in planned}

    def do(self, job):
        """Return the job's row, measuring it if it is not there; None if that is impossible."""
        if job.id in self.rows or job.id in self.given_up:
            return self.rows.get(job.id)
        request, obstacle = self.request(job)
        if obstacle is None:
            began = time.perf_counter()
            result, obstacle = self.result(request, job.timeout)
        if obstacle is not None:
            self.given_up[job.id] = obstacle
            self.outcome["left out"] += 1
            say(f"  {job.name}: {obstacle}")
            return None
        asked = {key: value for key, value in request.items() if key != "rounds"}
        asked |= {"job": job.id, "experiment": job.experiment, "label": job.label}
        asked |= {"repeat": job.repeat, "rounds": request["rounds"]}
        row = results.complete(asked | self.here | machine.moment() | result)
        self.rows[job.id] = row
        results.write(self.path, self.rows.values())
        self.outcome["measured"] += 1
        say(f"  {job.name}: {summary(row)} [{time.perf_counter() - began:.0f} s]")
        return row

    def request(self, job):
        """Return what to ask for, and what stands in the way."""
        request = {
            name: getattr(job, name)
            for name in ("problem", "system", "task", "rounds", "parameters", "threads", "seed")
        }
        if job.after is None:
            return request, None
        found = self.do(job.after)
        if found is None or found["failure"]:
            return None, f"nothing from {job.after.label}"
        if job.rounds is not None:
            target = found["fit_cpu_s" if job.task == "budget" else "error"]
            return request | {"target": target}, None
        if found["reached"] is None:
            return None, f"{job.after.label} did not reach its target"
        return request | {"rounds": found["reached"]}, None

    def result(self, request, timeout):
        """Return the measurement, and why there is none. Running out of time is a result."""
        try:
            return self.measure(request, timeout), None
        except OutOfTimeError as error:
            return {"failure": str(error)}, None
        except NotHereError as error:
            return None, str(error)
        except MeasurementError as error:
            self.outcome["failed"] += 1
            return None, str(error)


def summary(row):
    if row["failure"]:
        return row["failure"]
    if row["task"] == "micro":
        return f"search {row['search_ns']:.3g} ns, bare loop {row['bare_ns']:.3g} ns"
    parts = [f"{row['rounds']} rounds", f"error {row['error']:.2%}", f"fit {row['fit_cpu_s']:.3g}"]
    if row["predict_cpu_s"] is not None:
        parts.append(f"predict {row['predict_cpu_s']:.3g}")
    return ", ".join(parts) + " CPU s"


def wanted(job, words):
    names = {job.problem, job.problem.partition(":")[0], job.system, job.label, job.experiment}
    return all(word in names for word in words)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--selection", default="quick", help="quick, full or an experiment")
    parser.add_argument("--only", default="", help="problem, system, label, experiment; comma")
    parser.add_argument("--list", action="store_true", help="show the jobs and stop")
    parser.add_argument(
        "--keep-builds", action="store_true", help="keep rows of other builds; reports will say so"
    )
    options = parser.parse_args(arguments)
    jobs = plan(read_config(), options.selection)
    words = [word.strip() for word in options.only.split(",") if word.strip()]
    chosen = [job for job in jobs if wanted(job, words)]
    if options.list:
        for job in chosen:
            print(job.id, job.name, job.rounds or "?", f"threads={job.threads}", job.repeat)
        return 0
    session = Session(results.path_of(options.selection), machine.describe())
    session.set_aside_others(options.keep_builds)
    session.drop_unplanned(jobs)
    for done, job in enumerate(chosen):
        if job.repeat == 0 and (done == 0 or chosen[done - 1].problem != job.problem):
            say(f"{job.experiment}, {job.problem} ({done}/{len(chosen)})")
        session.do(job)
    say(", ".join(f"{n} {what}" for what, n in session.outcome.items()) or "nothing to do")
    return 1 if session.outcome["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
