"""How well a picture can still be read: the character error rate of an OCR engine against the true text.

Both texts are compared after NFKC, without white space, without invisible format characters (joiners, soft hyphens)
and without boxes, ticks and bullets. Engines differ in spacing, full-width punctuation and joiners; a box to tick is
text on one form and a drawn shape on the next: none of these makes a page harder to read. Case, punctuation and digits
count.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from rapidfuzz.distance import Levenshtein

from schemas.document import Document, Word
from schemas.sample import Legibility, OcrLine, SampleSpec

# A word is sampled at this grid of points in the middle half of its height, where the letters' bodies are: there the
# OCR box of the row above or below does not reach, while a box that ends inside the word does.
_COLUMNS, _ROWS = 12, 3
# An OCR line takes part in a word if it covers this share of the points that no better line covers.
_SHARE = 0.2


@dataclass(frozen=True)
class Match:
    """True words (ids) and OCR lines (positions) that show the same stretch of text; either side may be empty."""

    words: tuple[int, ...]
    lines: tuple[int, ...]
    truth: str
    read: str

    @property
    def edits(self) -> int:
        """Levenshtein distance in characters; 0 for text that only the engine saw."""
        return Levenshtein.distance(self.truth, self.read) if self.truth else 0


def normal(text: str) -> str:
    """Text as it is compared: NFKC, no white space, no format characters, no shapes."""
    return "".join(c for c in unicodedata.normalize("NFKC", text) if not (c.isspace() or _left_out(c)))


def _left_out(character: str) -> bool:
    """Whether a character is invisible, or drawn rather than written: Unicode's geometric shapes to dingbats."""
    return unicodedata.category(character) == "Cf" or "\u25a0" <= character <= "\u27bf"


def selected(spec: SampleSpec, share: float) -> bool:
    """Whether this sample is read, in `share` of all samples. All tries of an index share the draw of the first."""
    return replace(spec, attempt=0).rng("legibility").random() < share


def legibility(document: Document, page: int, lines: Sequence[OcrLine], engine: str) -> Legibility:
    """Pooled error rate of one page: edits over true characters, 0 is perfect, whatever order the lines come in.

    True text that no OCR line covers counts as deleted; OCR text over no true word does not count (`spurious` holds its
    length). A page without text has rate 0.
    """
    matches = match(document, page, lines)
    characters = sum(len(m.truth) for m in matches)
    edits = sum(m.edits for m in matches)
    seen = {document.words[i].line for m in matches if m.lines for i in m.words}
    of_page = {line.id for line in document.lines if line.page == page and normal(line.text)}
    return Legibility(
        page=page,
        engine=engine,
        cer=edits / characters if characters else 0.0,
        characters=characters,
        edits=edits,
        unmatched_lines=len(of_page - seen),
        spurious=sum(len(m.read) for m in matches if not m.words),
    )


def match(document: Document, page: int, lines: Sequence[OcrLine]) -> list[Match]:
    """OCR lines of one page (quads in its pixels) and true words, bound by place, each used exactly once.

    Words and OCR lines that overlap form one component: usually one OCR line and the words under it, be they one true
    line, several (the cells of a row read as one) or a part of one; a word that two OCR boxes share binds both. Within
    a component words are put in order along the text, rows first.
    """
    words = [w for w in document.words if w.page == page]
    shapes = [_Shape.of(line) for line in lines]
    low = np.array([s.corners.min(axis=0) for s in shapes]).reshape(-1, 2)
    high = np.array([s.corners.max(axis=0) for s in shapes]).reshape(-1, 2)
    links = [_links(_covered(word, shapes, low, high), shapes) for word in words]
    owner = list(range(len(lines)))
    for link in links:
        for other in link[1:]:
            owner[_root(owner, other)] = _root(owner, link[0])
    members: dict[int, list[int]] = {}
    for at in range(len(lines)):
        members.setdefault(_root(owner, at), []).append(at)
    under: dict[int, list[tuple[Word, int]]] = {root: [] for root in members}
    alone: list[Word] = []
    for word, link in zip(words, links, strict=True):
        if link:
            under[_root(owner, link[0])].append((word, link[0]))
        else:
            alone.append(word)
    found = [_component(under[root], members[root], lines, shapes) for root in members]
    return found + [Match((w.id,), (), normal(w.text), "") for w in alone]


@dataclass(frozen=True)
class _Shape:
    """An OCR quad as half planes; `key` orders equal candidates without regard to the order they came in."""

    corners: np.ndarray  # (4, 2), clockwise on the screen
    key: tuple[object, ...]

    @classmethod
    def of(cls, line: OcrLine) -> _Shape:
        corners = np.asarray(line.quad, np.float64).reshape(4, 2)
        x, y = corners[:, 0], corners[:, 1]
        area = float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
        return cls(corners if area >= 0 else corners[::-1], (abs(area), line.quad, line.text))

    def inside(self, points: np.ndarray) -> np.ndarray:
        edge = np.roll(self.corners, -1, axis=0) - self.corners
        away = points[:, None, :] - self.corners[None, :, :]
        return (edge[None, :, 0] * away[:, :, 1] - edge[None, :, 1] * away[:, :, 0] >= 0).all(axis=1)


def _points(word: Word) -> np.ndarray:
    tl, tr, br, bl = (np.asarray(p, np.float64) for p in word.quad)
    across = (np.arange(_COLUMNS) + 0.5) / _COLUMNS
    down = 0.25 + 0.5 * (np.arange(_ROWS) + 0.5) / _ROWS
    u, v = (axis.reshape(-1, 1) for axis in np.meshgrid(across, down))
    return (1 - v) * ((1 - u) * tl + u * tr) + v * ((1 - u) * bl + u * br)


def _covered(word: Word, shapes: Sequence[_Shape], low: np.ndarray, high: np.ndarray) -> dict[int, np.ndarray]:
    """Which of the word's points lie in which OCR quad, for quads that hold any; `low`, `high` bound the quads."""
    points = _points(word)
    near = ((high >= points.min(axis=0)) & (low <= points.max(axis=0))).all(axis=1)
    masks = ((int(i), shapes[i].inside(points)) for i in np.flatnonzero(near))
    return {i: mask for i, mask in masks if mask.any()}


def _links(masks: dict[int, np.ndarray], shapes: Sequence[_Shape]) -> list[int]:
    """OCR lines that show a part of the word, best first; one lying over another adds nothing and is left out."""
    order = sorted(masks, key=lambda i: (-int(masks[i].sum()), shapes[i].key))
    taken = np.zeros(_COLUMNS * _ROWS, bool)
    chosen = []
    for i in order:
        fresh = masks[i] & ~taken
        if fresh.mean() >= _SHARE:
            chosen.append(i)
            taken |= masks[i]
    return chosen


def _component(
    words: list[tuple[Word, int]], at: list[int], lines: Sequence[OcrLine], shapes: Sequence[_Shape]
) -> Match:
    axis = np.sum([np.subtract(w.quad.tr, w.quad.tl) for w, _ in words], axis=0) if words else np.array([1.0, 0.0])
    length = float(np.hypot(*axis))
    along = axis / length if length else np.array([1.0, 0.0])
    rows = _rows(at, shapes, np.array([-along[1], along[0]]))
    row_of = {i: r for r, row in enumerate(rows) for i in row}

    def place(corners: np.ndarray, row: int) -> tuple[int, float]:
        return row, float(corners.mean(axis=0) @ along)

    ordered = sorted(words, key=lambda pair: (*place(np.asarray(pair[0].quad), row_of[pair[1]]), pair[0].order))
    lines_in_order = sorted(at, key=lambda i: (*place(shapes[i].corners, row_of[i]), shapes[i].key))
    return Match(
        words=tuple(w.id for w, _ in ordered),
        lines=tuple(lines_in_order),
        truth=normal("".join(w.text for w, _ in ordered)),
        read=normal("".join(lines[i].text for i in lines_in_order)),
    )


def _rows(at: list[int], shapes: Sequence[_Shape], down: np.ndarray) -> list[list[int]]:
    """OCR lines of a component in rows, top row first; two are in one row if one's middle lies within the other."""
    spans = {i: (float((shapes[i].corners @ down).min()), float((shapes[i].corners @ down).max())) for i in at}
    rows: list[list[int]] = []
    for i in sorted(at, key=lambda i: (sum(spans[i]), shapes[i].key)):
        middle = sum(spans[i]) / 2
        first = rows[-1][0] if rows else None
        if first is not None and spans[first][0] <= middle <= spans[first][1]:
            rows[-1].append(i)
        else:
            rows.append([i])
    return rows


def _root(owner: list[int], at: int) -> int:
    while owner[at] != at:
        owner[at] = owner[owner[at]]
        at = owner[at]
    return at
