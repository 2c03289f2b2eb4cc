"""Which pixels a colour of the probe print covers, in points of the page."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import cv2
import numpy as np
import pymupdf

from schemas.geometry import Box

SCALE = 3  # pixels a point: 216 dpi
FINE = 12  # where hairlines fall between the pixels of SCALE
_aa = threading.Lock()  # MuPDF's antialiasing level is global to the process


_OPAQUE = 0xFF000000  # of a pixel as a number: alpha is its last byte
_LEVELS = 129  # of a channel, halved and rounded up


@contextmanager
def _hard_edges() -> Iterator[None]:
    with _aa:
        before = pymupdf.TOOLS.show_aa_level()["text"]
        pymupdf.TOOLS.set_aa_level(0)
        try:
            yield
        finally:
            pymupdf.TOOLS.set_aa_level(before)


class Paint:
    """A probe page rastered without antialiasing, so that each pixel has the colour of one unit.

    `area`: the part of the page that will be asked for.
    """

    def __init__(self, page: pymupdf.Page, area: Box) -> None:
        self._list = page.get_displaylist()
        with _hard_edges():
            clip = pymupdf.Rect(area) & page.rect
            pixmap = self._list.get_pixmap(pymupdf.Matrix(SCALE, SCALE), pymupdf.csRGB, alpha=1, clip=clip)
        self._extent = page.rect
        self._pixmap = pixmap  # owns the memory below
        self._pixels = _pixels(pixmap)

    def extents(self, groups: Mapping[int, int], count: int) -> np.ndarray:
        """Corners x0, y0, x1, y1 of the pixels of some groups of colours, 4 x `count`, wherever they are in the area.

        `groups`: each colour's. Of a group without a pixel the corners are NaN.
        """
        pixels = self._pixels.view(np.uint32).reshape(-1)
        width = self._pixmap.width
        change = np.empty(len(pixels), bool)
        np.not_equal(pixels[1:], pixels[:-1], out=change[1:])
        change[::width] = True
        start = np.flatnonzero(change)  # runs of one colour in a row
        end = np.append(start[1:], len(pixels))
        full = np.flatnonzero(pixels[start] >= _OPAQUE)
        start, end = start[full], end[full]
        # As in _colour_box: all channels are even, and one too low in some pixels.
        halves = (pixels[start].view(np.uint8).reshape(-1, 4)[:, :3].astype(np.int32) + 1) >> 1
        group_of = np.zeros(_LEVELS**3, np.min_scalar_type(count))  # 0: none; a small type sorts faster
        for colour, group in groups.items():
            group_of[_key(colour >> 17, colour >> 9 & 127, colour >> 1 & 127)] = group + 1
        own = group_of[_key(*halves.T)]
        order = np.argsort(own, kind="stable")[np.count_nonzero(own == 0) :]
        found = np.full((4, count), np.nan)
        if len(order):
            start, end, own = start[order], end[order], own[order]
            first = np.flatnonzero(np.diff(own, prepend=0))
            row = start // width
            last = np.append(first[1:], len(own)) - 1  # runs of a group are in order of rows
            left, top = self._pixmap.x, self._pixmap.y
            found[:, own[first] - 1] = (
                left + np.minimum.reduceat(start - row * width, first),
                top + row[first],
                left + np.maximum.reduceat(end - row * width, first),
                top + row[last] + 1,
            )
        return found

    def ink(self, colour: int, near: Box, reach: float, shift: tuple[float, float] = (0.0, 0.0)) -> Box | None:
        """Box of the pixels of one colour within `reach` points of `near`, moved back by `shift`; None if none."""
        left, top = self._pixmap.x, self._pixmap.y
        x0 = max(left, int((near.x0 - reach) * SCALE))
        y0 = max(top, int((near.y0 - reach) * SCALE))
        x1, y1 = int((near.x1 + reach) * SCALE) + 1, int((near.y1 + reach) * SCALE) + 1
        pixels = self._pixels[y0 - top : max(0, y1 - top), x0 - left : max(0, x1 - left)]
        return _colour_box(pixels, x0, y0, SCALE, colour, shift)

    def close(self, colour: int, near: Box, reach: float, shift: tuple[float, float] = (0.0, 0.0)) -> Box | None:
        """The same from a finer raster of this place alone: slower, but it has the hairlines of serif CJK faces."""
        clip = pymupdf.Rect(near.x0 - reach, near.y0 - reach, near.x1 + reach, near.y1 + reach) & self._extent
        with _hard_edges():
            pixmap = self._list.get_pixmap(pymupdf.Matrix(FINE, FINE), pymupdf.csRGB, alpha=1, clip=clip)
        pixels = _pixels(pixmap)
        return _colour_box(pixels, pixmap.x, pixmap.y, FINE, colour, shift)


def _key(red: Any, green: Any, blue: Any) -> Any:
    """One number for three halved channels, or for arrays of them."""
    return (red * _LEVELS + green) * _LEVELS + blue


def _pixels(pixmap: pymupdf.Pixmap) -> np.ndarray:
    """rows x columns x RGBA, in the pixmap's own memory."""
    return np.frombuffer(pixmap.samples_mv, np.uint8).reshape(pixmap.height, pixmap.width, 4)


def _colour_box(
    pixels: np.ndarray, x0: int, y0: int, scale: int, colour: int, shift: tuple[float, float]
) -> Box | None:
    """Box in points of the pixels of one colour; the array's corner is pixel (x0, y0) of the page."""
    if not pixels.size:
        return None
    # The PDF holds colours with 4 decimals and MuPDF cuts off: a channel is right or 1 too low (and never 0).
    least = [max(0, channel - 1) for channel in (colour >> 16, colour >> 8 & 255, colour & 255)]
    mask = cv2.inRange(pixels, np.array([*least, 255]), np.array([*(channel + 1 for channel in least), 255]))
    left, top, width, height = cv2.boundingRect(mask)
    if not width:
        return None
    return Box(
        (x0 + left) / scale - shift[0],
        (y0 + top) / scale - shift[1],
        (x0 + left + width) / scale - shift[0],
        (y0 + top + height) / scale - shift[1],
    )
