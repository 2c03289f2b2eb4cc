"""What a PDF paints, glyph by glyph: colour, place, advance, direction. Points, origin top left.

Text is not read here: extractors double Bangla vowel signs; whose a glyph is, its colour in the probe print says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress, repeat
from typing import Any, NamedTuple

import numpy as np
import pymupdf

from schemas.geometry import Box, Point, Quad, quad_of
from synth.render.columns import floats
from synth.render.marked import UNTAGGED, Shown, shown
from synth.render.outlines import TRACE_NAME

DEFAULT_ASCENT, DEFAULT_DESCENT = 0.88, -0.12
_VISIBLE = (0, 1)  # text rendering: filled, stroked


class Glyph(NamedTuple):
    """One painted glyph. `colour` is 0xRRGGBB; (`cos`, `sin`) its direction with y down; ascent and descent in ems.

    `font` is MuPDF's name of it; `stroked`: painted as an outline, alone or over the filled glyph. `text`: what its
    font says it stands for, which its `tag` may overrule.
    `dx`, `dy`: how far the probe print's glyph is from this one of the plain print. `paint`: its colour there, where
    that is not the colour of its word; -1 otherwise.
    """

    colour: int
    number: int
    x: float
    y: float
    advance: float
    cos: float
    sin: float
    size: float
    ascent: float
    descent: float
    font: str
    stroked: bool = False
    text: str = ""
    tag: Shown = UNTAGGED
    dx: float = 0.0
    dy: float = 0.0
    paint: int = -1

    @property
    def upright(self) -> bool:
        return self.cos > 0.9999

    @property
    def quad(self) -> Quad:
        """Advance box: pen advance x ascent and descent, in the direction of the text."""
        up, down = self.ascent * self.size, -self.descent * self.size
        ax, ay = self.cos * self.advance, self.sin * self.advance
        px, py = -self.sin, self.cos  # to the foot of the letters
        x, y = self.x, self.y
        return Quad(
            Point(x - px * up, y - py * up),
            Point(x + ax - px * up, y + ay - py * up),
            Point(x + ax + px * down, y + ay + py * down),
            Point(x + px * down, y + py * down),
        )


@dataclass(frozen=True)
class TracedPage:
    """The glyphs of a page of the plain print, in the colours of the probe print."""

    width: float
    height: float
    glyphs: tuple[Glyph, ...]

    @property
    def area(self) -> Box:
        """Around the glyphs, whatever way they go, with room for more than half an em; the page where it has none."""
        if not self.glyphs:
            return Box(0.0, 0.0, self.width, self.height)
        x, y, advance, _, _, size, ascent, descent = floats((glyph[2:10] for glyph in self.glyphs), 8).T
        reach = advance + (np.abs(ascent) + np.abs(descent) + 1) * size
        return Box(*map(float, ((x - reach).min(), (y - reach).min(), (x + reach).max(), (y + reach).max())))


@dataclass(frozen=True)
class PrintedPage:
    """A page as MuPDF traces it, in spans of one font, size and colour.

    `spans` are those of text that paints. `metrics`: ascent and descent in ems by name of the font. `tags`: what the
    content stream says of each glyph, None where it was not asked.
    """

    width: float
    height: float
    spans: list[dict[str, Any]]
    metrics: dict[str, tuple[float, float]]
    tags: list[Shown] | None = None

    @cached_property
    def numbers(self) -> np.ndarray:
        """Of the glyphs in their fonts, in painting order."""
        return np.array([char[1] for span in self.spans for char in span["chars"] if char[1] >= 0], dtype=np.int64)

    @cached_property
    def places(self) -> np.ndarray:
        """Origins of the glyphs, n x 2."""
        return floats((char[2] for span in self.spans for char in span["chars"] if char[1] >= 0), 2)

    @cached_property
    def colours(self) -> list[int]:
        """0xRRGGBB of each glyph."""
        return [c for span in self.spans for c in repeat(_colour(span), _painted(span))]

    @property
    def turned(self) -> set[int]:
        """Colours of text that does not go straight to the right."""
        return {_colour(span) for span in self.spans if span["dir"][0] != 1.0}

    @cached_property
    def glyphs(self) -> tuple[Glyph, ...]:
        return self.painted(repeat(None), repeat(0.0), repeat(0.0))

    @property
    def traced(self) -> TracedPage:
        return TracedPage(self.width, self.height, self.glyphs)

    def painted(self, colours: Iterable[int | None], dx: Iterable[float], dy: Iterable[float]) -> tuple[Glyph, ...]:
        """The glyphs in other colours than their own (None: in their own), and how far the probe's are from them."""
        glyphs: list[Glyph] = []
        rest = zip(repeat(UNTAGGED) if self.tags is None else self.tags, colours, dx, dy, strict=False)
        for span in self.spans:
            name, size, (cos, sin), own = span["font"], span["size"], span["dir"], _colour(span)
            ascent, descent = self.metrics[name]
            # MuPDF reports its own ascent and descent, with which it made the boxes.
            tall, turn, lean = (span["ascender"] - span["descender"]) * size, abs(cos), abs(sin)
            stroked = span["type"] == 1
            for letter, number, (x, y), (x0, y0, x1, y1) in span["chars"]:
                if number < 0:  # a character more of the ligature before
                    if glyphs:
                        glyphs[-1] = glyphs[-1]._replace(text=glyphs[-1].text + chr(letter))
                    continue
                advance = x1 - x0 if lean < 1e-6 else _advance(x1 - x0, y1 - y0, tall, turn, lean)
                tag, colour, ox, oy = next(rest)
                colour = own if colour is None else colour
                values = colour, number, x, y, advance, cos, sin, size, ascent, descent, name, stroked
                glyphs.append(_new(Glyph, (*values, chr(letter), tag, ox, oy, -1)))
        return tuple(glyphs)


_new = tuple.__new__  # a NamedTuple's own constructor takes three times as long


def trace(document: pymupdf.Document, tagged: bool = False) -> tuple[PrintedPage, ...]:
    """All painted glyphs of every page in painting order; with what the content streams say of them if `tagged`."""
    metrics: dict[str, tuple[float, float]] = {}
    return tuple(_page(document, page, metrics, tagged) for page in document)


def _page(
    document: pymupdf.Document, page: pymupdf.Page, metrics: dict[str, tuple[float, float]], tagged: bool
) -> PrintedPage:
    spans = page.get_texttrace()
    seen = [span["type"] in _VISIBLE and span["opacity"] != 0 for span in spans]
    tags = _tags(document, page, spans) if tagged else None
    if tags is not None and not all(seen):
        shown_in = [paints for span, paints in zip(spans, seen, strict=True) for _ in range(_painted(span))]
        tags = list(compress(tags, shown_in))
    spans = list(compress(spans, seen))
    fonts: dict[str, int] = {}
    for name in dict.fromkeys(span["font"] for span in spans):
        if name not in metrics:
            fonts = fonts or {font[3].split("+")[-1][:TRACE_NAME]: font[0] for font in page.get_fonts(full=False)}
            metrics[name] = _metrics(document, name, fonts)
    return PrintedPage(page.rect.width, page.rect.height, spans, metrics, tags)


def _painted(span: dict[str, Any]) -> int:
    """How many glyphs a span has. Characters of a ligature after its first have no glyph."""
    return sum([char[1] >= 0 for char in span["chars"]])


def _colour(span: dict[str, Any]) -> int:
    return _number(span["color"])


@lru_cache(maxsize=1 << 14)
def _number(colour: tuple[float, ...]) -> int:
    """0xRRGGBB of a colour of one channel or of three."""
    red, green, blue = (round(c * 255) for c in (colour * 3 if len(colour) == 1 else colour[:3]))
    return red << 16 | green << 8 | blue


def _tags(document: pymupdf.Document, page: pymupdf.Page, spans: list[dict[str, Any]]) -> list[Shown] | None:
    """What the content stream says of each glyph; nothing where it shows others than MuPDF traces."""
    found = shown(document, page)
    return found if found is not None and len(found) == sum(map(_painted, spans)) else None


def _advance(width: float, height: float, tall: float, cos: float, sin: float) -> float:
    """Advance of a turned glyph from the upright box around its turned advance box."""
    return max(0.0, (width - tall * sin) / cos if cos >= sin else (height - tall * cos) / sin)


def _metrics(document: pymupdf.Document, name: str, fonts: dict[str, int]) -> tuple[float, float]:
    """Ascent and descent in ems from the PDF's font descriptor; a stated default where it has none."""
    found = re.search(r"\((\d+) 0 R\)$", name)
    xref = int(found.group(1)) if found else fonts.get(name, 0)
    if not xref:
        return DEFAULT_ASCENT, DEFAULT_DESCENT
    for path in ("FontDescriptor", "DescendantFonts"):
        kind, value = document.xref_get_key(xref, path)
        target = re.search(r"(\d+) 0 R", value) if kind in ("xref", "array") else None
        if target is None:
            continue
        owner = int(target.group(1))
        prefix = "" if path == "FontDescriptor" else "FontDescriptor/"
        values = [document.xref_get_key(owner, f"{prefix}{key}") for key in ("Ascent", "Descent")]
        if all(k in ("int", "float") for k, _ in values):
            ascent, descent = (float(v) for _, v in values)
            if ascent > descent:
                return ascent / 1000, descent / 1000
    return DEFAULT_ASCENT, DEFAULT_DESCENT


def around(glyphs: list[Glyph]) -> tuple[Box, Quad]:
    """Upright box and quad in the direction of the first glyph around the advance boxes of some glyphs."""
    first = glyphs[0]
    cos, sin = first.cos, first.sin
    if cos == 1.0 and all(g.cos == 1.0 for g in glyphs):  # upright text, nearly always
        box = Box(
            min(g.x for g in glyphs),
            min(g.y - g.ascent * g.size for g in glyphs),
            max(g.x + g.advance for g in glyphs),
            max(g.y - g.descent * g.size for g in glyphs),
        )
        return box, quad_of(box)
    corners = [corner for glyph in glyphs for corner in glyph.quad]
    along = [p.x * cos + p.y * sin for p in corners]
    down = [-p.x * sin + p.y * cos for p in corners]

    def back(u: float, v: float) -> Point:
        return Point(u * cos - v * sin, u * sin + v * cos)

    u0, u1, v0, v1 = min(along), max(along), min(down), max(down)
    quad = Quad(back(u0, v0), back(u1, v0), back(u1, v1), back(u0, v1))
    return quad.box, quad


def same_line(a: Glyph, b: Glyph, flow: str = "ltr") -> bool:
    """Whether two glyphs of one word stand on one line: baselines at most 0.7 em apart, across their direction.

    In vertical text ("ttb") a line is a column, whose letters stand upright or lie: their middles are compared.
    """
    if flow == "ttb":
        one, two = a.quad.box, b.quad.box
        return abs(one.x0 + one.x1 - two.x0 - two.x1) / 2 <= 0.7 * max(a.size, b.size)
    if a.y == b.y and a.cos == b.cos == 1.0:  # nearly always
        return True
    if abs(a.cos - b.cos) > 0.02 or abs(a.sin - b.sin) > 0.02:
        return False
    return abs((b.y - a.y) * a.cos - (b.x - a.x) * a.sin) <= 0.7 * max(a.size, b.size)
