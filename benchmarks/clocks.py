"""Seconds and bytes of this process."""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Clock:
    """CPU seconds (all threads, user and system) and wall seconds since it was made."""

    def __post_init__(self):
        self.cpu_began, self.wall_began = time.process_time(), time.perf_counter()

    def read(self):
        cpu, wall = time.process_time(), time.perf_counter()
        return cpu - self.cpu_began, wall - self.wall_began


def best_of(call, seconds, most=20):
    """Call until `seconds` have passed; return the least CPU and wall seconds, and the last result.

    One call is enough if it takes long; short ones are repeated, because the first pays for cold
    caches and the clock's grain.
    """
    total, readings = Clock(), []
    while not readings or (total.read()[1] < seconds and len(readings) < most):
        clock = Clock()
        result = call()
        readings.append(clock.read())
    cpu, wall = (min(column) for column in zip(*readings, strict=True))
    return cpu, wall, result


# --- memory ---------------------------------------------------------------------------------------
# ru_maxrss never falls, so a peak while loading the data would hide that of training. Linux keeps
# the same high-water mark as VmHWM, and lets a process reset it.


def status_bytes(field):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {field}")


def peak_bytes():
    """Return the most memory that the process has held at once, since the last reset."""
    try:
        return status_bytes("VmHWM")
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def baseline_bytes():
    """Reset the peak to what is held now, and return that.

    Where the system cannot, it is the peak so far: then what is measured is too small, not too big.
    """
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return status_bytes("VmRSS")
    except OSError:
        return peak_bytes()
