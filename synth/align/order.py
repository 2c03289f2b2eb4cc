"""Successor edges from an alignment, and the links that geometry forbids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import acos, hypot, radians

from synth.align.model import HtmlBlock, PdfLine, PdfPage, Span

# MosaicDoc, appendix C.1: longer than the page is wide by this share, and flatter than this.
LENGTH = 1.0
ANGLE = radians(45)
MAX_DROPPED = 5

Edge = tuple[int, int]


def reading_order(blocks: Sequence[HtmlBlock]) -> list[int]:
    """Block ids in the order of the HTML, but for the hierarchy: a title precedes its group, a caption ends its figure.

    Source: MosaicDoc, appendix A.3.
    """
    groups: dict[int, list[HtmlBlock]] = {}
    for block in blocks:
        groups.setdefault(block.group, []).append(block)
    order: list[int] = []
    for group, own in groups.items():
        if group and sum(block.role == "title" for block in own) == 1:
            own = sorted(own, key=lambda block: block.role != "title")
        if any(block.role == "figure" for block in own):
            own = sorted(own, key=lambda block: block.role == "caption")
        order += [block.id for block in own]
    return order


def edges_of(spans: Sequence[tuple[int, Span]], blocks: Sequence[HtmlBlock]) -> tuple[list[Edge], list[Edge]]:
    """Successors among lines and among blocks, never from one group to another.

    `spans` are (line, part of a block that it shows). Lines that show the same place go by page, then top to bottom.
    """
    place = {block: at for at, block in enumerate(reading_order(blocks))}
    ranked = sorted(spans, key=lambda item: (place[item[1].block], item[1].start, item[1].end, item[0]))
    group = {block.id: block.group for block in blocks}
    line_edges: list[Edge] = []
    block_edges: list[Edge] = []
    for (line, span), (after, following) in pairwise(ranked):
        if group[span.block] != group[following.block]:
            continue
        if line != after:
            line_edges.append((line, after))
        if span.block != following.block:
            block_edges.append((span.block, following.block))
    return list(dict.fromkeys(line_edges)), list(dict.fromkeys(block_edges))


def implausible(edge: Edge, lines: Sequence[PdfLine], pages: dict[int, PdfPage]) -> bool:
    """Whether a link within a page is both longer than the page's width and flatter than 45 degrees."""
    one, two = lines[edge[0]], lines[edge[1]]
    if one.page != two.page:
        return False
    dx = abs((two.box.x0 + two.box.x1) - (one.box.x0 + one.box.x1)) / 2
    dy = abs((two.box.y0 + two.box.y1) - (one.box.y0 + one.box.y1)) / 2
    length = hypot(dx, dy)
    return length > LENGTH * pages[one.page].width and acos(min(1.0, dx / length)) < ANGLE


def filtered(
    edges: Iterable[Edge], lines: Sequence[PdfLine], pages: dict[int, PdfPage]
) -> tuple[list[Edge], list[Edge], set[int]]:
    """Links kept, links dropped, and the pages that lose more than five and with them all their links.

    Source: MosaicDoc, appendix C.1.
    """
    kept: list[Edge] = []
    dropped: list[Edge] = []
    for edge in edges:
        (dropped if implausible(edge, lines, pages) else kept).append(edge)
    counts: dict[int, int] = {}
    for edge in dropped:
        page = lines[edge[0]].page
        counts[page] = counts.get(page, 0) + 1
    bad = {page for page, count in counts.items() if count > MAX_DROPPED}
    kept = [edge for edge in kept if lines[edge[0]].page not in bad and lines[edge[1]].page not in bad]
    return kept, dropped, bad
