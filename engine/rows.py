"""One accepted sample as rows of the release's tables."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from engine.question_rows import question_rows
from schemas.document import Document
from schemas.photographed import Photographed
from schemas.questions import Asked
from schemas.sample import HtmlDocument, Legibility, Picture, Rejection, SampleSpec
from schemas.tables import arrow_schema, page_id

Row = dict[str, Any]


@dataclass(frozen=True)
class Accepted:
    """A finished sample. `readings` is empty where no engine read it."""

    spec: SampleSpec
    html: HtmlDocument
    pdf: bytes
    shot: Photographed
    readings: tuple[Legibility, ...]
    asked: Asked | None = None
    """Questions, where the recipe wants them."""

    @property
    def document(self) -> Document:
        """Labels in pixels of the pictures, where they were kept (see `Photographed`)."""
        return self.shot.document

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return self.shot.pictures


def batches_of(sample: Accepted) -> dict[str, bytes]:
    """Serialized Arrow record batches by config (`schemas.tables.arrow_schema`)."""
    own = {"documents": [_document_row(sample)], "pages": _page_rows(sample)}
    if sample.asked:
        own |= question_rows(sample.spec.id, sample.document, sample.asked)
    packed = {config: pa.RecordBatch.from_pylist(rows, arrow_schema(config)) for config, rows in own.items()}
    return {config: batch.serialize().to_pybytes() for config, batch in packed.items()} | sample.shot.rows


def read_batch(config: str, data: bytes) -> pa.RecordBatch:
    """One of `batches_of`, read back."""
    return pa.ipc.read_record_batch(pa.py_buffer(data), arrow_schema(config))


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
        "characters": html.characters,
        "page_count": len(sample.pictures),
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
                "faults": [asdict(fault) for fault in picture.faults],
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
        "family": r.family,
        "characters": r.characters,
        "font": r.font,
        "script": r.script,
    }
