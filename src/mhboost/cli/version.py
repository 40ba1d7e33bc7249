"""`mhboost version`."""

from __future__ import annotations

import json
import platform

import numpy as np

from .. import __version__, _core
from .._model_file.header import FORMAT
from .options import Json

__all__ = ["version"]


def version(as_json: Json = False) -> None:
    """Show the version, and what it runs on.

    Example: [bold]mhboost version --json[/bold]
    """
    facts = {
        "mhboost": __version__,
        "model format": FORMAT,
        "kernel": _core.active_kernel(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "platform": platform.platform(),
    }
    if as_json:
        print(json.dumps(facts))
        return
    for name, value in facts.items():
        print(f"{name:13} {value}")
