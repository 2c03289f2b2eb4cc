from __future__ import annotations

import json
from typing import Any

import cv2

from synth.export.omnidocbench import page_entry
from synth.metrics.reading_order import Matched, position_distance
from tests.jobs.export_release import Rows
from tests.synth.export.conftest import Exported
from tests.synth.export.made import block, cell, page, sample, word

TEXTS = {"text_block", "title", "table", "header", "footer", "figure", "abandon", "table_caption", "figure_caption"}


def entries(exported: Exported) -> list[dict[str, Any]]:
    files = [exported("omnidocbench") / split / "OmniDocBench.json" for split in ("train", "test")]
    return [one for file in files for one in json.loads(file.read_text("utf-8"))]


def test_blocks_boxes_texts_and_order_are_the_releases(rows: Rows, exported: Exported) -> None:
    told = {one["page_info"]["image_path"].removesuffix(".jpg"): one for one in entries(exported)}
    assert set(told) == {p["page_id"] for p in rows["pages"]}
    for page_id, one in told.items():
        blocks = [b for b in rows["layout"] if b["page_id"] == page_id]
        assert [(d["anno_id"], d["poly"], d["text"], d["order"]) for d in one["layout_dets"]] == [
            (b["block_id"], b["quad"], b["text"], i + 1) for i, b in enumerate(blocks)
        ]
        assert [d["category_type"] for d in one["layout_dets"]] == ["title", "text_block", "table"]
        lines = [n for n in rows["lines"] if n["page_id"] == page_id]
        spans = [s for d in one["layout_dets"] for s in d["line_with_spans"]]
        assert [(s["text"], s["poly"]) for s in spans] == [(n["text"], n["quad"]) for n in lines]


def test_it_has_what_the_scorer_looks_up(exported: Exported) -> None:
    """The keys that `end2end_dataset` reads without asking whether they are there."""
    languages = set()
    for one in entries(exported):
        split = one["page_info"]["image_path"].split("-")[0]
        picture = cv2.imread(str(exported("omnidocbench") / split / "images" / one["page_info"]["image_path"]))
        height, width = picture.shape[:2]
        assert (one["page_info"]["width"], one["page_info"]["height"]) == (width, height)
        languages.add(one["page_info"]["page_attribute"]["language"])
        assert one["extra"]["relation"] == []
        for det in one["layout_dets"]:
            assert det["category_type"] in TEXTS and det["order"] > 0 and isinstance(det["attribute"], dict)
            xs, ys = det["poly"][::2], det["poly"][1::2]
            assert min(xs) >= 0 and max(xs) <= width and min(ys) >= 0 and max(ys) <= height
            if det["category_type"] == "table":
                assert det["html"].startswith("<table><tr><td>") and det["latex"].startswith("\\begin{tabular}")
    assert languages == {"english", "simplified_chinese", "bengali"}


def test_the_reading_order_distance_of_the_truth_is_none(exported: Exported) -> None:
    orders = [d["order"] for d in entries(exported)[0]["layout_dets"]]
    right = position_distance([Matched([order], place) for place, order in enumerate(orders)])
    wrong = position_distance([Matched([order], -place) for place, order in enumerate(orders)])
    assert right and right.gt == [1, 2, 3] and right.edit == 0 and wrong and wrong.edit > 0


def test_captions_stamps_and_a_tables_own_cells() -> None:
    words = [word(i, "x", block=b) for i, b in enumerate((0, 1, 2, 3, 4))]
    layout = [
        block(0, "text"), block(1, "caption", "Tab. 1"), block(2, "table", logical=9), block(3, "stamp"),
        block(4, "caption", "alone"),
    ]  # fmt: skip
    cells = [cell(0, 0, "mine", table=9), cell(0, 0, "another's", table=2)]
    made = page_entry(sample(), page(words=words, layout=layout, cells=cells))
    kinds = {d["anno_id"]: d["category_type"] for d in made["layout_dets"]}
    assert kinds == {0: "text_block", 1: "table_caption", 2: "table", 3: "abandon", 4: "figure_caption"}
    assert [d["ignore"] for d in made["layout_dets"]] == [False, False, False, True, False]
    assert made["layout_dets"][2]["html"] == "<table><tr><td>mine</td></tr></table>"
    (tie,) = made["extra"]["relation"]
    assert (tie["source_anno_id"], tie["target_anno_id"], tie["relation_type"]) == (2, 1, "parent_son")
