"""What a document's labels must hold among themselves: containment, extents, order."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.checks import LabelChecks
from schemas.document import Document
from schemas.geometry import Box

SLACK = 0.01


def structure(document: Document) -> LabelChecks:
    """How often a child leaves its parent, a box has no extent, a word is out of order; on paper or in pictures."""
    boxes = [e.box for e in (*document.words, *document.lines, *document.blocks, *document.cells, *document.fields)]
    boxes += [word.ink for word in document.words]
    order = [w for line in document.lines for w in line.words]
    return LabelChecks(
        uncontained=sum(not parent.contains(child, SLACK) for parent, child in parents(document)),
        bad_extents=sum(box.x1 <= box.x0 or box.y1 <= box.y0 for box in boxes),
        out_of_order=int(sorted(order) != list(range(len(document.words))))
        + sum(word.order != n for n, word in enumerate(document.words)),
    )


def parents(d: Document) -> Iterator[tuple[Box, Box]]:
    """Every parent and child: page and all, line and words, block and lines, cell and words, field and words."""
    pages = [Box(0.0, 0.0, p.width, p.height) for p in d.pages]
    for element in (*d.lines, *d.blocks, *d.cells, *d.fields):
        yield pages[element.page], element.box
    for word in d.words:
        yield pages[word.page], word.ink
    for line in d.lines:
        for i in line.words:
            yield line.box, d.words[i].box
            yield line.box, d.words[i].ink
    for block in d.blocks:
        for i in block.lines:
            yield block.box, d.lines[i].box
    for cell in d.cells:
        for i in cell.words:
            yield cell.box, d.words[i].ink
    for field in d.fields:
        for i in field.words:
            if d.words[i].page == field.page:
                yield field.box, d.words[i].ink
