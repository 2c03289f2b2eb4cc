"""Tables as they show in the words alone: consecutive rows with numbers below one another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from synth.ask.judge.page import Pages, Piece, fold, tight
from synth.ask.judge.question import cues
from synth.ask.judge.shape import amount, shape


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
        """Rows with a number below this head."""
        found = []
        for row in self.rows:
            for piece in row.under(key):
                value = amount(piece.text)
                if value is not None:
                    found.append((row, piece, value))
                    break
        return found

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
    found: list[Grid] = []
    totals = re.compile(cues()[language]["totals"])
    run: list[list[Piece]] = []
    start = 0
    for number, row in [*enumerate(pages.rows), (len(pages.rows), [])]:
        if run and _goes_on(run, row, totals):
            run.append(row)
            continue
        if run and row and _second_line(run[-1], row):
            run[-1] = [*run[-1], *row]
            continue
        if len(run) > 1:
            found.append(_grid(pages, run, start))
        run, start = ([row], number) if row and _has_number(row) and not _totals(row, totals) else ([], number)
    return sorted(found, key=lambda g: (-len(g.rows), g.page))


def _has_number(row: Sequence[Piece]) -> bool:
    return len(row) > 1 and any(_countable(p) for p in row)


def _countable(piece: Piece) -> bool:
    return amount(piece.text) is not None or shape(piece.text) == "date"


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


def _grid(pages: Pages, run: Sequence[Sequence[Piece]], start: int) -> Grid:
    rows = tuple(GridRow(tuple(row), frozenset(w for p in row for w in p.words)) for row in run)
    heads: tuple[Piece, ...] = ()
    for back in (1, 2):
        if start - back >= 0:
            row = pages.rows[start - back]
            if row and row[0].page == run[0][0].page and not any(_countable(p) for p in row) and len(row) > 1:
                heads = (*heads, *row)
                break
    return Grid(run[0][0].page, rows, heads)
