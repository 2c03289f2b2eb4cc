"""Words into lines."""

from __future__ import annotations

from schemas.geometry import Box, Point, Quad
from synth.truth.place import Fragment

MAX_GAP_EM = 3.0


def group_lines(fragments: list[Fragment]) -> list[list[int]]:
    """Positions of fragments, line by line in reading order.

    A line is a run of words of one block-level element and table cell on one page, in one direction, that overlap
    across it by more than half of the lower one, go forward and are at most `MAX_GAP_EM` ems apart.
    """
    lines: list[list[int]] = []
    for number, fragment in enumerate(fragments):
        if lines and _continues(fragments[lines[-1][-1]], fragment):
            lines[-1].append(number)
        else:
            lines.append([number])
    return lines


def _continues(a: Fragment, b: Fragment) -> bool:
    if (a.page, a.word.container, a.word.block, a.word.cell) != (b.page, b.word.container, b.word.block, b.word.cell):
        return False
    if abs(a.cos - b.cos) > 0.02 or abs(a.sin - b.sin) > 0.02:
        return False
    first, second = turned(a.quad, a.cos, a.sin), turned(b.quad, a.cos, a.sin)
    common = min(first.y1, second.y1) - max(first.y0, second.y0)
    gap = second.x0 - first.x1
    em = max(a.size, b.size)
    return common > 0.5 * min(first.height, second.height) and -em < gap < MAX_GAP_EM * em


def turned(quad: Quad, cos: float, sin: float) -> Box:
    """Box around a quad in the frame whose x axis has the direction (cos, sin)."""
    along = [p.x * cos + p.y * sin for p in quad]
    down = [-p.x * sin + p.y * cos for p in quad]
    return Box(min(along), min(down), max(along), max(down))


def line_quad(fragments: list[Fragment]) -> Quad:
    """Smallest quad in the direction of the first word around the advance boxes and ink of a line."""
    cos, sin = fragments[0].cos, fragments[0].sin
    boxes = [turned(f.quad, cos, sin) for f in fragments]
    if fragments[0].upright:
        boxes += [f.ink for f in fragments]
    u0, v0 = min(b.x0 for b in boxes), min(b.y0 for b in boxes)
    u1, v1 = max(b.x1 for b in boxes), max(b.y1 for b in boxes)
    corners = [(u0, v0), (u1, v0), (u1, v1), (u0, v1)]
    return Quad(*(Point(u * cos - v * sin, u * sin + v * cos) for u, v in corners))
