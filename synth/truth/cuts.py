"""Straight cuts through boxes on a page: whether an order can be read by them, and the order that they give.

Boxes are in the frame of reading: x the way lines go, y the way they follow. A cut parts what is read first (over it,
or before it in x) from the rest, again and again, as in XY-cut (Nagy and Seth, 1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from schemas.geometry import Box


def first_fault(boxes: Sequence[Box]) -> int | None:
    """The first box after which a given order cannot be read by straight cuts; None if it can.

    It can if the boxes are one, or a straight cut has the first few of them over or before it and all others beyond,
    and the same holds for both sides. Which of several cuts is taken makes no difference: what can be read, can be
    read in every stretch of it.
    """
    todo = [(0, len(boxes))]
    while todo:
        start, end = todo.pop()
        if end - start < 2:
            continue
        own = boxes[start:end]
        cuts = _parting([b.y0 for b in own], [b.y1 for b in own]) or _parting([b.x0 for b in own], [b.x1 for b in own])
        if not cuts:
            return _worst(own) + start
        ends = [start, *(start + cut for cut in cuts), end]
        todo += reversed(list(pairwise(ends)))
    return None


def _parting(low: list[float], high: list[float]) -> list[int]:
    """Numbers of boxes after which all others lie beyond all before."""
    before = list(accumulate(high, max))
    after = list(accumulate(reversed(low), min))[::-1]
    return [k for k in range(1, len(low)) if before[k - 1] <= after[k]]


def _worst(boxes: Sequence[Box]) -> int:
    """The first box that lies over or before one that is read earlier; the second one if they overlap."""
    for at in range(1, len(boxes)):
        one = boxes[at]
        if any(one.y1 <= b.y0 and one.x0 < b.x1 and b.x0 < one.x1 for b in boxes[:at]):
            return at
    return 1


def by_rows(boxes: Sequence[Box]) -> list[int]:
    """Positions of the boxes as they are read: rows first, and columns where something spans the rows."""
    return _rows(boxes, list(range(len(boxes))))


def by_columns(boxes: Sequence[Box]) -> list[int]:
    """Positions of the boxes as they are read: columns first, and bands only where something spans the columns."""
    return _columns(boxes, list(range(len(boxes))))


def _across(boxes: Sequence[Box], some: list[int]) -> list[list[int]]:
    return _gaps(some, [b.x0 for b in boxes], [b.x1 for b in boxes])


def _down(boxes: Sequence[Box], some: list[int]) -> list[list[int]]:
    return _gaps(some, [b.y0 for b in boxes], [b.y1 for b in boxes])


def _rows(boxes: Sequence[Box], some: list[int]) -> list[int]:
    for parts in (_down(boxes, some), _across(boxes, some)):
        if len(parts) > 1:
            return [at for part in parts for at in _rows(boxes, part)]
    return _tangled(boxes, some)


def _columns(boxes: Sequence[Box], some: list[int]) -> list[int]:
    columns = _across(boxes, some)
    if len(columns) > 1:
        return [at for column in columns for at in _columns(boxes, column)]
    bands = _down(boxes, some)
    if len(bands) == 1:
        return _tangled(boxes, some)
    joined = [bands[0]]
    for band in bands[1:]:
        both = [*joined[-1], *band]
        if len(_across(boxes, both)) > 1:
            joined[-1] = both
        else:
            joined.append(band)
    return [at for band in joined for at in _columns(boxes, band)]


def _tangled(boxes: Sequence[Box], some: list[int]) -> list[int]:
    """Boxes that no straight cut parts, from top to bottom."""
    return sorted(some, key=lambda at: (boxes[at].y0, boxes[at].x0, at))


def _gaps(some: list[int], low: list[float], high: list[float]) -> list[list[int]]:
    """The boxes parted wherever none of them lies, from low to high."""
    parts: list[list[int]] = []
    reach = 0.0
    for at in sorted(some, key=lambda k: (low[k], high[k], k)):
        if parts and low[at] < reach:
            parts[-1].append(at)
        else:
            parts.append([at])
        reach = max(reach, high[at]) if len(parts[-1]) > 1 else high[at]
    return parts
