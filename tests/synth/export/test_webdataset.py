from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import datasets
from webdataset.compat import WebDataset

from schemas.document import ROLES
from tests.jobs.export_release import Rows
from tests.synth.export.conftest import Exported


def test_webdataset_reads_every_page_with_its_labels(rows: Rows, exported: Exported) -> None:
    told: dict[str, dict[str, Any]] = {}
    tars = sorted(exported("webdataset").glob("*.tar"))
    assert [tar.name for tar in tars] == ["test-00000.tar", "test-00001.tar", "train-00000.tar", "train-00001.tar"]
    for tar in tars:
        read: Any = WebDataset(str(tar), shardshuffle=False).decode("pil")
        for one in read:
            facts, labels = one["json"], json.loads(one["labels"])
            assert one["__key__"] == facts["page_id"] and one["jpg"].size == (facts["width"], facts["height"])
            assert tar.name.startswith(facts["split"])
            told[facts["page_id"]] = labels | facts
    assert set(told) == {p["page_id"] for p in rows["pages"]}
    for page_id, one in told.items():
        for name, columns in (
            ("words", ("word_id", "text", "space_after", "order", "line_id", "block_id", "box", "ink_box", "quad")),
            ("lines", ("line_id", "text", "word_ids", "box", "quad")),
            ("cells", ("table_id", "row", "col", "rowspan", "colspan", "header", "text", "word_ids", "box")),
            ("fields", ("path", "value", "word_ids", "key", "key_word_ids", "box", "quad")),
        ):
            mine = [r for r in rows["kie" if name == "fields" else name] if r["page_id"] == page_id]
            assert [[r[c] for c in columns] for r in one[name]] == [[r[c] for c in columns] for r in mine]
        blocks = [b for b in rows["layout"] if b["page_id"] == page_id]
        assert [(b["role"], b["box"]) for b in one["layout"]] == [(ROLES[b["role"]], b["box"]) for b in blocks]
        assert one["text"] == "\n".join(b["text"] for b in blocks)
        assert [(r["kind"], r["tail_word_ids"]) for r in one["relations"]] == [
            ("key_value", f["word_ids"]) for f in one["fields"]
        ]


def test_datasets_reads_the_same_tars(rows: Rows, exported: Exported, tmp_path: Path) -> None:
    files = {split: str(exported("webdataset") / f"{split}-*.tar") for split in ("train", "test")}
    loaded: Any = datasets.load_dataset("webdataset", data_files=files, cache_dir=str(tmp_path))
    assert {one["json"]["page_id"] for split in loaded for one in loaded[split]} == {
        p["page_id"] for p in rows["pages"]
    }
    assert isinstance(loaded["train"].features["jpg"], datasets.Image) and loaded["train"][0]["labels"][:1] == b"{"


def test_the_tars_are_whole_and_say_nothing_of_when_and_who(exported: Exported) -> None:
    for file in exported("webdataset").glob("*.tar"):
        assert file.stat().st_size % 10_240 == 0
        with tarfile.open(file) as tar:
            assert {(m.mtime, m.uid, m.gid, m.uname, m.gname) for m in tar.getmembers()} == {(0, 0, 0, "", "")}
