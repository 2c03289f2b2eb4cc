"""What is in sight of a label: points around it, and its share of the label's area on the page.

Shares are of the page, not of the picture: half a word is half a word, however the camera foreshortens either half.
"""

from __future__ import annotations

import cv2
import numpy as np

from schemas.document import PageInfo
from schemas.geometry import Quad
from synth.degrade.outlines import Shot

FINE = 4  # parts of a pixel, along each axis, where what is hidden is counted
LARGE = 40_000  # pixels of an outline's box; above that whole pixels are counted
CHORD = 4.0  # pixels between points of an outline that is taken back to the page
COUNTED = 20_000  # places of an outline, at most, whose scale is asked


def in_sight(outline: np.ndarray, quad: Quad, shot: Shot, page: PageInfo) -> tuple[np.ndarray, float]:
    """What is in sight of an outline (p x 2, pixels) of a quad (points): points around it, and the share of the quad.

    Of an outline that is wholly hidden, but not outside the picture, the points stay and the share is 0.
    """
    cut = _clipped(outline, shot.limit)
    if len(cut) < 3:
        return outline[:0], 0.0
    if shot.back is None:
        share = _area(cut) / max(_area(outline), 1e-9)
    else:
        u, v, *_ = shot.back(*_dense(cut).T)
        whole = _area(np.array(quad.flat()).reshape(4, 2) / (page.width, page.height))
        share = _area(np.stack([u, v], 1)) / max(whole, 1e-12)
    share = min(1.0, share)
    return (cut, share) if shot.hidden is None or share == 0 else _uncovered(cut, shot, shot.hidden, share)


def _uncovered(cut: np.ndarray, shot: Shot, hidden: np.ndarray, share: float) -> tuple[np.ndarray, float]:
    """The same of an outline within the picture, of which something may be hidden. `share`: what the outline is."""
    left, top = (int(k) for k in np.floor(cut.min(0)))
    right, bottom = (int(k) for k in np.minimum(np.floor(cut.max(0)) + 1, shot.limit))
    fine = FINE if (bottom - top) * (right - left) < LARGE else 1
    size = ((bottom - top) * fine, (right - left) * fine)
    ring = np.round((cut - (left, top)) * fine * 16 - 8).astype(np.int32)  # from corners of cells to their middles
    own = cv2.fillPoly(np.zeros(size, np.uint8), [ring], (1,), shift=4).astype(bool)
    seen = own & ~np.kron(hidden[top:bottom, left:right], np.ones((fine, fine), bool))
    rows, columns = np.nonzero(seen)
    if not rows.size:
        return cut, 0.0
    if rows.size == int(own.sum()):
        return cut, share
    ends = np.concatenate([np.stack([columns + dx, rows + dy], 1) for dx in (0, 1) for dy in (0, 1)])
    hull = cv2.convexHull(ends.astype(np.int32))[:, 0]
    points = np.clip(hull / fine + (left, top), cut.min(0), cut.max(0))
    return points, share * _weighed(own, seen, (left, top), fine, shot)


def _weighed(own: np.ndarray, seen: np.ndarray, corner: tuple[int, int], fine: int, shot: Shot) -> float:
    """Share of the places `own` that are `seen`, each as large as it is on the page."""
    rows, columns = np.nonzero(own)
    if shot.back is None:
        return float(seen.sum()) / rows.size
    step = rows.size // COUNTED + 1
    rows, columns = rows[::step], columns[::step]
    _, _, ux, uy, vx, vy = shot.back((columns + 0.5) / fine + corner[0], (rows + 0.5) / fine + corner[1])
    size = np.abs(ux * vy - uy * vx)
    return float(size[seen[rows, columns]].sum() / max(size.sum(), 1e-12))


def _dense(ring: np.ndarray) -> np.ndarray:
    """A closed outline (p x 2) with further points on its long sides."""
    way = np.roll(ring, -1, 0) - ring
    parts = np.ceil(np.sqrt((way**2).sum(1)) / CHORD).clip(1).astype(np.intp)
    start = np.repeat(np.cumsum(parts) - parts, parts)
    step = (np.arange(parts.sum()) - start) / np.repeat(parts, parts)
    return np.repeat(ring, parts, 0) + np.repeat(way, parts, 0) * step[:, None]


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
