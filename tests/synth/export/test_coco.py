from __future__ import annotations

import contextlib
import io
from typing import Any

import cv2
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from schemas.document import ROLES
from tests.jobs.export_release import Rows
from tests.synth.export.conftest import Exported


@pytest.fixture(scope="module")
def loaded(exported: Exported) -> dict[str, Any]:
    with contextlib.redirect_stdout(io.StringIO()):
        return {
            split: COCO(str(exported("coco") / f"annotations/instances_{split}.json")) for split in ("train", "test")
        }


def test_pycocotools_reads_the_blocks_of_the_release(rows: Rows, loaded: dict[str, Any]) -> None:
    found = {}
    for split, coco in loaded.items():
        for image in coco.loadImgs(coco.getImgIds()):
            page = image["file_name"].removesuffix(".jpg")
            assert page.startswith(split)
            for one in coco.loadAnns(coco.getAnnIds([image["id"]])):
                x, y, w, h = one["bbox"]
                role = coco.loadCats([one["category_id"]])[0]["name"]
                found[page, one["block_id"]] = (role, [x, y, x + w, y + h], one["segmentation"][0], one["text"])
    assert found == {
        (b["page_id"], b["block_id"]): (ROLES[b["role"]], b["box"], b["quad"], b["text"]) for b in rows["layout"]
    }
    assert any("收据 𠮷" in text for *_, text in found.values())


def test_boxes_lie_in_the_exported_pictures(exported: Exported, loaded: dict[str, Any]) -> None:
    for split, coco in loaded.items():
        for image in coco.loadImgs(coco.getImgIds()):
            picture = cv2.imread(str(exported("coco") / f"images/{split}" / image["file_name"]))
            assert picture is not None and picture.shape[:2] == (image["height"], image["width"])
            for one in coco.loadAnns(coco.getAnnIds([image["id"]])):
                x, y, w, h = one["bbox"]
                assert 0 <= x < x + w <= image["width"] and 0 <= y < y + h <= image["height"]
                assert one["area"] == pytest.approx(w * h)


def test_the_truth_scores_one(loaded: dict[str, Any]) -> None:
    coco = loaded["train"]
    with contextlib.redirect_stdout(io.StringIO()):
        same = coco.loadRes([{**one, "score": 1.0} for one in coco.loadAnns(coco.getAnnIds())])
        scored = COCOeval(coco, same, "bbox")
        scored.evaluate()
        scored.accumulate()
        scored.summarize()
    assert scored.stats[0] == pytest.approx(1.0)
