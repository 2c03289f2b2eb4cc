"""One HTML file about a release that one can mail: counts, rejections, legibility, pages with their labels."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow as pa

from jobs.marks import PageRows, Row, marks_of_rows
from jobs.overlay import data_uri, environment, kinds_for_template, svg_marks
from jobs.report_figures import (
    cell_of,
    cells,
    histogram,
    label_checks,
    legibility_by_cell,
    questions,
    rejections,
    used,
)
from jobs.report_refusals import refusals
from schemas.draws import hash_order
from schemas.errors import UserError
from schemas.release import AuditRecord, ReleaseManifest

SHOWN_PAGES = 48
# Mail servers refuse from 20 to 25 MB; base64 is in these figures already.
MAX_BYTES = 14_000_000
_SIDES = ((1240, 72), (1240, 60), (1000, 60), (800, 55), (640, 50), (480, 40), (320, 35))
_DOCUMENT = ["document_id", "type", "language", "family", "page_count", "fonts", "characters"]
_DRAWN = ("words", "lines", "layout", "cells", "kie")


@dataclass(frozen=True)
class ReleaseData:
    """What the report needs of a release. Column names are those of `schemas.tables.COLUMNS`.

    `documents`: all documents, with document_id, type, language, family, page_count, fonts, characters. `pages`: all
    pages without their pictures: page_id, document_id, page, width, height, dpi, scene, cer, ocr_characters, ocr_edits.
    `rejections`: all rejected tries. `load(config, document_ids)`: full rows of these documents from a config (`pages`
    with the pictures, `words`, `lines`, `layout`, `cells`, `kie`); asked for the few documents that are shown, with one
    call a config.
    `max_cer`: the recipe's threshold, drawn into the histogram.
    """

    manifest: ReleaseManifest
    documents: pa.Table
    pages: pa.Table
    rejections: pa.Table
    load: Callable[[str, Sequence[str]], pa.Table]
    max_cer: float | None = None
    questions: pa.Table | None = None
    """Kept and refused questions, where the release has any: question, kind, cardinality, reasons."""
    refused: pa.Table | None = None
    audit: AuditRecord | None = None
    """The last `pageloom audit` of this release."""


def write_report(release: ReleaseData, out: Path, shown: int = SHOWN_PAGES) -> Path:
    """Writes the report of a release to `out` and returns it. The same release gives the same bytes.

    `shown` pages at most are drawn, spread evenly over cells. UserError if the file cannot be written.
    """
    html = render(release, shown)
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(html, "utf-8")
        part.replace(out)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise UserError(
            f"cannot write the report: {error.strerror}", str(out), "name another file with --out"
        ) from None
    return out


def render(release: ReleaseData, shown: int = SHOWN_PAGES) -> str:
    """The report as HTML."""
    documents = release.documents.select(_DOCUMENT).to_pylist()
    pages = release.pages.to_pylist()
    by_id = {row["document_id"]: row for row in documents}
    chosen = sample_pages(pages, by_id, shown)
    rejected = release.rejections.to_pylist()
    read = [page["cer"] for page in pages if page["cer"] is not None]
    manifest = release.manifest
    tries = sum(manifest.tries.values())
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            manifest=manifest,
            tries=tries,
            rejected=sum(manifest.rejected.values()),
            cells=cells(documents),
            rejections=rejections(manifest, rejected),
            refusals=refusals(documents, rejected),
            histogram=histogram(read, release.max_cer),
            read_pages=len(read),
            legibility=legibility_by_cell(pages, by_id),
            scenes=used(manifest.scenes),
            faults=used(manifest.faults),
            checks=label_checks(manifest.checks, release.audit),
            audit=release.audit,
            questions=questions(_rows_of(release.questions), _rows_of(release.refused))
            if release.questions is not None
            else None,
            kinds=kinds_for_template(),
            pages=_drawn(release, chosen, by_id),
            types=sorted({row["type"] for row in documents}),
            languages=sorted({row["language"] for row in documents}),
        )
    )


def sample_pages(pages: Sequence[Row], documents: dict[str, Row], shown: int) -> list[Row]:
    """Pages to show: cells in turn, in each cell documents by a hash of their id, first pages before later ones."""
    queues: dict[str, list[Row]] = defaultdict(list)
    by_document: dict[str, list[Row]] = defaultdict(list)
    for page in pages:
        by_document[page["document_id"]].append(page)
    for number in range(max((page["page"] for page in pages), default=-1) + 1):
        for document_id in hash_order(sorted(by_document), "report"):
            of_number = [page for page in by_document[document_id] if page["page"] == number]
            queues[cell_of(documents[document_id])] += of_number
    chosen: list[Row] = []
    turns = max((len(queue) for queue in queues.values()), default=0)
    for turn in range(turns):
        chosen += [queues[cell][turn] for cell in sorted(queues) if turn < len(queues[cell])]
    return sorted(chosen[:shown], key=lambda page: (cell_of(documents[page["document_id"]]), page["page_id"]))


def _drawn(release: ReleaseData, chosen: Sequence[Row], documents: dict[str, Row]) -> list[dict[str, Any]]:
    ids = sorted({page["document_id"] for page in chosen})
    if not ids:
        return []
    wanted = {page["page_id"] for page in chosen}
    pictures = {
        row["page_id"]: row["image"]["bytes"]
        for row in release.load("pages", ids).select(["page_id", "image"]).to_pylist()
        if row["page_id"] in wanted
    }
    rows = {config: _by_page(release.load(config, ids), wanted) for config in _DRAWN}
    drawn = []
    for page in chosen:
        of_page: PageRows = {config: rows[config].get(page["page_id"], ()) for config in _DRAWN}
        marks = marks_of_rows(of_page, page["width"], page["height"])
        document = documents[page["document_id"]]
        drawn.append(
            {
                **page,
                **{name: document[name] for name in ("type", "language", "family", "page_count")},
                "thumb": svg_marks(marks, titles=False),
                "marks": svg_marks(marks),
            }
        )
    room = MAX_BYTES - sum(len(page["thumb"]) + len(page["marks"]) for page in drawn)
    images = _images([pictures[page["page_id"]] for page in chosen], room)
    return [{**page, "href": data_uri(image, "jpeg")} for page, image in zip(drawn, images, strict=True)]


def _rows_of(table: pa.Table | None) -> list[Row]:
    return table.to_pylist() if table is not None else []


def _by_page(table: pa.Table, wanted: set[str]) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in table.to_pylist():
        if row["page_id"] in wanted:
            rows[row["page_id"]].append(row)
    return rows


def _images(pictures: Sequence[bytes], room: int) -> list[bytes]:
    """The pictures as JPEGs of the largest size at which all of them, in base64, fit into `room` bytes."""
    images: list[bytes] = []
    for side, quality in _SIDES:
        images = [_shrunk(data, side, quality) for data in pictures]
        if sum(len(image) for image in images) * 4 / 3 <= room:
            break
    return images


def _shrunk(data: bytes, side: int, quality: int) -> bytes:
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    # The shorter side counts double: a long receipt has to stay readable.
    scale = min(1.0, side / max(min(image.shape[:2]) * 1.4, max(image.shape[:2]) * 0.33))
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_OPTIMIZE, 1])[1].tobytes()
