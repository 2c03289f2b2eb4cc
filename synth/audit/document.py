"""One document's labels against its printed pages: ink, text, containment, extents, order."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import pymupdf
import pypdfium2

from schemas.document import Document
from schemas.geometry import Box, union
from synth.audit.ink import word_inks
from synth.audit.objects import text_objects
from synth.audit.single import one_glyph_each
from synth.render.matched import matched
from synth.render.outlines import Outlines
from synth.render.raw import RawPrint, Snapshot
from synth.render.trace import TracedPage, trace
from synth.truth.said import Piece, same, spoken
from synth.truth.shared import part_shared
from synth.truth.structure import structure
from synth.truth.tags import bound, compared

PIXEL = 72 / 150  # points: edges are counted in pixels of 150 dpi


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
    tags_disagree: int = 0
    tags_silent: int = 0
    tags_only: int = 0
    worst_edge: float = 0.0

    def __add__(self, other: Findings) -> Findings:
        sums: dict[str, Any] = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        sums["worst_edge"] = max(self.worst_edge, other.worst_edge)
        return Findings(**sums)


def audit(raw: RawPrint, document: Document) -> Findings:
    """Hold the labels of one print (in points) against what pdfium paints and reads."""
    total = Findings(documents=1)
    word_of = {unit.colour: n for n, word in enumerate(raw.snapshot.words) for unit in word.units}
    with pymupdf.open(stream=raw.pdf, filetype="pdf") as plain:
        traced, _ = matched(trace(plain, tagged=True), raw.probe)
        traced = bound(raw.snapshot, part_shared(raw.snapshot, traced, Outlines(plain)))
        owners = _owners(raw.snapshot, document, traced)
        opened = pypdfium2.PdfDocument(io.BytesIO(one_glyph_each(raw.pdf)))
        for number in range(len(opened)):
            page = opened[number]  # held: its objects die with it
            objects = text_objects(page, traced[number].glyphs, word_of)
            here = {n: [document.words[i] for i in ids] for n, ids in owners.items()}
            here = {n: [w for w in words if w.page == number] for n, words in here.items()}
            here = {n: words for n, words in here.items() if words}
            once = [o for o in objects if not o.again]
            said = spoken(Piece(o.words[0] if o.words else -1, o.span, o.text, o.reversed) for o in once)
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
    checks = compared(raw.snapshot, traced)[0] + structure(document)
    return total + Findings(
        uncontained=checks.uncontained,
        bad_extents=checks.bad_extents,
        out_of_order=checks.out_of_order,
        tags_disagree=checks.tags_disagree,
        tags_silent=checks.tags_silent,
        tags_only=checks.tags_only,
    )


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


def _owners(snapshot: Snapshot, document: Document, pages: tuple[TracedPage, ...]) -> dict[int, list[int]]:
    """Words of the document, which are in reading order, by number in the snapshot, which is in DOM order.

    They have one text and one place; a word broken over lines is several, each a part of its text.
    """
    word_of = {unit.colour: n for n, word in enumerate(snapshot.words) for unit in word.units}
    places: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for number, page in enumerate(pages):
        for glyph in page.glyphs:
            if glyph.colour in word_of:
                places.setdefault((number, word_of[glyph.colour]), []).append((glyph.x, glyph.y))
    found: dict[int, list[int]] = {n: [] for n in range(len(snapshot.words))}
    for i, word in enumerate(document.words):
        like = [n for n, w in enumerate(snapshot.words) if word.text in w.text and (word.page, n) in places]
        if like:
            far = {n: min(_far(word.box, *place) for place in places[word.page, n]) for n in like}
            found[min(like, key=lambda n: (round(far[n], 1), snapshot.words[n].text != word.text, len(found[n])))] += [
                i
            ]
    return found


def _far(box: Box, x: float, y: float) -> float:
    """Distance of a point from a box, 0 inside."""
    return max(box.x0 - x, x - box.x1, 0.0) + max(box.y0 - y, y - box.y1, 0.0)
