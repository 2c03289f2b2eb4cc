"""Which pixels a colour of the probe print covers, in points of the page."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import cv2
import numpy as np
import pymupdf

from schemas.geometry import Box

SCALE = 3  # pixels a point: 216 dpi
FINE = 12  # where hairlines fall between the pixels of SCALE
_aa = threading.Lock()  # MuPDF's antialiasing level is global to the process


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
    """A probe page rastered without antialiasing, so that each pixel has the colour of one unit."""

    def __init__(self, page: pymupdf.Page) -> None:
        self._list = page.get_displaylist()
        with _hard_edges():
            pixmap = self._list.get_pixmap(pymupdf.Matrix(SCALE, SCALE), pymupdf.csRGB, alpha=1)
        self._extent = page.rect
        self._pixmap = pixmap  # owns the memory below
        self._pixels = _pixels(pixmap)

    def ink(self, colour: int, near: Box, reach: float, shift: tuple[float, float] = (0.0, 0.0)) -> Box | None:
        """Box of the pixels of one colour within `reach` points of `near`, moved back by `shift`; None if none."""
        x0 = max(0, int((near.x0 - reach) * SCALE))
        y0 = max(0, int((near.y0 - reach) * SCALE))
        x1, y1 = int((near.x1 + reach) * SCALE) + 1, int((near.y1 + reach) * SCALE) + 1
        return _colour_box(self._pixels[y0:y1, x0:x1], x0, y0, SCALE, colour, shift)

    def close(self, colour: int, near: Box, reach: float, shift: tuple[float, float] = (0.0, 0.0)) -> Box | None:
        """The same from a finer raster of this place alone: slower, but it has the hairlines of serif CJK faces."""
        clip = pymupdf.Rect(near.x0 - reach, near.y0 - reach, near.x1 + reach, near.y1 + reach) & self._extent
        with _hard_edges():
            pixmap = self._list.get_pixmap(pymupdf.Matrix(FINE, FINE), pymupdf.csRGB, alpha=1, clip=clip)
        pixels = _pixels(pixmap)
        return _colour_box(pixels, pixmap.x, pixmap.y, FINE, colour, shift)


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
