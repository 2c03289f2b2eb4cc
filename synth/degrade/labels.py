"""Take a document's labels through the page's map: boxes in points become quads and boxes in pixels of the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from schemas.document import Block, Cell, Character, Document, Field, Line, PageInfo, Word
from schemas.errors import SampleError
from schemas.geometry import Box, Point, Quad, quad_of, union
from synth.degrade.characters import map_characters
from synth.degrade.outlines import Shot, following, outlines
from synth.degrade.quads import least_quads
from synth.degrade.sight import in_sight

WORD_POINTS = 2  # along each side of a word that is not bent
SIDE_POINTS = 4  # of a line, block, cell or field
AT_ONCE, WORDS_AT_ONCE = 24, 256  # elements whose quads are sought together


@dataclass(frozen=True)
class Placed:
    """A label in the picture."""

    quad: Quad
    box: Box
    visible: float


Parent = Line | Block | Cell | Field
Element = Word | Parent


def _quads(corners: np.ndarray) -> list[Quad]:
    """n x 4 x 2 to quads."""
    flat: list[list[float]] = corners.reshape(-1, 8).tolist()
    return [Quad(Point(a, b), Point(c, d), Point(e, f), Point(g, h)) for a, b, c, d, e, f, g, h in flat]


def _boxes(low: np.ndarray, high: np.ndarray) -> list[Box]:
    flat: list[list[float]] = np.concatenate([low, high], 1).tolist()
    return [Box(x0, y0, x1, y1) for x0, y0, x1, y1 in flat]


def _corners(children: Sequence[Element]) -> np.ndarray:
    return np.array([c for child in children for point in child.quad for c in point]).reshape(-1, 2)


def _placed(
    elements: Sequence[Element],
    quads: Sequence[Quad],
    shot: Shot,
    page: PageInfo,
    inner: Sequence[Sequence[Element]] = (),
) -> list[Placed]:
    """The elements' quads through the map, each around its outline as far as that is in sight, and around its `inner`.

    SampleError `out_of_picture` if there is nothing to go around.
    """
    found: dict[int, Placed] = {}
    at_once = AT_ONCE if inner else WORDS_AT_ONCE
    for numbers, mapped in outlines(shot, page, quads, SIDE_POINTS if inner else WORD_POINTS):
        whole = shot.whole(mapped.min(1), mapped.max(1))
        inside = [_corners(inner[k]) if inner else np.empty((0, 2)) for k in numbers.tolist()]
        some = sorted(np.flatnonzero(whole).tolist(), key=lambda k: len(inside[k]))
        for start in range(0, len(some), at_once):
            chosen = some[start : start + at_once]
            extra = np.repeat(mapped[chosen, :1], len(inside[chosen[-1]]), axis=1)  # a point that changes nothing
            for row, k in enumerate(chosen):
                extra[row, : len(inside[k])] = inside[k]
            points = np.concatenate([mapped[chosen], extra], 1)
            found.update(zip(numbers[chosen].tolist(), _around(points, mapped[chosen], shot), strict=True))
        for k in np.flatnonzero(~whole).tolist():
            seen, share = in_sight(mapped[k], quads[int(numbers[k])], shot, page)
            points = np.concatenate([seen, inside[k]])[None]
            if not points.size:
                one = elements[int(numbers[k])]
                raise SampleError("out_of_picture", "camera", f"{type(one).__name__} {one.id} on page {one.page + 1}")
            found[int(numbers[k])] = replace(_around(points, mapped[None, k], shot)[0], visible=share)
    return [found[k] for k in range(len(elements))]


def _around(points: np.ndarray, mapped: np.ndarray, shot: Shot) -> list[Placed]:
    """Least quads around points (n x p x 2), along the sides of the mapped outlines and of their corners."""
    each = mapped.shape[1] // 4
    likes = mapped[:, ::each]
    step = max(1, each // 8)
    ring = mapped[:, ::step]
    sides = np.concatenate([following(ring) - ring, following(likes) - likes], 1)
    quads = least_quads(points, sides, likes, shot.limit)
    boxes = _boxes(points.min(1), points.max(1))  # not around the quads, whose corners lie off a bent outline
    return [Placed(quad, box, 1.0) for quad, box in zip(_quads(quads), boxes, strict=True)]


def _map_words(words: Sequence[Word], shot: Shot, page: PageInfo) -> dict[int, Word]:
    places = _placed(words, [w.quad for w in words], shot, page)
    inks = _bounds([quad_of(w.ink) for w in words], shot, page)
    return {
        word.id: replace(word, quad=at.quad, box=at.box, ink=ink or at.box, visible=word.visible * at.visible)
        for word, at, ink in zip(words, places, inks, strict=True)
    }


def _bounds(quads: Sequence[Quad], shot: Shot, page: PageInfo) -> list[Box | None]:
    """Upright boxes of what is in sight of the quads; None of one that is wholly outside the picture."""
    found: list[Box | None] = [None] * len(quads)
    for numbers, mapped in outlines(shot, page, quads, WORD_POINTS):
        low, high = mapped.min(1), mapped.max(1)
        for k in np.flatnonzero(~shot.whole(low, high)).tolist():
            seen, _ = in_sight(mapped[k], quads[int(numbers[k])], shot, page)
            low[k], high[k] = (seen.min(0), seen.max(0)) if len(seen) else (np.nan, np.nan)
        for number, box in zip(numbers.tolist(), _boxes(low, high), strict=True):
            found[number] = None if np.isnan(box.x0) else box
    return found


def _map_elements(
    elements: Sequence[Parent], children: Sequence[Sequence[Word | Line]], shot: Shot, page: PageInfo
) -> list[Parent]:
    """Quads and boxes around the elements' own outlines and their already mapped children."""
    places = _placed(elements, [e.quad for e in elements], shot, page, children)
    rows = zip(elements, places, children, strict=True)
    return [
        replace(e, quad=at.quad, box=union([at.box, *_inside(own)]), visible=e.visible * at.visible)
        for e, at, own in rows
    ]


def _inside(children: Sequence[Word | Line]) -> list[Box]:
    return [child.box for child in children] + [child.ink for child in children if isinstance(child, Word)]


def map_document(document: Document, shots: Sequence[Shot]) -> Document:
    """The document with every box and quad in pixels of its page's picture.

    Each gets the least quad around its mapped outline and its children, and the least upright box. What is beyond the
    picture or hidden is left out of both, and `visible` says how much is left; of a word that is wholly hidden they
    say where it lies. SampleError `out_of_picture` if an element is wholly outside the picture.
    """
    words: dict[int, Word] = {}
    done: dict[type[Parent], dict[int, Any]] = {Line: {}, Block: {}, Cell: {}, Field: {}}
    characters: dict[int, Character] = {}
    for number, (shot, page) in enumerate(zip(shots, document.pages, strict=True)):
        words.update(_map_words([w for w in document.words if w.page == number], shot, page))
        if document.characters:
            characters.update(map_characters([c for c in document.characters if c.page == number], words, shot, page))
        own = [e for e in (*document.lines, *document.cells, *document.fields) if e.page == number]
        for e in _map_elements(own, [[words[i] for i in e.words] for e in own], shot, page):
            done[type(e)][e.id] = e
        own = [e for e in document.blocks if e.page == number]
        for e in _map_elements(own, [[done[Line][i] for i in e.lines] for e in own], shot, page):
            done[Block][e.id] = e
    return replace(
        document,
        pages=tuple(PageInfo(float(s.width), float(s.height)) for s in shots),
        words=tuple(words[w.id] for w in document.words),
        lines=tuple(done[Line][e.id] for e in document.lines),
        blocks=tuple(done[Block][e.id] for e in document.blocks),
        cells=tuple(done[Cell][e.id] for e in document.cells),
        fields=tuple(done[Field][e.id] for e in document.fields),
        characters=tuple(characters[e.id] for e in document.characters),
    )
