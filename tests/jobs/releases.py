"""A small release held in memory: real pictures, tables as `schemas.tables` declares them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jobs.report import ReleaseData
from schemas.release import ReleaseManifest
from schemas.tables import arrow_schema, page_id

HOSTILE = '</script><script>alert(1)</script><img src="http://example.org/x.png" onerror="alert(2)">'
WIDTH, HEIGHT = 620, 877


def box_columns(x0: float, y0: float, x1: float, y1: float) -> dict[str, Any]:
    return {"box": [x0, y0, x1, y1], "quad": [x0, y0, x1, y0, x1, y1, x0, y1]}


def page_rows(document_id: str, page: int, value: str) -> dict[str, list[dict[str, Any]]]:
    """Three lines: a heading and two of a key and a value, the second pair in a table."""
    place = {"document_id": document_id, "page_id": page_id(document_id, page)}
    words, lines = [], []
    for line, (y, texts) in enumerate([(80, ["Receipt"]), (200, ["Total:", value]), (320, ["Date:", "2026-11-30"])]):
        for number, text in enumerate(texts):
            x = 60 + 180 * number
            words.append(
                {
                    **place,
                    "word_id": len(words),
                    "text": text,
                    "space_after": True,
                    "order": len(words),
                    "line_id": line,
                    "block_id": line,
                    "ink_box": [x, y, x + 150, y + 40],
                    "font_size": 30.0,
                    "visible": 1.0,
                    **box_columns(x, y, x + 150, y + 40),
                }
            )
        ids = [w["word_id"] for w in words if w["line_id"] == line]
        across = box_columns(60, y, 60 + 180 * len(texts) - 30, y + 40)
        after = {"next_line_id": line + 1 if line < 2 else None}
        lines.append(
            {**place, "line_id": line, "block_id": line, "text": " ".join(texts), "word_ids": ids, **across, **after}
        )
    roles = (0, 5, 4)  # title, key_value, table
    layout = [
        {**place, "block_id": n["line_id"], "role": r, "logical_id": n["line_id"], "text": n["text"], "line_ids": [i]}
        | {"box": n["box"], "quad": n["quad"], "next_block_id": n["next_line_id"]}
        for i, (n, r) in enumerate(zip(lines, roles, strict=True))
    ]
    cells = [
        {**place, "cell_id": i, "table_id": 2, "row": 0, "col": i, "rowspan": 1, "colspan": 1, "header": i == 0}
        | {"text": words[3 + i]["text"], "word_ids": [3 + i], **box_columns(50 + 180 * i, 310, 230 + 180 * i, 370)}
        for i in range(2)
    ]
    kie = [
        {**place, "field_id": i, "path": path, "value": words[w]["text"], "word_ids": [w]}
        | {"key": words[w - 1]["text"], "key_word_ids": [w - 1], "box": words[w]["box"], "quad": words[w]["quad"]}
        for i, (path, w) in enumerate([("total", 2), ("date", 4)])
    ]
    tables = {"words": words, "lines": lines, "layout": layout, "cells": cells, "kie": kie}
    return {name: [{"visible": 1.0, **row} for row in rows] for name, rows in tables.items()}


def picture(rows: dict[str, list[dict[str, Any]]], seed: int) -> bytes:
    """A paper-like page with the words' text on it; grain, so that it does not compress to nothing."""
    grain = np.random.default_rng(seed).normal(238, 6, (HEIGHT, WIDTH, 1)).clip(0, 255).astype(np.uint8)
    image = np.repeat(grain, 3, axis=2)
    for word in rows["words"]:
        x, y = (round(c) for c in word["box"][:2])
        text = word["text"][:10]
        cv2.putText(image, text, (x + 2, y + 30), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (40, 40, 40), 2, cv2.LINE_AA)
    return cv2.imencode(".jpg", image)[1].tobytes()


def release(kinds: Sequence[tuple[str, str]], per_cell: int = 2, pages: int = 1) -> ReleaseData:
    """`per_cell` documents of `pages` pages for each (type, language), in splits train and test in turn."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in ("documents", "pages", "rejections")}
    rows |= {name: [] for name in ("words", "lines", "layout", "cells", "kie")}
    for number, (kind, language) in enumerate(list(kinds) * per_cell):
        did = f"{('train', 'test')[number % 2]}-{number:08d}"
        rows["documents"].append(
            {"document_id": did, "index": number, "try": 0, "type": kind, "language": language, "fonts": ["Plain Sans"]}
            | {
                "family": f"{kind}/plain",
                "persona": "p",
                "page_count": pages,
                "characters": 300 * (number + 1),
                "schema": "{}",
                "values": "{}",
                "pdf": b"",
            }
        )
        for page in range(pages):
            labels = page_rows(did, page, HOSTILE if number == 0 else f"${number}.00")
            for name, of_page in labels.items():
                rows[name] += of_page
            read = number % 3 != 2
            rows["pages"].append(
                {"page_id": page_id(did, page), "document_id": did, "page": page, "width": WIDTH, "height": HEIGHT}
                | {"dpi": 75, "scene": "flat_scan-0", "image": {"bytes": picture(labels, number), "path": "p.jpg"}}
                | {"ocr_engine": "paddleocr" if read else None, "cer": 0.02 * number if read else None}
                | {"ocr_characters": 100 if read else None, "ocr_edits": 2 * number if read else None}
                | {"ocr_unmatched_lines": 0 if read else None}
            )
    kind, language = kinds[0]
    rows["rejections"] = [
        {"document_id": "train-00000000", "index": 0, "try": 0, "type": kind, "language": language, "stage": "read"}
        | {"reason": "illegible", "detail": HOSTILE, "quarantined": False}
        | {"family": f"{kind}/plain", "characters": 700, "font": "", "script": ""}
    ]
    tables = {name: pa.Table.from_pylist(items, schema=arrow_schema(name)) for name, items in rows.items()}
    cells = Counter(f"{row['type']}/{row['language']}" for row in rows["documents"])
    manifest = ReleaseManifest(
        layout=1,
        name="books",
        version="1.2.3",
        license="CC-BY-4.0",
        lock="ab" * 32,
        shards={"train-00000": "x"},
        splits=dict(Counter(row["document_id"].rsplit("-", 1)[0] for row in rows["documents"])),
        documents=len(rows["documents"]),
        pages=len(rows["pages"]),
        cells=dict(cells),
        tries=dict(cells + Counter({f"{kind}/{language}": 1})),
        rejected={f"{kind}/{language}: read: illegible": 1},
        scenes={"flat_scan-0": len(rows["pages"])},
        faults={"train/stamp": 4, "test/fax": 5},
        duplicates=[],
        files=9,
        bytes=1_000_000,
    )

    def load(config: str, document_ids: Sequence[str]) -> pa.Table:
        table = tables[config]
        return table.filter(pc.field("document_id").isin(list(document_ids)))

    return ReleaseData(
        manifest, tables["documents"], tables["pages"].drop(["image"]), tables["rejections"], load, max_cer=0.2
    )
