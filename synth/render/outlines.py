"""Extents of glyph outlines, read from the fonts a PDF embeds: exact where a raster is only sharp to a pixel."""

# pyright: reportAttributeAccessIssue=false
# uharfbuzz is a compiled module without type stubs.
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pymupdf
import uharfbuzz
from fontTools.misc.bezierTools import calcCubicBounds

TRACE_NAME = 24  # letters: MuPDF keeps 31, of which the subset's tag takes seven
Extent = tuple[float, float, float, float]  # x0, y0, x1, y1 in ems, y up, from the glyph's origin

LOOSE = 0.01  # ems that a declared box may be too wide

_D1 = re.compile(rb"^\s*" + rb"\s+".join([rb"([-+.\d]+)"] * 6) + rb"\s+d1\b")
_END = re.compile(rb"([-+.\d]+)\s+([-+.\d]+)\s+[mlcvy]\s")  # where a piece of an outline ends
_PIECE = re.compile(rb"((?:[-+.\d]+\s+)+)([mlcvy])\s")


class Outlines:
    """The fonts of one opened PDF by the names that MuPDF's text trace gives them.

    A name may stand for several fonts: Chromium embeds a face more than once, each time with other glyphs under their
    own numbers, and MuPDF keeps `TRACE_NAME` letters of a name.
    """

    def __init__(self, document: pymupdf.Document) -> None:
        self._document = document
        self._fonts: dict[str, list[uharfbuzz.Font | dict[int, Extent]]] = {}
        self._xrefs: dict[str, dict[int, None]] = {}
        for number in range(document.page_count):
            for font in document.get_page_fonts(number):
                self._xrefs.setdefault(font[3].split("+")[-1][:TRACE_NAME], {})[font[0]] = None
        self._known: dict[tuple[str, int], Extent | None] = {}

    def extent(self, font: str, glyph: int) -> Extent | None:
        """Outline box of a glyph; None if it paints nothing, or the font cannot be read or told from another."""
        key = (font, glyph)
        if key not in self._known:
            if font not in self._fonts:
                self._fonts[font] = self._open(font)
            found = {extent for opened in self._fonts[font] if (extent := _extent(opened, glyph))}
            self._known[key] = found.pop() if len(found) == 1 else None
        return self._known[key]

    def _open(self, name: str) -> list[uharfbuzz.Font | dict[int, Extent]]:
        type3 = re.search(r"\((\d+) 0 R\)$", name)
        if type3:
            return [self._type3(int(type3.group(1)))]
        extracted: list[Any] = [self._document.extract_font(xref) for xref in self._xrefs.get(name, ())]
        return [uharfbuzz.Font(uharfbuzz.Face(font[3])) for font in extracted if font and font[3]]

    def _type3(self, xref: int) -> dict[int, Extent]:
        """Boxes of a Type 3 font's glyph procedures (PDF 32000-1, 9.6.5)."""
        document = self._document
        matrix = [float(n) for n in document.xref_get_key(xref, "FontMatrix")[1].strip("[]").split()]
        codes: dict[str, list[int]] = {}
        for code, name in _differences(document.xref_get_key(xref, "Encoding/Differences")[1]):
            codes.setdefault(name, []).append(code)
        found: dict[int, Extent] = {}
        for name, own in codes.items():
            kind, value = document.xref_get_key(xref, f"CharProcs/{name}")
            stream = document.xref_stream(int(value.split()[0])) if kind == "xref" else None
            box = _procedure_box(stream or b"", LOOSE / abs(matrix[0])) if matrix[0] else None
            if box:
                x0, y0, x1, y1 = box
                xs, ys = sorted((x0 * matrix[0], x1 * matrix[0])), sorted((y0 * matrix[3], y1 * matrix[3]))
                if xs[0] < xs[1] and ys[0] < ys[1]:
                    found.update(dict.fromkeys(own, (xs[0], ys[0], xs[1], ys[1])))
        return found


def _extent(font: uharfbuzz.Font | dict[int, Extent], glyph: int) -> Extent | None:
    if isinstance(font, dict):
        return font.get(glyph)
    found = font.get_glyph_extents(glyph)
    if found is None or not found.width or not found.height:
        return None
    x, y, em = found.x_bearing, found.y_bearing, font.face.upem
    return x / em, (y + found.height) / em, (x + found.width) / em, y / em  # height counts downwards


def _procedure_box(stream: bytes, loose: float) -> Extent | None:
    """Box of a glyph procedure, in its own units: what it declares (operator d1), or what its curves reach.

    Skia declares the box of the control points, which may lie far outside a curve.
    """
    declared = _D1.match(stream)
    if not declared:
        return None
    x0, y0, x1, y1 = (float(n) for n in declared.groups()[2:])
    ends = [(float(x), float(y)) for x, y in _END.findall(stream)]
    if not ends or b" re" in stream:
        return x0, y0, x1, y1
    xs, ys = zip(*ends, strict=True)
    if max(min(xs) - x0, min(ys) - y0, x1 - max(xs), y1 - max(ys)) <= loose:
        return x0, y0, x1, y1
    boxes = list(_curve_boxes(stream))
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _curve_boxes(stream: bytes) -> Iterator[Extent]:
    """Box of each piece of an outline (PDF 32000-1, 8.5.2: operators m, l, c, v, y)."""
    at = (0.0, 0.0)
    for numbers, operator in _PIECE.findall(stream):
        n = [float(number) for number in numbers.split()]
        end = (n[-2], n[-1])
        if operator in b"cvy":
            first = at if operator == b"v" else (n[0], n[1])
            second = end if operator == b"y" else (n[-4], n[-3])
            yield calcCubicBounds(at, first, second, end)
        else:
            yield (*end, *end)
        at = end


def _differences(array: str) -> list[tuple[int, str]]:
    found, code = [], 0
    for item in array.strip("[]").replace("/", " /").split():
        if item.startswith("/"):
            found.append((code, item[1:]))
            code += 1
        else:
            code = int(item)
    return found
