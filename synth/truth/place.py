"""Words of the DOM as fragments on the printed pages, by the colours of the probe print."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.errors import SampleError
from schemas.geometry import Box, union
from synth.render.outlines import Outlines
from synth.render.raw import DomWord, Snapshot
from synth.render.trace import Glyph, TracedPage, around, same_line
from synth.truth.fragment import CLIPPED, Fragment
from synth.truth.ink import FINE, SCALE, Paint
from synth.truth.whole import whole_words


def place(snapshot: Snapshot, pages: tuple[TracedPage, ...], outlines: Outlines, paints: list[Paint]) -> list[Fragment]:
    """Every word of the snapshot, in DOM order. `pages` are the plain print's glyphs in the probe's colours.

    SampleError "missing_glyphs" (an empty box instead of a glyph), "untraced_word" (no glyph), "unpainted_word" (no
    pixel), "cut_off" (partly hidden) or "broken_word" (a piece on two lines).
    """
    whole = whole_words(snapshot, pages, outlines, paints)
    rest = {unit.colour for n, word in enumerate(snapshot.words) if n not in whole for unit in word.units}
    painted: dict[int, list[tuple[int, Glyph]]] = {}
    for number, page in enumerate(pages) if rest else ():
        for glyph in page.glyphs:
            if glyph.colour in rest:
                painted.setdefault(glyph.colour, []).append((number, glyph))
    return [
        fragment
        for n, word in enumerate(snapshot.words)
        for fragment in ((whole[n],) if n in whole else _fragments(word, painted, outlines, paints))
    ]


def _fragments(
    word: DomWord, painted: dict[int, list[tuple[int, Glyph]]], outlines: Outlines, paints: list[Paint]
) -> Iterable[Fragment]:
    parts: list[tuple[int, list[str], list[Glyph], list[int]]] = []  # page, texts, glyphs, their colours in the probe
    lead = ""
    for unit in word.units:
        found = painted.get(unit.colour, [])
        if word.repeats and found:
            found = [(page, glyph) for page, glyph in found if page == found[0][0]]
        if not found:  # drawn with its neighbour as a ligature, or not at all
            if parts:
                parts[-1][1].append(unit.text)
            else:
                lead += unit.text
            continue
        glyphs = [glyph for _, glyph in found]
        page = found[0][0]
        if any(p != page for p, _ in found) or not all(same_line(glyphs[0], g, word.flow) for g in glyphs):
            raise SampleError("broken_word", "truth", f"{unit.text!r} of {word.text!r} stands on two lines")
        if parts and parts[-1][0] == page and same_line(parts[-1][2][-1], glyphs[0], word.flow):
            parts[-1][1].append(unit.text)
            parts[-1][2].extend(glyphs)
            parts[-1][3].append(_paint(glyphs[0]))
        else:
            parts.append((page, [lead + unit.text], glyphs, [_paint(glyphs[0])]))
            lead = ""
    if any(glyph.number == 0 for _, _, glyphs, _ in parts for glyph in glyphs):
        raise SampleError("missing_glyphs", "truth", f"{word.text!r} is drawn as empty boxes")
    if not parts:
        raise SampleError("untraced_word", "truth", f"no glyph of {word.text!r} on the printed pages")
    for number, (page, texts, glyphs, colours) in enumerate(parts):
        box, quad = around(glyphs)
        size = max(glyph.size for glyph in glyphs)
        shift = sum(g.dx for g in glyphs) / len(glyphs), sum(g.dy for g in glyphs) / len(glyphs)
        outline = _outline(glyphs, outlines)
        # Of a word without a colour of its own, pixels may be those of the word beside it: looked for in its box alone.
        alone = glyphs[0].paint < 0
        reach = 0.5 * size if alone else 0.0
        seen = [ink for colour in colours if (ink := paints[page].ink(colour, box, reach, shift))]
        closely = not seen or outline is None or _unsure(glyphs, outline, box, union(seen))
        if closely:
            seen = [ink for colour in colours if (ink := paints[page].close(colour, box, reach, shift))]
        if not seen:
            raise SampleError("unpainted_word", "truth", f"{''.join(texts)!r} on page {page} has no visible pixel")
        visible = union(seen)
        lost = _lost(outline, box, visible)
        if lost > CLIPPED * glyphs[0].size:
            where = f"{''.join(texts)!r} on page {page}"
            raise SampleError("cut_off", "truth", f"{lost:.1f} points of {where} are hidden")
        ink = visible if outline is None else outline
        if outline is not None and closely and alone and not outline.contains(visible, 1.2 / FINE):
            ink = union([outline, visible])  # stroked, synthetic faces
        last = number == len(parts) - 1
        yield Fragment(word, page, "".join(texts), last, box, quad, ink, size, glyphs[0].cos, glyphs[0].sin)


def _paint(glyph: Glyph) -> int:
    """The colour of a glyph in the probe print."""
    return glyph.colour if glyph.paint < 0 else glyph.paint


def _outline(glyphs: list[Glyph], outlines: Outlines) -> Box | None:
    """Box of the upright glyphs' outlines; None where none has one."""
    boxes = [
        (g.x + e[0] * g.size, g.y - e[3] * g.size, g.x + e[2] * g.size, g.y - e[1] * g.size)
        for g in glyphs
        if g.upright and (e := outlines.extent(g.font, g.number, g.tag.lean))
    ]
    if not boxes:
        return None
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return Box(min(x0), min(y0), max(x1), max(y1))


def _lost(outline: Box | None, box: Box, seen: Box) -> float:
    """How many points of the outline, within the advance box, have no pixel on the side where most are missing.

    More than `CLIPPED` ems: the author's clip hides part of the word.
    """
    if outline is None:
        return 0.0
    sure = outline.intersect(box)
    return max(seen.x0 - sure.x0, seen.y0 - sure.y0, sure.x1 - seen.x1, sure.y1 - seen.y1)


def _unsure(glyphs: list[Glyph], outline: Box, box: Box, seen: Box) -> bool:
    """Whether the pixels must be looked at closely: some are missing, or lie beyond what the font's outlines paint.

    A coarse raster follows the hints of the font and may show half a point more. Chromium cuts a highlight at the edges
    of its advance box, so pixels alone miss what hangs over: where nothing else is painted the outlines are right.
    """
    if any(glyph.stroked for glyph in glyphs) or not outline.contains(seen, 2.0 / SCALE):
        return True
    return _lost(outline, box, seen) > CLIPPED * glyphs[0].size
