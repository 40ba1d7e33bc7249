"""What the command line costs: time beside a bare fit, memory for a large file.

    python benchmarks/command_line.py [--gigabytes 2]

Letter comes from the folder that MHBOOST_DATA names. Processes run in turns, and medians are
compared: the command, and a Python process that loads arrays, fits the same model and saves it.
Memory is the largest resident set of `mhboost predict` on a CSV file of that size.
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mhboost.datasets import load

BARE = """
import sys, time
import numpy as np
from mhboost import MHBoostClassifier
data = np.load("letter.npz")
X, y = data["X"], data["y"]
began = time.perf_counter()
model = MHBoostClassifier(random_state=0).fit(X, y)
seconds = time.perf_counter() - began
model.save("bare.mhb")
print(seconds)
"""
WATCHED = """
import atexit, resource, sys
from mhboost.cli import main
usage = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
atexit.register(lambda: print(usage() / 1024**2, file=sys.stderr))
main()
"""
COMMAND = ["-m", "mhboost.cli", "train", "letter.csv", "--holdout", "0"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--gigabytes", type=float, default=0.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_letter()
        times = [(seconds(COMMAND), *bare()) for _ in range(given.repeats)]
        command, process, fit = map(statistics.median, zip(*times, strict=True))
        print(f"mhboost train  {command:.2f} s")
        print(f"bare process   {process:.2f} s, of which fit {fit:.2f} s")
        print(f"ratio          {command / process:.2f}")
        if given.gigabytes:
            size, memory = large_file(given.gigabytes)
            print(f"predicting {size:.2f} GB of CSV takes {memory:.2f} GB of memory")
        os.chdir("/")


def write_letter() -> None:
    source = Path(os.environ["MHBOOST_DATA"]) / "letter.npz"
    Path("letter.npz").symlink_to(source.resolve())
    letter = load("letter")
    with open("letter.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*letter.feature_names, "class"])
        names = [letter.class_names[k] for k in letter.y]
        writer.writerows([*x, name] for x, name in zip(letter.X.tolist(), names, strict=True))


def seconds(arguments: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def bare() -> tuple[float, float]:
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", BARE], check=True, capture_output=True, text=True)
    return time.perf_counter() - began, float(done.stdout)


def large_file(gigabytes: float) -> tuple[float, float]:
    """Repeat the rows of letter.csv up to a size; give the size, and what predicting took."""
    header, rows = Path("letter.csv").read_bytes().split(b"\n", 1)
    with open("large.csv", "wb") as file:
        file.write(header + b"\n")
        for _ in range(max(1, round(gigabytes * 1e9 / len(rows)))):
            file.write(rows)
    arguments = ["predict", "letter.mhb", "large.csv", "--out", "large.parquet"]
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *arguments], check=True, capture_output=True, text=True
    )
    return Path("large.csv").stat().st_size / 1e9, float(done.stderr.split()[-1])


if __name__ == "__main__":
    main()
