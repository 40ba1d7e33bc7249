"""docs/command-line.md shows what the commands really print.

    python tests/test_command_line_docs.py

writes the real outputs into the page, for a reader of the difference to judge.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import tempfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mhboost import MHBoostClassifier, Round
from mhboost.cli.app import COMMANDS, app
from mhboost.cli.live import figures

PAGE = Path(__file__).resolve().parents[1] / "docs" / "command-line.md"
BLOCK = re.compile(r"^```console\n\$ mhboost (.*)\n((?:.*\n)*?)```$", re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = re.compile(r"\d+\.\d+ s\b|(?<=\"seconds\": )[\d.]+")


def prepare(text):
    """Run the page's Python, and write the file that it shows to be broken."""
    for block in PYTHON.findall(text):
        for example in doctest.DocTestParser().get_examples(block):
            exec(example.source, NAMES)  # the page's own
    lines = Path("iris.csv").read_text(encoding="utf-8").splitlines()
    lines[7] = lines[7].replace(",", ",about ", 1)
    Path("broken.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


NAMES: dict[str, object] = {}


def printed(command):
    result = CliRunner().invoke(app, shlex.split(command), prog_name="mhboost")
    assert not result.exception or isinstance(result.exception, SystemExit)
    return "".join(f"{line.rstrip()}\n" for line in result.output.splitlines())


def agree(shown, got):
    checker = doctest.OutputChecker()
    shown, got = (SECONDS.sub("#", text) for text in (shown, got))
    return checker.check_output(shown, got, doctest.ELLIPSIS)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Commands, and what they print and are said to print, in the order of the page."""
    text = PAGE.read_text(encoding="utf-8")
    before = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("page"))
    try:
        prepare(text)
        return [(b[1], b[2], printed(b[1])) for b in BLOCK.finditer(text)]
    finally:
        os.chdir(before)


def test_commands_print_what_is_shown(outputs):
    wrong = [(command, got) for command, shown, got in outputs if not agree(shown, got)]
    assert wrong == []


def test_every_command_is_shown(outputs):
    assert {command.split()[0] for command, _, _ in outputs} == {c.__name__ for c in COMMANDS}


def test_display_looks_as_shown():
    state = Round(350, 500, 0.139, 0.1, 0.0216, 0.0338, 350 / 364, MHBoostClassifier())
    assert f"round 350 of 500 {figures(state)} 00:01 left" in PAGE.read_text(encoding="utf-8")


def write_outputs():
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare(text)

        def real(block):
            got = printed(block[1])
            return (
                block[0] if agree(block[2], got) else f"```console\n$ mhboost {block[1]}\n{got}```"
            )

        text = BLOCK.sub(real, text)
        os.chdir(PAGE.parent)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_outputs()
