"""Drafts that compare or compute over a column: extremes, limits, counts, sums, and chains of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import permutations

from schemas.questions import Answer
from synth.ask.draft import Draft, answer_of, computed, joined
from synth.ask.facts import Column, leaves, telling
from synth.ask.rows import MOST_LISTED, Rows, cell_of
from synth.ask.values import Number, plain, printed


def compared(rows: Rows, column: Column, numbers: tuple[Number, ...]) -> Iterator[Draft | None]:
    names, order = rows.table.names, _order(numbers)
    all_cells = [cell.words for cell in column.cells if cell]
    named = names.leaf != "instalment"
    if len(numbers) > 2 and named:
        for side, end, beside in (("highest", -1, -2), ("lowest", 0, 1)):
            if _alone(numbers, order, end, beside):
                best = cell_of(names, order[end])
                yield rows.draft(
                    "table",
                    "extreme",
                    side,
                    {"label": column},
                    (answer_of(best, rows.facts),),
                    joined(*all_cells, best.words),
                    2,
                    {"op": "extreme", "side": side, "by": column.leaf, "leaf": names.leaf},
                    [f"{column.leaf}:{side}"],
                )
        if _alone(numbers, order, -1, -2) and _alone(numbers, order, 0, 1):
            ends = (cell_of(names, order[-1]), cell_of(names, order[0]))
            yield rows.draft(
                "multi_span",
                "ends",
                "ends",
                {"label": column},
                tuple(answer_of(cell, rows.facts) for cell in ends),
                joined(*all_cells, ends[0].words, ends[1].words),
                3,
                {"op": "ends", "by": column.leaf, "leaf": names.leaf},
                [f"{column.leaf}:ends"],
            )
        yield from _filtered(rows, column, numbers, order)
    if column.leaf in leaves()["additive"]:
        yield from _sums(rows, column, numbers)
    if len(numbers) > 2 and numbers[order[0]].value < numbers[order[-1]].value:
        top, bottom = numbers[order[-1]], numbers[order[0]]
        answer = computed(top.value - bottom.value, top, bottom)
        if telling("", answer.text):
            yield rows.draft(
                "multi_hop",
                "spread",
                "spread",
                {"label": column},
                (answer,),
                joined(*all_cells),
                3,
                {"op": "spread", "by": column.leaf},
                [f"{column.leaf}:spread"],
            )


def _filtered(rows: Rows, column: Column, numbers: tuple[Number, ...], order: list[int]) -> Iterator[Draft | None]:
    """Rows on one side of a limit that no row meets; their names, and how many they are."""
    names = rows.table.names
    for cut in range(1, len(order)):
        low, high = numbers[order[cut - 1]], numbers[order[cut]]
        limit = _between(low.value, high.value)
        if limit is None:
            continue
        text = printed(limit, Number(limit, low.head, _places(limit), low.grouped, low.bangla))
        for side, chosen in (("above", order[cut:]), ("below", order[:cut])):
            cells = [cell_of(names, row) for row in sorted(chosen)]
            evidence = joined(*(c.words for c in column.cells if c), *(c.words for c in cells))
            program = {"side": side, "by": column.leaf, "than": plain(limit), "leaf": names.leaf}
            if 1 < len(cells) <= MOST_LISTED:
                yield rows.draft(
                    "multi_span",
                    "filter",
                    side,
                    {"label": column},
                    tuple(answer_of(cell, rows.facts) for cell in cells),
                    evidence,
                    3,
                    {"op": "filter", **program},
                    [f"{column.leaf}:{side}"],
                    {"limit": text},
                )
            if len(numbers) > 4 and 1 < len(cells) < len(numbers) - 1:
                count = str(len(cells))
                if low.bangla:
                    count = printed(Decimal(len(cells)), Number(Decimal(0), bangla=True))
                yield rows.draft(
                    "table",
                    "count",
                    f"count_{side}",
                    {"label": column},
                    (Answer(count, str(len(cells))),),
                    joined(*(c.words for c in column.cells if c)),
                    3,
                    {"op": "count", **program},
                    [f"{column.leaf}:count"],
                    {"limit": text},
                )


def _sums(rows: Rows, column: Column, numbers: tuple[Number, ...]) -> Iterator[Draft | None]:
    names = rows.table.names
    for a, b in permutations(range(len(numbers)), 2):
        x, y = numbers[a], numbers[b]
        cells = [cell_of(names, a), cell_of(column, a), cell_of(names, b), cell_of(column, b)]
        evidence = joined(*(c.words for c in cells))
        program = {"by": column.leaf, "name": names.leaf, "rows": [cells[0].value, cells[2].value]}
        more = {"row": rows.name(a), "row2": rows.name(b)}
        for operation, value in (("sum", x.value + y.value), ("difference", x.value - y.value)):
            if value <= 0 or (operation == "sum" and a > b):
                continue
            answer = computed(value, x, y)
            if telling("", answer.text):
                yield rows.draft(
                    "table",
                    operation,
                    operation,
                    {"label": column},
                    (answer,),
                    evidence,
                    3,
                    {"op": operation, **program},
                    [f"{column.leaf}:{operation}:{a}:{b}"],
                    more,
                    specific=True,
                )


def cell_at_extreme(rows: Rows, by: Column, column: Column) -> Iterator[Draft | None]:
    """Two hops: the row with the extreme value, then another cell of it."""
    numbers = by.numbers or ()
    order = _order(numbers)
    for side, end, beside in (("highest", -1, -2), ("lowest", 0, 1)):
        cell = column.cells[order[end]]
        if cell is None or not _alone(numbers, order, end, beside) or not telling(column.leaf, cell.value):
            continue
        yield rows.draft(
            "multi_hop",
            "extreme_cell",
            f"{side}_cell",
            {"label": column, "label2": by},
            (answer_of(cell, rows.facts),),
            joined(*(c.words for c in by.cells if c), cell.words),
            3,
            {"op": "extreme", "side": side, "by": by.leaf, "leaf": column.leaf},
            [cell.path],
        )


def _order(numbers: Sequence[Number]) -> list[int]:
    return sorted(range(len(numbers)), key=lambda row: numbers[row].value)


def _alone(numbers: Sequence[Number], order: Sequence[int], end: int, beside: int) -> bool:
    return numbers[order[end]].value != numbers[order[beside]].value


def _between(low: Decimal, high: Decimal) -> Decimal | None:
    """The roundest number strictly between two, None where there is none with two decimals."""
    for power in range(6, -3, -1):
        step = Decimal(10) ** power
        for part in (step * 5, step):
            limit = (low // part + 1) * part
            if low < limit < high:
                return limit
    return None


def _places(value: Decimal) -> int:
    return max(0, len(plain(value).partition(".")[2]))
