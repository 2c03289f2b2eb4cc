"""The writer over a real browser: good answers become documents, each bad way ends with its own reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate

from schemas.errors import SampleError
from schemas.llm import Image, Text
from schemas.steps import Ask, Done
from synth.content.typeface import draw_stack
from synth.llm.steps import advance
from synth.render.chromium import Chromium
from synth.truth.labels import label
from synth.write.writer import write_with_model
from tests.fixtures.llm_endpoint import Answer
from tests.fixtures.llm_writer import WAYS, writes_badly, writes_well
from tests.synth.write.writing import Desk, body_of, content, spec


@pytest.mark.parametrize("language", ["en", "zh", "bn"])
@pytest.mark.parametrize("kind", ["receipt", "invoice"])
def test_a_good_answer_becomes_a_labelled_document(chromium: Chromium, language: str, kind: str) -> None:
    desk, asked = Desk(writes_well, chromium), content()
    document = desk.write(spec(language, kind), asked)
    assert [a.stage for a in desk.asked] == ["write"] and (document.type, document.language) == (kind, language)
    labels = label(chromium.print(document), document)
    assert len(labels.fields) == 5 + 2 * len(document.values["items"])
    assert {f.key.rstrip(":") for f in labels.fields if f.path == "bill.total"} == {
        document.schema["properties"]["bill"]["properties"]["total"]["title"]
    }
    validate(document.values, document.schema)
    fonts = draw_stack(spec(language, kind).rng("fonts"), language, "train", asked, "any")
    assert document.fonts == fonts.families
    assert document.values["payer"]["name"] in document.persona


def test_what_a_model_will_not_write_is_not_sent_back(chromium: Chromium) -> None:
    for way, stages in (("refusal", ["write"]), ("no HTML", ["write", "repair-1"])):
        desk = Desk(writes_badly(way), chromium)
        with pytest.raises(SampleError) as caught:
            desk.write(spec(), content())
        assert (caught.value.reason, caught.value.stage) == (WAYS[way], "writer")
        assert [ask.stage for ask in desk.asked] == stages


def test_a_repair_is_told_the_fault_and_what_the_page_looks_like(chromium: Chromium) -> None:
    desk = Desk(writes_badly("overlap", mends_at=2), chromium)
    document = desk.write(spec(), content(repairs=3, vision=True))
    assert document.values and [a.stage for a in desk.asked] == ["write", "repair-1", "repair-2"]
    first, repair, _ = (ask.request for ask in desk.asked)
    user, assistant, again = repair.messages
    assert user == first.messages[0] and assistant.parts[0] == Text(writes_badly("overlap")(body_of(first), 0).text)
    told = again.parts[-1]
    assert isinstance(told, Text) and "overlap: 'Gate' and 'Lying' overlap" in told.text
    assert "'Lying over the rows of the table above' [LIES OVER line" in told.text
    assert all(isinstance(part, Image) for part in again.parts[:-1]) and len(again.parts) == 2
    assert repair.prompt == "write-1+repair-1" and repair.digest != first.digest


def test_what_acts_or_reaches_out_is_gone_from_the_document(chromium: Chromium) -> None:
    def script(body: dict[str, Any], earlier: int) -> Answer:
        html = writes_well(body, earlier).text.replace(
            "</style>", "@import 'http://x.example/a';</style><base href=//x>"
        )
        return Answer(html.replace("<h1", "<script>fetch('//x')</script><img src='file:///etc/passwd'><h1 onclick=a()"))

    document = Desk(script, chromium).write(spec(), content())
    for gone in ("<script", "x.example", "@import", "file:", "onclick", "<base"):
        assert gone not in document.html


def test_no_repairs_mean_one_call(chromium: Chromium) -> None:
    desk = Desk(writes_badly("tofu"), chromium)
    with pytest.raises(SampleError, match="U\\+1820"):
        desk.write(spec(), content(repairs=0))
    assert len(desk.asked) == 1


def test_a_try_asks_otherwise_and_the_same_try_asks_the_same() -> None:
    def first(attempt: int, index: int = 3) -> Ask:
        step = advance(write_with_model(spec(attempt=attempt, index=index), content()), ())
        assert isinstance(step, Ask)
        return step

    assert first(0) == first(0)
    assert len({first(0).request.digest, first(1).request.digest, first(0, 4).request.digest}) == 3


def test_steps_taken_one_by_one_give_the_same_document(chromium: Chromium) -> None:
    way, answers = "cut off in its box", []
    desk = Desk(writes_badly(way, mends_at=1), chromium)
    while not isinstance(step := advance(write_with_model(spec("zh"), content()), answers), Done):
        answers.append(desk.ask(step) if isinstance(step, Ask) else desk.proof(step))  # type: ignore[arg-type]
    assert step.result == Desk(writes_badly(way, mends_at=1), chromium).write(spec("zh"), content())


def test_a_type_of_the_users_own_is_described_from_examples_once(chromium: Chromium, tmp_path: Path) -> None:
    (tmp_path / "loan_slip").mkdir()
    (tmp_path / "loan_slip" / "a.txt").write_text("Hill Road Library\nCard L-204911\nEmma, due 4 May 2021")
    desk = Desk(writes_well, chromium)
    document = desk.write(spec(kind="loan_slip"), content(examples=tmp_path))
    assert [(a.stage, a.shared) for a in desk.asked] == [("describe", True), ("write", False)]
    assert "Hill Road Library" in desk.asked[0].request.messages[0].parts[0].text  # type: ignore[union-attr]
    told = desk.asked[1].request.messages[0].parts[0].text  # type: ignore[union-attr]
    assert "A slip that a library hands out" in told and "Hill Road" not in told and document.type == "loan_slip"


def test_the_users_personas_shape_the_document(chromium: Chromium, tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text(
        '{"name": "Ada Wood", "trade": "baker"}\n{"name": "Bo Hill", "trade": "cooper"}\n'
    )
    desk = Desk(writes_well, chromium)
    document = desk.write(spec(), content(personas=tmp_path))
    assert document.values["payer"]["name"] in ("Ada Wood", "Bo Hill") and document.persona.startswith("p-")
