"""Drafts that look cells up: by the name of their row, by a code in it, two at once, or all names."""

from __future__ import annotations

from collections.abc import Iterator

from synth.ask.draft import Draft, answer_of, joined
from synth.ask.facts import Column, leaves, squeeze, telling
from synth.ask.rows import Rows, cell_of


def cells(rows: Rows, column: Column) -> Iterator[Draft | None]:
    names = rows.table.names
    for row, cell in enumerate(column.cells):
        if cell is None or not telling(column.leaf, cell.value) or squeeze(cell.value) == squeeze(rows.name(row)):
            continue
        yield rows.draft(
            "table",
            "cell",
            "cell",
            {"label": column},
            (answer_of(cell, rows.facts),),
            joined(cell_of(names, row).words, cell.words),
            1,
            {"op": "cell", "by": names.leaf, "is": cell_of(names, row).value, "leaves": [column.leaf]},
            [cell.path],
            {"row": rows.name(row)},
            specific=True,
        )


def two_cells(rows: Rows, a: Column, b: Column) -> Iterator[Draft | None]:
    names = rows.table.names
    for row, (x, y) in enumerate(zip(a.cells, b.cells, strict=True)):
        if x is None or y is None or squeeze(x.value) == squeeze(y.value):
            continue
        usual = {*leaves()["guessable"]} & {a.leaf, b.leaf}
        if usual or not (telling(a.leaf, x.value) or telling(b.leaf, y.value)):
            continue
        yield rows.draft(
            "multi_span",
            "row_values",
            "row_values",
            {"label": a, "label2": b},
            (answer_of(x, rows.facts), answer_of(y, rows.facts)),
            joined(cell_of(names, row).words, x.words, y.words),
            2,
            {"op": "cell", "by": names.leaf, "is": cell_of(names, row).value, "leaves": [a.leaf, b.leaf]},
            [x.path, y.path],
            {"row": rows.name(row)},
            specific=True,
        )


def cells_by(rows: Rows, key: Column, column: Column) -> Iterator[Draft | None]:
    """A cell whose row is named by a code or a date, not by its name."""
    if not key.label or not key.distinct or key.numbers is not None or key.leaf == "line":
        return
    for row, cell in enumerate(column.cells):
        handle = cell_of(key, row)
        if cell is None or not telling(column.leaf, cell.value) or not telling("", handle.value):
            continue
        yield rows.draft(
            "table",
            "cell",
            "cell_by",
            {"label": column, "label2": key},
            (answer_of(cell, rows.facts),),
            joined(handle.words, cell.words),
            2,
            {"op": "cell", "by": key.leaf, "is": handle.value, "leaves": [column.leaf]},
            [cell.path],
            {"value2": handle.value},
            specific=True,
        )


def all_names(rows: Rows) -> Draft | None:
    names = rows.table.names
    cells = [cell for cell in names.cells if cell]
    return rows.draft(
        "multi_span",
        "column",
        "column",
        {},
        tuple(answer_of(cell, rows.facts) for cell in cells),
        joined(names.head, *(cell.words for cell in cells)),
        2,
        {"op": "column", "leaf": names.leaf},
        [f"{names.leaf}:all"],
    )
