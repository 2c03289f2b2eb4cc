"""One accepted sample as rows of the release's tables."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from engine.question_rows import question_rows
from schemas.document import RELATIONS, ROLES, Document
from schemas.geometry import Box, Quad
from schemas.questions import Asked
from schemas.release import canonical, sha256
from schemas.sample import HtmlDocument, Legibility, Picture, Rejection, SampleSpec
from schemas.tables import page_id

Row = dict[str, Any]
Rows = dict[str, list[Row]]


@dataclass(frozen=True)
class Accepted:
    """A finished sample. `document` is in pixels of the pictures; `readings` is empty where no engine read it."""

    spec: SampleSpec
    html: HtmlDocument
    pdf: bytes
    document: Document
    pictures: tuple[Picture, ...]
    readings: tuple[Legibility, ...]
    asked: Asked | None = None
    """Questions, where the recipe wants them."""


def rows_of(sample: Accepted) -> Rows:
    """Rows by config. Coordinates are rounded to 1/100 pixel, finer than any map is exact."""
    doc, did = sample.document, sample.spec.id

    def place(element: Any) -> Row:
        return {
            "document_id": did,
            "page_id": page_id(did, element.page),
            "box": _box(element.box),
            "quad": _quad(element.quad),
        }

    return {
        "documents": [_document_row(sample)],
        "pages": _page_rows(sample),
        "words": [
            {
                **place(w),
                "word_id": w.id,
                "text": w.text,
                "space_after": w.space_after,
                "order": w.order,
                "line_id": w.line,
                "block_id": w.block,
                "ink_box": _box(w.ink),
                "font_size": round(w.font_size, 2),
                "visible": round(w.visible, 3),
            }
            for w in doc.words
        ],
        "lines": [
            {
                **place(n),
                "line_id": n.id,
                "block_id": n.block,
                "text": n.text,
                "direction": n.direction,
                "word_ids": list(n.words),
            }
            for n in doc.lines
        ],
        "layout": [
            {
                **place(b),
                "block_id": b.id,
                "role": ROLES.index(b.role),
                "logical_id": b.logical,
                "text": b.text,
                "line_ids": list(b.lines),
            }
            for b in doc.blocks
        ],
        "cells": [
            {
                **place(c),
                "cell_id": c.id,
                "table_id": c.table,
                "row": c.row,
                "col": c.col,
                "rowspan": c.rowspan,
                "colspan": c.colspan,
                "header": c.header,
                "text": c.text,
                "word_ids": list(c.words),
            }
            for c in doc.cells
        ],
        "kie": [
            {
                **place(f),
                "field_id": f.id,
                "path": f.path,
                "value": f.value,
                "word_ids": list(f.words),
                "key": f.key,
                "key_word_ids": list(f.keys),
            }
            for f in doc.fields
        ],
        "relations": [
            {
                "document_id": did,
                "kind": RELATIONS.index(r.kind),
                "head_word_ids": list(r.head),
                "tail_word_ids": list(r.tail),
            }
            for r in doc.relations
        ],
        **(question_rows(did, doc, sample.asked) if sample.asked else {}),
    }


def _document_row(sample: Accepted) -> Row:
    spec, html = sample.spec, sample.html
    return {
        "document_id": spec.id,
        "index": spec.index,
        "try": spec.attempt,
        "type": spec.type,
        "language": spec.language,
        "family": html.family,
        "persona": html.persona,
        "fonts": list(html.fonts),
        "page_count": len(sample.document.pages),
        "schema": json.dumps(html.schema, ensure_ascii=False),
        "values": json.dumps(html.values, ensure_ascii=False),
        "pdf": sample.pdf,
    }


def _page_rows(sample: Accepted) -> list[Row]:
    read = {r.page: r for r in sample.readings}
    rows: list[Row] = []
    for picture in sample.pictures:
        reading = read.get(picture.page)
        pid = page_id(sample.spec.id, picture.page)
        suffix = "jpg" if picture.format == "jpeg" else picture.format
        rows.append(
            {
                "page_id": pid,
                "document_id": sample.spec.id,
                "page": picture.page,
                "image": {"bytes": picture.data, "path": f"{pid}.{suffix}"},
                "width": picture.width,
                "height": picture.height,
                "dpi": picture.dpi,
                "scene": picture.scene,
                "ocr_engine": reading.engine if reading else None,
                "cer": round(reading.cer, 6) if reading else None,
                "ocr_characters": reading.characters if reading else None,
                "ocr_edits": reading.edits if reading else None,
                "ocr_unmatched_lines": reading.unmatched_lines if reading else None,
                "ocr_spurious": reading.spurious if reading else None,
            }
        )
    return rows


def rejection_row(r: Rejection) -> Row:
    """A rejected try. What a quarantined one left behind lies in its record, not here: it differs between attempts."""
    return {
        "document_id": f"{r.split}-{r.index:08d}",
        "index": r.index,
        "try": r.attempt,
        "type": r.type,
        "language": r.language,
        "stage": r.stage,
        "reason": r.reason,
        "detail": "" if r.quarantined else r.detail,
        "quarantined": r.quarantined,
    }


def fingerprint(sample: Accepted) -> str:
    """What makes two documents the same to a reader: all their words in order."""
    return sha256(canonical([w.text for w in sample.document.words]))[:16]


def _box(box: Box) -> list[float]:
    return [round(float(v), 2) for v in box]


def _quad(quad: Quad) -> list[float]:
    return [round(float(v), 2) for v in quad.flat()]
