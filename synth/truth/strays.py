"""What is painted and belongs to no word, and what is a word and cannot be seen: both are errors of the sample."""

from __future__ import annotations

import numpy as np
import pymupdf

from schemas.errors import SampleError
from schemas.geometry import Box, union
from synth.render.outlines import Outlines
from synth.render.procedures import Extent
from synth.render.raw import Snapshot
from synth.render.trace import Glyph, PrintedPage, TracedPage

LIGHT = 200  # a text whose channels are all above may be white on white
CONTRAST = 16  # levels of a channel between a letter and its ground
LOOK = 3.0  # pixels a point


def check_strays(snapshot: Snapshot, pages: tuple[TracedPage, ...], outlines: Outlines) -> None:
    """SampleError "unlabelled_text" for a painted glyph that is of no word.

    Two kinds may be: the hyphen that the browser puts where it breaks a word, and the shadow of a labelled glyph.
    """
    known = {unit.colour for word in snapshot.words for unit in word.units} | {s.painted for s in snapshot.shared}
    broken = {unit.colour for word in snapshot.words for unit in word.units[:-1]}
    for number, page in enumerate(pages):
        strays = [g for g in page.glyphs if g.colour not in known and outlines.extent(g.font, g.number)]
        if not strays:
            continue
        labelled = [g for g in page.glyphs if g.colour in known]
        for stray in strays:
            if not any(_shadow(stray, g) or (g.colour in broken and _follows(stray, g)) for g in labelled):
                where = f"at {stray.x:.0f}, {stray.y:.0f} points on page {number}"
                raise SampleError("unlabelled_text", "truth", f"the text {where} is of no word")


def check_seen(document: pymupdf.Document, pages: tuple[PrintedPage, ...], outlines: Outlines) -> None:
    """SampleError "unpainted_word" for light text on a ground as light. `pages` are in the colours of the print."""
    for number, page in enumerate(pages):
        colours = {c for c in set(page.colours) if min(c >> 16, c >> 8 & 255, c & 255) > LIGHT}
        if not colours:
            continue
        light = [glyph for glyph in page.glyphs if glyph.colour in colours]
        sheet = Box(0.0, 0.0, page.width, page.height)
        ground = [_ground(g, extent).intersect(sheet) for g in light if (extent := outlines.extent(g.font, g.number))]
        ground = [box for box in ground if box.x0 < box.x1 and box.y0 < box.y1]
        if not ground:
            continue
        pixmap = document[number].get_pixmap(matrix=pymupdf.Matrix(LOOK, LOOK), clip=union(ground))
        pixels = np.frombuffer(pixmap.samples_mv, np.uint8).reshape(pixmap.height, pixmap.width, 3)
        for box in ground:
            x0, y0 = int(box.x0 * LOOK) - pixmap.x, int(box.y0 * LOOK) - pixmap.y
            x1, y1 = int(box.x1 * LOOK) + 1 - pixmap.x, int(box.y1 * LOOK) + 1 - pixmap.y
            near = pixels[y0:y1, x0:x1].reshape(-1, 3)
            if len(near) and int(np.ptp(near, axis=0).max()) < CONTRAST:
                raise SampleError("unpainted_word", "truth", f"light text on a light ground on page {number}")


def _ground(glyph: Glyph, extent: Extent) -> Box:
    """Around a glyph as far as its outline reaches, in whatever direction the text goes."""
    reach = max(map(abs, extent)) * glyph.size
    return Box(glyph.x - reach, glyph.y - reach, glyph.x + reach, glyph.y + reach)


def _shadow(stray: Glyph, glyph: Glyph) -> bool:
    same = stray.number == glyph.number and stray.font == glyph.font and stray.size == glyph.size
    return same and abs(stray.x - glyph.x) < glyph.size and abs(stray.y - glyph.y) < glyph.size


def _follows(stray: Glyph, glyph: Glyph) -> bool:
    """Whether a glyph begins where another ends, on its baseline."""
    end = glyph.x + glyph.cos * glyph.advance, glyph.y + glyph.sin * glyph.advance
    start = stray.x, stray.y
    before = stray.x + stray.cos * stray.advance, stray.y + stray.sin * stray.advance  # from right to left
    gaps = [abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in ((start, end), (before, (glyph.x, glyph.y)))]
    return min(gaps) < 0.2 * glyph.size
