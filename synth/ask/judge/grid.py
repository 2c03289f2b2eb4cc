"""Tables as they show in the words alone: consecutive rows with numbers below one another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from synth.ask.judge.page import Pages, Piece, fold, tight
from synth.ask.judge.question import cues
from synth.ask.judge.shape import amount, measure, shape

MOST_PASSED = 2  # lines between two rows of a table that belong to neither


@dataclass(frozen=True)
class GridRow:
    """`pieces` from left to right, with the second lines of their cells after them."""

    pieces: tuple[Piece, ...]
    words: frozenset[int]

    def under(self, key: Piece) -> list[Piece]:
        """Pieces below a head, best first."""
        return sorted((p for p in self.pieces if p.over(key) > 0.15), key=lambda p: -p.over(key))

    def text(self) -> str:
        return "".join(tight(p.text) for p in self.pieces)

    def names(self) -> list[Piece]:
        """Pieces that are words, not numbers."""
        return [p for p in self.pieces if shape(p.text) == "text"]


@dataclass(frozen=True)
class Grid:
    """A run of rows alike. `heads` are the pieces right above, if they are no numbers."""

    page: int
    rows: tuple[GridRow, ...]
    heads: tuple[Piece, ...]

    def column(self, key: Piece) -> list[tuple[GridRow, Piece, Decimal]]:
        """Rows with a number below this head: below no other, where the table has heads."""
        found = []
        for row in self.rows:
            below = [p for p in row.pieces if self.head_of(p, row) is key] if key in self.heads else row.under(key)
            for piece in below:
                value = measure(piece.text)
                if value is not None:
                    found.append((row, piece, value))
                    break
        return found

    def head_of(self, piece: Piece, row: GridRow | None = None) -> Piece:
        """The head that a piece belongs to: the one in its place, the one it shares most width with, or the nearest."""
        row = row or next(r for r in self.rows if piece in r.pieces)
        if len(row.pieces) == len(self.heads):
            return self.heads[row.pieces.index(piece)]

        def distance(head: Piece) -> float:
            if piece.over(head) > 0.15:
                return -piece.over(head)
            middle = abs(piece.x0 + piece.x1 - head.x0 - head.x1) / 2
            return min(middle, abs(piece.x0 - head.x0), abs(piece.x1 - head.x1))

        return min(self.heads, key=distance)

    def columns(self) -> list[list[tuple[GridRow, Piece, Decimal]]]:
        """All columns of numbers, by the pieces of the first row."""
        found = []
        for piece in self.rows[0].pieces:
            column = self.column(piece)
            if len(column) >= max(2, 0.7 * len(self.rows)):
                found.append(column)
        return found


def grids(pages: Pages, language: str) -> list[Grid]:
    """Tables of all pages, largest first."""
    return pages.memo(f"grids {language}", lambda: _grids(pages, language))


def _grids(pages: Pages, language: str) -> list[Grid]:
    found: list[Grid] = []
    totals = re.compile(cues()[language]["totals"])
    run: list[list[Piece]] = []
    start, passed = 0, 0
    lines = _logical_rows(pages.rows)
    for number, row in [*enumerate(lines), (len(lines), [])]:
        if run and _goes_on(run, row, totals):
            run.append(row)
            passed = 0
            continue
        if run and row and _second_line(run[-1], row):
            run[-1] = [*run[-1], *row]
            continue
        if run and row and passed < MOST_PASSED and not _has_number(row) and not _totals(row, totals):
            passed += 1  # a line of what stands beside the table
            continue
        found += _grid(lines, run, start)
        run, start = ([row], number) if row and _has_number(row) and not _totals(row, totals) else ([], number)
        passed = 0
    return sorted(found, key=lambda g: (-len(g.rows), g.page))


def _logical_rows(rows: Sequence[list[Piece]]) -> list[list[Piece]]:
    """Rows, with lists whose items take two lines each, a name and below it the numbers, made one row an item."""
    result: list[list[Piece]] = []
    number = 0
    while number < len(rows):
        end = number
        while end + 1 < len(rows) and _name_and_numbers(rows[end], rows[end + 1]):
            end += 2
        if end - number >= 4:
            result += [[*rows[i], *rows[i + 1]] for i in range(number, end, 2)]
            number = end
        else:
            result.append(rows[number])
            number += 1
    return result


def _name_and_numbers(name: Sequence[Piece], numbers: Sequence[Piece]) -> bool:
    if len(name) != 1 or name[0].is_label or _countable(name[0]) or not _has_number(numbers):
        return False
    below = numbers[0].y0 - name[0].y1
    return name[0].page == numbers[0].page and below < name[0].height and shape(numbers[0].text) != "text"


def _has_number(row: Sequence[Piece]) -> bool:
    return len(row) > 1 and any(_countable(p) for p in row)


def _countable(piece: Piece) -> bool:
    serial = re.fullmatch(r"\(?\d{1,3}[.।、)]", fold(piece.text).strip())
    return not serial and (amount(piece.text) is not None or shape(piece.text) == "date")


def _totals(row: Sequence[Piece], totals: re.Pattern[str]) -> bool:
    return bool(totals.search(fold(row[0].text).strip()))


def _goes_on(run: Sequence[Sequence[Piece]], row: Sequence[Piece], totals: re.Pattern[str]) -> bool:
    if not row or row[0].page != run[-1][0].page or not _has_number(row) or _totals(row, totals):
        return False
    last = run[-1]
    height = max(p.height for p in row)
    if min(p.y0 for p in row) - max(p.y1 for p in last) > 3.2 * height:
        return False
    aligned = sum(
        any(_countable(q) and shape(q.text) == shape(p.text) and p.over(q) > 0.2 for q in last)
        for p in row
        if _countable(p)
    )
    usual = max(len(r) for r in run)
    return (
        aligned >= 1
        and len(row) >= 0.5 * usual
        and any(not _countable(p) for p in row) == any(not _countable(p) for p in run[0])
    )


def _second_line(last: Sequence[Piece], row: Sequence[Piece]) -> bool:
    """Whether a row only carries on a text of the row before."""
    if any(_countable(p) for p in row) or row[0].page != last[0].page or len(row) > 2:
        return False
    height = max(p.height for p in row)
    close = min(p.y0 for p in row) - max(p.y1 for p in last) < 0.6 * height
    return close and all(any(p.over(q) > 0.2 and shape(q.text) == "text" and not p.is_label for q in last) for p in row)


def _grid(lines: Sequence[Sequence[Piece]], run: list[list[Piece]], start: int) -> list[Grid]:
    """The table that a run of rows makes, without rows of sums; none if fewer than two rows stay."""
    run = run[: _first_sum(run)]
    if len(run) < 2:
        return []
    rows = tuple(GridRow(tuple(row), frozenset(w for p in row for w in p.words)) for row in run)
    heads: tuple[Piece, ...] = ()
    for back in (1, 2):
        row = lines[start - back] if start >= back else []
        if len(row) > 1 and row[0].page == run[0][0].page and not any(_countable(p) or p.is_label for p in row):
            heads = tuple(row)
            break
    return [Grid(run[0][0].page, rows, heads)]


def _first_sum(run: Sequence[Sequence[Piece]]) -> int:
    """Number of rows before one that is the sum of all above it."""
    for end in range(2, len(run)):
        for piece in run[end]:
            value = amount(piece.text) if shape(piece.text) == "money" else None
            above = [
                next((v for q in row if q.over(piece) > 0.1 and (v := amount(q.text)) is not None), None)
                for row in run[:end]
            ]
            if value is not None and all(v is not None for v in above) and value == sum(v for v in above if v):
                return end
    return len(run)
