"""Opinions of models: five calls a pair, middle score of several, rules apart, nothing unread passes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.llm import LlmReply, Text
from schemas.question_settings import QuestionModels
from schemas.questions import CRITERIA, Opinion
from schemas.steps import Ask
from synth.ask.llm.guardrails import judge_steps, with_verdict
from tests.fixtures.llm_questioner import questioner
from tests.synth.ask.llm.asking import Scripted, document, question

PAGE = document(("key_value", ["Guest: Maria Lopez", "Arrival: 4 May 2021"]))
ASKED = question("Who is the guest?", "Maria Lopez")


def text_in(ask: Ask, message: int) -> str:
    (part,) = ask.request.messages[message].parts
    assert isinstance(part, Text)
    return part.text


def test_each_criterion_is_a_call_with_its_own_scale_and_steps() -> None:
    scripted = Scripted(questioner())
    (judged,) = scripted.run(judge_steps(PAGE, [ASKED], QuestionModels(model="m", judges=("one", "two"))))
    assert judged.verdict is not None and judged.verdict.scores == (5,) * 5 and judged.verdict.kept
    assert [o.judge for o in judged.opinions] == ["one", "two"] and judged.agreement == 1.0
    assert scripted.stages == {f"judge.{criterion}": 2 for criterion in CRITERIA}
    systems = {text_in(ask, 0) for ask in scripted.asks}
    assert len(systems) == 5 and all("Scale\n" in text and "Steps\n1." in text for text in systems)
    for ask in scripted.asks:
        assert "Arrival: 4 May 2021" in text_in(ask, -1) and "evidence" not in text_in(ask, -1)


@pytest.mark.parametrize("grade", ["unclear", "poor", "wrong"])
@pytest.mark.parametrize("criterion", range(5))
def test_one_low_grade_refuses_a_pair(grade: str, criterion: int) -> None:
    starts = (
        "does the answer have",
        "does the document say",
        "is the answer free",
        "do question",
        "is every conclusion",
    )
    low = lambda said, question, answer: grade if said.startswith(starts[criterion]) else "good"  # noqa: E731
    (judged,) = Scripted(questioner(low)).run(judge_steps(PAGE, [ASKED], QuestionModels(model="m")))
    assert judged.verdict is not None and not judged.verdict.kept
    expected = [4] * 5
    expected[criterion] = {"unclear": 3, "poor": 2, "wrong": 1}[grade]
    assert list(judged.verdict.scores) == expected
    assert f"{CRITERIA[criterion]}: scripted" in judged.verdict.reasons


@pytest.mark.parametrize(
    ("text", "finish"), [("", "stop"), ('{"reason": "x", "grade": "fine"}', "stop"), ("{", "length")]
)
def test_a_judge_that_says_nothing_readable_lets_nothing_pass(text: str, finish: str) -> None:
    def change(stage: str, reply: LlmReply) -> LlmReply:
        return replace(reply, text=text, finish_reason=finish) if stage == "judge.clarity" else reply

    (judged,) = Scripted(questioner(), change).run(judge_steps(PAGE, [ASKED], QuestionModels(model="m")))
    assert judged.verdict is not None and judged.verdict.scores == (5, 5, 5, 1, 5)
    assert "no grade" in judged.verdict.reasons[0]


def test_of_several_models_the_middle_counts_and_rules_refuse_alone() -> None:
    def opinion(judge: str, score: int) -> Opinion:
        return Opinion(judge, (5, score, 5, 5, 5), (f"consistency: {score}",))

    def kept(*scores: int, rules: int | None = None) -> bool:
        opinions = [opinion(f"m{n}", score) for n, score in enumerate(scores)]
        opinions += [opinion("rules", rules)] if rules is not None else []
        found = with_verdict(replace(ASKED, opinions=tuple(opinions))).verdict
        assert found is not None
        return found.kept

    assert kept(5, 5, 1) and not kept(5, 1, 1)
    assert not kept(5, 1), "a tie does not pass"
    assert kept(5, rules=4) and not kept(5, 5, 5, rules=3)
    three = replace(ASKED, opinions=(opinion("a", 5), opinion("b", 5), opinion("c", 1)))
    assert three.agreement == pytest.approx((5 + 4 + 4) / 15)
    assert ASKED.agreement is None and with_verdict(ASKED).verdict is None
