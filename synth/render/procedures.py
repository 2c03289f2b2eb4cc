"""Boxes of the glyph procedures of a Type 3 font (PDF 32000-1, 9.6.5), in which Chromium embeds every CFF face."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

import pymupdf
from fontTools.misc.bezierTools import calcCubicBounds

LOOSE = 0.01  # ems that a declared box may be too wide
KEPT = 8192  # procedures, of a kilobyte each
Extent = tuple[float, float, float, float]  # x0, y0, x1, y1 in ems, y up, from the glyph's origin

_D1 = re.compile(rb"^\s*" + rb"\s+".join([rb"([-+.\d]+)"] * 6) + rb"\s+d1\b")
_END = re.compile(rb"([-+.\d]+)\s+([-+.\d]+)\s+[mlcvy]\s")  # where a piece of an outline ends
_PIECE = re.compile(rb"((?:[-+.\d]+\s+)+)([mlcvy])\s")


class Procedures:
    """One font: its procedures' xrefs by character code, and the scales of its matrix."""

    def __init__(self, document: pymupdf.Document, xrefs: Mapping[int, int], scale_x: float, scale_y: float) -> None:
        self._document, self._xrefs, self._x, self._y = document, xrefs, scale_x, scale_y

    def extent(self, code: int, lean: float = 0.0) -> Extent | None:
        """Box of a glyph; None if it declares none or an empty one. `lean`: ems to the right per em up."""
        if code not in self._xrefs or not self._x or not self._y:
            return None
        stream = self._document.xref_stream(self._xrefs[code]) or b""
        box = procedure_box(stream, LOOSE / abs(self._x), lean * self._y / self._x)
        if box is None:
            return None
        xs = sorted((box[0] * self._x, box[2] * self._x))
        ys = sorted((box[1] * self._y, box[3] * self._y))
        return (xs[0], ys[0], xs[1], ys[1]) if xs[0] < xs[1] and ys[0] < ys[1] else None


@lru_cache(maxsize=KEPT)  # documents of one language draw the same letters
def procedure_box(stream: bytes, loose: float, lean: float = 0.0) -> Extent | None:
    """Box of a glyph procedure, in its own units: what it declares (operator d1), or what its curves reach.

    Skia declares the box of the control points, which may lie far outside a curve; up to `loose` of that is let be.
    """
    declared = _D1.match(stream)
    if not declared:
        return None
    x0, y0, x1, y1 = (float(n) for n in declared.groups()[2:])
    outline = stream[declared.end() :]
    ends = [(float(x), float(y)) for x, y in _END.findall(outline)]
    if not ends or b" re" in outline:
        return x0 + min(lean * y0, lean * y1), y0, x1 + max(lean * y0, lean * y1), y1
    xs, ys = zip(*ends, strict=True)
    if not lean and max(min(xs) - x0, min(ys) - y0, x1 - max(xs), y1 - max(ys)) <= loose:
        return x0, y0, x1, y1
    boxes = list(_curve_boxes(outline, lean))
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def _curve_boxes(outline: bytes, lean: float) -> Iterator[Extent]:
    """Box of each piece of an outline (PDF 32000-1, 8.5.2: operators m, l, c, v, y)."""
    at = (0.0, 0.0)
    for numbers, operator in _PIECE.findall(outline):
        n = [float(number) for number in numbers.split()]
        points = [(x + lean * y, y) for x, y in zip(n[::2], n[1::2], strict=True)]
        end = points[-1]
        if operator in b"cvy":
            first = at if operator == b"v" else points[0]
            second = end if operator == b"y" else points[-2]
            yield calcCubicBounds(at, first, second, end)
        else:
            yield (*end, *end)
        at = end
