"""Where a measurement was made: machine, builds and versions."""

from __future__ import annotations

import hashlib
import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

LIBRARIES = ("mhboost", "numpy", "scikit-learn", "lightgbm", "xgboost", "catboost")


def cpu_model():
    """Return the processor's name."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def cores():
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def versions():
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


def build():
    """Return a short digest of mhboost's code, compiled and not: a version that always changes."""
    digest = hashlib.sha256()
    for name in ("mhboost", "mhboost._core"):
        spec = find_spec(name)
        files = [Path(spec.origin)]
        if name == "mhboost":
            files = sorted(files[0].parent.glob("*.py"))
        for path in files:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def describe():
    """Return the columns that must be the same in all rows of one run."""
    from mhboost import _core

    return {
        "cpu": cpu_model(),
        "cores": cores(),
        "os": f"{platform.system()} {platform.release()}",
        "kernel": _core.active_kernel(),
        "build": build(),
        "versions": versions(),
    }


def moment():
    """Return the columns that tell of one measurement: when, and how busy the machine was."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"date": datetime.now(UTC).isoformat(timespec="seconds"), "load": load}
