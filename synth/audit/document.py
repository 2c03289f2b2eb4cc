"""One document's labels against its printed pages: ink, text, containment, extents, order."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import pymupdf
import pypdfium2

from schemas.document import Document
from schemas.geometry import Box, union
from synth.audit.ink import word_inks
from synth.audit.objects import text_objects
from synth.audit.single import one_glyph_each
from synth.audit.text import same, spoken
from synth.render.outlines import Outlines
from synth.render.raw import RawPrint
from synth.render.trace import matched, trace
from synth.truth.shared import part_shared

PIXEL = 72 / 150  # points: edges are counted in pixels of 150 dpi
SLACK = 0.01


@dataclass(frozen=True)
class Findings:
    """Sums over documents; add them with `+`. `worst_edge` is in pixels of 150 dpi.

    `words_not_alone` share a text object with another word, so their ink and text cannot be told apart.
    """

    documents: int = 0
    pages: int = 0
    words: int = 0
    edges: int = 0
    edges_within_1: int = 0
    edges_within_2: int = 0
    words_within_1: int = 0
    words_within_2: int = 0
    words_without_ink: int = 0
    words_not_alone: int = 0
    words_with_other_text: int = 0
    pages_with_other_text: int = 0
    uncontained: int = 0
    bad_extents: int = 0
    out_of_order: int = 0
    pages_with_stray_ink: int = 0
    worst_edge: float = 0.0

    def __add__(self, other: Findings) -> Findings:
        sums: dict[str, Any] = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        sums["worst_edge"] = max(self.worst_edge, other.worst_edge)
        return Findings(**sums)


def audit(raw: RawPrint, document: Document) -> Findings:
    """Hold the labels of one print (in points) against what pdfium paints and reads."""
    owners = _owners(raw, document)
    total = Findings(documents=1)
    word_of = {unit.colour: n for n, word in enumerate(raw.snapshot.words) for unit in word.units}
    with pymupdf.open(stream=raw.pdf, filetype="pdf") as plain:
        traced, _ = matched(trace(plain), raw.probe)
        traced = part_shared(raw.snapshot, traced, Outlines(plain))
        opened = pypdfium2.PdfDocument(io.BytesIO(one_glyph_each(raw.pdf)))
        for number in range(len(opened)):
            page = opened[number]  # held: its objects die with it
            objects = text_objects(page, traced[number].glyphs, word_of)
            here = {n: [document.words[i] for i in ids] for n, ids in owners.items()}
            here = {n: [w for w in words if w.page == number] for n, words in here.items()}
            here = {n: words for n, words in here.items() if words}
            said = spoken(objects)
            shared = {word for o in objects if len(o.words) > 1 for word in o.words}
            whole = [n for n in here if len(here[n]) == len(owners[n]) and n not in shared]
            other = sum(
                not same(raw.snapshot.words[n].text, said.get(n, ""), raw.snapshot.words[n].flow == "rtl")
                for n in whole
            )
            labelled = {n: union([w.ink for w in words]) for n, words in here.items()}
            inks, stray = word_inks(page, objects, labelled)
            alone = {n: ink for n, ink in labelled.items() if n not in shared}
            total += _edges((inks.get(n), ink) for n, ink in alone.items())
            total += Findings(
                pages=1,
                words=len(here),
                words_not_alone=len(here) - len(alone),
                words_with_other_text=other,
                pages_with_other_text=int(other > 0),
                pages_with_stray_ink=int(stray > 0),
            )
    return total + structure(document)


def _edges(pairs: Iterable[tuple[Box | None, Box]]) -> Findings:
    total = Findings()
    for seen, ink in pairs:
        if seen is None:
            total += Findings(words_without_ink=1)
            continue
        offs = [abs(a - b) / PIXEL for a, b in zip(seen, ink, strict=True)]
        total += Findings(
            edges=4,
            edges_within_1=sum(off <= 1 for off in offs),
            edges_within_2=sum(off <= 2 for off in offs),
            words_within_1=int(max(offs) <= 1),
            words_within_2=int(max(offs) <= 2),
            worst_edge=max(offs),
        )
    return total


def _owners(raw: RawPrint, document: Document) -> dict[int, list[int]]:
    """Words of the document (a word broken over lines is several) by number in the snapshot: both in DOM order."""
    found: dict[int, list[int]] = {}
    at = 0
    for number, word in enumerate(raw.snapshot.words):
        text, own = "", []
        while at < len(document.words) and text != word.text:
            text += document.words[at].text
            own.append(at)
            at += 1
        found[number] = own
    return found


def structure(document: Document) -> Findings:
    """Containment, extents and order alone; also of a document in pixels of its pictures."""
    pairs = list(_parents(document))
    boxes = [e.box for e in (*document.words, *document.lines, *document.blocks, *document.cells, *document.fields)]
    order = [w for line in document.lines for w in line.words]
    return Findings(
        uncontained=sum(not parent.contains(child, SLACK) for parent, child in pairs),
        bad_extents=sum(box.x1 <= box.x0 or box.y1 <= box.y0 for box in [*boxes, *(w.ink for w in document.words)]),
        out_of_order=int(sorted(order) != list(range(len(document.words))))
        + sum(word.order != n for n, word in enumerate(document.words)),
    )


def _parents(d: Document) -> Iterator[tuple[Box, Box]]:
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
