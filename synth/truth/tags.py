"""The PDF's tags as a second witness of whose each glyph is, and the only one where the probe print is silent.

Chromium puts the glyphs of each text node of the DOM into marked content of their own. The probe print says which word
a glyph belongs to; that all glyphs of one marked content belong to words of one text node, and that their text is that
of the words, does not depend on it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

import numpy as np

from schemas.checks import LabelChecks
from synth.render.columns import floats
from synth.render.marked import Shown
from synth.render.raw import Snapshot
from synth.render.trace import Glyph, TracedPage
from synth.truth.said import Piece, normal, same, spoken

Place = tuple[int, int]  # page, marked content
_RUN = attrgetter("colour", "tag", "paint")
_WIDE = 1 << 24  # more than any page is long


def bound(snapshot: Snapshot, pages: tuple[TracedPage, ...]) -> tuple[TracedPage, ...]:
    """The pages, with the glyphs of words that the probe print left unpainted in their words' colours, by the tags.

    `::first-line` rules of the author, for one, win over the probe's colours. A text node all of whose glyphs stand
    unpainted in one marked content of the same text is taken to be that content; where several have that text, in
    their order, if there are as many contents as nodes.
    """
    pages = _with_clusters(snapshot, pages)
    painted = {glyph.colour for page in pages for glyph in page.glyphs}
    lost: dict[int, list[int]] = defaultdict(list)
    for number, word in enumerate(snapshot.words):
        if not any(unit.colour in painted for unit in word.units):
            lost[word.node].append(number)
    if not lost:
        return pages
    whole = Counter(word.node for word in snapshot.words)
    nodes: dict[str, list[int]] = defaultdict(list)
    for node, words in lost.items():
        if len(words) == whole[node]:
            nodes[normal("".join(snapshot.words[n].text for n in words))].append(node)
    contents: dict[str, list[Place]] = defaultdict(list)
    for place, text in _unpainted(snapshot, pages).items():
        contents[text].append(place)
    colours: dict[tuple[int, int], int] = {}
    for text, own in nodes.items():
        if len(own) == len(contents[text]):
            for node, place in zip(own, contents[text], strict=True):
                colours |= _colours(snapshot, lost[node], pages, place)
    return tuple(
        TracedPage(
            page.width,
            page.height,
            tuple(
                glyph._replace(colour=colours[n, k], paint=glyph.colour) if (n, k) in colours else glyph
                for k, glyph in enumerate(page.glyphs)
            ),
        )
        for n, page in enumerate(pages)
    )


def _with_clusters(snapshot: Snapshot, pages: tuple[TracedPage, ...]) -> tuple[TracedPage, ...]:
    """The pages, with glyphs of no word in the colour of the word that has the rest of their cluster.

    A ligature over a soft hyphen belongs to two units, and Chromium paints it in neither's colour.
    """
    known = {unit.colour for word in snapshot.words for unit in word.units}
    made = []
    for page in pages:
        spans = {g.tag.span for g in page.glyphs if g.tag.span and g.colour not in known}
        owner = {g.tag.span: g.colour for g in reversed(page.glyphs) if g.tag.span in spans and g.colour in known}
        if owner:
            glyphs = (
                g._replace(colour=owner[g.tag.span]) if g.colour not in known and g.tag.span in owner else g
                for g in page.glyphs
            )
            page = TracedPage(page.width, page.height, tuple(glyphs))
        made.append(page)
    return tuple(made)


def _unpainted(snapshot: Snapshot, pages: tuple[TracedPage, ...]) -> dict[Place, str]:
    """Text of each marked content that has no glyph in a word's colour, in the order of painting."""
    known = {unit.colour for word in snapshot.words for unit in word.units}
    texts: dict[Place, str] = {}
    for n, page in enumerate(pages):
        seen = {glyph.tag.content for glyph in page.glyphs if glyph.colour in known}
        for content in dict.fromkeys(glyph.tag.content for glyph in page.glyphs):
            if content >= 0 and content not in seen:
                texts[n, content] = "".join(text for _, text in _clusters(page, content))
    return {place: text for place, text in texts.items() if text}


def _clusters(page: TracedPage, content: int) -> Iterator[tuple[list[int], str]]:
    """The glyphs (by number on the page) and the text of each cluster of a marked content."""
    span, own, text = -1, [], ""
    for k, glyph in enumerate(page.glyphs):
        if glyph.tag.content != content:
            continue
        if own and glyph.tag.span and glyph.tag.span == span:
            own.append(k)
            continue
        if own:
            yield own, normal(text)
        span, own, text = glyph.tag.span, [k], glyph.tag.said or glyph.text
    if own:
        yield own, normal(text)


def _colours(
    snapshot: Snapshot, words: list[int], pages: tuple[TracedPage, ...], place: Place
) -> dict[tuple[int, int], int]:
    """Colour of the unit that each glyph of a marked content stands for, its text being that of the words."""
    letters = [unit.colour for n in words for unit in snapshot.words[n].units for _ in normal(unit.text)]
    found: dict[tuple[int, int], int] = {}
    at = 0
    for glyphs, text in _clusters(pages[place[0]], place[1]):
        if text:
            found |= {(place[0], k): letters[at] for k in glyphs}
            at += len(text)
    return found


def doubled(glyphs: tuple[Glyph, ...]) -> set[int]:
    """Numbers of the glyphs that say again what another font paints at their place.

    Chromium fills outlined text, then paints its strokes as glyphs of a font of their own.
    """
    if not glyphs:
        return set()
    places = np.rint(floats((glyph[2:4] for glyph in glyphs), 2) * 20)
    if len(np.unique(places @ (_WIDE, 1))) == len(places):  # as one number each they are sorted faster
        return set()
    fonts: dict[tuple[float, float, str], str] = {}
    said = [(x, y, glyph.text) for (x, y), glyph in zip(places.tolist(), glyphs, strict=True)]
    return {k for k, glyph in enumerate(glyphs) if fonts.setdefault(said[k], glyph.font) != glyph.font}


def _pieces(word: int, tag: Shown, texts: list[str]) -> list[Piece]:
    """What the PDF says of glyphs of one word that stand side by side under one tag."""
    if tag.span:
        return [Piece(word, tag.span, tag.said, tag.backwards)] if texts else []
    texts = texts if tag.backwards else ["".join(texts)]
    return [Piece(word, 0, text, tag.backwards) for text in texts]


def compared(snapshot: Snapshot, pages: tuple[TracedPage, ...]) -> tuple[LabelChecks, list[int]]:
    """What the tags say of the probe's binding, and the numbers of the words that the PDF reads otherwise."""
    word_of = {unit.colour: n for n, word in enumerate(snapshot.words) for unit in word.units}
    shared = {unit.colour for paint in snapshot.shared for unit in paint.units}
    pieces: list[Piece] = []
    runs: Counter[tuple[int, int, int]] = Counter()
    only: set[int] = set()
    repeats = {n for n, word in enumerate(snapshot.words) if word.repeats}
    repeated: dict[int, int] = {}  # first page of words that stand on every page
    for number, page in enumerate(pages):
        again = doubled(page.glyphs)
        end = 0
        for (colour, tag, paint), own in groupby(page.glyphs, _RUN):
            texts = [glyph.text for glyph in own]
            start, end = end, end + len(texts)
            n = word_of.get(colour, -1)
            if n in repeats and repeated.setdefault(n, number) != number:
                continue
            runs[number, tag.content, n] += len(texts)
            if again:
                texts = [text for k, text in enumerate(texts, start) if k not in again]
            pieces += _pieces(n, tag, texts)
            if paint >= 0 and colour not in shared:
                only.add(n)
    votes: dict[Place, Counter[int]] = defaultdict(Counter)
    for (number, content, n), count in runs.items():
        if n >= 0 and content >= 0:
            votes[number, content][snapshot.words[n].node] += count
    node_of = {place: most.most_common(1)[0][0] for place, most in votes.items()}
    silent, other = set[int](), set[int]()
    for number, content, n in runs:
        if n >= 0 and content < 0:
            silent.add(n)
        elif n >= 0 and node_of[number, content] != snapshot.words[n].node:
            other.add(n)
    said = spoken(pieces)
    texts = [n for n, w in enumerate(snapshot.words) if not same(w.text, said.get(n, ""), w.flow == "rtl")]
    return LabelChecks(
        words=len(snapshot.words),
        tags_agree=len(snapshot.words) - len(other) - len(silent - other) - len(only),
        tags_disagree=len(other),
        tags_silent=len(silent - other),
        tags_only=len(only),
        other_text=len(texts),
    ), texts
