"""Rewrite the tables in the documentation, from the result table alone.

    python benchmarks/report.py [--selection quick|full|EXPERIMENT] [FILE ...]

Between `<!-- bench:NAME -->` and `<!-- /bench:NAME -->` comes the table of the experiment NAME.
Tables that the selection did not measure stay as they are. With matplotlib there are pictures of
error against time too, below the table of the curves.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import results
from tables import TABLES, table

ROOT = Path(__file__).resolve().parents[1]
FILES = (ROOT / "README.md", ROOT / "docs" / "benchmarks.md")
PICTURES = ROOT / "docs" / "pictures"

MARKER = re.compile(r"<!-- (/?)bench:(\w+) -->")


def rewrite(text, make):
    """Replace what is between markers by make(name); where it gives nothing, leave it.

    >>> rewrite("a <!-- bench:iris -->old<!-- /bench:iris --> z", lambda name: [name])
    'a <!-- bench:iris -->\\niris\\n<!-- /bench:iris --> z'
    """
    markers = list(MARKER.finditer(text))
    pieces, position = [], 0
    for opening, closing in zip(markers[::2], [*markers[1::2], None], strict=False):
        name = opening[2]
        if opening[1] or closing is None or closing.groups() != ("/", name):
            raise ValueError(f"markers do not pair up at {opening[0]}")
        if name not in TABLES:
            raise ValueError(f"{opening[0]}: there is no such table")
        lines = make(name)
        if lines:
            pieces += [text[position : opening.end()], "\n", "\n".join(lines), "\n"]
            position = closing.start()
    return "".join([*pieces, text[position:]])


def draw(rows):
    """Draw the pictures if matplotlib is here; return their paths."""
    try:
        import pictures
    except ModuleNotFoundError as error:
        print(f"no pictures: {error}", file=sys.stderr)
        return []
    paths = pictures.draw(rows, PICTURES)
    for path in paths:
        print(f"wrote {path}", file=sys.stderr)
    return paths


def with_pictures(name, lines, drawn):
    """Show the pictures below the table of the curves."""
    if name != "curves" or not lines:
        return lines
    links = [f"![{path.stem.replace('-', ' ')}]({PICTURES.name}/{path.name})" for path in drawn]
    return [*lines, "", *links] if links else lines


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--selection", default="quick", help="quick, full or an experiment")
    parser.add_argument("files", nargs="*", type=Path, default=FILES)
    options = parser.parse_args(arguments)
    rows = results.read(results.path_of(options.selection))
    if not rows:
        sys.exit(f"nothing measured yet: python benchmarks/run.py --selection {options.selection}")
    drawn = draw(rows)
    for path in filter(Path.is_file, options.files):
        text = path.read_text(encoding="utf-8")
        new = rewrite(text, lambda name: with_pictures(name, table(name, rows), drawn))
        if new != text:
            path.write_text(new, encoding="utf-8")
            print(f"wrote {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
