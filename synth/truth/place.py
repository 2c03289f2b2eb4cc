"""Words of the DOM as fragments on the printed pages, by the colours of the probe print."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.errors import SampleError
from schemas.geometry import Box, Quad, union
from synth.render.raw import DomWord, RawPrint
from synth.render.trace import Glyph, around, same_line
from synth.truth.ink import Paint


@dataclass(frozen=True)
class Fragment:
    """The part of a word that stands on one line of one page; nearly always the whole word."""

    word: DomWord
    page: int
    text: str
    last: bool  # the word ends here
    box: Box
    quad: Quad
    ink: Box
    size: float
    cos: float
    sin: float

    @property
    def upright(self) -> bool:
        return self.cos > 0.9999


def place(raw: RawPrint, paints: list[Paint]) -> list[Fragment]:
    """Every word of the snapshot, in DOM order.

    SampleError "untraced_word" (no glyph), "unpainted_word" (no pixel) or "broken_word" (a piece on two lines).
    """
    painted: dict[int, list[tuple[int, Glyph]]] = {}
    for number, page in enumerate(raw.probe):
        for glyph in page.glyphs:
            painted.setdefault(glyph.colour, []).append((number, glyph))
    return [fragment for word in raw.snapshot.words for fragment in _fragments(word, painted, paints)]


def _fragments(word: DomWord, painted: dict[int, list[tuple[int, Glyph]]], paints: list[Paint]) -> Iterable[Fragment]:
    parts: list[tuple[int, list[str], list[Glyph], list[int]]] = []  # page, texts, glyphs, colours
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
        if any(p != page for p, _ in found) or not all(same_line(glyphs[0], g) for g in glyphs):
            raise SampleError("broken_word", "truth", f"{unit.text!r} of {word.text!r} stands on two lines")
        if parts and parts[-1][0] == page and same_line(parts[-1][2][-1], glyphs[0]):
            parts[-1][1].append(unit.text)
            parts[-1][2].extend(glyphs)
            parts[-1][3].append(unit.colour)
        else:
            parts.append((page, [lead + unit.text], glyphs, [unit.colour]))
            lead = ""
    if not parts:
        raise SampleError("untraced_word", "truth", f"no glyph of {word.text!r} on the printed pages")
    for number, (page, texts, glyphs, colours) in enumerate(parts):
        box, quad = around(glyphs)
        size = max(glyph.size for glyph in glyphs)
        inks = [ink for colour in colours if (ink := paints[page].ink(colour, box, size))]
        if not inks:
            raise SampleError("unpainted_word", "truth", f"{''.join(texts)!r} on page {page} has no visible pixel")
        last = number == len(parts) - 1
        yield Fragment(word, page, "".join(texts), last, box, quad, union(inks), size, glyphs[0].cos, glyphs[0].sin)
