"""Questions about charts: grounded, true to what stands at each mark, wrong ones seen by the judges."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from schemas.document import Document, Field
from schemas.question_settings import Questions
from schemas.sample import SampleSpec
from synth.ask.draft import Draft
from synth.ask.facts import Facts, Table, read
from synth.ask.judge.rules import judge
from synth.ask.kinds import drafts
from synth.ask.phrase import phrase
from synth.ask.service import ask_about, pages_of
from synth.content.writer import write
from synth.render.chromium import Chromium
from synth.truth.labels import label
from tests.synth.ask.conftest import Printed
from tests.synth.ask.test_pick import check
from tests.synth.content.samples import LANGUAGES, only, shipped, spec

WORDINGS = {"value", "highest", "lowest", "highest_value", "lowest_value", "difference"}


@pytest.fixture(scope="module")
def bills(chromium: Chromium) -> list[Printed]:
    """Two bills in each language, one with an upright and one with a lying chart."""
    found: list[Printed] = []
    for language in LANGUAGES:
        for sign in ('class="area"', 'class="hbar"'):
            drawn = ((s, write(s, shipped(), only("invoice/utility"))) for s in samples(language))
            sample, html = next((s, html) for s, html in drawn if sign in html.html)
            found.append(Printed(sample, label(chromium.print(html), html)))
    return found


def samples(language: str) -> list[SampleSpec]:
    return [spec("invoice", language, index) for index in range(60)]


def chart(p: Printed) -> tuple[Facts, Table, list[Draft]]:
    facts = read(p.document, p.spec.type, p.spec.language)
    [table] = [t for t in facts.tables if t.chart]
    return facts, table, [d for d in drafts(facts) if d.kind == "chart"]


def placed(document: Document) -> dict[str, str]:
    """What stands at each name of a chart, by place alone: the number over it, or in line with it."""
    names = [f for f in document.fields if f.path.startswith("history") and f.path.endswith("month")]
    numbers = [f for f in document.fields if f.path.startswith("history") and f.path.endswith("used")]
    lying = len({round(name.box.x1) for name in names}) == 1

    def apart(a: Field, b: Field) -> float:
        if lying:
            return abs(a.box.y0 + a.box.y1 - b.box.y0 - b.box.y1)
        return abs(a.box.x0 + a.box.x1 - b.box.x0 - b.box.x1)

    return {name.value: min(numbers, key=lambda n: apart(name, n)).value for name in names}


def test_a_chart_is_known_as_one_and_its_rows_are_what_stands_together(bills: list[Printed]) -> None:
    for p in bills:
        _, table, _ = chart(p)
        [used] = [c for c in table.columns if c.leaf == "used"]
        pairs = {n.value: u.value for n, u in zip(table.names.cells, used.cells, strict=True) if n and u}
        assert pairs == placed(p.document)


def test_every_question_has_its_answer_and_passes_the_judges(bills: list[Printed]) -> None:
    asked: Counter[str] = Counter()
    for p in bills:
        kept = [q for q in ask_about(p.spec, p.document, Questions(per_document=30)).kept if q.kind == "chart"]
        assert len(kept) >= 3
        for q in kept:
            check(p.document, q)
            drawn = {w for w in q.evidence if p.document.blocks[p.document.words[w].block].role == "figure"}
            assert set(q.evidence) == drawn, q
        facts, _, found = chart(p)
        for draft in found:
            asked[draft.wording.removeprefix("chart_")] += 1
        assert phrase(found[0], facts, random.Random(0))
    assert set(asked) == WORDINGS


def test_another_marks_number_and_another_name_are_caught(bills: list[Printed]) -> None:
    right, wrong = Counter[bool](), Counter[bool]()
    for p in bills:
        facts, _, found = chart(p)
        names, numbers = list(placed(p.document)), list(placed(p.document).values())
        pages, rng = pages_of(p.document), random.Random(p.spec.index)
        for wording in sorted({d.wording for d in found}):
            alike = [d for d in found if d.wording == wording]
            for draft in rng.sample(alike, min(3, len(alike))):
                text = phrase(draft, facts, rng)
                answer = draft.answers[0].text
                others = names if answer in names else numbers
                assert text is not None
                right[judge(text, [answer], pages).kept] += 1
                wrong[judge(text, [rng.choice([t for t in others if t != answer])], pages).kept] += 1
    assert right[True] >= 0.97 * right.total() and right.total() > 40
    assert wrong[False] >= 0.9 * wrong.total(), wrong
