"""The copy-ocr baseline: pictures of a release are read, what was read is kept, and answers are copied from it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.cluster import cache_folder
from engine.regenerate import default_execution
from jobs.evaluate_data import Release
from schemas.errors import UserError
from schemas.sample import OcrLine
from synth.read.engines import Readers
from synth.score import copy_ocr
from synth.score.copy_ocr import Piece
from synth.score.evaluate import TRACKS
from synth.score.track import Unit
from synth.score.truth import DocumentTruth


def copied(
    release: Release, names: Sequence[str], readings: Path | None, cache: Path | None
) -> Iterator[tuple[str, str, Any]]:
    """(track, id, payload) of every unit of the chosen documents.

    `readings` is a file that what was read is added to, and taken from when it is there. UserError where the engines
    are not, or the file is none of readings.
    """
    known = _read_readings(readings)
    engines = Readers(cache or cache_folder(default_execution(None)))
    for document in release.documents():
        pages = _read(release, document, known, engines, readings)
        for name in names:
            for unit in TRACKS[name].units(document):
                yield name, unit.id, _payload(name, unit, pages)


def _payload(track: str, unit: Unit, pages: dict[str, list[Piece]]) -> Any:
    if track == "kie":
        return copy_ocr.values(unit.document.schema, list(pages.values()))
    page = pages.get(unit.page.id, []) if unit.page else [piece for found in pages.values() for piece in found]
    if track == "layout":
        return [{"box": list(box), "role": role, "score": 0.5} for role, box, _ in copy_ocr.blocks(page)]
    if track == "line_order":
        return [piece.text for piece in page]
    if track == "block_order":
        return [text for _, _, text in copy_ocr.blocks(page)]
    if track == "text":
        return copy_ocr.text(page)
    return copy_ocr.tables(page) if track == "table" else copy_ocr.answer(unit.truth.question, page) or None


def _read(
    release: Release, document: DocumentTruth, known: dict[str, list[OcrLine]], engines: Readers, keep: Path | None
) -> dict[str, list[Piece]]:
    """Pieces of each page of a document, pages in order."""
    missing = [page.id for page in document.pages if page.id not in known]
    if missing:
        for row in release.rows("pages", [document.id], ("document_id", "page_id", "image")):
            if row["page_id"] in missing:
                image = cv2.imdecode(np.frombuffer(row["image"]["bytes"], np.uint8), cv2.IMREAD_COLOR)
                lines = engines.read(image, document.language)
                known[row["page_id"]] = lines
                _add_reading(keep, row["page_id"], lines)
    return {page.id: copy_ocr.pieces_of(known.pop(page.id, [])) for page in document.pages}


def _read_readings(path: Path | None) -> dict[str, list[OcrLine]]:
    found: dict[str, list[OcrLine]] = {}
    if path is None or not path.exists():
        return found
    number = 1
    try:
        with path.open(encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                found[row["id"]] = [OcrLine(text, tuple(quad), score) for text, quad, score in row["lines"]]
                number += 1
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", str(path), "name another file with --readings") from None
    except (ValueError, KeyError, TypeError):
        where = f"{path}:{number}"
        raise UserError("is no reading that this command wrote", where, "name another file with --readings") from None
    return found


def _add_reading(path: Path | None, page: str, lines: Sequence[OcrLine]) -> None:
    if path is None:
        return
    row = {"id": page, "lines": [[x.text, [round(v, 1) for v in x.quad], round(x.score, 4)] for x in lines]}
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UserError(
            f"cannot be written: {error.strerror}", str(path), "name another file with --readings"
        ) from None
