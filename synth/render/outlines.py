"""Extents of glyph outlines, read from the fonts a PDF embeds: exact where a raster is only sharp to a pixel."""

# pyright: reportAttributeAccessIssue=false
# uharfbuzz is a compiled module without type stubs.
from __future__ import annotations

import re
from typing import Any

import pymupdf
import uharfbuzz
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.transformPen import TransformPen

from synth.render.procedures import Extent, Procedures

TRACE_NAME = 24  # letters: MuPDF keeps 31, of which the subset's tag takes seven

_PROCEDURE = re.compile(r"/([^\s/\[\]()<>]+) (\d+) 0 R")


class Outlines:
    """The fonts of one opened PDF by the names that MuPDF's text trace gives them.

    A name may stand for several fonts: Chromium embeds a face more than once, each time with other glyphs under their
    own numbers, and MuPDF keeps `TRACE_NAME` letters of a name.
    """

    def __init__(self, document: pymupdf.Document) -> None:
        self._document = document
        self._fonts: dict[str, list[uharfbuzz.Font | Procedures]] = {}
        self._xrefs: dict[str, dict[int, None]] = {}
        for number in range(document.page_count):
            for font in document.get_page_fonts(number):
                self._xrefs.setdefault(font[3].split("+")[-1][:TRACE_NAME], {})[font[0]] = None
        self._known: dict[tuple[str, int, float], Extent | None] = {}

    def extent(self, font: str, glyph: int, lean: float = 0.0) -> Extent | None:
        """Outline box of a glyph; None if it paints nothing, or the font cannot be read or told from another.

        `lean`: ems to the right per em up by which the glyph is slanted (a synthetic italic).
        """
        key = (font, glyph, lean)
        if key not in self._known:
            if font not in self._fonts:
                self._fonts[font] = self._open(font)
            found = {extent for opened in self._fonts[font] if (extent := _extent(opened, glyph, lean))}
            self._known[key] = found.pop() if len(found) == 1 else None
        return self._known[key]

    def _open(self, name: str) -> list[uharfbuzz.Font | Procedures]:
        type3 = re.search(r"\((\d+) 0 R\)$", name)
        if type3:
            return [self._type3(int(type3.group(1)))]
        extracted: list[Any] = [self._document.extract_font(xref) for xref in self._xrefs.get(name, ())]
        return [uharfbuzz.Font(uharfbuzz.Face(font[3])) for font in extracted if font and font[3]]

    def _type3(self, xref: int) -> Procedures:
        document = self._document
        matrix = [float(n) for n in document.xref_get_key(xref, "FontMatrix")[1].strip("[]").split()]
        kind, value = document.xref_get_key(xref, "CharProcs")
        named = {name: int(own) for name, own in _PROCEDURE.findall(value if kind == "dict" else "")}
        codes = _differences(document.xref_get_key(xref, "Encoding/Differences")[1])
        return Procedures(document, {code: named[name] for code, name in codes if name in named}, matrix[0], matrix[3])


def _extent(font: uharfbuzz.Font | Procedures, glyph: int, lean: float) -> Extent | None:
    if isinstance(font, Procedures):
        return font.extent(glyph, lean)
    em = font.face.upem
    if lean:
        pen = BoundsPen(None)
        font.draw_glyph_with_pen(glyph, TransformPen(pen, (1, 0, lean, 1, 0, 0)))
        x0, y0, x1, y1 = pen.bounds or (0, 0, 0, 0)
        return (x0 / em, y0 / em, x1 / em, y1 / em) if pen.bounds else None
    found = font.get_glyph_extents(glyph)
    if found is None or not found.width or not found.height:
        return None
    x, y = found.x_bearing, found.y_bearing
    return x / em, (y + found.height) / em, (x + found.width) / em, y / em  # height counts downwards


def _differences(array: str) -> list[tuple[int, str]]:
    found, code = [], 0
    for item in array.strip("[]").replace("/", " /").split():
        if item.startswith("/"):
            found.append((code, item[1:]))
            code += 1
        else:
            code = int(item)
    return found
