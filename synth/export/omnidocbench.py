"""OmniDocBench's JSON (Ouyang et al., arXiv 2412.07626; the repository's README, "Dataset Format")."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from synth.export.out import Listing, Sink, dumps
from synth.export.rows import Page, Release, Row, Sample, floats, role
from synth.export.tables import html_of, latex_of

_CATEGORIES = {
    "title": "title",
    "section_header": "title",
    "text": "text_block",
    "list_item": "text_block",
    "key_value": "text_block",
    "signature": "text_block",
    "table": "table",
    "caption": "figure_caption",
    "figure": "figure",
    "page_header": "header",
    "page_footer": "footer",
    "stamp": "abandon",
    "hole_punch": "abandon",
    "sticky_note": "abandon",
    "redaction": "abandon",
}
# Their filters and result tables know `english` and `simplified_chinese`; other languages are spelled the same way.
_LANGUAGES = {"en": ("english", "en"), "zh": ("simplified_chinese", "simplified_chinese"), "bn": ("bengali", "bn")}


class OmniDocBench:
    """`SPLIT/OmniDocBench.json` and `SPLIT/images/`, one entry a page.

    `poly` is the block's quad from its text's top left, in pixels; `order` counts from 1, because the scorer takes an
    order of 0 for none. Blocks of a stamp are `abandon`. A caption belongs to the table or figure beside it in reading
    order, and is tied to it by `parent_son`.
    """

    tables: ClassVar[tuple[str, ...]] = ("words", "lines", "layout", "cells")
    looks_ahead: ClassVar[bool] = False

    def __init__(self, out: Sink, release: Release) -> None:
        self._out = out
        self._files: dict[str, Listing] = {}
        self.counts: Counter[str] = Counter(documents=0, pages=0)

    def look(self, document: Row) -> None: ...

    def add(self, sample: Sample) -> None:
        if sample.split not in self._files:
            self._files[sample.split] = Listing(self._out, f"{sample.split}/OmniDocBench.json")
        for page in sample.pages:
            entry = page_entry(sample, page)
            self._files[sample.split].add(dumps(entry))
            self._out.put(f"{sample.split}/images/{page.file}", page.picture)
            self.counts["blocks"] += len(entry["layout_dets"])
        self.counts += Counter(documents=1, pages=len(sample.pages))

    def close(self) -> None:
        for file in self._files.values():
            file.close()

    def usage(self) -> str:
        return (
            "Name `SPLIT/OmniDocBench.json` as `ground_truth.data_path` of OmniDocBench's `end2end.yaml`; the pictures "
            "are in `SPLIT/images/`, and a prediction is a Markdown file of the picture's name."
        )


def page_entry(sample: Sample, page: Page) -> dict[str, Any]:
    """One page as OmniDocBench describes it."""
    width, height = page.size
    language, short = _LANGUAGES.get(sample.language, (sample.language, sample.language))
    dets = [_det(page, block, number, short) for number, block in enumerate(page.blocks)]
    relations = _captions(page.blocks, dets)
    attribute = {"data_source": sample.type, "language": language, "layout": "other_layout"}
    attribute |= {"watermark": False, "fuzzy_scan": False, "colorful_backgroud": False}
    info = {"page_no": page.number, "height": height, "width": width, "image_path": page.file}
    return {
        "layout_dets": dets,
        "page_info": {**info, "page_attribute": attribute},
        "extra": {"relation": relations},
    }


def _det(page: Page, block: Row, number: int, language: str) -> dict[str, Any]:
    category = _CATEGORIES[role(block)]
    det: dict[str, Any] = {
        "category_type": category,
        "poly": floats(block["quad"]),
        "ignore": category == "abandon",
        "order": number + 1,
        "anno_id": block["block_id"],
        "text": block["text"],
    }
    if category == "table":
        cells = [c for c in page.cells if c["table_id"] == block["logical_id"]]
        det |= {"html": html_of(cells), "latex": latex_of(cells), "attribute": _table_attribute(cells, language)}
    else:
        det["attribute"] = {
            "text_language": f"text_{language}", "text_background": "white", "text_rotate": "normal"
        }  # fmt: skip
    det["line_with_spans"] = [
        {"category_type": "text_span", "poly": floats(line["quad"]), "ignore": False, "text": line["text"]}
        for line in page.lines
        if line["block_id"] == block["block_id"]
    ]
    return det


def _table_attribute(cells: list[Row], language: str) -> dict[str, Any]:
    spans = any(c["rowspan"] > 1 or c["colspan"] > 1 for c in cells)
    return {"table_layout": "vertical", "with_span": spans, "language": f"table_{language}", "table_vertical": False}


def _captions(blocks: list[Row], dets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ties of captions to the table or figure just before or after them; sets the caption's category."""
    ties: list[dict[str, Any]] = []
    for place, block in enumerate(blocks):
        if role(block) != "caption":
            continue
        beside = [n for n in (place - 1, place + 1) if 0 <= n < len(blocks) and role(blocks[n]) in ("table", "figure")]
        if beside:
            owner = blocks[beside[0]]
            dets[place]["category_type"] = f"{role(owner)}_caption"
            ties.append(
                {"source_anno_id": owner["block_id"], "target_anno_id": block["block_id"], "relation": "parent_son",
                 "relation_type": "parent_son"}
            )  # fmt: skip
    return ties
