"""Outlines of labels in a picture, as dense as they are bent."""

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
Back = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, ...]]
"""Page positions u, v of picture positions x, y, and their derivatives du/dx, du/dy, dv/dx, dv/dy."""

BENT = 0.15  # pixels between the middle of a chord and the curve; an outline with more gets points four times as dense
DENSEST = 64  # points along each side


@dataclass(frozen=True)
class Shot:
    """One page's map and the size of its picture in pixels.

    `hidden`: rows x columns, true where the picture does not show the page but something over it; None if nowhere.
    `back`: the map the other way; None if the picture shows all parts of the page at one scale.
    """

    mapper: Mapper
    width: int
    height: int
    hidden: np.ndarray | None = None
    back: Back | None = None

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
