"""Descriptions of types: shipped ones, and those a model makes of examples without copying them."""

from __future__ import annotations

import json
from pathlib import Path

import pymupdf
import pytest
from jsonschema import validate

from schemas.errors import SampleError, UserError
from schemas.llm import Image, LlmReply
from schemas.steps import Ask
from synth.llm.steps import drive
from synth.write.describe import SCHEMA, Description, copied_from, describe, shipped_description, shipped_types
from synth.write.examples import Example, example_types, read_examples
from tests.fixtures.llm_writer import DESCRIPTION
from tests.synth.render.printing import page_of

EXAMPLE = Example(
    "a", "Hill Road Library lends Emma to Ada Wood until 4 May 2021 card 204911 订单由杭州市西湖区文三路分公司开具"
)


def answering(*texts: str):
    said = iter(texts)
    asked: list[Ask] = []

    def ask(one: Ask) -> LlmReply:
        asked.append(one)
        return LlmReply(next(said), "stop", "", "m", 1, 1, 0.0, 1, "e")

    return ask, asked


def test_shipped_descriptions_have_the_form_that_models_are_asked_for() -> None:
    assert len(shipped_types()) >= 10 and {"receipt", "form", "invoice", "contract"} <= set(shipped_types())
    for kind in shipped_types():
        found = shipped_description(kind)
        assert found is not None and found.told().count("\n- ") >= 3
        elements = [{"kind": k, "shows": s, "fields": list(f)} for k, s, f in found.elements]
        raw = {"paper": found.paper, "purpose": found.purpose, "layout": found.layout, "elements": elements}
        validate(raw, SCHEMA)
        assert sum(len(fields) for _, _, fields in found.elements) >= 10, kind


def test_a_description_that_copies_is_asked_for_again() -> None:
    copying = DESCRIPTION | {"purpose": "The Hill Road Library lends Emma to Ada Wood and others."}
    ask, asked = answering("no JSON at all", json.dumps(copying), json.dumps(DESCRIPTION))
    assert drive(describe("slip", "en", [EXAMPLE], "m", 5), ask) == Description.of(DESCRIPTION)
    assert [one.request.seed for one in asked] == [5, 6, 7] and all(one.shared for one in asked)
    ask, _ = answering(*[json.dumps(copying)] * 3)
    with pytest.raises(SampleError) as caught:
        drive(describe("slip", "en", [EXAMPLE], "m", 5), ask)
    assert caught.value.reason == "copied_example"
    ask, _ = answering(*["{}"] * 3)
    with pytest.raises(SampleError) as caught:
        drive(describe("slip", "en", [EXAMPLE], "m", 5), ask)
    assert caught.value.reason == "no_description"


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        ("The library and its reader's card number", None),
        ("Card numbers like 204911", "204911"),
        ("says Hill Road Library lends Emma to its readers", "Hill Road Library lends Emma to"),
        ("like 由杭州市西湖区文三路分公司开具的单据", "由杭州市西湖区文三路分公"),
    ],
)
def test_what_a_text_has_from_an_example(text: str, copied: str | None) -> None:
    assert copied_from(text, [EXAMPLE]) == copied


def test_examples_are_read_by_type_and_language(tmp_path: Path, chromium) -> None:
    for name in ("bill", "bill/zh", "letter"):
        (tmp_path / name).mkdir()
    (tmp_path / "bill" / "b.html").write_text("<style>p{}</style><p>Total <b>4.50</b>")
    (tmp_path / "bill" / "a.pdf").write_bytes(chromium.print(page_of("en")).pdf)
    (tmp_path / "bill" / "zh" / "a.md").write_text("合计")
    (tmp_path / "bill" / "notes.doc").write_text("x")
    assert example_types(tmp_path) == ["bill"]
    pdf, page = read_examples(tmp_path, "bill", "en", True)
    assert "Rental Agreement" in pdf.text and page.text == "Total 4.50" and len(pdf.pictures) == 1
    assert [one.text for one in read_examples(tmp_path, "bill", "zh", False)] == ["合计"]
    request = next(describe("bill", "en", [pdf, page], "m", 0))
    assert isinstance(request, Ask) and isinstance(request.request.messages[0].parts[0], Image)
    assert read_examples(tmp_path, "bill", "bn", False)[0].pictures == ()


def test_mistakes_in_examples_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such folder"):
        example_types(tmp_path / "none")
    with pytest.raises(UserError, match="no example found"):
        example_types(tmp_path)
    (tmp_path / "bill").mkdir()
    (tmp_path / "bill" / "a.pdf").write_bytes(b"no pdf")
    with pytest.raises(UserError, match="cannot be read"):
        read_examples(tmp_path, "bill", "en", False)
    locked = pymupdf.open()
    locked.new_page().insert_text((50, 50), "a loan slip")
    (tmp_path / "locked").mkdir()
    locked.save(tmp_path / "locked" / "a.pdf", encryption=5, user_pw="x", owner_pw="y")
    with pytest.raises(UserError, match="needs a password"):
        read_examples(tmp_path, "locked", "en", True)
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "a.html").write_text("<html>")
    with pytest.raises(UserError, match="holds no text"):
        read_examples(tmp_path, "bare", "en", True)
    (tmp_path / "scan").mkdir()
    (tmp_path / "scan" / "a.png").write_bytes(
        bytes.fromhex(
            "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8ffff3f0005fe02fe"
            "dccc59e70000000049454e44ae426082"
        )
    )
    with pytest.raises(UserError, match="the model sees none"):
        read_examples(tmp_path, "scan", "en", False)
