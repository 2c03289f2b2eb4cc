"""Outlines of labels in a picture: as dense as they are bent, cut where they end, and the share that is in sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from schemas.document import PageInfo
from schemas.geometry import Quad

Mapper = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Picture positions of page positions u, v in 0..1."""

BENT = 0.15  # pixels between the middle of a chord and the curve; an outline with more gets points four times as dense
DENSEST = 64  # points along each side
FINE = 4  # parts of a pixel, along each axis, where what is hidden is counted
LARGE = 40_000  # pixels of an outline's box; above that whole pixels are counted


@dataclass(frozen=True)
class Shot:
    """One page's map and the size of its picture in pixels.

    `hidden`: rows x columns, true where the picture does not show the page but something over it; None if nowhere.
    """

    mapper: Mapper
    width: int
    height: int
    hidden: np.ndarray | None = None

    @cached_property
    def limit(self) -> np.ndarray:
        return np.array([self.width, self.height], float)

    @cached_property
    def _hidden_before(self) -> np.ndarray | None:
        return None if self.hidden is None else cv2.integral(self.hidden.astype(np.uint8))

    def whole(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Which boxes (n x 2 and n x 2) lie within the picture with no hidden pixel in them."""
        inside = ((low >= 0) & (high <= self.limit)).all(1)
        if self._hidden_before is None:
            return inside
        x0, y0 = np.clip(np.floor(low), 0, self.limit).astype(np.intp).T
        x1, y1 = np.clip(np.ceil(high), 0, self.limit).astype(np.intp).T
        before = self._hidden_before
        return inside & (before[y1, x1] - before[y0, x1] - before[y1, x0] + before[y0, x0] == 0)


def outlines(shot: Shot, page: PageInfo, quads: Sequence[Quad], points: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Quads in points through the map: (positions in `quads`, their outlines in pixels, n x (4 * k) x 2).

    k, the number of points along each side, is `points` (even) and grows where the sides are bent; every k-th point is
    a corner.
    """
    todo = np.arange(len(quads))
    corners = np.array([q.flat() for q in quads]).reshape(-1, 4, 2)
    while todo.size:
        u, v = (_along(corners[todo], points) / (page.width, page.height)).reshape(-1, 2).T
        mapped = np.stack(shot.mapper(u, v), -1).reshape(len(todo), 4 * points, 2)
        even = mapped[:, 0::2]
        off = mapped[:, 1::2] - (even + following(even)) / 2
        bent = (off[..., 0] ** 2 + off[..., 1] ** 2 > BENT**2).any(1) & (4 * points <= DENSEST)
        if not bent.all():
            yield todo[~bent], mapped[~bent]
        todo, points = todo[bent], 4 * points


def _along(corners: np.ndarray, points: int) -> np.ndarray:
    """`points` positions along each side, from each corner on: n x 4 x 2 to n x (4 * points) x 2."""
    step = (np.arange(points) / points)[None, None, :, None]
    return (corners[:, :, None] * (1 - step) + following(corners)[:, :, None] * step).reshape(len(corners), -1, 2)


def following(corners: np.ndarray) -> np.ndarray:
    """The next point of each, round the outline: n x p x 2."""
    return np.concatenate([corners[:, 1:], corners[:, :1]], 1)


def in_sight(outline: np.ndarray, shot: Shot) -> tuple[np.ndarray, float]:
    """What is in sight of an outline (p x 2): points around it, and its share of the area.

    Of an outline that is wholly hidden, but not outside the picture, the points stay and the share is 0.
    """
    cut = _clipped(outline, shot.limit)
    if len(cut) < 3:
        return outline[:0], 0.0
    share = min(1.0, _area(cut) / max(_area(outline), 1e-9))
    if shot.hidden is None or share == 0:
        return cut, share
    left, top = (int(k) for k in np.floor(cut.min(0)))
    right, bottom = (int(k) for k in np.minimum(np.floor(cut.max(0)) + 1, shot.limit))
    fine = FINE if (bottom - top) * (right - left) < LARGE else 1
    size = ((bottom - top) * fine, (right - left) * fine)
    ring = np.round((cut - (left, top)) * fine * 16 - 8).astype(np.int32)  # from corners of cells to their middles
    own = cv2.fillPoly(np.zeros(size, np.uint8), [ring], (1,), shift=4).astype(bool)
    seen = own & ~np.kron(shot.hidden[top:bottom, left:right], np.ones((fine, fine), bool))
    rows, columns = np.nonzero(seen)
    if not rows.size:
        return cut, 0.0
    if rows.size == int(own.sum()):
        return cut, share
    ends = np.concatenate([np.stack([columns + dx, rows + dy], 1) for dx in (0, 1) for dy in (0, 1)])
    hull = cv2.convexHull(ends.astype(np.int32))[:, 0]
    return np.clip(hull / fine + (left, top), cut.min(0), cut.max(0)), share * rows.size / int(own.sum())


def _area(points: np.ndarray) -> float:
    x, y = points[:, 0], points[:, 1]
    return abs(float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())) / 2


def _clipped(outline: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """The part of a polygon within 0..limit (Sutherland and Hodgman, 1974); of no points if there is none."""
    points: list[list[float]] = outline.tolist()
    for axis in (0, 1):
        for sign, bound in ((1.0, 0.0), (-1.0, -float(limit[axis]))):
            kept: list[list[float]] = []
            for a, b in zip(points, points[1:] + points[:1], strict=True):
                da: float = sign * a[axis] - bound
                db: float = sign * b[axis] - bound
                if da >= 0:
                    kept.append(a)
                if (da >= 0) != (db >= 0):
                    t: float = da / (da - db)
                    kept.append([a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t])
            points = kept
    return np.clip(np.array(points).reshape(-1, 2), 0.0, limit)
