"""The questioner's steps, answered by a script: every answer on the page, every drop with its reason."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace

import pytest

from schemas.document import Document
from schemas.llm import LlmReply
from schemas.questions import Question
from schemas.steps import Done
from synth.ask.llm.hops import hop_of
from synth.ask.llm.questioner import question_steps
from synth.ask.llm.units import units_of
from synth.llm.steps import advance
from tests.fixtures.llm_questioner import questioner
from tests.synth.ask.conftest import Printed
from tests.synth.ask.llm.asking import MODELS, Scripted, document

PAGE = document(
    ("key_value", ["Guest: Maria Lopez", "Arrival: 4 May 2021", "Departure: 9 May 2021", "Room: 310.00"]),
    ("table", ["Item | Price", "Oak board | 7.40", "Pine board | 12.00"]),
)


def asked(page: Document, language: str = "en", count: int = 8, **change) -> tuple[list[Question], Scripted]:
    scripted = Scripted(questioner(), **change)
    return scripted.run(question_steps(page, language, random.Random(3), MODELS, count)), scripted


def test_the_way_of_the_paper_step_by_step() -> None:
    questions, scripted = asked(PAGE)
    assert not [q for q in questions if q.dropped], questions
    assert Counter(q.kind for q in questions).keys() == {"single_span", "multi_span", "table", "multi_hop"}
    order = list(
        dict.fromkeys("ask.question" if "span" in a.stage or "table" in a.stage else a.stage for a in scripted.asks)
    )
    assert order == ["ask.summary", "ask.question", "ask.answer", "ask.discriminator", "ask.multi_hop"]
    single = next(a for a in scripted.asks if a.stage == "ask.single_span").request
    assert len(single.messages) == 2 + 2 * 8, "four examples of each pool, as turns"
    assert "A document with labels and values." in single.messages[0].parts[0].text  # type: ignore[union-attr]
    extraction = next(a for a in scripted.asks if a.stage == "ask.answer").request
    assert "Oak" not in extraction.messages[-1].parts[0].text or "Guest" not in extraction.messages[-1].parts[0].text  # type: ignore[union-attr]  # fmt: skip


def test_kinds_are_asked_for_by_their_weights() -> None:
    scripted = Scripted(questioner())
    kinds = {"table": 3.0, "single_span": 1.0}
    questions = scripted.run(question_steps(PAGE, "en", random.Random(3), MODELS, 8, kinds))
    assert Counter(q.kind for q in questions if not q.dropped) == {"table": 6, "single_span": 2}
    assert {a.stage for a in scripted.asks} == {"ask.summary", "ask.single_span", "ask.table", "ask.answer"}


def test_answers_and_evidence_are_words_of_the_page(documents: list[Printed]) -> None:
    kept = 0
    for p in documents:
        scripted = Scripted(questioner())
        steps = question_steps(p.document, p.spec.language, p.spec.rng("ask.llm"), MODELS, 6)
        for q in scripted.run(steps):
            assert bool(q.dropped) == (not q.evidence), q
            kept += not q.dropped
            for answer in () if q.dropped else q.answers:
                assert answer.words and set(answer.words) <= set(q.evidence)
                spelled = "".join(p.document.words[i].text for i in answer.words)
                assert "".join(answer.text.split()) in spelled
    assert kept >= 60


def test_steps_give_the_same_wherever_they_are_taken_up_again() -> None:
    scripted = Scripted(questioner())
    answers: tuple = ()
    while True:
        step = advance(question_steps(PAGE, "en", random.Random(3), MODELS, 8), answers)
        if isinstance(step, Done):
            break
        answers += (tuple(map(scripted.ask, step)) if isinstance(step, tuple) else scripted.ask(step),)  # type: ignore[arg-type]
    assert step.result == asked(PAGE)[0]


def said(stage: str, value: object, finish: str = "stop", refusal: str = ""):
    def change(at: str, reply: LlmReply) -> LlmReply:
        text = value if isinstance(value, str) else json.dumps(value)
        return replace(reply, text=text, finish_reason=finish, refusal=refusal) if at == stage else reply

    return change


@pytest.mark.parametrize(
    ("stage", "value", "finish", "refusal", "reason"),
    [
        ("ask.answer", {"answers": ["Paul Osei"]}, "stop", "", "ungrounded"),
        ("ask.answer", {"answers": []}, "stop", "", "no_answer"),
        ("ask.answer", {"answers": ["  "]}, "stop", "", "no_answer"),
        ("ask.answer", {"answer": "Maria Lopez"}, "stop", "", "wrong_schema"),
        ("ask.answer", "the answer is Maria", "stop", "", "unparsed"),
        ("ask.answer", "", "stop", "", "empty"),
        ("ask.answer", '{"answers": ["Maria', "length", "", "length"),
        ("ask.answer", "", "stop", "I will not do that.", "refused"),
        ("ask.single_span", {"questions": [{"question": "?", "lines": [1]}]}, "stop", "", "no_question"),
        ("ask.single_span", {"questions": [{"question": "Who comes?", "lines": [99]}]}, "stop", "", "wrong_schema"),
        ("ask.summary", "no", "stop", "", "unparsed"),
        ("ask.discriminator", "no", "stop", "", "discriminator unparsed"),
    ],
)
def test_what_a_model_does_wrong_is_dropped_with_its_reason(
    stage: str, value: object, finish: str, refusal: str, reason: str
) -> None:
    questions, _ = asked(PAGE, change=said(stage, value, finish, refusal))
    dropped = [q for q in questions if q.dropped]
    assert dropped and {q.dropped.split(":")[0] for q in dropped} == {reason}, questions


@pytest.mark.parametrize(
    ("lines", "calculation", "answer", "outcome"),
    [
        ([[2], [3]], "7.40 + 12.00", "19.40", ""),
        ([[2], [3]], "12.00 - 7.40", "4.70", "wrong_calculation"),
        ([[2], [3]], "12.00 - 7.50", "4.50", "ungrounded"),
        ([[2], [3]], "", "Pine board", ""),
        ([[2], [3]], "", "Elm board", "ungrounded"),
        ([[2], [2]], "", "Oak board", "one_line"),
        ([[1], [2]], "", "Pine board", "ungrounded"),
    ],
)
def test_a_chain_is_held_against_its_lines(lines, calculation: str, answer: str, outcome: str) -> None:
    context = units_of(PAGE)[1].pieces
    steps = [{"says": "so", "lines": line} for line in lines]
    row = {"question": "Which board?", "steps": steps, "calculation": calculation, "answer": answer}
    found = hop_of(PAGE, "scripted", context, row)
    assert found.dropped.split(":")[0] == outcome, found
    if not outcome:
        assert found.program["steps"][0]["lines"] == ["Oak board | 7.40"] and found.kind == "multi_hop"
        assert bool(found.answers[0].words) != bool(calculation)
