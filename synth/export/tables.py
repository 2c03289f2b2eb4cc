"""A table's cells on one page as HTML and as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from synth.export.rows import Row

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    }
)  # fmt: skip


def html_of(cells: Sequence[Row]) -> str:
    """`<table>` of all cells as `<td>`, as OmniDocBench's truth is written; scorers ignore the text of `<th>`."""
    rows = ["".join(_td(cell) for cell in row) for row in _rows(cells)]
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


def latex_of(cells: Sequence[Row]) -> str:
    """`tabular` with multirow and multicolumn; a place below a cell of several rows is left empty."""
    rows = _rows(cells)
    width = max((c["col"] + c["colspan"] for c in cells), default=0)
    under = {
        (c["row"] + r, c["col"]): c["colspan"] for c in cells for r in range(1, c["rowspan"])
    }  # where a longer cell reaches down
    lines = []
    for row in rows:
        number = row[0]["row"] if row else -1
        starts = {c["col"]: c for c in row}
        parts, col = [], 0
        while col < width:
            cell = starts.get(col)
            span = cell["colspan"] if cell else under.get((number, col), 1)
            parts.append(_latex_cell(cell, span))
            col += span
        lines.append(" & ".join(parts) + r" \\")
    return "\\begin{tabular}{" + "l" * width + "}\n" + "\n".join(lines) + "\n\\end{tabular}"


def _td(cell: Row) -> str:
    spans = "".join(f' {name}="{cell[name]}"' for name in ("rowspan", "colspan") if cell[name] > 1)
    return f"<td{spans}>{escape(cell['text'], quote=False)}</td>"


def _latex_cell(cell: Row | None, span: int) -> str:
    text = cell["text"].translate(_LATEX) if cell else ""
    if cell and cell["rowspan"] > 1:
        text = f"\\multirow{{{cell['rowspan']}}}{{*}}{{{text}}}"
    return f"\\multicolumn{{{span}}}{{l}}{{{text}}}" if span > 1 else text


def _rows(cells: Sequence[Row]) -> list[list[Row]]:
    """Cells by row, each from left to right; a row that only longer cells reach into is there, and empty."""
    if not cells:
        return []
    first = min(c["row"] for c in cells)
    rows: list[list[Row]] = [[] for _ in range(max(c["row"] for c in cells) - first + 1)]
    for cell in sorted(cells, key=lambda c: (c["row"], c["col"])):
        rows[cell["row"] - first].append(cell)
    return rows
