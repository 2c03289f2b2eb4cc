from __future__ import annotations

import base64
import io
import json

import pandas as pd
import pytest

from synth.export.rows import Release
from synth.export.vlmevalkit import VlmEvalKit
from tests.jobs.export_release import Rows
from tests.synth.export.conftest import Exported
from tests.synth.export.made import block, field, page, sample, word


@pytest.fixture(scope="module")
def loaded(exported: Exported) -> dict[str, pd.DataFrame]:
    """By split, read with the arguments that VLMEvalKit reads a TSV with."""
    files = sorted(exported("vlmevalkit").glob("*.tsv"))
    assert len(files) == 2 and all(file.stem.endswith("_DocVQA") for file in files)
    return {file.stem.split("_")[2]: pd.read_csv(file, sep="\t") for file in files}


def test_pandas_reads_questions_and_all_accepted_answers(rows: Rows, loaded: dict[str, pd.DataFrame]) -> None:
    told = {}
    for split, table in loaded.items():
        assert list(table["index"]) == list(range(1, len(table) + 1)) and not table.isna().any().any()
        assert set(table["split"]) == {split} and {"question", "image"} <= set(table.columns)
        assert not {"A", "B"} & set(table.columns)  # VLMEvalKit would take it for multiple choice
        for one in table.to_dict("records"):
            told[one["page_id"], one["source"]] = eval(one["answer"])  # as VLMEvalKit's vqa_eval does
    assert told == {(f["page_id"], f["path"]): [f["value"]] for f in rows["kie"]}
    assert {"“合计”是什么？", "“তারিখ” কী?"} <= {q for table in loaded.values() for q in table["question"]}


def test_a_picture_is_there_once_and_found_by_its_index(rows: Rows, loaded: dict[str, pd.DataFrame]) -> None:
    pictures = {p["page_id"]: p["image"]["bytes"] for p in rows["pages"]}
    for table in loaded.values():
        images = {str(i): image for i, image in zip(table["index"], table["image"], strict=True)}
        whole = [image for image in images.values() if len(image) > 64]
        assert len(whole) == table["page_id"].nunique()
        for one in table.to_dict("records"):
            image = images[str(one["index"])]
            data = images[image] if len(image) <= 64 else image  # ImageBaseDataset's rule
            assert base64.b64decode(data) == pictures[one["page_id"]]
            assert one["image_path"] == f"{one['page_id']}.png"


class Text:
    """A sink that keeps what grows."""

    def __init__(self) -> None:
        self.data = b""

    def append(self, key: str, data: bytes) -> None:
        self.data += data

    def put(self, key: str, data: bytes) -> None: ...

    def join(self, key: str, pieces: object) -> None: ...


def test_answers_that_look_like_nothing_or_numbers_survive() -> None:
    values = ["NA", "007", "null", 'a "q"\tb\nc', "1.50"]
    words = [word(i, f"k{i}", block=0) for i in range(10)]
    kie = [field(f"f{i}", v, [i + 5], f"k{i}", [i]) for i, v in enumerate(values)]
    out = Text()
    made = page(words=words, layout=[block(0, "text")], kie=kie)
    VlmEvalKit(out, Release("r", "1.0.0", "x", "d" * 64)).add(sample(made))
    table = pd.read_csv(io.BytesIO(out.data), sep="\t")
    assert [json.loads(answer) for answer in table["answer"]] == [[v] for v in values]
    assert [eval(answer) for answer in table["answer"]] == [[v] for v in values]
