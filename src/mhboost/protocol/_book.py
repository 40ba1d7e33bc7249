"""The results book: an index page with the tables, then one page per experiment."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._files import write_bytes
from ._pages import page
from ._tables import Table, tables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["write_book"]

A4 = (8.27, 11.69)
TITLE = "AdaBoost.MH with Hamming trees: the results book"


def write_book(results: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write the book. It needs matplotlib.

    Parameters
    ----------
    results : sequence of dict
        What `run` returned, in the order of the pages.
    path : Path
        The PDF file.
    """
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_pdf import PdfPages
    except ImportError as error:
        raise ImportError("The book needs matplotlib: pip install mhboost[plot].") from error
    stream = io.BytesIO()
    undated = {"Title": TITLE, "CreationDate": None}
    with (
        mpl.rc_context({"font.size": 8, "pdf.fonttype": 42}),
        PdfPages(stream, metadata=undated) as pdf,
    ):
        for figure in (_index(results), *(page(result, A4) for result in results)):
            pdf.savefig(figure)
    write_bytes(path, stream.getvalue())


def _index(results: Sequence[Mapping[str, Any]]) -> Figure:
    """The first page: all tables, and which page shows what."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=A4)
    figure.text(0.07, 0.955, TITLE, fontsize=14)
    top = 0.925
    for table in tables(results):
        top = _draw(figure, table, top)
    entries = [f"{number} {result['name']}" for number, result in enumerate(results, 2)]
    figure.text(0.07, top, "Pages", fontsize=10, va="top")
    lines = textwrap.fill("   ".join(e.replace(" ", "\xa0") for e in entries), 110)
    figure.text(0.07, top - 0.02, lines, va="top", fontsize=8)
    return figure


def _draw(figure: Figure, table: Table, top: float) -> float:
    """Draw a table below `top`; return where the next may begin."""
    from matplotlib.transforms import Bbox

    row_height, width = 0.0155, 0.86
    figure.text(0.07, top, table.title, fontsize=10, va="top")
    height = row_height * (len(table.rows) + 1)
    axes = figure.add_axes((0.07, top - 0.02 - height, width, height))
    axes.axis("off")
    lengths = [max(map(len, column)) + 2 for column in zip(table.head, *table.rows, strict=True)]
    drawn = axes.table(
        cellText=[table.head, *table.rows],
        colWidths=[length / sum(lengths) for length in lengths],
        cellLoc="center",
        bbox=Bbox.unit(),
    )
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(min(8.0, 800 / sum(lengths)))
    for cell in drawn.get_celld().values():
        cell.set_linewidth(0.3)
    below = top - 0.025 - height
    figure.text(0.07, below, "\n".join(table.remarks), va="top", fontsize=7)
    return below - 0.013 * len(table.remarks) - 0.02
