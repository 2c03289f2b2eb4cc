"""Labels as Arrow rows, and what of a photographed document crosses to another process."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

from schemas.document import Block, Cell, Document, Field, Line, PageInfo, Relation, Word
from schemas.geometry import Box, quad_of
from schemas.label_rows import label_rows
from schemas.photographed import Photographed
from schemas.tables import arrow_schema

BOX = Box(10.004, 20.006, 110.25, 40.5)
QUAD = quad_of(BOX)
AT = {"box": BOX, "quad": QUAD}


def document() -> Document:
    words = tuple(
        Word(n, n, text, BOX, Box(11, 21, 100, 39), QUAD, 0, 0, 1 - n, 11.99999, n == 0, 0.12345)
        for n, text in enumerate(("মোট:", "১২৩"))
    )
    return Document(
        pages=(PageInfo(600, 800), PageInfo(600, 800)),
        words=words,
        lines=(Line(0, 0, 0, (0, 1), "মোট: ১২৩", direction="rtl", **AT),),
        blocks=(Block(0, 1, "table", (0,), "মোট: ১২৩", logical=7, **AT),),
        cells=(Cell(0, 0, 7, 1, 2, 1, 3, True, (1,), "১২৩", **AT),),
        fields=(Field(0, 1, "total", "১২৩", (1,), "মোট:", (0,), **AT),),
        relations=(Relation("column_header", (0,), (1,)),),
    )


def test_every_label_has_its_row() -> None:
    found = label_rows("train-00000003", document())
    place = {"document_id": "train-00000003", "page_id": "train-00000003-p0"}
    word = found["words"].to_pylist()[0]
    assert word["box"] == pytest.approx([10.0, 20.01, 110.25, 40.5], abs=1e-5)
    assert word["quad"] == pytest.approx([10.0, 20.01, 110.25, 20.01, 110.25, 40.5, 10.0, 40.5], abs=1e-5)
    assert word["ink_box"] == [11, 21, 100, 39] and word["font_size"] == 12 and word["visible"] == pytest.approx(0.123)
    assert {k: word[k] for k in place} == place and word["text"] == "মোট:" and word["space_after"] is True
    assert [(w["page_id"], w["order"]) for w in found["words"].to_pylist()] == [
        ("train-00000003-p0", 1),
        ("train-00000003-p1", 0),
    ]
    line, block, cell, field, relation = (
        found[config].to_pylist()[0] for config in ("lines", "layout", "cells", "kie", "relations")
    )
    assert line["word_ids"] == [0, 1] and line["direction"] == "rtl"
    assert line["visible"] == 1 and line["next_line_id"] is None and block["next_block_id"] is None
    assert (block["role"], block["logical_id"], block["line_ids"]) == (4, 7, [0])
    assert [cell[k] for k in ("table_id", "row", "col", "rowspan", "colspan", "header")] == [7, 1, 2, 1, 3, True]
    named = [field[k] for k in ("path", "value", "word_ids", "key", "key_word_ids")]
    assert named == ["total", "১২৩", [1], "মোট:", [0]]
    assert relation == {"document_id": "train-00000003", "kind": 1, "head_word_ids": [0], "tail_word_ids": [1]}


def test_a_document_without_labels_has_empty_tables() -> None:
    found = label_rows("train-00000000", Document((PageInfo(1, 1),), (), (), (), (), (), ()))
    assert {config: batch.num_rows for config, batch in found.items()} == dict.fromkeys(found, 0)
    assert all(batch.schema == arrow_schema(config) for config, batch in found.items())


@pytest.mark.parametrize("keep", [True, False])
def test_what_crosses_to_another_process(keep: bool) -> None:
    here = Photographed("train-00000003", (), document(), keep)
    there = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(here))))  # and once more, as a runner hands it on
    assert there.rows == here.rows and there.fingerprint == here.fingerprint and there.document_id == here.document_id
    read = {k: pa.ipc.read_record_batch(pa.py_buffer(data), arrow_schema(k)) for k, data in there.rows.items()}
    assert read == label_rows("train-00000003", document())
    if keep:
        assert there.document == document()
    else:
        with pytest.raises(AssertionError, match="not kept"):
            _ = there.document
