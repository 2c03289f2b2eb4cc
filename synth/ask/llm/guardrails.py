"""The five guardrails as calls of models (MosaicDoc, Hallucination Guardrails and B.3), and how opinions add up.

A judge sees the document's text, the question and the answers, and nothing of how they were made. Each criterion is a
call of its own, with its own scale and steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median_low
from typing import Any

from schemas.document import Document
from schemas.llm import LlmReply
from schemas.questions import CRITERIA, KEPT_ABOVE, Opinion, Question, Verdict
from schemas.recipe import QuestionModels
from schemas.steps import Ask, Steps
from synth.ask.llm.asking import Asker, read_answer, record, text
from synth.ask.llm.units import text_of
from synth.llm.prompts import load_prompt

MOST_CHARACTERS = 24_000
"""Of a document, as a judge sees it."""
NO_SCORE = 1
"""A judge that gives no readable score does not let a question pass."""
_SCORED: dict[str, Any] = record(reason=text(), score={"type": "integer", "minimum": 1, "maximum": 5})


def judge_steps(document: Document, questions: Sequence[Question], settings: QuestionModels) -> Steps[list[Question]]:
    """The questions with the opinion of every judge and the verdict on it, in the same order."""
    if not questions:
        return []
    asker, judges = Asker(settings), judges_of(settings)
    shown = text_of(document, MOST_CHARACTERS)
    asks: list[Ask] = []
    for question in questions:
        answers = " | ".join(answer.text for answer in question.answers)
        for judge in judges:
            for criterion in CRITERIA:
                fill = {"text": shown, "question": question.text, "answers": answers}
                fill |= {"criterion": load_prompt(f"judge-{criterion}-1").text}
                shape = 'an object {"reason": "...", "score": 1 to 5}'
                asks.append(asker.ask(f"judge.{criterion}", judge, "judge-pair-1", _SCORED, shape, fill))
    replies: Sequence[LlmReply] = yield tuple(asks)
    left = iter(replies)
    judged: list[Question] = []
    for question in questions:
        opinions = tuple(_opinion(judge, [next(left) for _ in CRITERIA]) for judge in judges)
        judged.append(with_verdict(replace(question, opinions=(*question.opinions, *opinions))))
    return judged


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


def agreement(opinions: Sequence[Opinion]) -> float | None:
    """Share of (pair of model judges, criterion) on the same side of the threshold; None for fewer than two judges."""
    models = [o for o in opinions if o.judge != "rules"]
    pairs = [(a, b) for n, a in enumerate(models) for b in models[n + 1 :]]
    if not pairs:
        return None
    same = sum((x > KEPT_ABOVE) == (y > KEPT_ABOVE) for a, b in pairs for x, y in zip(a.scores, b.scores, strict=True))
    return same / (len(pairs) * len(CRITERIA))


def _opinion(judge: str, replies: Sequence[LlmReply]) -> Opinion:
    scores: list[int] = []
    reasons: list[str] = []
    for criterion, reply in zip(CRITERIA, replies, strict=True):
        read = read_answer(reply, _SCORED)
        score = read.value["score"] if read.usable else NO_SCORE
        scores.append(score)
        if not read.usable:
            reasons.append(f"{criterion}: no score ({read.status})")
        elif score < 5:
            reasons.append(f"{criterion}: {' '.join(read.value['reason'].split())[:200]}")
    a, b, c, d, e = scores
    return Opinion(judge, (a, b, c, d, e), tuple(reasons))
