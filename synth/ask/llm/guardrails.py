"""The five guardrails as calls of models (MosaicDoc, Hallucination Guardrails and B.3), and how opinions add up.

A judge sees the document's text, the question and the answers, and nothing of how they were made. Each criterion is a
call of its own, with its own scale and steps, and two examples of its use. Models grade in words, which they hold apart
better than digits; a grade is a score from 5 down to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median_low
from typing import Any

from schemas.document import Document
from schemas.llm import LlmReply
from schemas.question_settings import QuestionModels
from schemas.questions import CRITERIA, Opinion, Question, Verdict
from schemas.steps import Ask, Steps
from synth.ask.llm.asking import Asker, Turn, read_answer, record, text
from synth.ask.llm.examples import judged_examples
from synth.ask.llm.units import text_of
from synth.llm.prompts import load_prompt

MOST_CHARACTERS = 24_000
"""Of a document, as a judge sees it."""
NO_SCORE = 1
"""A judge that gives no readable grade does not let a question pass."""
GRADES = ("perfect", "good", "unclear", "poor", "wrong")
_GRADED: dict[str, Any] = record(reason=text(), grade={"type": "string", "enum": list(GRADES)})


def judge_steps(document: Document, questions: Sequence[Question], settings: QuestionModels) -> Steps[list[Question]]:
    """The questions with the opinion of every judge and the verdict on it, in the same order."""
    if not questions:
        return []
    asker, judges = Asker(settings), judges_of(settings)
    shown, pair = text_of(document, MOST_CHARACTERS), load_prompt("judge-pair-1")
    shape = f'an object {{"reason": "...", "grade": one of {", ".join(GRADES)}}}'
    asks: list[Ask] = []
    # Questions innermost: all but the end of the prompt is the same, and servers keep what they have just read.
    for judge in judges:
        for criterion in CRITERIA:
            prompt, turns = f"judge-{criterion}-1", _turns(criterion)
            for question in questions:
                answers = " | ".join(answer.text for answer in question.answers)
                last = pair.fill(text=shown, question=question.text, answers=answers)
                asks.append(asker.ask(f"judge.{criterion}", judge, prompt, _GRADED, shape, {}, turns=turns, last=last))
    replies: Sequence[LlmReply] = yield tuple(asks)
    judged: list[Question] = []
    for number, question in enumerate(questions):
        mine = replies[number :: len(questions)]
        opinions = tuple(
            _opinion(judge, mine[at * len(CRITERIA) : (at + 1) * len(CRITERIA)]) for at, judge in enumerate(judges)
        )
        judged.append(with_verdict(replace(question, opinions=(*question.opinions, *opinions))))
    return judged


def _turns(criterion: str) -> list[Turn]:
    pair = load_prompt("judge-pair-1")
    return [
        (
            pair.fill(text=e["text"], question=e["question"], answers=" | ".join(e["answers"])),
            {"reason": e["reason"], "grade": e["grade"]},
        )
        for e in judged_examples()
        if e["criterion"] == criterion
    ]


def judges_of(settings: QuestionModels) -> tuple[str, ...]:
    return settings.judges or (settings.model,)


def with_verdict(question: Question) -> Question:
    """The question with the verdict of all its judges: rules may refuse alone, of models the middle score counts.

    With an even number of models the lower of the two middle ones counts, so a tie does not pass.
    """
    models = [o for o in question.opinions if o.judge != "rules"]
    rules = [o for o in question.opinions if o.judge == "rules"]
    columns = [[median_low(scores)] for scores in zip(*(o.scores for o in models), strict=True)] if models else []
    for opinion in rules:
        columns = [[*column, score] for column, score in zip(columns or [[]] * 5, opinion.scores, strict=True)]
    if not columns:
        return question
    a, b, c, d, e = (min(column) for column in columns)
    reasons = tuple(
        reason if len(question.opinions) == 1 else f"{opinion.judge}: {reason}"
        for opinion in question.opinions
        for reason in opinion.reasons
    )
    return replace(question, verdict=Verdict((a, b, c, d, e), reasons))


def _opinion(judge: str, replies: Sequence[LlmReply]) -> Opinion:
    scores: list[int] = []
    reasons: list[str] = []
    for criterion, reply in zip(CRITERIA, replies, strict=True):
        read = read_answer(reply, _GRADED)
        score = 5 - GRADES.index(read.value["grade"]) if read.usable else NO_SCORE
        scores.append(score)
        if not read.usable:
            reasons.append(f"{criterion}: no grade ({read.status})")
        elif score < 5:
            reasons.append(f"{criterion}: {' '.join(read.value['reason'].split())[:200]}")
    a, b, c, d, e = scores
    return Opinion(judge, (a, b, c, d, e), tuple(reasons))
