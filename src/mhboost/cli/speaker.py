"""What a command says: lines for people, or one JSON object for scripts."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["Speaker"]


class Speaker:
    """Tells people, or collects facts for a script."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.facts: dict[str, Any] = {}

    def __call__(self, text: str, **facts: Any) -> None:
        """Say something, and note what it says."""
        self.facts.update(facts)
        if not self.as_json:
            print(text, flush=True)

    def finish(self) -> None:
        """Print the facts, if a script wants them."""
        if self.as_json:
            print(json.dumps(self.facts))
