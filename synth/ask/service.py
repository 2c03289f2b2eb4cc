"""Questions about one document, made and judged: what a stage calls."""

from __future__ import annotations

from schemas.document import Document
from schemas.question_settings import Questions
from schemas.questions import Asked, Question, Verdict
from schemas.sample import SampleSpec
from synth.ask.judge.page import Pages, PageWord
from synth.ask.judge.rules import judge
from synth.ask.pick import Judge, ask


def ask_about(spec: SampleSpec, document: Document, settings: Questions) -> Asked:
    """Questions in the document's language, drawn by `spec.rng("ask")`; judged by its words where `settings` say so.

    `document` may be in points or in pixels; answers and evidence are word ids. The flat page suits the judges best.
    """
    judged = _by_words(pages_of(document)) if settings.judges in ("rules", "both") else None
    return ask(document, spec.type, spec.language, spec.rng("ask"), settings.per_document, judged, settings.kinds)


def _by_words(pages: Pages) -> Judge:
    def judged(question: Question) -> Verdict:
        return judge(question.text, [a.text for a in question.answers], pages)

    return judged


def pages_of(document: Document) -> Pages:
    """All that a judge sees of a document: its words in reading order."""
    words = sorted(document.words, key=lambda w: w.order)
    return Pages([PageWord(w.page, w.text, w.box.x0, w.box.y0, w.box.x1, w.box.y1, w.space_after) for w in words])
