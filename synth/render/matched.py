"""Which glyph of the probe print each glyph of the plain print is."""

from __future__ import annotations

import numpy as np

from synth.render.trace import Glyph, PrintedPage, TracedPage

MAX_DRIFT = 0.4


def matched(plain: tuple[PrintedPage, ...], probe: tuple[PrintedPage, ...]) -> tuple[tuple[TracedPage, ...], int]:
    """The plain print's glyphs, in its order, with the colours of the probe print; how many of either have no partner.

    Partners are the same glyph at most `MAX_DRIFT` points apart: a run of text set in one piece rounds its advances
    otherwise than the same run set word by word. `dx` and `dy` say how far the probe's glyph is from the plain one.
    """
    if len(plain) != len(probe):
        return tuple(page.traced for page in probe), sum(len(page.numbers) for page in plain)
    pages, lonely = [], 0
    for a, b in zip(plain, probe, strict=True):
        glyphs, alone = _matched_page(a, b)
        pages.append(TracedPage(a.width, a.height, glyphs))
        lonely += alone
    return tuple(pages), lonely


def _matched_page(plain: PrintedPage, probe: PrintedPage) -> tuple[tuple[Glyph, ...], int]:
    if np.array_equal(plain.numbers, probe.numbers):  # same painting order, the usual case
        drift = probe.places - plain.places
        if not len(drift) or float(np.abs(drift).max()) <= MAX_DRIFT:
            dx, dy = drift.T.tolist()
            return plain.painted(probe.colours, dx, dy), 0
    found = _nearest(plain.glyphs, probe.glyphs)  # outlined text may be painted twice in one of them: not one to one
    back = _nearest(probe.glyphs, plain.glyphs)
    glyphs = tuple(_coloured(p, q) for p, q in zip(plain.glyphs, found, strict=True) if q is not None)
    return glyphs, found.count(None) + back.count(None)


def _same(p: Glyph, q: Glyph) -> bool:
    return p.number == q.number and abs(p.x - q.x) <= MAX_DRIFT and abs(p.y - q.y) <= MAX_DRIFT


def _coloured(plain: Glyph, probe: Glyph) -> Glyph:
    return plain._replace(colour=probe.colour, dx=probe.x - plain.x, dy=probe.y - plain.y)


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
