"""The map of one page through one scene, the same for pixels and for labels.

The picture is the entry's frame at the page's own resolution: `width` = page pixels x frame_x. Its maps are the
entry's, enlarged bilinearly in integers: picture position x sees cell position `x / zoom + 1`, since the entry has one
cell more on every side. Labels invert exactly this bilinear function.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from schemas.errors import SampleError
from synth.degrade.bank import UV_SPAN, UV_ZERO, SceneEntry

MAX_SIDE, MAX_PIXELS = 16_000, 120_000_000
WEIGHT_BITS = 15
WEIGHT = 1 << WEIGHT_BITS  # parts of a cell; times a code of 16 bits still within 32
TOLERANCE = 1e-7  # of the sheet; about a ten-thousandth of a pixel
EDGE = 2.0  # pixels beyond the picture that the map still knows
AROUND = 24.0  # pixels to each side, over which the map's slope is taken for what lies beyond it


def check_size(width: int, height: int) -> None:
    """SampleError if a picture of this size is more than an encoder or this machine should be asked for."""
    if max(width, height) > MAX_SIDE or width * height > MAX_PIXELS or min(width, height) < 8:
        raise SampleError("picture_size", "camera", f"{width} x {height} pixels; sides from 8 to {MAX_SIDE} are made")


def _places(cells: int, pixels: int, wanted: slice) -> tuple[np.ndarray, np.ndarray]:
    """For each wanted pixel along an axis of `cells` cells: the cell before it, and its parts of the way to the next.

    The first and the last cell lie outside the picture.
    """
    place = ((2 * np.arange(pixels)[wanted] + 1) * (cells - 2) * WEIGHT + pixels) // (2 * pixels) + WEIGHT // 2
    return place // WEIGHT, (place % WEIGHT).astype(np.uint32)


def _across(plane: np.ndarray, column: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Each row of the plane (rows x columns, with or without channels) at places between its columns."""
    part = part.reshape(-1, *(1,) * (plane.ndim - 2))
    wide = plane.astype(np.uint32)
    low = wide.take(column, 1)
    mixed = (wide.take(column + 1, 1) - low) * part  # may wrap, and comes back below
    mixed += low * np.uint32(WEIGHT) + np.uint32(WEIGHT // 2)
    return (mixed >> np.uint32(WEIGHT_BITS)).astype(plane.dtype)


def _down(plane: np.ndarray, row: np.ndarray, part: np.ndarray) -> np.ndarray:
    """The same along the other axis; all pixels of one cell at a time, which stay in the cache."""
    out = np.empty((len(row), *plane.shape[1:]), plane.dtype)
    starts = [*np.flatnonzero(np.diff(row, prepend=-1)).tolist(), len(row)]
    for first, last in itertools.pairwise(starts):
        low = plane[row[first]].astype(np.uint32)
        step = plane[row[first] + 1] - low
        mixed = step * part[first:last].reshape(-1, *(1,) * (plane.ndim - 1))
        mixed += low * np.uint32(WEIGHT) + np.uint32(WEIGHT // 2)
        np.right_shift(mixed, np.uint32(WEIGHT_BITS), out=out[first:last], casting="unsafe")
    return out


@dataclass(frozen=True)
class PageMap:
    """Map of a page of `page_width` x `page_height` pixels to a picture of `width` x `height` pixels."""

    entry: SceneEntry
    page_width: int
    page_height: int
    width: int
    height: int

    @classmethod
    def of(cls, entry: SceneEntry, page_width: int, page_height: int) -> PageMap:
        width = (page_width * entry.frame_x + 500_000) // 1_000_000
        height = (page_height * entry.frame_y + 500_000) // 1_000_000
        check_size(width, height)
        return cls(entry, page_width, page_height, width, height)

    def _zoom(self, cells: tuple[int, ...]) -> tuple[float, float]:
        return self.width / (cells[1] - 2), self.height / (cells[0] - 2)

    def enlarge(self, plane: np.ndarray, rows: slice = slice(None), columns: slice = slice(None)) -> np.ndarray:
        """A plane of the entry at the picture's size (or those rows and columns of it), bilinear in integers."""
        row, down = _places(plane.shape[0], self.height, rows)
        column, across = _places(plane.shape[1], self.width, columns)
        if not row.size:
            return np.empty((0, column.size, *plane.shape[2:]), plane.dtype)
        return _down(_across(plane[row[0] : row[-1] + 2], column, across), row - row[0], down)

    def forward(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, ...]:
        """Sheet position u, v seen at picture positions, and its derivatives du/dx, du/dy, dv/dx, dv/dy."""
        cells = self.entry.u.shape
        zoom_x, zoom_y = self._zoom(cells)
        cx, cy = x / zoom_x + 0.5, y / zoom_y + 0.5
        i = np.clip(np.floor(cx), 0, cells[1] - 2).astype(np.intp)
        j = np.clip(np.floor(cy), 0, cells[0] - 2).astype(np.intp)
        fx, fy = cx - i, cy - j
        out: list[np.ndarray] = []
        slopes: list[np.ndarray] = []
        for plane in (self.entry.u, self.entry.v):
            a, b = plane[j, i].astype(np.float64), plane[j, i + 1].astype(np.float64)
            c, d = plane[j + 1, i].astype(np.float64), plane[j + 1, i + 1].astype(np.float64)
            top, bottom = a + (b - a) * fx, c + (d - c) * fx
            out.append((top + (bottom - top) * fy - UV_ZERO) / UV_SPAN)
            slopes.append(((b - a) * (1 - fy) + (d - c) * fy) / (zoom_x * UV_SPAN))
            slopes.append((bottom - top) / (zoom_y * UV_SPAN))
        return out[0], out[1], *slopes

    def picture(self, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Picture positions (pixels, origin top left, pixel centres at .5) of sheet points u, v in 0..1.

        Newton's method on the bilinear map, point by point. Where the picture does not reach, the map is not known:
        of such a point they say which way it is and roughly how far. SampleError `label_not_mapped` if another is not
        found.
        """
        x = self.width / 2 + (u - 0.5) * self.page_width
        y = self.height / 2 + (v - 0.5) * self.page_height
        lost = self._unfound(u, v, x, y, np.arange(u.size))
        if lost.size:  # of a sheet that is bent far from where a flat one lies, or beyond the picture
            x[lost], y[lost] = self._nearest(u[lost], v[lost])
            lost = self._unfound(u, v, x, y, lost)
        if lost.size:
            x[lost], y[lost] = self._beyond(u[lost], v[lost])
        return x, y

    def _unfound(self, u: np.ndarray, v: np.ndarray, x: np.ndarray, y: np.ndarray, todo: np.ndarray) -> np.ndarray:
        """Move the points `todo` of x, y, in place, to where u, v are seen. Which of them the picture does not hold."""
        stuck = self._settle(u, v, x, y, todo)
        at_x, at_y = x[todo], y[todo]
        out = (at_x < -EDGE) | (at_x > self.width + EDGE) | (at_y < -EDGE) | (at_y > self.height + EDGE)
        return np.union1d(stuck, todo[out])

    def _settle(self, u: np.ndarray, v: np.ndarray, x: np.ndarray, y: np.ndarray, todo: np.ndarray) -> np.ndarray:
        """Newton's steps on the points `todo` of x, y, in place. Which of them were not found."""
        stuck: list[np.ndarray] = []
        for turn in range(120):
            at_u, at_v, ux, uy, vx, vy = self.forward(x[todo], y[todo])
            off_u, off_v = u[todo] - at_u, v[todo] - at_v
            slope = ux * vy - uy * vx
            far = np.maximum(np.abs(off_u), np.abs(off_v)) >= TOLERANCE
            level = far & (slope == 0)  # beyond the codes' range
            stuck.append(todo[level])
            far &= ~level
            if not far.any():
                return np.concatenate(stuck)
            # Near a kink Newton may step to and fro between two cells; half steps settle it.
            step = (1.0 if turn < 40 else 0.5) / slope[far]
            todo = todo[far]
            x[todo] += step * (off_u * vy - off_v * uy)[far]
            y[todo] += step * (off_v * ux - off_u * vx)[far]
        return np.concatenate([*stuck, todo])

    def _nearest(self, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Centres of the cells that see what is nearest to sheet points, among every fourth cell."""
        cells = self.entry.u.shape
        rows, columns = np.arange(1, cells[0] - 1, 4), np.arange(1, cells[1] - 1, 4)
        held = [
            (p[rows][:, columns].ravel().astype(np.float64) - UV_ZERO) / UV_SPAN for p in (self.entry.u, self.entry.v)
        ]
        found = np.empty(u.size, np.intp)
        for start in range(0, u.size, 256):
            some = slice(start, start + 256)
            away = (u[some, None] - held[0]) ** 2 + (v[some, None] - held[1]) ** 2
            found[some] = away.argmin(1)
        zoom_x, zoom_y = self._zoom(cells)
        at_row, at_column = np.divmod(found, len(columns))
        return (columns[at_column] - 0.5) * zoom_x, (rows[at_row] - 0.5) * zoom_y

    def _beyond(self, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Roughly where points beyond the picture are: on from the nearest cell, by the map's slopes around it.

        The map's last cells alone are too unsteady for that: far from them, a code more or less is many pixels.
        """
        x, y = self._nearest(u, v)
        at_u, at_v = self.forward(x, y)[:2]
        left, right = np.maximum(x - AROUND, 0.0), np.minimum(x + AROUND, float(self.width))
        top, bottom = np.maximum(y - AROUND, 0.0), np.minimum(y + AROUND, float(self.height))
        u0, v0, *_ = self.forward(left, y)
        u1, v1, *_ = self.forward(right, y)
        ux, vx = (u1 - u0) / (right - left), (v1 - v0) / (right - left)
        u0, v0, *_ = self.forward(x, top)
        u1, v1, *_ = self.forward(x, bottom)
        uy, vy = (u1 - u0) / (bottom - top), (v1 - v0) / (bottom - top)
        slope = ux * vy - uy * vx
        step = 1 / np.where(slope == 0, np.nan, slope)
        x = x + step * ((u - at_u) * vy - (v - at_v) * uy)
        y = y + step * ((v - at_v) * ux - (u - at_u) * vx)
        if not ((x < 0) | (y < 0) | (x > self.width) | (y > self.height)).all():
            raise SampleError("label_not_mapped", "camera", f"a point of the page is not in scene {self.entry.scene}")
        return x, y
