"""Few-shot examples: right themselves, drawn four and four, of the document's language."""

from __future__ import annotations

import random
from itertools import product

import pytest

from schemas.questions import CRITERIA, KINDS
from synth.ask.facts import squeeze
from synth.ask.llm.asking import LANGUAGES
from synth.ask.llm.examples import POOLS, draw, example_digests, judged_examples, pool
from synth.ask.llm.ground import agrees, calculated, located
from synth.ask.llm.guardrails import GRADES
from synth.ask.llm.units import units_of
from tests.synth.ask.llm.asking import document


@pytest.mark.parametrize("name", POOLS)
def test_every_answer_stands_in_the_lines_that_are_named(name: str) -> None:
    for e in pool(name):
        page = document(("table", list(e.lines)))
        pieces = [units_of(page)[0].pieces[n - 1] for n in e.uses]
        if e.calculation:
            value = calculated(e.calculation, pieces, page)
            assert value is not None and agrees(e.answers[0], value), e
            continue
        for answer in e.answers:
            found = located(page, pieces, answer) is not None
            # Lines of documents that stand side by side are one here.
            assert found or squeeze(answer) in squeeze("".join(e.lines[n - 1] for n in e.uses)), e


def test_four_of_each_pool_where_it_has_so_many() -> None:
    for kind, language in product(KINDS, LANGUAGES):
        found = draw(kind, language, random.Random(1))
        assert {(e.kind, e.language) for e in found} == {(kind, language)}
        counts = [sum(e in pool(name) for e in found) for name in POOLS]
        assert counts[0] == 4 and (kind == "chart" or counts[1] == 4), (kind, language, counts)
        assert found == draw(kind, language, random.Random(1))
        assert len(draw(kind, language, random.Random(1), 1)) == (1 if kind == "chart" and not counts[1] else 2)


def test_judges_see_a_bad_and_a_good_pair_for_each_criterion() -> None:
    for criterion in CRITERIA:
        grades = [e["grade"] for e in judged_examples() if e["criterion"] == criterion]
        assert len(grades) == 2 and set(grades) <= set(GRADES) and grades[1] == "perfect" != grades[0]
    assert set(example_digests()) == {"examples/made", "examples/documents", "examples/judged"}
