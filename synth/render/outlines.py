"""Extents of glyph outlines, read from the fonts a PDF embeds: exact where a raster is only sharp to a pixel."""

# pyright: reportAttributeAccessIssue=false
# uharfbuzz is a compiled module without type stubs.
from __future__ import annotations

import re
from typing import Any

import pymupdf
import uharfbuzz

Extent = tuple[float, float, float, float]  # x0, y0, x1, y1 in ems, y up, from the glyph's origin

_D1 = re.compile(rb"^\s*" + rb"\s+".join([rb"([-+.\d]+)"] * 6) + rb"\s+d1\b")


class Outlines:
    """The fonts of one opened PDF by the names that MuPDF's text trace gives them."""

    def __init__(self, document: pymupdf.Document) -> None:
        self._document = document
        self._fonts: dict[str, uharfbuzz.Font | dict[int, Extent] | None] = {}
        self._xrefs: dict[str, int] = {}
        for number in range(document.page_count):
            for font in document.get_page_fonts(number):
                self._xrefs.setdefault(font[3].split("+")[-1], font[0])
        self._known: dict[tuple[str, int], Extent | None] = {}

    def extent(self, font: str, glyph: int) -> Extent | None:
        """Outline box of a glyph; None if it paints nothing or the font cannot be read."""
        key = (font, glyph)
        if key not in self._known:
            self._known[key] = self._extent(font, glyph)
        return self._known[key]

    def _extent(self, name: str, glyph: int) -> Extent | None:
        if name not in self._fonts:
            self._fonts[name] = self._open(name)
        font = self._fonts[name]
        if font is None:
            return None
        if isinstance(font, dict):
            return font.get(glyph)
        found = font.get_glyph_extents(glyph)
        if found is None or not found.width or not found.height:
            return None
        x, y, em = found.x_bearing, found.y_bearing, font.face.upem
        return x / em, (y + found.height) / em, (x + found.width) / em, y / em  # height counts downwards

    def _open(self, name: str) -> uharfbuzz.Font | dict[int, Extent] | None:
        type3 = re.search(r"\((\d+) 0 R\)$", name)
        if type3:
            return self._type3(int(type3.group(1)))
        xref = self._xrefs.get(name)
        extracted: Any = self._document.extract_font(xref) if xref else None
        data = extracted[3] if extracted else b""
        return uharfbuzz.Font(uharfbuzz.Face(data)) if data else None

    def _type3(self, xref: int) -> dict[int, Extent]:
        """Boxes that a Type 3 font's glyph procedures declare (PDF 32000-1, 9.6.5, operator d1)."""
        document = self._document
        matrix = [float(n) for n in document.xref_get_key(xref, "FontMatrix")[1].strip("[]").split()]
        codes: dict[str, list[int]] = {}
        for code, name in _differences(document.xref_get_key(xref, "Encoding/Differences")[1]):
            codes.setdefault(name, []).append(code)
        found: dict[int, Extent] = {}
        for name, own in codes.items():
            kind, value = document.xref_get_key(xref, f"CharProcs/{name}")
            stream = document.xref_stream(int(value.split()[0])) if kind == "xref" else None
            match = _D1.match(stream or b"")
            if match:
                x0, y0, x1, y1 = (float(n) for n in match.groups()[2:])
                xs, ys = sorted((x0 * matrix[0], x1 * matrix[0])), sorted((y0 * matrix[3], y1 * matrix[3]))
                if xs[0] < xs[1] and ys[0] < ys[1]:
                    found.update(dict.fromkeys(own, (xs[0], ys[0], xs[1], ys[1])))
        return found


def _differences(array: str) -> list[tuple[int, str]]:
    found, code = [], 0
    for item in array.strip("[]").replace("/", " /").split():
        if item.startswith("/"):
            found.append((code, item[1:]))
            code += 1
        else:
            code = int(item)
    return found
