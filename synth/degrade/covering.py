"""Objects on a page as labels: their own blocks, and how much of each word they leave in sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import cv2
import numpy as np

from schemas.document import Block, Cell, Document, Field, Line, Word
from schemas.geometry import Point, Quad
from synth.degrade.faults.contract import Thing

Size = tuple[int, int]
Element = TypeVar("Element", Word, Line, Block, Cell, Field)


def with_things(document: Document, page: int, things: Sequence[Thing], size: Size) -> Document:
    """The document (in points) with the objects of one page as blocks, and `visible` of what they hide lowered.

    `size`: width and height of the page's raster in pixels, in which the objects are given. What hides only in part
    (a stamp's ink) counts by how dense it is. Things do not hide one another.
    """
    if not things:
        return document
    info = document.pages[page]
    across, down = size[0] / info.width, size[1] / info.height
    hidden = np.zeros((size[1], size[0]), np.uint8)
    for thing in things:
        rows = slice(thing.top, thing.top + thing.cover.shape[0])
        columns = slice(thing.left, thing.left + thing.cover.shape[1])
        hidden[rows, columns] = cv2.max(hidden[rows, columns], thing.cover)

    def seen(elements: tuple[Element, ...]) -> tuple[Element, ...]:
        return tuple(
            replace(e, visible=e.visible * (1 - _share(hidden, e.quad, across, down))) if e.page == page else e
            for e in elements
        )

    blocks, logical = list(seen(document.blocks)), max((b.logical for b in document.blocks), default=-1)
    for thing in things:
        logical += 1
        ends = ((min(max(p.x, 0), size[0]) / across, min(max(p.y, 0), size[1]) / down) for p in thing.quad)
        quad = Quad(*(Point(x, y) for x, y in ends))  # what reaches beyond the sheet is not seen
        blocks.append(Block(len(blocks), page, thing.role, (), "", quad.box, quad, logical))
    return replace(
        document,
        words=seen(document.words),
        lines=seen(document.lines),
        blocks=tuple(blocks),
        cells=seen(document.cells),
        fields=seen(document.fields),
    )


def _share(hidden: np.ndarray, quad: Quad, across: float, down: float) -> float:
    """Share of a quad (in points) that is hidden."""
    corners = np.array([[p.x * across, p.y * down] for p in quad])
    limit = np.array(hidden.shape[::-1])
    low = np.clip(np.floor(corners.min(0)), 0, limit).astype(int)
    high = np.clip(np.ceil(corners.max(0)), 0, limit).astype(int)
    part = hidden[low[1] : high[1], low[0] : high[0]]
    if not part.size or not part.any():
        return 0.0
    shape = np.zeros(part.shape, np.uint8)
    cv2.fillConvexPoly(shape, np.rint((corners - low) * 16 - 8).astype(np.int32), (1,), cv2.LINE_8, 4)
    inside = part[shape > 0]
    return int(inside.astype(np.int64).sum()) / (255 * inside.size) if inside.size else 0.0
