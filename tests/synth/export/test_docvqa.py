from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import datasets
from PIL import Image

from tests.jobs.export_release import Rows
from tests.synth.export.conftest import Exported


def test_datasets_reads_the_questions(rows: Rows, exported: Exported, tmp_path: Path) -> None:
    folder = exported("docvqa")
    files = {split: str(folder / f"qas/{split}_v1.0_withQT.json") for split in ("train", "test")}
    loaded: Any = datasets.load_dataset("json", data_files=files, field="data", cache_dir=str(tmp_path))
    asked = {}
    for split, one in ((s, q) for s in files for q in loaded[s]):
        with Image.open(folder / one["image"]) as picture:
            assert picture.format == "JPEG"
        page = one["image"].removeprefix("documents/").removesuffix(".jpg")
        assert one["data_split"] == split and page == f"{one['ucsf_document_id']}-p{one['ucsf_document_page_no']}"
        asked[page, one["source"]] = one["answers"]
    assert asked == {(f["page_id"], f["path"]): [f["value"]] for f in rows["kie"]}
    ids = [one["questionId"] for split in files for one in loaded[split]]
    assert len(set(ids)) == len(ids)
    texts = {one["question"] for split in files for one in loaded[split]}
    assert {"What is the “Total”?", "“合计”是什么？", "“সর্বমোট” কী?"} <= texts
    assert json.loads(Path(files["train"]).read_text("utf-8"))["dataset_split"] == "train"


def test_ocr_files_hold_the_lines_and_words_of_the_page(rows: Rows, exported: Exported) -> None:
    for page in rows["pages"]:
        file = exported("docvqa") / f"ocr_results/{page['page_id']}.json"
        (read,) = json.loads(file.read_text("utf-8"))["recognitionResults"]
        lines = [one for one in rows["lines"] if one["page_id"] == page["page_id"]]
        assert [(one["text"], one["boundingBox"]) for one in read["lines"]] == [(n["text"], n["quad"]) for n in lines]
        words = {(w["document_id"], w["word_id"]): w for w in rows["words"]}
        for one, line in zip(read["lines"], lines, strict=True):
            mine = [words[page["document_id"], i] for i in line["word_ids"]]
            assert one["words"] == [{"boundingBox": w["quad"], "text": w["text"]} for w in mine]
        assert (read["width"], read["height"]) == (page["width"], page["height"])
