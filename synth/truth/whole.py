"""Words that stand upright, in full view, on one line: nearly all do, and are placed all at once.

What is said of them is what synth/truth/place.py says of each word alone, which takes the others.
"""

from __future__ import annotations

from collections import Counter
from itertools import repeat
from typing import Any

import numpy as np

from schemas.geometry import Box, quad_of
from synth.render.columns import floats
from synth.render.outlines import Outlines
from synth.render.raw import Snapshot
from synth.render.trace import TracedPage
from synth.truth.fragment import CLIPPED, Fragment
from synth.truth.ink import SCALE, Paint

_UNDRAWN = (np.nan,) * 4


def whole_words(
    snapshot: Snapshot, pages: tuple[TracedPage, ...], outlines: Outlines, paints: list[Paint]
) -> dict[int, Fragment]:
    """Fragments by number of the word, for words that are one fragment beyond doubt."""
    owner = {u.colour: n for n, word in enumerate(snapshot.words) if word.flow != "ttb" for u in word.units}
    found: dict[int, Fragment] = {}
    pages_of: Counter[int] = Counter()
    for number, page in enumerate(pages):
        colours = {glyph.colour for glyph in page.glyphs}
        own = {colour: owner[colour] for colour in colours if colour in owner}
        pages_of.update(set(own.values()))
        if own:
            found |= _on_page(snapshot, number, page, own, outlines, paints[number])
    return {n: fragment for n, fragment in found.items() if pages_of[n] == 1}


def _on_page(
    snapshot: Snapshot, number: int, page: TracedPage, own: dict[int, int], outlines: Outlines, paint: Paint
) -> dict[int, Fragment]:
    """The words of one page. `own`: the word of each colour."""
    columns: list[tuple[Any, ...]] = list(zip(*page.glyphs, strict=True))
    words = np.array([own.get(colour, -1) for colour in columns[0]])
    order = np.argsort(words, kind="stable")[np.count_nonzero(words < 0) :]
    words = words[order]
    first = np.flatnonzero(np.diff(words, prepend=-1))  # glyph of each word

    def column(at: int) -> np.ndarray:
        return np.array(columns[at])[order]

    def least(values: np.ndarray) -> np.ndarray:
        return np.fmin.reduceat(values, first)

    def most(values: np.ndarray) -> np.ndarray:
        return np.fmax.reduceat(values, first)

    glyph, x, y, advance, cos, sin, size, ascent, descent = map(column, range(1, 10))
    stroked, dx, dy, painted = map(column, (11, 14, 15, 16))
    odd = (glyph == 0) | (cos != 1.0) | stroked | (painted >= 0)
    good = ~np.logical_or.reduceat(odd, first) & (least(y) == most(y)) & (least(size) == most(size))

    box = np.stack([least(x), least(y - ascent * size), most(x + advance), most(y - descent * size)])
    x0, y0, x1, y1 = _extents(columns, outlines)[order].T * size
    outline = np.stack([least(x + x0), least(y - y1), most(x + x1), most(y - y0)])

    size, word_of = size[first], words[first].tolist()
    group = {n: k for k, n in enumerate(word_of)}
    pixels = paint.extents({colour: group[n] for colour, n in own.items()}, len(group))
    count = np.diff(first, append=len(words))
    shift = np.stack([np.add.reduceat(dx, first), np.add.reduceat(dy, first)] * 2) / count
    good &= _seen(box, outline, pixels, shift, size)

    values = [v[good].tolist() for v in (box.T, outline.T, size, cos[first], sin[first])]
    boxes, inks = (list(map(Box._make, corners)) for corners in values[:2])
    numbers = np.array(word_of)[good].tolist()
    chosen = [snapshot.words[n] for n in numbers]
    made = zip(
        chosen,
        repeat(number),
        (word.text for word in chosen),
        repeat(True),
        boxes,
        map(quad_of, boxes),
        inks,
        *values[2:],
        strict=False,
    )
    return dict(zip(numbers, map(Fragment._make, made), strict=True))


def _extents(columns: list[tuple[Any, ...]], outlines: Outlines) -> np.ndarray:
    """Outline box of every glyph in ems, y up, n x 4; NaN where nothing is drawn."""
    keys = list(zip(columns[10], columns[1], [tag.lean for tag in columns[13]], strict=True))
    number = {key: n for n, key in enumerate(dict.fromkeys(keys))}
    known = floats((outlines.extent(*key) or _UNDRAWN for key in number), 4)
    return known[[number[key] for key in keys]]


def _seen(box: np.ndarray, outline: np.ndarray, pixels: np.ndarray, shift: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Which words show in the raster where their outlines say, and nowhere else. Boxes and shifts are 4 x n.

    As in place.py, where the reasons are: pixels are looked for half an em around; up to two pixels may be beyond the
    outlines, `CLIPPED` ems of them without pixels.
    """
    reach = 0.5 * size
    low = np.trunc(np.maximum(0, (box[:2] - reach) * SCALE))
    high = np.trunc((box[2:] + reach) * SCALE) + 1
    near = (pixels[:2] >= low).all(axis=0) & (pixels[2:] <= high).all(axis=0)
    seen = pixels / SCALE - shift
    slack = 2.0 / SCALE
    inside = (outline[:2] - slack <= seen[:2]).all(axis=0) & (outline[2:] + slack >= seen[2:]).all(axis=0)
    corner = np.maximum(outline[:2], box[:2])
    sure = np.concatenate([corner, np.maximum(corner, np.minimum(outline[2:], box[2:]))])
    lost = np.concatenate([seen[:2] - sure[:2], sure[2:] - seen[2:]]).max(axis=0)
    return near & inside & (lost <= CLIPPED * size)
