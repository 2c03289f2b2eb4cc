"""Running heads and feet: rows at the same height of many pages that say the same again and again."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from synth.align.model import HtmlBlock, PdfLine, PdfPage
from synth.align.text import clean

PAGES = 3  # so many pages must have a row at that height
STEP = 3.0  # points within which two heights are the same
EDGE = 0.15  # share of the page's height at its top and bottom where heads and feet are
AGAIN = 0.25  # share of such rows' lines whose text, numbers aside, stands on another page too
APART = 1.4  # times the usual distance of rows that follows a head
_NUMBER = re.compile(r"\d+")


def furniture(pages: Sequence[PdfPage], lines: Sequence[PdfLine]) -> set[int]:
    """Ids of the lines that are heads and feet.

    The outermost row of a page is one if it is set off from the text, rows at its height are found on three pages or
    more, and enough of their lines repeat: chapter titles and page numbers do.
    """
    heights = {page.number: page.height for page in pages}
    by_page: dict[int, list[PdfLine]] = defaultdict(list)
    for line in lines:
        by_page[line.page].append(line)
    rows: dict[int, list[PdfLine]] = defaultdict(list)
    for page, own in by_page.items():
        top, bottom = _set_off([line.box.y0 for line in own]), -_set_off([-line.box.y1 for line in own])
        for line in own:
            if line.box.y0 < min(top + STEP, EDGE * heights[page]):
                rows[round(line.box.y0 / STEP)].append(line)
            elif line.box.y1 > max(bottom - STEP, (1 - EDGE) * heights[page]):
                rows[-round(line.box.y1 / STEP)].append(line)
    found: set[int] = set()
    for level in list(rows):
        near = [line for at in (level - 1, level, level + 1) for line in rows.get(at, ())]
        said = Counter(text for text, _ in {(_NUMBER.sub("", clean(line.text)), line.page) for line in near})
        again = sum(said[_NUMBER.sub("", clean(line.text))] > 1 for line in near)
        if len({line.page for line in near}) >= PAGES and again >= AGAIN * len(near):
            found.update(line.id for line in rows[level])
    return found


def _set_off(heights: list[float]) -> float:
    """Height of the first row if more than the usual distance follows it, else a height where nothing is."""
    rows = sorted(heights)
    rows = [rows[0], *(two for one, two in pairwise(rows) if two - one > STEP)]
    steps = sorted(two - one for one, two in pairwise(rows))
    return rows[0] if not steps or rows[1] - rows[0] > APART * steps[len(steps) // 4] else rows[0] - 2 * STEP


def labelled_heads(heads: set[int], keys: Sequence[str], blocks: Sequence[HtmlBlock]) -> dict[int, int]:
    """Heads and feet that the HTML has as such: the first line that says a block of that role, to its block."""
    wanted = {clean(block.text): block.id for block in blocks if block.role in ("page_header", "page_footer")}
    found: dict[int, int] = {}
    for line in sorted(heads):
        block = wanted.pop(keys[line], None)
        if block is not None:
            found[line] = block
    return found
