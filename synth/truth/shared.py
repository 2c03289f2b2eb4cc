"""Words that share one colour in the probe print, such as generated content and SVG text, parted glyph by glyph."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from schemas.errors import SampleError
from synth.render.outlines import Outlines
from synth.render.raw import SharedPaint, Snapshot
from synth.render.trace import Glyph, TracedPage, same_line


def part_shared(snapshot: Snapshot, pages: tuple[TracedPage, ...], outlines: Outlines) -> tuple[TracedPage, ...]:
    """The pages with every glyph of a shared colour in the colour of its own word.

    One word takes all. Several take as many painted glyphs as they have letters, in order of painting, which is exact
    for text from left to right without ligatures and marks; SampleError "unlabelled_text" where the numbers differ.
    """
    if not snapshot.shared:
        return pages
    owner = {shared.painted: shared for shared in snapshot.shared}
    own: dict[int, list[tuple[int, int]]] = {}
    for number, page in enumerate(pages):
        for at, glyph in enumerate(page.glyphs):
            if glyph.colour in owner:
                own.setdefault(glyph.colour, []).append((number, at))
    changed = [list(page.glyphs) for page in pages]
    for painted, places in own.items():
        first = places[0][0]  # repeated on later pages: labelled where it stands first
        here = [(n, at) for n, at in places if n == first]
        glyphs = [changed[n][at] for n, at in here]
        for (n, at), colour in zip(here, _parted(owner[painted], glyphs, outlines), strict=True):
            changed[n][at] = changed[n][at]._replace(colour=colour, paint=painted)
    return tuple(TracedPage(p.width, p.height, tuple(g)) for p, g in zip(pages, changed, strict=True))


def _parted(shared: SharedPaint, glyphs: list[Glyph], outlines: Outlines) -> Iterable[int]:
    """The colour of each glyph's word; that of the shared paint for a space."""
    if len(shared.units) == 1:
        return [shared.units[0].colour] * len(glyphs)
    inked = [outlines.extent(glyph.font, glyph.number) is not None for glyph in glyphs]
    letters = [unit.colour for unit in shared.units for _ in unit.text]
    if sum(inked) != len(letters) or not _forward([g for g, ink in zip(glyphs, inked, strict=True) if ink]):
        said = " ".join(unit.text for unit in shared.units)
        raise SampleError("unlabelled_text", "truth", f"the words of {said!r} cannot be told apart")
    following = iter(letters)
    return [next(following) if ink else shared.painted for ink in inked]


def _forward(glyphs: list[Glyph]) -> bool:
    """Whether the glyphs of each line follow one another in the direction of the text."""
    return all((b.x - a.x) * a.cos + (b.y - a.y) * a.sin > 0 for a, b in pairwise(glyphs) if same_line(a, b))
