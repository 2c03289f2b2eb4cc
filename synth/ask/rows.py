"""Drafts over tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, permutations
from typing import Any

from schemas.document import Field
from schemas.questions import Answer
from synth.ask.draft import Draft, answer_of, computed, joined
from synth.ask.facts import Column, Facts, Table, leaves, squeeze, telling
from synth.ask.values import Number, plain, printed

MOST_LISTED = 12  # answers of one question
SHOWN_ROWS = 40


@dataclass(frozen=True)
class _Rows:
    """A table with what its drafts share."""

    facts: Facts
    table: Table

    def label(self, column: Column, slot: str = "label") -> tuple[dict[str, str], frozenset[str]] | None:
        """The slot of a column's label; a usual word where the table has no heads, marked as not printed."""
        if column.label:
            return {slot: column.label}, frozenset()
        return ({slot: f"@{column.leaf}"}, frozenset({slot})) if column.leaf in ("amount",) else None

    def name(self, row: int) -> str:
        prefix = "#" if self.table.names.leaf == "instalment" else ""
        return f"{prefix}{_cell(self.table.names, row).value}"

    def draft(
        self,
        kind: str,
        operation: str,
        wording: str,
        columns: Mapping[str, Column],
        answers: tuple[Answer, ...],
        evidence: tuple[int, ...],
        difficulty: int,
        program: Mapping[str, Any],
        paths: Sequence[str],
        more: Mapping[str, str] | None = None,
        specific: bool = False,
    ) -> Draft | None:
        slots: dict[str, str] = {"list": self.table.name, **(more or {})}
        default: frozenset[str] = frozenset()
        for slot, column in columns.items():
            found = self.label(column, slot)
            if found is None:
                return None
            slots |= found[0]
            default |= found[1]
        heads = joined(*(column.head for column in columns.values()))
        full = {"list": self.table.name, **program}
        return Draft(
            kind,
            operation,
            wording,
            slots,
            answers,
            joined(heads, evidence),
            difficulty,
            full,
            frozenset(paths),
            specific,
            default,
        )


def _cell(column: Column, row: int) -> Field:
    cell = column.cells[row]
    assert cell is not None
    return cell


def of_table(facts: Facts, table: Table) -> Iterator[Draft]:
    """Drafts over one table: cells, extremes, filters, counts, sums, and chains of them."""
    if table.size > SHOWN_ROWS:
        return
    rows = _Rows(facts, table)
    found: list[Draft | None] = []
    others = [c for c in table.columns if c is not table.names]
    for column in others:
        found += _cells(rows, column)
        if column.numbers is not None and table.size > 1:
            found += _compared(rows, column, column.numbers)
    for a, b in combinations(others, 2):
        found += _two_cells(rows, a, b)
    for by in (c for c in others if c.numbers is not None and table.size > 2):
        for column in others:
            if column is not by:
                found += _cell_at_extreme(rows, by, column)
    for key, column in permutations(others, 2):
        found += _cells_by(rows, key, column)
    if 2 < table.size <= MOST_LISTED and table.names.leaf != "instalment":
        found.append(_all_names(rows))
    yield from (d for d in found if d is not None)


def _cells(rows: _Rows, column: Column) -> Iterator[Draft | None]:
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
            joined(_cell(names, row).words, cell.words),
            1,
            {"op": "cell", "by": names.leaf, "is": _cell(names, row).value, "leaves": [column.leaf]},
            [cell.path],
            {"row": rows.name(row)},
            specific=True,
        )


def _two_cells(rows: _Rows, a: Column, b: Column) -> Iterator[Draft | None]:
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
            joined(_cell(names, row).words, x.words, y.words),
            2,
            {"op": "cell", "by": names.leaf, "is": _cell(names, row).value, "leaves": [a.leaf, b.leaf]},
            [x.path, y.path],
            {"row": rows.name(row)},
            specific=True,
        )


def _cells_by(rows: _Rows, key: Column, column: Column) -> Iterator[Draft | None]:
    """A cell whose row is named by a code or a date, not by its name."""
    if not key.label or not key.distinct or key.numbers is not None or key.leaf == "line":
        return
    for row, cell in enumerate(column.cells):
        handle = _cell(key, row)
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


def _order(numbers: Sequence[Number]) -> list[int]:
    return sorted(range(len(numbers)), key=lambda row: numbers[row].value)


def _alone(numbers: Sequence[Number], order: Sequence[int], end: int, beside: int) -> bool:
    return numbers[order[end]].value != numbers[order[beside]].value


def _compared(rows: _Rows, column: Column, numbers: tuple[Number, ...]) -> Iterator[Draft | None]:
    names, order = rows.table.names, _order(numbers)
    all_cells = [cell.words for cell in column.cells if cell]
    named = names.leaf != "instalment"
    if len(numbers) > 2 and named:
        for side, end, beside in (("highest", -1, -2), ("lowest", 0, 1)):
            if _alone(numbers, order, end, beside):
                best = _cell(names, order[end])
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
            ends = (_cell(names, order[-1]), _cell(names, order[0]))
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


def _filtered(rows: _Rows, column: Column, numbers: tuple[Number, ...], order: list[int]) -> Iterator[Draft | None]:
    """Rows on one side of a limit that no row meets; their names, and how many they are."""
    names = rows.table.names
    for cut in range(1, len(order)):
        low, high = numbers[order[cut - 1]], numbers[order[cut]]
        limit = _between(low.value, high.value)
        if limit is None:
            continue
        text = printed(limit, Number(limit, low.head, _places(limit), low.grouped, low.bangla))
        for side, chosen in (("above", order[cut:]), ("below", order[:cut])):
            cells = [_cell(names, row) for row in sorted(chosen)]
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


def _sums(rows: _Rows, column: Column, numbers: tuple[Number, ...]) -> Iterator[Draft | None]:
    names = rows.table.names
    for a, b in permutations(range(len(numbers)), 2):
        x, y = numbers[a], numbers[b]
        cells = [_cell(names, a), _cell(column, a), _cell(names, b), _cell(column, b)]
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


def _cell_at_extreme(rows: _Rows, by: Column, column: Column) -> Iterator[Draft | None]:
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


def _all_names(rows: _Rows) -> Draft | None:
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
