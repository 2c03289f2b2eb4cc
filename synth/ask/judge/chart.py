"""Charts as they show in the words alone: names evenly along an axis with a number at each, read as tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median

from synth.ask.judge.grid import Grid, GridRow
from synth.ask.judge.page import Pages, Piece, tight
from synth.ask.judge.shape import amount

LEAST = 4  # names of an upright chart, or of a lying one
_UNEVEN = 0.12  # of the pitch
_TITLE_WITHIN = 6.0  # heights of a line between the marks and their title


def charts(pages: Pages) -> list[Grid]:
    """Charts of all pages, each as a table of two columns: names and numbers."""
    return [*_upright(pages), *_lying(pages)]


def _upright(pages: Pages) -> list[Grid]:
    found: list[Grid] = []
    for row in pages.rows:
        names = [p for p in row if amount(p.text) is None and not p.is_label]
        if len(names) < LEAST or len({tight(p.text) for p in names}) < len(names):
            continue
        middles = [(p.x0 + p.x1) / 2 for p in names]
        steps = [b - a for a, b in itertools.pairwise(middles)]
        pitch = median(steps)
        if any(abs(step - pitch) > _UNEVEN * pitch for step in steps):
            continue
        marks = [_above(pages, name, 0.15 * pitch) for name in names]
        held = [mark for mark in marks if mark is not None]
        if len(held) < len(names) or len({mark.row for mark in held}) < 2:
            continue  # one below another in rows: a table
        title = _above_all(pages, held, lambda p, held=held: p.x0 <= held[0].x0)
        found.append(_grid(list(zip(names, held, strict=True)), title))
    return found


def _above(pages: Pages, name: Piece, within: float) -> Piece | None:
    """The nearest number over the middle of a name."""
    middle = (name.x0 + name.x1) / 2
    over = [
        p
        for p in pages.pieces
        if p.page == name.page
        and p.y1 <= name.y0 + 0.3 * name.height
        and abs((p.x0 + p.x1) / 2 - middle) < within
        and amount(p.text) is not None
    ]
    return max(over, key=lambda p: p.y0, default=None)


def _above_all(pages: Pages, marks: Sequence[Piece], fits: Callable[[Piece], bool]) -> Piece | None:
    """The text right above the highest of a chart's numbers that stands where the title of its numbers may."""
    top, height = min(p.y0 for p in marks), marks[0].height
    over = [
        p
        for p in pages.pieces
        if p.page == marks[0].page and 0 <= top - p.y1 + 0.3 * height < _TITLE_WITHIN * height and fits(p)
    ]
    return max((p for p in over if amount(p.text) is None), key=lambda p: p.y0, default=None)


def _lying(pages: Pages) -> list[Grid]:
    found: list[Grid] = []
    run: list[list[Piece]] = []
    for row in [*pages.rows, []]:
        bar = len(row) == 2 and amount(row[0].text) is None and amount(row[1].text) is not None
        if bar and (not run or _goes_on(run[-1], row)):
            run.append(row)
            continue
        if len(run) >= LEAST and _reaches_differ([r[1] for r in run]):
            edge = max(r[0].x1 for r in run)
            title = _above_all(pages, [r[1] for r in run], lambda p, edge=edge: p.x0 >= edge)
            found.append(_grid([(r[0], r[1]) for r in run], title))
        run = [row] if bar else []
    return found


def _goes_on(last: Sequence[Piece], row: Sequence[Piece]) -> bool:
    """The next bar: its name ends where the last one's does."""
    near = row[0].y0 - last[0].y1 < 1.5 * row[0].height
    return row[0].page == last[0].page and near and abs(row[0].x1 - last[0].x1) < 0.5 * row[0].height


def _reaches_differ(marks: Sequence[Piece]) -> bool:
    """Numbers stand at the ends of bars: the larger, the farther right, and neither edge is shared."""
    ordered = sorted(marks, key=lambda p: amount(p.text) or 0)
    rising = all(a.x0 <= b.x0 + 0.5 for a, b in itertools.pairwise(ordered))
    return rising and ordered[-1].x0 - ordered[0].x0 > 2 * ordered[0].height


def _grid(rows: Sequence[tuple[Piece, Piece]], title: Piece | None) -> Grid:
    """A table of names and numbers. The names have a head without words, so that 04月 is no number under the title."""
    blank = replace(title, id=-1, words=(), text="") if title else None
    return Grid(
        rows[0][0].page,
        tuple(GridRow((name, mark), frozenset((*name.words, *mark.words))) for name, mark in rows),
        (blank, title) if title and blank else (),
    )
