"""Characters through the page's map: the corners of each, and upright boxes within those of its word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from schemas.document import Character, PageInfo, Word
from schemas.geometry import Box, Point, Quad, quad_of
from synth.degrade.outlines import Shot, outlines
from synth.degrade.sight import in_sight

POINTS = 2  # along each side


def map_characters(
    characters: Sequence[Character], words: Mapping[int, Word], shot: Shot, page: PageInfo
) -> dict[int, Character]:
    """Characters of one page by id, in pixels. `words`: their words, mapped already.

    A character is so small that its quad is that of its mapped corners. One that is beyond the picture or hidden has
    `visible` 0 and says where it lies; the boxes of others are cut to what is in sight, and to the boxes of the word.
    """
    ink_boxes = _bounds([quad_of(c.ink) for c in characters], shot, page)
    found: dict[int, Character] = {}
    for numbers, mapped in outlines(shot, page, [c.quad for c in characters], POINTS):
        corners = mapped[:, :: mapped.shape[1] // 4].reshape(-1, 8).tolist()
        low, high = mapped.min(1), mapped.max(1)
        whole = shot.whole(low, high)
        for row, number in enumerate(numbers.tolist()):
            one = characters[number]
            word = words[one.word]
            box, share = Box(*low[row].tolist(), *high[row].tolist()), 1.0
            if not whole[row]:
                seen, share = in_sight(mapped[row], one.quad, shot, page)
                if len(seen) and share:
                    box = Box(*seen.min(0).tolist(), *seen.max(0).tolist())
            x0, y0, x1, y1, x2, y2, x3, y3 = corners[row]
            found[one.id] = replace(
                one,
                quad=Quad(Point(x0, y0), Point(x1, y1), Point(x2, y2), Point(x3, y3)),
                box=_cut(box, word.box),
                ink=_cut(_cut(ink_boxes[number], box), word.ink),
                visible=one.visible * share,
            )
    return found


def _bounds(quads: Sequence[Quad], shot: Shot, page: PageInfo) -> list[Box]:
    """Upright boxes around quads, whether they are in sight or not."""
    found: dict[int, Box] = {}
    for numbers, mapped in outlines(shot, page, quads, POINTS):
        bounds = np.concatenate([mapped.min(1), mapped.max(1)], 1).tolist()
        found.update(zip(numbers.tolist(), (Box(*b) for b in bounds), strict=True))
    return [found[n] for n in range(len(quads))]


def _cut(box: Box, parent: Box) -> Box:
    """The part of a box in its parent; the box itself where they do not meet."""
    x0, y0, x1, y1 = max(box.x0, parent.x0), max(box.y0, parent.y0), min(box.x1, parent.x1), min(box.y1, parent.y1)
    return Box(x0, y0, x1, y1) if x0 < x1 and y0 < y1 else box
