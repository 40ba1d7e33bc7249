"""The documentation tells the truth: its Python blocks, its examples and its links.

    python tests/test_docs.py

writes the real outputs into README.md and docs/, for a reader of the difference to judge.
"""

from __future__ import annotations

import doctest
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ["quickstart", "learners", "data", "training", "prediction", "model-format"]
RUN = [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in GUIDE)]
LINKED = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^):#]+)(?:#[^)]*)?\)")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def page_test(text, name):
    """All Python blocks of a page as one doctest, in which they share their variables."""
    examples = []
    for block in BLOCK.finditer(text):
        for example in doctest.DocTestParser().get_examples(block[1], name):
            example.lineno += text.count("\n", 0, block.start(1))
            examples.append(example)
    return doctest.DocTest(examples, {}, name, name, 0, text)


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_python_blocks_give_the_output_shown(page):
    test = page_test(page.read_text(encoding="utf-8"), page.name)
    assert any(example.want for example in test.examples)
    messages = []
    failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=messages.append)
    assert not failed, "".join(messages)


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.stem)
def test_every_python_block_is_a_session(page):
    """A block without prompts would not be run."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    assert all(block.startswith(">>> ") for block in blocks)


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.stem)
def test_links_lead_to_files(page):
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("name", ["categorical", "multilabel"])
def test_example_beats_its_rivals(name):
    """Each measures Hamming trees first; what it says must stay true."""
    results = runpy.run_path(str(ROOT / "examples" / f"{name}.py"))["main"]()
    own, *others = results.values()
    assert own < min(others)


@pytest.mark.slow
def test_digits_example_draws_its_picture(tmp_path, capsys):
    main = runpy.run_path(str(ROOT / "examples" / "digits.py"))["main"]
    picture = main.__globals__["PICTURE"] = tmp_path / "out" / "digits.png"
    main()
    assert "Hamming trees" in capsys.readouterr().out
    assert picture.stat().st_size > 10_000


# --- writing the outputs --------------------------------------------------------------------------


class Recorder(doctest.DocTestRunner):
    """Keeps what the failing examples really gave."""

    def __init__(self):
        super().__init__(optionflags=FLAGS)
        self.outputs = []

    def report_failure(self, out, test, example, got):
        if got.startswith("Traceback"):
            got = "Traceback (most recent call last):\n    ...\n" + got.splitlines()[-1] + "\n"
        self.outputs.append((example, [line.rstrip() for line in got.splitlines()]))

    def report_unexpected_exception(self, out, test, example, exc_info):
        raise RuntimeError(f"{test.name}: {example.source}") from exc_info[1]


def write_outputs(page):
    text = page.read_text(encoding="utf-8")
    recorder = Recorder()
    recorder.run(page_test(text, page.name))
    lines = text.splitlines()
    for example, output in reversed(recorder.outputs):
        first = example.lineno + example.source.count("\n")
        lines[first : first + example.want.count("\n")] = output
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for page in RUN:
        write_outputs(page)
