"""Track `qa`: questions. Exact match and label sets (PalmLeaf-VQA), ANLS, and ANLSL over lists (MosaicDoc)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from synth.metrics import Mode, mosaicdoc, palmleaf
from synth.metrics.anls_star import anls_star
from synth.metrics.text import anls, similarity
from synth.score.answer import Unusable, is_refusal, without_thoughts
from synth.score.fields import ALIKE, normal, stands_on, text_of
from synth.score.metric import Metric, mean_of
from synth.score.tally import Part, UnitScore
from synth.score.track import Fault, Kind, Unit
from synth.score.truth import DocumentTruth

MAX_ANSWERS = 200
MAX_LENGTH = 20_000  # characters of one answer
_COLUMNS = ("em", "anls", "anlsl", "f1", "questions")


@lru_cache(maxsize=10_000)
def _label(text: str) -> str:
    return palmleaf.normalize(text)


class Questions:
    """The answer is a text or a number, or a list of them where several are asked for; ids are question ids."""

    name = "qa"
    title = "Questions"
    headline = "anls"  # ANLSL gives a wrong answer of the truth's length up to a third: see docs/metrics.md
    columns = _COLUMNS

    def metrics(self, mode: Mode) -> tuple[Metric, ...]:
        return tuple(mean_of(name, name, "questions") for name in ("anls", "em", "anlsl", "f1"))

    def units(self, document: DocumentTruth) -> Iterator[Unit]:
        pages = {page.id: page for page in document.pages}
        for question in document.questions:
            page = pages.get(question.page_id)
            yield Unit(question.id, document, page, question, difficulty=question.difficulty)

    def reply(self, text: str) -> Any:
        if is_refusal(text):
            raise Unusable("a refusal")
        return without_thoughts(text)

    def read(self, payload: Any) -> list[str] | None:
        items = payload if isinstance(payload, list) else [payload]
        if not all(item is None or isinstance(item, str | int | float) for item in items):
            raise Unusable("no text, number or list of them")
        if len(items) > MAX_ANSWERS or any(isinstance(item, str) and len(item) > MAX_LENGTH for item in items):
            raise Unusable(f"more than {MAX_ANSWERS} answers, or one of more than {MAX_LENGTH} characters")
        return [text for item in items if (text := text_of(item)).strip()] or None

    def oracle(self, unit: Unit) -> Any:
        answers = list(unit.truth.answers)
        return answers[0] if len(answers) == 1 else answers

    def score(self, unit: Unit, value: list[str] | None, mode: Mode) -> UnitScore:
        gold, said = list(unit.truth.answers), value or []
        sums = (0.0, 0.0, 0.0, 0.0, 1.0)
        if said:
            one, two = (frozenset(map(_label, side)) for side in (said, gold))
            labels = palmleaf.label_set(one, two)
            single = anls(said[0], gold[:1]) if len(gold) == len(said) == 1 else anls_star(gold, said)
            sums = (float(one == two), single, mosaicdoc.anlsl(gold, said), labels.f1, 1.0)
        parts = [Part("cardinality", "one answer" if len(gold) == 1 else "several answers", sums)]
        if unit.truth.kind:
            parts.append(Part("class", unit.truth.kind, sums))
        return UnitScore(sums, tuple(parts))

    def faults(self, unit: Unit, value: list[str] | None, mode: Mode) -> Iterator[Fault]:
        """omission: no answer, or fewer than asked for and the rest right; interpretation: words of the page that are
        not the answer; perception: like the answer; hallucination: neither."""
        gold, said = list(unit.truth.answers), value or []
        wanted = {_label(text) for text in gold}
        wrong = [text for text in said if _label(text) not in wanted]
        if not wrong and {_label(text) for text in said} == wanted:
            return
        kind: Kind = "omission"
        if wrong:
            page = normal(unit.document.text)
            text = normal(wrong[0])
            near = max((similarity(text, normal(one)) for one in gold), default=0.0)
            kind = "hallucination"
            if stands_on(text, page):
                kind = "interpretation"
            elif near >= ALIKE:
                kind = "perception"
        on = unit.truth.page_id or unit.document.pages[0].id
        yield Fault(kind, unit.truth.question, "; ".join(gold), "; ".join(said), on)
