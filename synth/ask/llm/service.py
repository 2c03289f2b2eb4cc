"""The stage that asks about one document where the recipe names models: questions, rules, judges, gates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from schemas.document import Document
from schemas.question_settings import Questions
from schemas.questions import Asked, GateResult, Opinion, Question
from schemas.sample import Picture, SampleSpec
from schemas.steps import Steps
from synth.ask.judge.page import Pages
from synth.ask.judge.rules import judge
from synth.ask.llm.gates import blind_steps, picture_steps
from synth.ask.llm.guardrails import judge_steps, with_verdict
from synth.ask.llm.questioner import question_steps
from synth.ask.llm.twins import Meanings, meaning_steps, twin
from synth.ask.phrase import LANGUAGES
from synth.ask.service import ask_about, pages_of

MORE = 1.5
"""Questions that are written for each that may be kept."""


def ask_steps(spec: SampleSpec, document: Document, pictures: Sequence[Picture], settings: Questions) -> Steps[Asked]:
    """Questions about a printed document (in points: the flat page suits judges best) and its finished `pictures`.

    Free checks come first: rules and twins, then models one by one, then the gates; what one refuses costs no more.
    """
    models = settings.llm
    assert models is not None
    if spec.language not in LANGUAGES:
        return Asked((), ())
    by_rules, refused = list[Question](), list[Question]()
    if settings.kind in ("rules", "both"):
        most = settings.per_document if settings.kind == "rules" else (settings.per_document + 1) // 2
        made = ask_about(spec, document, settings.model_copy(update={"per_document": most}))
        by_rules, refused = list(made.kept), list(made.rejected)
    written = list[Question]()
    if settings.kind in ("llm", "both"):
        count = round((settings.per_document - len(by_rules)) * MORE)
        drafts = yield from question_steps(
            document, spec.language, spec.rng("ask.llm"), models, max(1, count), settings.kinds
        )
        refused += [q for q in drafts if q.dropped]
        written = [q for q in drafts if not q.dropped]
        if settings.judges in ("rules", "both"):
            pages = pages_of(document)
            written = [_judged(q, pages) for q in written]
            refused += [q for q in written if q.verdict and not q.verdict.kept]
            written = [q for q in written if q.verdict and q.verdict.kept]
    meanings = yield from meaning_steps([*by_rules, *written], models)
    unlike, refused = _without_twins([*by_rules, *written], refused, meanings)
    if settings.judges in ("llm", "both"):
        opinions = yield from judge_steps(document, unlike, models)
        refused += [q for q in opinions if q.verdict and not q.verdict.kept]
        unlike = [q for q in opinions if q.verdict and q.verdict.kept]
    if "blind" in models.gates and unlike:
        unlike = yield from blind_steps(unlike, spec.type, spec.language, models)
        unlike, refused = _passed(unlike, refused)
    if "picture" in models.gates and unlike:
        unlike = yield from picture_steps(unlike, document, pictures, models)
        unlike, refused = _passed(unlike, refused)
    surplus = [replace(q, dropped="surplus: enough others passed") for q in unlike[settings.per_document :]]
    return Asked(tuple(unlike[: settings.per_document]), (*refused, *surplus))


def _judged(question: Question, pages: Pages) -> Question:
    verdict = judge(question.text, [a.text for a in question.answers], pages)
    return with_verdict(replace(question, opinions=(Opinion("rules", verdict.scores, verdict.reasons),)))


def _without_twins(
    questions: Sequence[Question], refused: list[Question], meanings: Meanings | None
) -> tuple[list[Question], list[Question]]:
    kept: list[Question] = []
    for question in questions:
        result = twin(question, kept, meanings)
        marked = replace(question, gates=(*question.gates, result))
        (kept if result.passed else refused).append(marked)
    return kept, refused


def _passed(questions: Sequence[Question], refused: list[Question]) -> tuple[list[Question], list[Question]]:
    """Those whose last gate let them through."""

    def last(question: Question) -> GateResult | None:
        return question.gates[-1] if question.gates else None

    kept = [q for q in questions if (result := last(q)) is None or result.passed]
    return kept, [*refused, *(q for q in questions if (result := last(q)) is not None and not result.passed)]
