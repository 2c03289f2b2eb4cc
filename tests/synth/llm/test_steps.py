"""Steps: answered at once, and replayed from the start with the answers so far."""

from __future__ import annotations

import pytest

from schemas.errors import SampleError
from schemas.llm import LlmReply, LlmRequest, Message, Text
from schemas.recipe import PAPERS
from schemas.sample import HtmlDocument
from schemas.steps import Ask, Done, Fault, Proof, ProofSheet, Steps
from synth.llm.steps import advance, drive

PAGE = HtmlDocument("<p>x", PAPERS["A4"], "form", "en", "form/test", (), "nobody", {}, {})


def ask(text: str) -> Ask:
    return Ask(text, LlmRequest("m", (Message("user", (Text(text),)),), 10))


def reply(text: str) -> LlmReply:
    return LlmReply(text, "stop", "", "m", 1, 1, 0.0, 1, "e")


def stage() -> Steps[str]:
    first = yield ask("one")
    if first.text == "no":
        raise SampleError("refused", "writer")
    pair = yield (ask("two"), ask("three"))
    sheet = yield Proof(PAGE)
    return " ".join([first.text, *(r.text for r in pair), sheet.fault.reason])


SHEET = ProofSheet(Fault("overlap", "truth", ""), "")


def test_drive_answers_in_order() -> None:
    assert drive(stage(), lambda a: reply(a.stage.upper()), lambda p: SHEET) == "ONE TWO THREE overlap"
    with pytest.raises(SampleError, match="refused"):
        drive(stage(), lambda a: reply("no"))
    with pytest.raises(TypeError, match="print"):
        drive(stage(), lambda a: reply("yes"))


def test_advance_replays_what_drive_does() -> None:
    answers: list = []
    seen = []
    while not isinstance(step := advance(stage(), answers), Done):
        seen.append(step)
        if isinstance(step, Ask):
            answers.append(reply(step.stage.upper()))
        elif isinstance(step, Proof):
            answers.append(SHEET)
        else:
            answers.append(tuple(reply(a.stage.upper()) for a in step))
    assert step.result == "ONE TWO THREE overlap"
    assert seen == [ask("one"), (ask("two"), ask("three")), Proof(PAGE)]
    with pytest.raises(SampleError, match="refused"):
        advance(stage(), [reply("no")])


def test_answers_of_other_steps_are_an_error() -> None:
    def short() -> Steps[int]:
        yield ask("one")
        return 1

    assert advance(short(), [reply("a")]) == Done(1)
    with pytest.raises(ValueError, match="2 answers to 1 steps"):
        advance(short(), [reply("a"), reply("b")])
