"""What a cut costs: the program of micro/search_cost.cpp, which `make bench` builds."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[1] / "build" / "micro" / "search_cost"
SHAPE = ("rows", "features", "bins", "classes")


class ProgramMissingError(RuntimeError):
    """The program is not built."""


def search_cost(shape):
    """Return the result of one run, which repeats and takes minima by itself."""
    if not PROGRAM.is_file():
        raise ProgramMissingError("the micro-benchmark is not built: make build/micro/search_cost")
    command = [str(PROGRAM), *(str(shape[name]) for name in SHAPE)]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return {
        "n_train": found["rows"],
        "n_features": found["features"],
        "n_classes": found["classes"],
        "search_ns": found["search_ns"],
        "bare_ns": found["bare_ns"],
    }
