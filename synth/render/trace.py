"""What a PDF paints, glyph by glyph: colour, place, advance, direction. Points, origin top left.

Text is not read here: extractors double Bangla vowel signs; whose a glyph is, its colour in the probe print says.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Any, NamedTuple

import pymupdf

from schemas.geometry import Box, Point, Quad, quad_of
from synth.render.marked import UNTAGGED, Shown, shown
from synth.render.outlines import TRACE_NAME

DEFAULT_ASCENT, DEFAULT_DESCENT = 0.88, -0.12
MAX_DRIFT = 0.4
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
    width: float
    height: float
    glyphs: tuple[Glyph, ...]


def trace(document: pymupdf.Document, tagged: bool = False) -> tuple[TracedPage, ...]:
    """All painted glyphs of every page in painting order; with what the content streams say of them if `tagged`."""
    metrics: dict[str, tuple[float, float]] = {}
    return tuple(_page(document, page, metrics, tagged) for page in document)


def _page(
    document: pymupdf.Document, page: pymupdf.Page, metrics: dict[str, tuple[float, float]], tagged: bool
) -> TracedPage:
    spans = page.get_texttrace()
    tags = _tags(document, page, spans) if tagged else repeat(UNTAGGED)
    fonts: dict[str, int] = {}
    glyphs: list[Glyph] = []
    for span in spans:
        if span["type"] not in _VISIBLE or span["opacity"] == 0:
            deque(islice(tags, sum(char[1] >= 0 for char in span["chars"])), 0)
            continue
        name, size, (cos, sin) = span["font"], span["size"], span["dir"]
        if name not in metrics:
            if not fonts:
                fonts = {font[3].split("+")[-1][:TRACE_NAME]: font[0] for font in page.get_fonts(full=False)}
            metrics[name] = _metrics(document, name, fonts)
        ascent, descent = metrics[name]
        red, green, blue = (round(c * 255) for c in _rgb(span["color"]))
        colour = red << 16 | green << 8 | blue
        # MuPDF reports its own ascent and descent, with which it made the boxes.
        tall = (span["ascender"] - span["descender"]) * size
        stroked = span["type"] == 1
        for letter, number, (x, y), box in span["chars"]:
            if number < 0:  # a character more of the ligature before
                if glyphs:
                    glyphs[-1] = glyphs[-1]._replace(text=glyphs[-1].text + chr(letter))
                continue
            advance = _advance(box[2] - box[0], box[3] - box[1], tall, abs(cos), abs(sin))
            tag, text = next(tags), chr(letter)
            glyphs.append(
                Glyph(colour, number, x, y, advance, cos, sin, size, ascent, descent, name, stroked, text, tag)
            )
    return TracedPage(page.rect.width, page.rect.height, tuple(glyphs))


def _tags(document: pymupdf.Document, page: pymupdf.Page, spans: list[Any]) -> Iterator[Shown]:
    """What the content stream says of each glyph; nothing where it shows others than MuPDF traces."""
    found = shown(document, page)
    traced = sum(char[1] >= 0 for span in spans for char in span["chars"])
    return iter(found) if found is not None and len(found) == traced else repeat(UNTAGGED)


def _advance(width: float, height: float, tall: float, cos: float, sin: float) -> float:
    """Advance of a glyph from the upright box around its turned advance box."""
    if sin < 1e-6:
        return width
    return max(0.0, (width - tall * sin) / cos if cos >= sin else (height - tall * cos) / sin)


def _rgb(colour: tuple[float, ...]) -> tuple[float, ...]:
    return colour * 3 if len(colour) == 1 else colour[:3]


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


def matched(plain: tuple[TracedPage, ...], probe: tuple[TracedPage, ...]) -> tuple[tuple[TracedPage, ...], int]:
    """The plain print's glyphs, in its order, with the colours of the probe print; how many of either have no partner.

    Partners are the same glyph at most `MAX_DRIFT` points apart: a run of text set in one piece rounds its advances
    otherwise than the same run set word by word. `dx` and `dy` say how far the probe's glyph is from the plain one.
    """
    if len(plain) != len(probe):
        return probe, sum(len(page.glyphs) for page in plain)
    pages, lonely = [], 0
    for a, b in zip(plain, probe, strict=True):
        glyphs, alone = _matched_page(a.glyphs, b.glyphs)
        pages.append(TracedPage(a.width, a.height, glyphs))
        lonely += alone
    return tuple(pages), lonely


def _matched_page(plain: tuple[Glyph, ...], probe: tuple[Glyph, ...]) -> tuple[tuple[Glyph, ...], int]:
    if len(plain) == len(probe) and all(map(_same, plain, probe)):  # same painting order, the usual case
        return tuple(map(_coloured, plain, probe)), 0
    found = _nearest(plain, probe)  # outlined text may be painted twice in one of them: not one to one
    back = _nearest(probe, plain)
    glyphs = tuple(_coloured(p, q) for p, q in zip(plain, found, strict=True) if q is not None)
    return glyphs, found.count(None) + back.count(None)


def _same(p: Glyph, q: Glyph) -> bool:
    return p.number == q.number and abs(p.x - q.x) <= MAX_DRIFT and abs(p.y - q.y) <= MAX_DRIFT


def _coloured(plain: Glyph, probe: Glyph) -> Glyph:
    return Glyph(probe.colour, *plain[1:14], probe.x - plain.x, probe.y - plain.y)


def _nearest(glyphs: tuple[Glyph, ...], others: tuple[Glyph, ...]) -> list[Glyph | None]:
    places: dict[tuple[int, int, int], list[Glyph]] = {}
    for glyph in others:
        places.setdefault((glyph.number, round(glyph.x), round(glyph.y)), []).append(glyph)
    steps = [(dx, dy) for dx in (0, -1, 1) for dy in (0, -1, 1)]
    found: list[Glyph | None] = []
    for glyph in glyphs:
        x, y = round(glyph.x), round(glyph.y)
        near = [q for dx, dy in steps for q in places.get((glyph.number, x + dx, y + dy), ()) if _same(glyph, q)]
        found.append(min(near, key=lambda q: abs(q.x - glyph.x) + abs(q.y - glyph.y), default=None))
    return found


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
