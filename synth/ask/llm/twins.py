"""The gate that lets no question pass that asks what an earlier one asks: by embeddings, or by words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from schemas.llm import LlmReply
from schemas.question_settings import QuestionModels
from schemas.questions import GateResult, Question
from schemas.steps import Ask, Steps
from synth.ask.facts import squeeze
from synth.llm.vectors import MOST_TEXTS, Vector, cosine, vectors_of, vectors_request

SAME = 90.0
"""Questions alike to this per cent (words in any order) with equal answers are one, where there are no embeddings."""


@dataclass(frozen=True)
class Meanings:
    """Vectors of questions by their texts. Two with equal answers and a cosine of `same` or more are one.

    `missing` says why some have none, "" where all have one.
    """

    vectors: Mapping[str, Vector]
    same: float
    missing: str = ""


def meaning_steps(questions: Sequence[Question], settings: QuestionModels) -> Steps[Meanings | None]:
    """The embeddings of questions; None where the recipe names no model for them or there is nothing to compare."""
    texts = list(dict.fromkeys(question.text for question in questions))
    if settings.embedder is None or len(texts) < 2:
        return None
    parts = [texts[start : start + MOST_TEXTS] for start in range(0, len(texts), MOST_TEXTS)]
    asks = tuple(Ask("gate.duplicate", vectors_request(settings.embedder, part)) for part in parts)
    replies: Sequence[LlmReply] = yield asks
    found: dict[str, Vector] = {}
    missing = ""
    for part, reply in zip(parts, replies, strict=True):
        vectors = vectors_of(reply)
        if vectors is None:
            missing = reply.finish_reason or "no vectors"
        else:
            found |= zip(part, vectors, strict=True)
    return Meanings(found, settings.same_above, missing)


def twin(question: Question, kept: Sequence[Question], meanings: Meanings | None = None) -> GateResult:
    """Whether an earlier question asks the same: equal, or alike and answered by the same words."""
    for other in kept:
        if squeeze(question.text) == squeeze(other.text):
            return GateResult("duplicate", False, f"the same as {other.text!r}"[:200])
        if _texts(question) == _texts(other) and (how := _alike(question.text, other.text, meanings)):
            return GateResult("duplicate", False, f"{how} {other.text!r}"[:200])
    without = meanings is not None and question.text not in meanings.vectors
    return GateResult("duplicate", True, f"by words, no embedding: {meanings.missing}" if meanings and without else "")


def _alike(text: str, other: str, meanings: Meanings | None) -> str:
    """How alike two questions are, "" if not enough to be one."""
    if meanings is not None and text in meanings.vectors and other in meanings.vectors:
        near = cosine(meanings.vectors[text], meanings.vectors[other])
        return f"cosine {near:.3f} with" if near >= meanings.same else ""
    score = fuzz.token_sort_ratio(text.lower(), other.lower())
    return f"{score:.0f}% as" if score >= SAME else ""


def _texts(question: Question) -> list[str]:
    return sorted(squeeze(answer.text) for answer in question.answers)
