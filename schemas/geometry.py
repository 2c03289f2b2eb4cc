"""Geometry of labels. Origin top left, x to the right, y down; points in print space, pixels in a picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Box(NamedTuple):
    """Upright bounding box, x0 <= x1 and y0 <= y1, right and bottom edges exclusive."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        return max(0.0, self.width) * max(0.0, self.height)

    def contains(self, other: Box, slack: float = 0.0) -> bool:
        return (
            self.x0 - slack <= other.x0
            and self.y0 - slack <= other.y0
            and self.x1 + slack >= other.x1
            and self.y1 + slack >= other.y1
        )

    def intersect(self, other: Box) -> Box:
        """Common part; a box of no area where there is none."""
        x0, y0 = max(self.x0, other.x0), max(self.y0, other.y0)
        return Box(x0, y0, max(x0, min(self.x1, other.x1)), max(y0, min(self.y1, other.y1)))


class Point(NamedTuple):
    x: float
    y: float


class Quad(NamedTuple):
    """Four corners in the order of the text: its top left, top right, bottom right, bottom left."""

    tl: Point
    tr: Point
    br: Point
    bl: Point

    @property
    def box(self) -> Box:
        xs, ys = [p.x for p in self], [p.y for p in self]
        return Box(min(xs), min(ys), max(xs), max(ys))

    def flat(self) -> list[float]:
        """Eight numbers, x and y in turn, in corner order."""
        return [c for p in self for c in p]


def union(boxes: Iterable[Box]) -> Box:
    """Smallest box around all; ValueError on none."""
    items = boxes if isinstance(boxes, list | tuple) else list(boxes)
    if not items:
        raise ValueError("union of no boxes")
    if len(items) == 1:
        return items[0]
    x0, y0, x1, y1 = zip(*items, strict=True)
    return Box(min(x0), min(y0), max(x1), max(y1))


def quad_of(box: Box) -> Quad:
    return Quad(Point(box.x0, box.y0), Point(box.x1, box.y0), Point(box.x1, box.y1), Point(box.x0, box.y1))
