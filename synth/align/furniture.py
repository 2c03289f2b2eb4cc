"""Running heads and feet: what stands alone at the same height of many pages belongs to no block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from synth.align.model import Match, PdfLine, PdfPage

PAGES = 3  # so many pages must have something alone at that height
STEP = 3.0  # points within which two heights are the same
EDGE = 0.15  # share of the page's height at its top and bottom where heads and feet are


def drop_furniture(matches: list[Match], lines: Sequence[PdfLine], pages: Sequence[PdfPage]) -> None:
    """Take their block from heads and feet whose text also stands in the HTML, in a title or a table of contents."""
    heights = {page.number: page.height for page in pages}
    outer: dict[int, list[PdfLine]] = defaultdict(list)
    for line in lines:
        if min(line.box.y0, heights[line.page] - line.box.y1) < EDGE * heights[line.page]:
            outer[line.page].append(line)
    alone = [at for at in range(len(matches)) if _alone(matches, at)]
    outermost = {line.id for own in outer.values() for line in _rows(own)}
    seen: dict[int, set[int]] = defaultdict(set)
    for at in alone:
        if at in outermost:
            seen[_height(lines[at])].add(lines[at].page)
    for at in alone:
        level = _height(lines[at])
        if at in outermost and len(seen[level - 1] | seen[level] | seen[level + 1]) >= PAGES:
            matches[at] = replace(matches[at], block=None, reason=matches[at].reason or "running", spans=())


def _height(line: PdfLine) -> int:
    return round(line.box.y0 / STEP)


def _rows(own: Sequence[PdfLine]) -> list[PdfLine]:
    """The lines of the first and the last row."""
    top, bottom = min(line.box.y0 for line in own), max(line.box.y1 for line in own)
    return [line for line in own if line.box.y0 < top + STEP or line.box.y1 > bottom - STEP]


def _alone(matches: Sequence[Match], at: int) -> bool:
    """Whether a line has no block, or one that neither the line before nor the line after is in or beside."""
    block = matches[at].block
    if block is None:
        return True
    beside = [matches[other] for other in (at - 1, at + 1) if 0 <= other < len(matches)]
    return all(match.block is None or abs(match.block - block) > 1 for match in beside)
