"""Pages and documents made by hand, for what the shared release does not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemas.document import ROLES
from synth.export.rows import Page, Sample

PLACE = {"document_id": "train-00000000", "page_id": "train-00000000-p0"}


def box_at(x: float, y: float, width: float = 40, height: float = 20) -> dict[str, Any]:
    x1, y1 = x + width, y + height
    return {"box": [x, y, x1, y1], "ink_box": [x, y, x1, y1], "quad": [x, y, x1, y, x1, y1, x, y1]}


def word(number: int, text: str, line: int = 0, block: int = 0, order: int | None = None, **other: Any) -> dict:
    at = box_at(10 + 50 * (number % 10), 10 + 30 * line)
    row = {**PLACE, "word_id": number, "text": text, "space_after": True, "order": number if order is None else order}
    return {**row, "line_id": line, "block_id": block, "font_size": 12.0, "visible": 1.0, **at, **other}


def line(number: int, ids: Sequence[int], block: int = 0, text: str = "") -> dict[str, Any]:
    return {**PLACE, "line_id": number, "block_id": block, "text": text, "word_ids": list(ids)} | box_at(
        10, 10 + 30 * number, 500
    )


def block(number: int, role: str, text: str = "", logical: int | None = None) -> dict[str, Any]:
    at = box_at(10, 10 + 30 * number, 500)
    logical = number if logical is None else logical
    return {**PLACE, "block_id": number, "role": ROLES.index(role), "logical_id": logical, "text": text, **at}


def field(path: str, value: str, ids: Sequence[int], key: str = "", keys: Sequence[int] = ()) -> dict[str, Any]:
    row = {**PLACE, "field_id": 0, "path": path, "value": value, "word_ids": list(ids), "key": key}
    return {**row, "key_word_ids": list(keys), **box_at(0, 0)}


def cell(row: int, col: int, text: str, ids: Sequence[int] = (), rows: int = 1, cols: int = 1, table: int = 0) -> dict:
    place = {**PLACE, "cell_id": 0, "table_id": table, "row": row, "col": col, "rowspan": rows, "colspan": cols}
    return {**place, "header": False, "text": text, "word_ids": list(ids), **box_at(0, 0)}


def page(number: int = 0, size: tuple[int, int] = (600, 800), **rows: Any) -> Page:
    facts = {**PLACE, "page_id": f"train-00000000-p{number}", "page": number, "width": size[0], "height": size[1]}
    return Page({**facts, "image": {"bytes": b"", "path": f"train-00000000-p{number}.jpg"}}, **rows)


def sample(*pages: Page, language: str = "en", **row: Any) -> Sample:
    facts = {"document_id": "train-00000000", "index": 0, "type": "form", "language": language, "values": "{}"}
    return Sample("train", "train-00000", {**facts, "page_count": len(pages), **row}, pages)
