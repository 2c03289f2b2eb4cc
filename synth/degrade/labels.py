"""Take a document's labels through the page's map: boxes in points become quads and boxes in pixels of the picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from schemas.document import Block, Cell, Document, Field, Line, PageInfo, Word
from schemas.errors import SampleError
from schemas.geometry import Box, Point, Quad, quad_of, union

Mapper = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Picture positions of page positions u, v in 0..1."""

SIDE_POINTS = 8  # points along each side of a line, block, cell or field
WORD_POINTS = 2  # corners and the middle of each side
AT_ONCE = 24  # elements whose rectangles are sought together


@dataclass(frozen=True)
class Shot:
    """One page's map and the size of its picture in pixels."""

    mapper: Mapper
    width: int
    height: int


def _outline(quads: np.ndarray, points: int) -> np.ndarray:
    """`points` positions along each side, from each corner on: n x 8 numbers to n x (4 * points) x 2."""
    corners = quads.reshape(-1, 4, 2)
    step = (np.arange(points) / points)[None, None, :, None]
    following = np.roll(corners, -1, axis=1)
    return (corners[:, :, None] * (1 - step) + following[:, :, None] * step).reshape(len(corners), 4 * points, 2)


def _through(shot: Shot, page: PageInfo, quads: Sequence[Quad], points: int) -> np.ndarray:
    """Mapped outlines, n x (4 * points) x 2 in pixels; every `points`-th is a corner."""
    if not quads:
        return np.zeros((0, 4 * points, 2))
    outline = _outline(np.array([q.flat() for q in quads]), points)
    x, y = shot.mapper(outline[..., 0].ravel() / page.width, outline[..., 1].ravel() / page.height)
    return np.stack([x, y], -1).reshape(outline.shape)


def least_quads(outlines: np.ndarray, inner: np.ndarray, likes: np.ndarray) -> np.ndarray:
    """Rectangles of least area around outlines (n x p x 2) and points (n x q x 2): n x 4 x 2, corners as in `likes`.

    One side of each lies on a side of the hull (Freeman and Shapira, 1975). Directions are taken from the outline's own
    sides and from `likes` (n x 4 x 2); elementwise arithmetic only, so that every CPU agrees.
    """
    sides = np.concatenate([_following(outlines) - outlines, _following(likes) - likes], 1)
    length = np.sqrt(sides[..., 0] ** 2 + sides[..., 1] ** 2)
    usable = length > 1e-6
    ex, ey = (sides[..., axis] / np.where(usable, length, 1.0) for axis in (0, 1))
    points = np.concatenate([outlines, inner], 1)
    x, y = points[:, None, :, 0], points[:, None, :, 1]
    along, across = x * ex[..., None] + y * ey[..., None], y * ex[..., None] - x * ey[..., None]
    a0, a1, c0, c1 = along.min(2), along.max(2), across.min(2), across.max(2)
    area = np.where(usable, np.round((a1 - a0) * (c1 - c0), 6), np.inf)
    best = np.arange(len(outlines)), area.argmin(1)
    x, y, a0, a1, c0, c1 = (k[best][:, None] for k in (ex, ey, a0, a1, c0, c1))
    a, c = np.concatenate([a0, a1, a1, a0], 1), np.concatenate([c0, c0, c1, c1], 1)
    corners = np.stack([a * x - c * y, a * y + c * x], -1)
    turns = np.stack([np.roll(corners, -k, axis=1) for k in range(4)], 1)
    nearest = ((turns - likes[:, None]) ** 2).sum((2, 3)).argmin(1)
    found = turns[np.arange(len(outlines)), nearest]
    return np.where(usable.any(1)[:, None, None], found, likes)


def _following(corners: np.ndarray) -> np.ndarray:
    return np.concatenate([corners[:, 1:], corners[:, :1]], 1)


def _around(outlines: np.ndarray, children: Sequence[Sequence[Word | Line]]) -> np.ndarray:
    """`least_quads` of elements and their children, those with many apart from those with few: n x 4 x 2."""
    found = np.empty((len(outlines), 4, 2))
    by_number = sorted(range(len(outlines)), key=lambda k: len(children[k]))
    for start in range(0, len(by_number), AT_ONCE):
        some = by_number[start : start + AT_ONCE]
        inner = np.repeat(outlines[some, :1], 4 * len(children[some[-1]]), axis=1)  # a point that changes nothing
        for row, k in enumerate(some):
            flat = [c for child in children[k] for point in child.quad for c in point]
            inner[row, : len(flat) // 2] = np.array(flat).reshape(-1, 2)
        found[some] = least_quads(outlines[some], inner, outlines[some, ::SIDE_POINTS])
    return found


def _quads(corners: np.ndarray) -> list[Quad]:
    """n x 4 x 2 to quads."""
    flat: list[list[float]] = corners.reshape(-1, 8).tolist()
    return [Quad(Point(a, b), Point(c, d), Point(e, f), Point(g, h)) for a, b, c, d, e, f, g, h in flat]


def _boxes(low: np.ndarray, high: np.ndarray) -> list[Box]:
    flat: list[list[float]] = np.concatenate([low, high], 1).tolist()
    return [Box(x0, y0, x1, y1) for x0, y0, x1, y1 in flat]


def _area(points: np.ndarray) -> float:
    x, y = points[:, 0], points[:, 1]
    return abs(float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())) / 2


def _share_within(outline: np.ndarray, limit: np.ndarray) -> float:
    """Share of a polygon's area within 0..limit (Sutherland and Hodgman, 1974)."""
    whole = _area(outline)
    points: list[list[float]] = outline.tolist()
    for axis in (0, 1):
        for sign, bound in ((1.0, 0.0), (-1.0, -float(limit[axis]))):
            kept: list[list[float]] = []
            for a, b in zip(points, points[1:] + points[:1], strict=True):
                da: float = sign * a[axis] - bound
                db: float = sign * b[axis] - bound
                if da >= 0:
                    kept.append(a)
                if (da >= 0) != (db >= 0):
                    t: float = da / (da - db)
                    kept.append([a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t])
            points = kept
    return min(1.0, _area(np.array(points)) / whole) if points and whole else 0.0


def _map_words(words: Sequence[Word], shot: Shot, page: PageInfo) -> dict[int, Word]:
    limit = np.array([shot.width, shot.height], float)
    outlines = _through(shot, page, [w.quad for w in words] + [quad_of(w.ink) for w in words], WORD_POINTS)
    cut = np.clip(outlines, 0.0, limit)
    quads = _quads(cut[: len(words), ::WORD_POINTS])
    boxes = _boxes(cut.min(1), cut.max(1))
    beyond = (cut[: len(words)] != outlines[: len(words)]).any((1, 2))
    mapped: dict[int, Word] = {}
    for k, word in enumerate(words):
        visible = word.visible * (_share_within(outlines[k], limit) if beyond[k] else 1.0)
        if visible <= 0 < word.visible:
            raise SampleError("out_of_picture", "camera", f"the word {word.text!r} on page {word.page + 1}")
        ink = boxes[len(words) + k]
        mapped[word.id] = replace(word, quad=quads[k], box=boxes[k], ink=ink, visible=visible)
    return mapped


Element = TypeVar("Element", Line, Block, Cell, Field)


def _map_elements(
    elements: Sequence[Element], children: Sequence[Sequence[Word | Line]], shot: Shot, page: PageInfo
) -> dict[int, Element]:
    """Quads and boxes around the elements' own outlines and their already mapped children."""
    limit = np.array([shot.width, shot.height], float)
    outlines = _through(shot, page, [e.quad for e in elements], SIDE_POINTS)
    quads = _around(outlines, children)
    cut, low, high = (np.clip(k, 0.0, limit) for k in (quads, _low(outlines, quads), -_low(-outlines, -quads)))
    boxes = zip(_boxes(low, high), children, strict=True)
    bounds = [union([own, *(child.box for child in inner)]) for own, inner in boxes]
    rows = zip(elements, _quads(cut), bounds, strict=True)
    return {element.id: replace(element, quad=quad, box=box) for element, quad, box in rows}


def _low(outlines: np.ndarray, quads: np.ndarray) -> np.ndarray:
    return np.minimum(outlines.min(1), quads.min(1))


def map_document(document: Document, shots: Sequence[Shot]) -> Document:
    """The document with every box and quad in pixels of its page's picture.

    Words keep their four corners; lines, blocks, cells and fields get the least rectangle around their mapped outline
    and their words. Boxes are upright bounds that hold the quad. Everything is cut to the picture; `visible` says how
    much of a word is left. SampleError `out_of_picture` if a word is wholly outside.
    """
    words: dict[int, Word] = {}
    lines: dict[int, Line] = {}
    blocks: dict[int, Block] = {}
    cells: dict[int, Cell] = {}
    fields: dict[int, Field] = {}
    for number, (shot, page) in enumerate(zip(shots, document.pages, strict=True)):
        words.update(_map_words([w for w in document.words if w.page == number], shot, page))
        own_lines = [e for e in document.lines if e.page == number]
        lines.update(_map_elements(own_lines, [[words[i] for i in e.words] for e in own_lines], shot, page))
        own_blocks = [e for e in document.blocks if e.page == number]
        blocks.update(_map_elements(own_blocks, [[lines[i] for i in e.lines] for e in own_blocks], shot, page))
        own_cells = [e for e in document.cells if e.page == number]
        cells.update(_map_elements(own_cells, [[words[i] for i in e.words] for e in own_cells], shot, page))
        own_fields = [e for e in document.fields if e.page == number]
        fields.update(_map_elements(own_fields, [[words[i] for i in e.words] for e in own_fields], shot, page))
    return replace(
        document,
        pages=tuple(PageInfo(float(s.width), float(s.height)) for s in shots),
        words=tuple(words[w.id] for w in document.words),
        lines=tuple(lines[e.id] for e in document.lines),
        blocks=tuple(blocks[e.id] for e in document.blocks),
        cells=tuple(cells[e.id] for e in document.cells),
        fields=tuple(fields[e.id] for e in document.fields),
    )
