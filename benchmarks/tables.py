"""The tables of the report: rows in, lines of Markdown out. One function per experiment.

Every figure is a ratio of measurements of one run, unless its head says "here".
"""

from __future__ import annotations

from collections import Counter

from results import distinct, least, per_round, ratio, where

# Seconds per tree of the original package on letter, N = 20: 47.7 CPU s for 200 trees, recorded on
# another machine, ±30 %.
ORIGINAL_SECONDS_PER_TREE = 47.7 / 200
WANTED_NEARNESS = {"letter-like": 2, "isolet-like": 3}
WANTED_SPEEDUP = {"letter": 20, "pendigits": 20, "usps": 8, "optdigits": 8, "isolet": 8}


DEFAULTS = ", defaults"  # ends the label of a run that leaves every parameter alone


def number(value, unit=""):
    """Write three digits of a number; a dash for None.

    >>> number(0.01234), number(7.0, "×"), number(1234.5), number(None)
    ('0.0123', '7.00×', '1,234', '–')
    """
    if value is None:
        return "–"
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}{unit}"
    if size < 0.1 and size:
        return f"{value:.3g}{unit}"
    return f"{value:.{1 if size >= 10 else 2}f}{unit}"


def percent(value):
    return "–" if value is None else f"{100 * value:.2f} %"


def markdown(heads, lines):
    """Write a table; the first column is text, the others are numbers."""
    rule = ["---"] + ["---:"] * (len(heads) - 1)
    return ["| " + " | ".join(map(str, cells)) + " |" for cells in (heads, rule, *lines)]


def good(rows):
    return [row for row in rows if not row["failure"]]


def time_to_error(rows):
    heads = (
        "problem",
        "LightGBM's error",
        "mhboost has it after",
        "LightGBM's CPU time / mhboost's",
        "wanted",
        "mhboost's last error",
    )
    lines = []
    for problem in distinct(rows, "problem"):
        here = good(where(rows, problem=problem))
        rival, own = where(here, label="LightGBM"), where(here, label="mhboost")
        curve = where(here, label="mhboost-curve")
        if not rival or not curve:
            continue
        reached = f"{curve[0]['reached']} rounds" if curve[0]["reached"] else "never"
        speedup = ratio(least(rival, "fit_cpu_s"), least(own, "fit_cpu_s"))
        last = f"{percent(curve[0]['error'])} ({curve[0]['rounds']} rounds)"
        wanted = number(WANTED_SPEEDUP.get(problem), "×")
        error = percent(least(rival, "error"))
        lines.append((problem, error, reached, number(speedup, "×"), wanted, last))
    return markdown(heads, lines)


def peers(rows):
    """Compare everybody with mhboost, problem by problem."""
    heads = ("rounds", "error", "log-loss", "fit CPU", "predict CPU", "memory", "model size")
    columns = ("fit_cpu_s", "predict_cpu_s", "peak_bytes", "model_bytes")
    lines = []
    for problem in distinct(rows, "problem"):
        here = where(rows, problem=problem)
        unit = good(where(here, label="mhboost"))
        for label in distinct(here, "label"):
            runs = where(here, label=label)
            if not good(runs):
                lines.append((f"{problem}: {label}", runs[0]["failure"], *["–"] * 6))
                continue
            run = good(runs)
            shares = [number(ratio(least(run, c), least(unit, c)), "×") for c in columns]
            quality = percent(least(run, "error")), number(least(run, "log_loss"))
            lines.append((f"{problem}: {label}", run[0]["rounds"], *quality, *shares))
    return markdown(("problem: system (mhboost = 1)", *heads), lines)


def original(rows):
    own = per_round(good(where(rows, label="mhboost")))
    if own is None:
        return []
    error = percent(least(good(rows), "error"))
    line = ("letter, N = 20", number(ORIGINAL_SECONDS_PER_TREE / own, "×"), "200×", error)
    heads = ("problem", "original's CPU time per tree (*) / mhboost's", "wanted", "error, T = 200")
    note = "(*) recorded on another machine, ±30 %: an order of magnitude, not a ratio of one run."
    return [*markdown(heads, [line]), "", note]


def micro(rows):
    heads = (
        "rows × features, bins, classes",
        "search / bare loop",
        "wanted, at most",
        "search: ns per (row, feature, vector) here",
        "bare loop: ns here",
    )
    lines = []
    for problem in distinct(rows, "problem"):
        run = where(rows, problem=problem)[0]
        shape = run["parameters"]
        size = f"{shape['rows']:,} × {shape['features']}, {shape['bins']}, {shape['classes']}"
        nearness = number(ratio(run["search_ns"], run["bare_ns"]), "×")
        wanted = number(WANTED_NEARNESS[problem], "×")
        nanoseconds = number(run["search_ns"]), number(run["bare_ns"])
        lines.append((f"{problem}: {size}", nearness, wanted, *nanoseconds))
    return markdown(heads, lines)


def multi_label(rows):
    """Compare Hamming losses and CPU times, with chosen settings and with everybody's defaults."""
    heads = (
        "problem: system",
        "Hamming loss",
        "CPU / mhboost's",
        "defaults: loss",
        "CPU / mhboost's",
    )
    lines = []
    for problem in distinct(rows, "problem"):
        here = good(where(rows, problem=problem, task="fit"))
        for label in distinct(here, "label"):
            if label.endswith(DEFAULTS):
                continue
            cells = []
            for ending in ("", DEFAULTS):
                run, own = where(here, label=label + ending), where(here, label="mhboost" + ending)
                share = ratio(least(run, "fit_cpu_s"), least(own, "fit_cpu_s"))
                cells += [percent(least(run, "error")), number(share, "×")]
            lines.append((f"{problem}: {label}", *cells))
    return markdown(heads, lines)


def many_classes(rows):
    """Compare rounds at growing numbers of classes."""
    heads = (
        "classes: system",
        "round: CPU / mhboost's",
        "round: CPU / its own at the fewest classes",
        "error (rounds)",
        "memory / (n·K bytes)",
    )
    lines = []
    fewest = min(distinct(rows, "n_classes"), key=lambda k: k or float("inf"))
    for problem in distinct(rows, "problem"):
        here = where(rows, problem=problem)
        unit = per_round(good(where(here, label="mhboost")))
        for label in distinct(here, "label"):
            runs, name = good(where(here, label=label)), f"{problem.partition(':')[2]}: {label}"
            if not runs:
                lines.append((name, where(here, label=label)[0]["failure"], "–", "–", "–"))
                continue
            own = per_round(runs)
            first = per_round(good(where(rows, label=label, n_classes=fewest)))
            most = max(distinct(runs, "rounds"))
            error = f"{percent(least(where(runs, rounds=most), 'error'))} ({most})"
            entries = runs[0]["n_train"] * runs[0]["n_classes"]
            memory = number(ratio(least(where(runs, rounds=most), "peak_bytes"), entries))
            growth = number(ratio(own, first), "×")
            lines.append((name, number(ratio(own, unit), "×"), growth, error, memory))
    return markdown(heads, lines)


def covertype(rows):
    heads = ("100 rounds: system", "fit CPU / mhboost's", "predict CPU / mhboost's", "error")
    unit = good(where(rows, label="mhboost"))
    lines = []
    for label in distinct(rows, "label"):
        run = good(where(rows, label=label))
        columns = ("fit_cpu_s", "predict_cpu_s")
        shares = [number(ratio(least(run, c), least(unit, c)), "×") for c in columns]
        lines.append((label, *shares, percent(least(run, "error"))))
    return markdown(heads, lines)


def error_at(row, seconds):
    """Return the lowest error of a curve within some CPU seconds; None if it ended before."""
    if seconds > 1.01 * row["fit_cpu_s"]:
        return None
    return min((error for _, cpu, _, error in row["curve"] if cpu <= seconds), default=None)


def curves(rows):
    """Show errors within the same CPU time; the unit is what LightGBM takes for all its rounds."""
    shares = (0.01, 0.03, 0.1, 0.3, 1, 3)
    heads = ("lowest error so far", *(f"after {share:g}" for share in shares), "lowest", "at round")
    lines = []
    for problem in distinct(rows, "problem"):
        here = good(where(rows, problem=problem))
        unit = least(where(here, label="LightGBM"), "fit_cpu_s")
        if unit is None:
            continue
        for row in here:
            within = [percent(error_at(row, share * unit)) for share in shares]
            at, _, _, lowest = min(row["curve"], key=lambda point: point[3])
            at = f"{at:,} of {row['rounds']:,}"
            lines.append((f"{problem}: {row['label']}", *within, percent(lowest), at))
    return markdown(heads, lines)


def scaling(rows, size, column):
    """Compare the cost of a round per unit of `size`, and the memory, as problems grow."""
    heads = (
        f"{size}s: system",
        f"CPU per round and {size} / the first",
        "round: CPU / mhboost's",
        "memory / (n·d + 8·n·K bytes)",
    )
    lines = []
    for label in distinct(rows, "label"):
        all_runs = good(where(rows, label=label))
        costs = {}
        for problem in distinct(all_runs, "problem"):
            runs = where(all_runs, problem=problem)
            unit = per_round(good(where(rows, label="mhboost", problem=problem)))
            n, d, k = (runs[0][name] for name in ("n_train", "n_features", "n_classes"))
            costs[problem] = ratio(per_round(runs), runs[0][column])
            growth = ratio(costs[problem], next(iter(costs.values())))
            most = where(runs, rounds=max(distinct(runs, "rounds")))
            memory = ratio(least(most, "peak_bytes"), n * d + 8 * n * k)
            shares = number(growth, "×"), number(ratio(per_round(runs), unit), "×"), number(memory)
            lines.append((f"{runs[0][column]:,}: {label}", *shares))
    return markdown(heads, lines)


def scale_n(rows):
    return scaling(rows, "row", "n_train")


def scale_d(rows):
    return scaling(rows, "feature", "n_features")


def prediction(rows):
    heads = (
        "system",
        "error",
        "rows per second / LightGBM's",
        "rows per second / XGBoost's",
        "one row: µs here",
        "one row, not validated: µs here",
        "LightGBM's model size / its own",
    )
    rows = where(good(rows), task="fit")
    lightgbm, xgboost = where(rows, label="LightGBM"), where(rows, label="XGBoost")
    lines = []
    for label in distinct(rows, "label"):
        run = where(rows, label=label)
        own = least(run, "predict_cpu_s")
        speedups = [
            number(ratio(least(rival, "predict_cpu_s"), own), "×") for rival in (lightgbm, xgboost)
        ]
        latencies = [number(least(run, name)) for name in ("latency_us", "latency_one_us")]
        size = number(ratio(least(lightgbm, "model_bytes"), least(run, "model_bytes")), "×")
        lines.append((label, percent(least(run, "error")), *speedups, *latencies, size))
    return markdown(heads, lines)


def threads(rows):
    heads = ("problem", "fit: wall time 1 thread / 2", "predict: 1 thread / 2", "same scores")
    lines = []
    for problem in distinct(rows, "problem"):
        here = good(where(rows, problem=problem))
        one, two = where(here, threads=1), where(here, threads=2)
        if not one or not two:
            continue
        columns = ("fit_wall_s", "predict_wall_s")
        speedups = [number(ratio(least(one, c), least(two, c)), "×") for c in columns]
        same = "yes" if len(distinct(here, "scores_sha")) == 1 else "NO"
        lines.append((problem, *speedups, same))
    return markdown(heads, lines)


def mnist(rows):
    seconds = per_round(good(rows), "fit_wall_s")
    line = ("MNIST, N = 8, two threads", number(ratio(1, seconds)), "25")
    return markdown(("problem", "rounds per second here", "wanted"), [line])


def iris(rows):
    seconds = least(good(rows), "fit_wall_s")
    milliseconds = None if seconds is None else 1000 * seconds
    line = ("iris, N = 4, T = 100", number(milliseconds), "20")
    return markdown(("problem", "milliseconds here", "wanted, at most"), [line])


TABLES = {
    table.__name__: table
    for table in (
        time_to_error,
        peers,
        original,
        micro,
        multi_label,
        many_classes,
        covertype,
        curves,
        scale_n,
        scale_d,
        prediction,
        threads,
        mnist,
        iris,
    )
}


def origin(rows):
    """Return the line that says where a table comes from."""
    last = max(rows, key=lambda row: row["date"])
    names = ("mhboost", "lightgbm", "xgboost", "catboost", "scikit-learn")
    used = {name: last["versions"].get(name) for name in names}
    versions = ", ".join(f"{name} {version}" for name, version in used.items() if version)
    slots = Counter((r["problem"], r["label"], r["rounds"], r["threads"]) for r in rows)
    repeats = " to ".join(map(str, sorted({min(slots.values()), max(slots.values())})))
    text = (
        f"*{last['cpu']}, {last['cores']} cores, kernel {last['kernel']}; {versions}; "
        f"minimum of repeats ({repeats}); {last['date'][:10]}.*"
    )
    builds = len(distinct(rows, "build"))
    return text if builds == 1 else text + f" **Rows of {builds} builds: look, do not quote.**"


def table(name, rows):
    """Return the table of an experiment and its origin."""
    rows = where(rows, experiment=name)
    return [*TABLES[name](rows), "", origin(rows)] if rows else []
