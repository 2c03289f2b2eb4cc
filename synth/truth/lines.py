"""Words into lines, in text that goes right, left or down."""

from __future__ import annotations

import unicodedata

from schemas.geometry import Box, Point, Quad
from synth.truth.fragment import Fragment

MAX_GAP_EM = 3.0


def group_lines(fragments: list[Fragment]) -> list[list[int]]:
    """Positions of fragments, line by line in reading order.

    A line is a run of words of one block-level element and table cell on one page, in one direction, that overlap
    across it by more than half of the lower one, go forward and are at most `MAX_GAP_EM` ems apart. A line with
    right-to-left words goes forward in reading order only: on paper its words may lie on either side of the one before.
    """
    lines: list[list[int]] = []
    for number, fragment in enumerate(fragments):
        if lines and _continues(fragments[lines[-1][-1]], fragment):
            lines[-1].append(number)
        else:
            lines.append([number])
    return [part for line in lines for part in _parts([(number, fragments[number]) for number in line])]


def direction_of(fragments: list[Fragment]) -> str:
    """ "ltr", "rtl" or "ttb": where a line's words go; that of the text around them if they are of both kinds."""
    flow = fragments[0].word.flow
    if flow == "ttb":
        return flow
    letters = set("".join(f.text for f in fragments))
    strong = {kind for c in letters if (kind := _STRONG.get(unicodedata.bidirectional(c)))}
    return strong.pop() if len(strong) == 1 else flow


_STRONG = {"L": "ltr", "R": "rtl", "AL": "rtl"}


def _leftward(fragment: Fragment) -> bool:
    if fragment.word.flow == "rtl" or fragment.text.isascii():
        return fragment.word.flow == "rtl"
    return any(unicodedata.bidirectional(c) in ("R", "AL") for c in fragment.text)


def _continues(a: Fragment, b: Fragment) -> bool:
    if (a.page, a.word.container, a.word.block, a.word.cell) != (b.page, b.word.container, b.word.block, b.word.cell):
        return False
    em = max(a.size, b.size)
    if a.word.flow == "ttb" or b.word.flow == "ttb":
        common, gap = min(a.box.x1, b.box.x1) - max(a.box.x0, b.box.x0), b.box.y0 - a.box.y1
        return a.word.flow == b.word.flow and common > 0.5 * min(a.box.width, b.box.width) and _near(gap, em)
    if abs(a.cos - b.cos) > 0.02 or abs(a.sin - b.sin) > 0.02:
        return False
    first, second = _turned(a, a.cos, a.sin), _turned(b, a.cos, a.sin)
    common = min(first.y1, second.y1) - max(first.y0, second.y0)
    beside = common > 0.5 * min(first.height, second.height)
    return beside and (_near(second.x0 - first.x1, em) or _leftward(a) or _leftward(b))


def _near(gap: float, em: float) -> bool:
    return -em < gap < MAX_GAP_EM * em


def _parts(line: list[tuple[int, Fragment]]) -> list[list[int]]:
    """A line with right-to-left words, cut where nothing stands for `MAX_GAP_EM` ems; any other line as it is."""
    if not any(_leftward(f) for _, f in line) or line[0][1].word.flow == "ttb":
        return [[number for number, _ in line]]
    cos, sin = line[0][1].cos, line[0][1].sin
    placed = sorted((_turned(f, cos, sin).x0, _turned(f, cos, sin).x1, f.size, number) for number, f in line)
    parts: list[list[int]] = []
    end = 0.0
    for x0, x1, size, number in placed:
        if parts and x0 - end < MAX_GAP_EM * size:
            parts[-1].append(number)
        else:
            parts.append([number])
        end = max(end, x1) if len(parts[-1]) > 1 else x1
    return sorted(sorted(part) for part in parts)


def _turned(fragment: Fragment, cos: float, sin: float) -> Box:
    """Box around a fragment's quad in the frame whose x axis has the direction (cos, sin)."""
    if cos == 1.0 and sin == 0.0:
        return fragment.box
    along = [p.x * cos + p.y * sin for p in fragment.quad]
    down = [-p.x * sin + p.y * cos for p in fragment.quad]
    return Box(min(along), min(down), max(along), max(down))


def line_quad(fragments: list[Fragment]) -> Quad:
    """Smallest quad in the direction of the first word around the advance boxes and ink of a line.

    The quad of vertical text is upright, whatever stands first in it.
    """
    upright = fragments[0].upright or fragments[0].word.flow == "ttb"
    cos, sin = (1.0, 0.0) if upright else (fragments[0].cos, fragments[0].sin)
    boxes = [_turned(f, cos, sin) for f in fragments]
    if upright:
        boxes += [f.ink for f in fragments]
    u0, v0 = min(b.x0 for b in boxes), min(b.y0 for b in boxes)
    u1, v1 = max(b.x1 for b in boxes), max(b.y1 for b in boxes)
    corners = [(u0, v0), (u1, v0), (u1, v1), (u0, v1)]
    return Quad(*(Point(u * cos - v * sin, u * sin + v * cos) for u, v in corners))
