"""Drafts over a chart whose values are printed at its marks: read one off, the largest and smallest, a difference."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from synth.ask.draft import Draft, answer_of, computed, joined
from synth.ask.facts import Column
from synth.ask.rows import Rows, cell_of
from synth.ask.values import Number, latin

_LEAST = 3  # marks of a chart whose extremes are asked for


def chart_drafts(rows: Rows) -> Iterator[Draft | None]:
    """All drafts over the numbers of a chart, by the names along its axis."""
    for column in rows.table.columns:
        if column.numbers is not None and column is not rows.table.names:
            yield from _marks(rows, column)
            yield from _extremes(rows, column, column.numbers)
            yield from _differences(rows, column, column.numbers)


def _marks(rows: Rows, column: Column) -> Iterator[Draft | None]:
    names = rows.table.names
    for row in range(rows.table.size):
        name, cell = cell_of(names, row), cell_of(column, row)
        if not _telling(cell.value):
            continue
        yield rows.draft(
            "chart",
            "cell",
            "chart_value",
            {"label": column},
            (answer_of(cell, rows.facts),),
            joined(name.words, cell.words),
            1,
            {"op": "cell", "by": names.leaf, "is": name.value, "leaves": [column.leaf]},
            [cell.path],
            {"row": rows.name(row)},
            specific=True,
        )


def _extremes(rows: Rows, column: Column, numbers: tuple[Number, ...]) -> Iterator[Draft | None]:
    """The name at the largest and the smallest mark, and their numbers, where no two marks share them."""
    values = [number.value for number in numbers]
    if len(values) < _LEAST:
        return
    evidence = joined(*(cell.words for cell in column.cells if cell))
    for side, wanted in (("highest", max(values)), ("lowest", min(values))):
        if values.count(wanted) > 1:
            continue
        row = values.index(wanted)
        for leaf, wording in ((rows.table.names, f"chart_{side}"), (column, f"chart_{side}_value")):
            cell = cell_of(leaf, row)
            if leaf is column and not _telling(cell.value):
                continue
            yield rows.draft(
                "chart",
                "extreme",
                wording,
                {"label": column},
                (answer_of(cell, rows.facts),),
                joined(evidence, cell.words),
                2,
                {"op": "extreme", "side": side, "by": column.leaf, "leaf": leaf.leaf},
                [f"{column.leaf}:{side}"],
            )


def _differences(rows: Rows, column: Column, numbers: tuple[Number, ...]) -> Iterator[Draft | None]:
    names = rows.table.names
    for a, b in permutations(range(len(numbers)), 2):
        if numbers[a].value <= numbers[b].value:
            continue
        answer = computed(numbers[a].value - numbers[b].value, numbers[a], numbers[b])
        if not _telling(answer.text):
            continue
        cells = [cell_of(names, a), cell_of(column, a), cell_of(names, b), cell_of(column, b)]
        yield rows.draft(
            "chart",
            "difference",
            "chart_difference",
            {"label": column},
            (answer,),
            joined(*(cell.words for cell in cells)),
            3,
            {"op": "difference", "by": column.leaf, "name": names.leaf, "rows": [cells[0].value, cells[2].value]},
            [f"{column.leaf}:difference:{a}:{b}"],
            {"row": rows.name(a), "row2": rows.name(b)},
            specific=True,
        )


def _telling(text: str) -> bool:
    """Whether a number at a mark is no guess: two different digits at least."""
    return len({c for c in latin(text) if c.isdigit()}) > 1
