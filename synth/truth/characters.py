"""Boxes of characters: the grapheme clusters of each word, by a probe print in which every cluster has a colour.

What is drawn as one is one character: a conjunct is, with its vowel signs, even where Unicode (UAX 29) parts it. Only a
ligature of plain letters (ffi, lam-alef) is divided, into equal parts along the line, as browsers do for a selection;
`ligature` says among how many.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import regex

from schemas.document import Character, Word
from schemas.errors import SampleError
from schemas.geometry import Box, Point, Quad, quad_of, union
from synth.render.matched import MAX_DRIFT
from synth.render.outlines import Outlines
from synth.render.raw import Clusters, DomWord, Snapshot
from synth.render.trace import Glyph, PrintedPage, TracedPage, around
from synth.truth.fragment import Fragment
from synth.truth.shared import part_shared

_JOINERS = "\u200c\u200d"


@dataclass
class _Group:
    """Clusters of a word that are drawn together, and their glyphs on the page."""

    texts: list[str]
    at: int  # characters of the word before it
    glyphs: list[Glyph] = field(default_factory=list)

    @property
    def divided(self) -> bool:
        """Whether it is a ligature of plain letters."""
        marked = any(unicodedata.category(c)[0] == "M" or c in _JOINERS for text in self.texts for c in text)
        return len(self.texts) > 1 and not marked


def words_of(snapshot: Snapshot, fragments: Sequence[Fragment]) -> list[list[int]]:
    """For each word of the DOM the positions of its fragments: one that is broken over lines has several."""
    numbers = {id(word): number for number, word in enumerate(snapshot.words)}
    found: list[list[int]] = [[] for _ in snapshot.words]
    for position, fragment in enumerate(fragments):
        found[numbers[id(fragment.word)]].append(position)
    return found


def characters_of(
    clusters: Clusters, owners: Sequence[Sequence[Word]], printed: tuple[PrintedPage, ...], outlines: Outlines
) -> tuple[Character, ...]:
    """The characters of all words in reading order, in points.

    `owners`: for each word of the DOM its words in the document. `printed`: the plain print's glyphs.

    SampleError "untraced_character" (stage "truth") where a word's glyphs cannot be given to its characters.
    """
    probe = part_shared(clusters.snapshot, tuple(page.traced for page in clusters.probe), outlines)
    painters = _painters(printed, probe)
    found: list[Character] = []
    shared = {unit.colour for paint in clusters.snapshot.shared for unit in paint.units}
    for word, own in zip(clusters.snapshot.words, owners, strict=True):
        pages = {w.page for w in own}
        glyphs = {
            unit.colour: [(n, g, owners) for n, g, owners in painters.get(unit.colour, ()) if n in pages]
            for unit in word.units
        }
        if word.units[0].colour in shared:
            groups = _one_each(word, [g for _, g, _ in glyphs[word.units[0].colour]], outlines)
        else:
            groups = _groups(word, glyphs)
        for group in groups:
            owner = _fragment(own, group.at)
            found.extend(_characters(group, owner, outlines))
    found.sort(key=lambda one: one.word)
    return tuple(replace(one, id=number) for number, one in enumerate(found))


_Painted = tuple[int, Glyph, frozenset[int]]  # page, glyph of the plain print, all colours of it in the probe print


def _painters(printed: tuple[PrintedPage, ...], probe: tuple[TracedPage, ...]) -> dict[int, list[_Painted]]:
    """By colour of the probe print: the glyphs of the plain print that stand where it is painted.

    The probe paints a glyph of several clusters once for each, cut into pieces.
    """
    found: dict[int, list[_Painted]] = {}
    for number, (plain, painted) in enumerate(zip(printed, probe, strict=True)):
        places: dict[tuple[int, int, int], list[Glyph]] = {}
        for glyph in painted.glyphs:
            places.setdefault((glyph.number, round(glyph.x), round(glyph.y)), []).append(glyph)
        for glyph in plain.glyphs:
            x, y = round(glyph.x), round(glyph.y)
            near = [q for dx in (-1, 0, 1) for dy in (-1, 0, 1) for q in places.get((glyph.number, x + dx, y + dy), ())]
            colours = frozenset(
                q.colour for q in near if abs(q.x - glyph.x) <= MAX_DRIFT and abs(q.y - glyph.y) <= MAX_DRIFT
            )
            for colour in colours:
                found.setdefault(colour, []).append((number, glyph, colours))
    return found


def _groups(word: DomWord, painted: dict[int, list[_Painted]]) -> list[_Group]:
    """Clusters of a word, those that share a glyph together; one without a glyph goes with the one before it."""
    units = [unit for unit in word.units if unit.text]
    place = {unit.colour: n for n, unit in enumerate(units)}
    first = list(range(len(units)))  # of the group that a cluster belongs to
    for n, unit in enumerate(units):
        lowest = min((place[c] for _, _, owners in painted[unit.colour] for c in owners if c in place), default=n)
        if not painted[unit.colour] and n:
            lowest = n - 1
        for k in range(min(lowest, n), n + 1):
            first[k] = first[min(lowest, n)]
    groups: dict[int, _Group] = {}
    at = 0
    for n, unit in enumerate(units):
        group = groups.setdefault(first[n], _Group([], at))
        group.texts.append(unit.text)
        group.glyphs += [g for _, g, _ in painted[unit.colour] if g not in group.glyphs]
        at += len(unit.text)
    return list(groups.values())


def _one_each(word: DomWord, glyphs: list[Glyph], outlines: Outlines) -> list[_Group]:
    """Clusters of a word that has one colour for all (generated and SVG text): as many as its painted glyphs."""
    texts = regex.findall(r"\X", word.text)
    inked = [g for g in glyphs if outlines.extent(g.font, g.number)]
    if len(texts) == 1:
        return [_Group(texts, 0, glyphs)]
    if len(inked) != len(texts):
        raise SampleError("untraced_character", "truth", f"the characters of {word.text!r} cannot be told apart")
    starts = [sum(map(len, texts[:n])) for n in range(len(texts))]
    return [_Group([text], at, [glyph]) for text, at, glyph in zip(texts, starts, inked, strict=True)]


def _fragment(own: Sequence[Word], at: int) -> Word:
    for word in own:
        if at < len(word.text):
            return word
        at -= len(word.text)
    return own[-1]


def _characters(group: _Group, word: Word, outlines: Outlines) -> Iterator[Character]:
    if not group.glyphs:
        raise SampleError("untraced_character", "truth", f"no glyph of {''.join(group.texts)!r} in {word.text!r}")
    box, quad = around(group.glyphs)
    inks = [ink for glyph in group.glyphs if (ink := _ink(glyph, outlines))]
    ink = _within(union(inks) if inks else box, word.ink)
    if sum(glyph.advance for glyph in group.glyphs) < 0.01 * group.glyphs[0].size:  # an alef drawn onto its lam
        box = _within(ink, word.box)
        quad = quad_of(box)
    if not group.divided:
        yield Character(0, word.page, word.id, "".join(group.texts), box, ink, quad, 1)
        return
    parts = len(group.texts)
    backwards = unicodedata.bidirectional(group.texts[0][0]) in ("R", "AL")
    for n, text in enumerate(group.texts):
        place = parts - 1 - n if backwards else n
        part = _part(quad, place / parts, (place + 1) / parts)
        yield Character(0, word.page, word.id, text, part.box, _within(ink, part.box), part, parts)


def _ink(glyph: Glyph, outlines: Outlines) -> Box | None:
    """Box of a glyph's outline, or of its turned box."""
    extent = outlines.extent(glyph.font, glyph.number)
    if extent is None:
        return None
    x0, y0, x1, y1 = (value * glyph.size for value in extent)
    corners = [(x0, -y0), (x1, -y0), (x1, -y1), (x0, -y1)]  # from y up to y down
    xs = [glyph.x + x * glyph.cos - y * glyph.sin for x, y in corners]
    ys = [glyph.y + x * glyph.sin + y * glyph.cos for x, y in corners]
    return Box(min(xs), min(ys), max(xs), max(ys))


def _within(box: Box, parent: Box) -> Box:
    """The part of a box in its parent; the parent where they do not meet."""
    x0, y0, x1, y1 = max(box.x0, parent.x0), max(box.y0, parent.y0), min(box.x1, parent.x1), min(box.y1, parent.y1)
    return Box(x0, y0, x1, y1) if x0 < x1 and y0 < y1 else parent


def _part(quad: Quad, start: float, end: float) -> Quad:
    """The part of a quad between two shares of its length along the text."""
    a, b, c, d = quad

    def between(p: Point, q: Point, share: float) -> Point:
        return Point(p.x + (q.x - p.x) * share, p.y + (q.y - p.y) * share)

    return Quad(between(a, b, start), between(a, b, end), between(d, c, end), between(d, c, start))
