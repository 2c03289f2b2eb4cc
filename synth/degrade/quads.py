"""The least quadrilateral around a bent outline. Elementwise arithmetic only, so that every CPU agrees."""

from __future__ import annotations

import numpy as np

from synth.degrade.outlines import following

SLACK = 1e-6  # pixels


def least_quads(points: np.ndarray, sides: np.ndarray, likes: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """Quads of least area around points (n x p x 2) within 0..limit: n x 4 x 2, corners in the order of `likes`.

    Tried are rectangles with a side along one of `sides` (n x s x 2, vectors; the least rectangle has a side in common
    with the hull: Freeman and Shapira, 1975), the four sides of `likes` (n x 4 x 2) pushed out until all points are
    within, and the upright box, which is always within the limit if the points are.
    """
    pushed, pushed_area = _pushed(points, likes)
    upright = np.stack([points[..., 0].min(1), points[..., 1].min(1), points[..., 0].max(1), points[..., 1].max(1)], 1)
    best, area = _turned(upright[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2), likes), _extent(upright)
    for corners, size in ((_rectangles(points, sides, likes)), (pushed, pushed_area)):
        within = ((corners >= -SLACK) & (corners <= limit + SLACK)).all((1, 2))
        better = within & (size < area - SLACK)
        best, area = np.where(better[:, None, None], corners, best), np.where(better, size, area)
    return np.clip(best, 0.0, limit)


def _extent(boxes: np.ndarray) -> np.ndarray:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def _turned(corners: np.ndarray, likes: np.ndarray) -> np.ndarray:
    """Corners from the one on that brings them nearest to `likes`."""
    turns = np.stack([np.roll(corners, -k, axis=1) for k in range(4)], 1)
    nearest = ((turns - likes[:, None]) ** 2).sum((2, 3)).argmin(1)
    return turns[np.arange(len(corners)), nearest]


def _rectangles(points: np.ndarray, sides: np.ndarray, likes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least rectangle with a side along one of `sides`, and its area (infinite if all of them are points)."""
    length = np.sqrt(sides[..., 0] ** 2 + sides[..., 1] ** 2)
    usable = length > SLACK
    ex, ey = (sides[..., axis] / np.where(usable, length, 1.0) for axis in (0, 1))
    x, y = points[:, None, :, 0], points[:, None, :, 1]
    along, across = x * ex[..., None] + y * ey[..., None], y * ex[..., None] - x * ey[..., None]
    a0, a1, c0, c1 = along.min(2), along.max(2), across.min(2), across.max(2)
    area = np.where(usable, np.round((a1 - a0) * (c1 - c0), 6), np.inf)
    best = np.arange(len(points)), area.argmin(1)
    x, y, a0, a1, c0, c1 = (k[best][:, None] for k in (ex, ey, a0, a1, c0, c1))
    a, c = np.concatenate([a0, a1, a1, a0], 1), np.concatenate([c0, c0, c1, c1], 1)
    return _turned(np.stack([a * x - c * y, a * y + c * x], -1), likes), area[best]


def _pushed(points: np.ndarray, likes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`likes` with each side pushed out to the furthest point, and its area (infinite if it is not convex)."""
    side = following(likes) - likes
    length = np.sqrt(side[..., 0] ** 2 + side[..., 1] ** 2)
    way = np.where((_cross(side, np.roll(side, -1, 1)) > 0).all(1), 1.0, -1.0)[:, None]  # outwards
    nx, ny = (part * way / np.where(length > SLACK, length, 1.0) for part in (side[..., 1], -side[..., 0]))
    reach = (points[:, None, :, 0] * nx[..., None] + points[:, None, :, 1] * ny[..., None]).max(2)
    px, py, before = np.roll(nx, 1, 1), np.roll(ny, 1, 1), np.roll(reach, 1, 1)
    turn = px * ny - py * nx  # sine of the angle between a side and the one before it
    sharp = np.abs(turn) < 0.05
    by = np.where(sharp, 1.0, turn)
    corners = np.stack([(before * ny - reach * py) / by, (reach * px - before * nx) / by], -1)
    crosses = _cross(following(corners) - corners, np.roll(following(corners) - corners, -1, 1))
    usable = (length > SLACK).all(1) & ~sharp.any(1) & (crosses * way > 0).all(1)
    area = np.abs(_cross(corners, following(corners)).sum(1)) / 2
    return corners, np.where(usable, np.round(area, 6), np.inf)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
