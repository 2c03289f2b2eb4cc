"""From a raw print to a labelled Document, in points of the printed pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pymupdf

from schemas.checks import LabelChecks
from schemas.document import Block, Cell, Document, Field, Line, PageInfo, Relation, Word
from schemas.errors import SampleError
from schemas.geometry import Box, Quad, quad_of, union
from schemas.sample import HtmlDocument
from synth.render.columns import floats
from synth.render.matched import matched
from synth.render.outlines import Outlines
from synth.render.raw import RawPrint
from synth.render.trace import trace
from synth.truth.cells import cell_boxes
from synth.truth.characters import characters_of, words_of
from synth.truth.fragment import Fragment
from synth.truth.ink import Paint
from synth.truth.lines import direction_of, line_quad
from synth.truth.order import in_reading_order, with_edges
from synth.truth.place import place
from synth.truth.shared import part_shared
from synth.truth.strays import check_seen, check_strays
from synth.truth.structure import structure
from synth.truth.tags import bound, compared
from synth.truth.values import check_values, key_of

MAX_OVERLAP = 0.35  # share of the smaller ink box
MAY_OVERLAP = ("stamp", "signature")


def label(raw: RawPrint, doc: HtmlDocument) -> Document:
    """The labels of a printed document; see `labelled`."""
    return labelled(raw, doc)[0]


def labelled(raw: RawPrint, doc: HtmlDocument) -> tuple[Document, LabelChecks]:
    """The labels of a printed document, and what was checked of them.

    SampleError of stage "truth": "probe_moved" (the probe print differs from the plain one), "missing_glyphs",
    "untraced_word", "unpainted_word", "broken_word", "other_text" (the PDF reads otherwise than the DOM), "cut_off",
    "overlap", "empty_page", "unknown_field", "wrong_value", "value_not_found", "unlabelled_text",
    "reading_order", "untraced_character".
    """
    values = check_values(raw.snapshot, doc.values)
    with (
        pymupdf.open(stream=raw.pdf, filetype="pdf") as plain,
        pymupdf.open(stream=raw.probe_pdf, filetype="pdf") as probe,
    ):
        printed = trace(plain, tagged=True)
        traced, lonely = matched(printed, raw.probe)
        if lonely:
            raise SampleError("probe_moved", "truth", f"{lonely} glyphs differ between the plain and the probe print")
        outlines = Outlines(plain)
        traced = bound(raw.snapshot, part_shared(raw.snapshot, traced, outlines))
        checks, misread = compared(raw.snapshot, traced)
        pages = [probe[number] for number in range(probe.page_count)]
        paints = [Paint(page, own.area) for page, own in zip(pages, traced, strict=True)]
        fragments = place(raw.snapshot, traced, outlines, paints)
        check_strays(raw.snapshot, traced, outlines)
        check_seen(plain, printed, outlines)
        painted = cell_boxes(pages, {cell.colour for cell in raw.snapshot.cells})
        infos = tuple(PageInfo(page.width, page.height) for page in traced)
        _check_page(raw, fragments, infos)
        if misread:
            other = raw.snapshot.words[misread[0]].text
            raise SampleError("other_text", "truth", f"{other!r} reads otherwise in the PDF")
        fragments, lines, follows = in_reading_order(fragments, raw.snapshot)
        document = with_edges(_build(raw, fragments, lines, painted, values, infos), follows)
        if raw.clusters is not None:
            owners = [[document.words[i] for i in own] for own in words_of(raw.snapshot, fragments)]
            document = replace(document, characters=characters_of(raw.clusters, owners, printed, outlines))
    return document, checks + structure(document)


def _check_page(raw: RawPrint, fragments: list[Fragment], pages: tuple[PageInfo, ...]) -> None:
    scale = [f.size / (f.word.font_px * 0.75) for f in fragments]
    if len(scale) and float(np.median(scale)) < 0.995:
        raise SampleError("cut_off", "truth", f"content is too wide; the browser shrank it to {np.median(scale):.2f}")
    _check_inside(fragments, pages)
    blank = set(range(len(pages))) - {f.page for f in fragments}
    if blank:
        raise SampleError("empty_page", "truth", f"page {min(blank)} of {len(pages)} has no word")
    for number in range(len(pages)):
        here = [
            f
            for f in fragments
            if f.page == number and f.upright and raw.snapshot.blocks[f.word.block].role not in MAY_OVERLAP
        ]
        pair = overlapping([f.ink for f in here], [not f.word.space_after for f in here])
        if pair:
            a, b = here[pair[0]], here[pair[1]]
            raise SampleError("overlap", "truth", f"{a.text!r} and {b.text!r} overlap on page {number}")


def _check_inside(fragments: list[Fragment], pages: tuple[PageInfo, ...]) -> None:
    x0, y0, x1, y1 = floats((f.box for f in fragments), 4).T
    left, top, right, bottom = floats((f.ink for f in fragments), 4).T
    width, height = floats(((page.width, page.height) for page in pages), 2)[[f.page for f in fragments]].T
    middle = (y0 + y1) / 2
    leaves = (x0 < -0.5) | (x1 > width + 0.5) | (middle <= 0) | (middle >= height)
    touches = (left <= 0.3) | (top <= 0.3) | (right > width - 0.3) | (bottom > height - 0.3)
    for k in np.flatnonzero(leaves | touches):
        how = "leaves" if leaves[k] else "touches the edge of"
        raise SampleError("cut_off", "truth", f"{fragments[k].text!r} {how} page {fragments[k].page}")


def overlapping(boxes: list[Box], joined: list[bool]) -> tuple[int, int] | None:
    """The first two boxes that cover each other. A word and what is joined to it may: a comma is kerned under a y."""
    if len(boxes) < 2:
        return None
    x0, y0, x1, y1 = floats(boxes, 4).astype(np.float32).T
    # Pairs that share a height: each box with those that begin after it, going down, and before it ends.
    down = np.argsort(y0, kind="stable")
    ends = np.searchsorted(y0[down], y1[down])
    count = np.maximum(ends - np.arange(1, len(down) + 1), 0)
    upper = np.repeat(np.arange(len(down)), count)
    lower = upper + 1 + np.arange(len(upper)) - np.repeat(np.cumsum(count) - count, count)
    a, b = np.sort([down[upper], down[lower]], axis=0)
    width = np.minimum(x1[a], x1[b]) - np.maximum(x0[a], x0[b])
    height = np.minimum(y1[a], y1[b]) - np.maximum(y0[a], y0[b])
    area = (x1 - x0) * (y1 - y0)
    common = np.clip(width, 0, None) * np.clip(height, 0, None)
    bad = (common > MAX_OVERLAP * np.minimum(area[a], area[b])) & ~(np.array(joined)[a] & (b == a + 1))
    return min(zip(a[bad].tolist(), b[bad].tolist(), strict=True), default=None)


def _build(
    raw: RawPrint,
    fragments: list[Fragment],
    by_line: list[list[int]],
    painted: dict[int, dict[int, Box]],
    values: list[str],
    pages: tuple[PageInfo, ...],
) -> Document:
    snapshot = raw.snapshot
    block_lines: dict[tuple[int, int], list[int]] = {}
    for number, line in enumerate(by_line):
        first = fragments[line[0]]
        block_lines.setdefault((first.word.block, first.page), []).append(number)
    order = sorted(block_lines, key=lambda key: block_lines[key][0])
    block_ids = {key: number for number, key in enumerate(order)}
    line_of = {w: number for number, line in enumerate(by_line) for w in line}

    words = tuple(
        Word(
            id=i,
            page=f.page,
            text=f.text,
            box=f.box,
            ink=f.ink,
            quad=f.quad,
            line=line_of[i],
            block=block_ids[f.word.block, f.page],
            order=i,
            font_size=f.size,
            space_after=f.word.space_after and f.last,
        )
        for i, f in enumerate(fragments)
    )
    text = Document(pages, words, (), (), (), (), ()).text_of
    lines = []
    for number, members in enumerate(by_line):
        own = [fragments[w] for w in members]
        quad, ids, first = line_quad(own), tuple(members), words[members[0]]
        box = union([quad.box, *(f.ink for f in own)])  # ink of turned words may reach beyond their advance boxes
        lines.append(Line(number, first.page, first.block, ids, text(ids), box, quad, direction_of(own)))

    cells = _cells(raw, fragments, painted, text)
    blocks = []
    for (block, page), number in block_ids.items():
        own = block_lines[block, page]
        boxes = [lines[i].box for i in own] + [c.box for c in cells if c.table == block and c.page == page]
        box = union(boxes)
        quad = lines[own[0]].quad if len(own) == 1 and len(boxes) == 1 else quad_of(box)
        members = tuple(w for i in own for w in lines[i].words)
        blocks.append(Block(number, page, snapshot.blocks[block].role, tuple(own), text(members), box, quad, block))

    fields = _fields(raw, fragments, values, text)
    relations = [Relation("key_value", f.keys, f.words) for f in fields if f.keys]
    return Document(pages, words, tuple(lines), tuple(blocks), cells, fields, (*relations, *_column_headers(cells)))


def _surround(fragments: list[Fragment]) -> Box:
    return union([box for f in fragments for box in (f.box, f.ink)])


def _cells(raw: RawPrint, fragments: list[Fragment], painted: dict[int, dict[int, Box]], text) -> tuple[Cell, ...]:
    members: dict[int, list[int]] = {}
    for i, f in enumerate(fragments):
        if f.word.cell >= 0:
            members.setdefault(f.word.cell, []).append(i)
    cells: list[Cell] = []
    for number, cell in enumerate(raw.snapshot.cells):
        own = members.get(number, [])
        boxes = painted.get(cell.colour, {})
        pages = {fragments[i].page for i in own} or ({min(boxes)} if boxes else set())
        for page in sorted(pages):
            here = tuple(i for i in own if fragments[i].page == page)
            box = union([*([boxes[page]] if page in boxes else []), *(_surround([fragments[i]]) for i in here)])
            cells.append(
                Cell(
                    id=len(cells),
                    page=page,
                    table=cell.block,
                    row=cell.row,
                    col=cell.col,
                    rowspan=cell.rowspan,
                    colspan=cell.colspan,
                    header=cell.header,
                    words=here,
                    text=text(here),
                    box=box,
                    quad=quad_of(box),
                )
            )
    return tuple(cells)


def _fields(raw: RawPrint, fragments: list[Fragment], values: list[str], text) -> tuple[Field, ...]:
    snapshot = raw.snapshot
    field_words: dict[int, list[int]] = {}
    key_words: dict[int, list[int]] = {}
    for i, f in enumerate(fragments):
        if f.word.field >= 0:
            field_words.setdefault(f.word.field, []).append(i)
        if f.word.key >= 0:
            key_words.setdefault(f.word.key, []).append(i)
    first = {k: v[0] for k, v in field_words.items()}
    first_key = {k: v[0] for k, v in key_words.items()}
    fields: list[Field] = []
    for number, path in enumerate(snapshot.fields):
        if number not in field_words:
            continue  # an empty value
        words = tuple(field_words[number])
        key = key_of(number, snapshot, first, first_key)
        keys = tuple(key_words.get(key, ()))
        page = fragments[words[0]].page
        here = [fragments[i] for i in words if fragments[i].page == page]
        box = _surround(here)
        quad: Quad = line_quad(here) if not here[0].upright else quad_of(box)
        fields.append(Field(len(fields), page, path, values[number], words, text(keys), keys, box, quad))
    return tuple(fields)


def _column_headers(cells: tuple[Cell, ...]) -> list[Relation]:
    """From each head cell of a table's leading head rows to each cell below it in its columns."""
    relations: list[Relation] = []
    for table in dict.fromkeys(cell.table for cell in cells):
        own = [cell for cell in cells if cell.table == table and cell.words]
        plain = [cell.row for cell in own if not cell.header]
        first_row = min(plain, default=0)
        for head in own:
            if not head.header or head.row >= first_row:
                continue
            span = range(head.col, head.col + head.colspan)
            for cell in own:
                if not cell.header and cell.row > head.row and (cell.col in span or head.col in _columns(cell)):
                    relations.append(Relation("column_header", head.words, cell.words))
    return relations


def _columns(cell: Cell) -> range:
    return range(cell.col, cell.col + cell.colspan)
