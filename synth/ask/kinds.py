"""Every question that a document's facts allow, as drafts without wording: what is asked, the answers, the evidence.

Kinds follow MosaicDoc (High-Fidelity QA Generation): single span, multi span, table, chart, and multi-hop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, permutations

from schemas.document import Field
from synth.ask.cells import all_names, cells, cells_by, two_cells
from synth.ask.charts import chart_drafts
from synth.ask.compare import cell_at_extreme, compared
from synth.ask.draft import Draft, answer_of, computed, joined
from synth.ask.facts import Fact, Facts, Table, squeeze, telling
from synth.ask.rows import MOST_LISTED, SHOWN_ROWS, Rows


def drafts(facts: Facts) -> Iterator[Draft]:
    """All drafts in reading order."""
    yield from _values(facts)
    yield from _two_values(facts)
    yield from _siblings(facts)
    yield from _differences_of_fields(facts)
    for table in facts.tables:
        yield from _of_table(facts, table)


def _values(facts: Facts) -> Iterator[Draft]:
    for fact in facts.labelled:
        if telling(fact.leaf, fact.field.value):
            wording = f"value_{fact.sort}" if fact.sort in ("amount", "date", "person", "code") else "value"
            yield _single(facts, fact, wording, {"label": fact.label})
    for fact in facts.unlabelled:
        issued = facts.type in ("receipt", "invoice") and fact.field.path in ("merchant.name", "seller.name")
        if issued and "number" in facts.anchors:
            yield _single(facts, fact, "issuer", {"number": facts.anchors["number"].value}, specific=True)
        elif telling(fact.leaf, fact.field.value):
            yield _single(facts, fact, "prose", {})


def _single(facts: Facts, fact: Fact, wording: str, slots: Mapping[str, str], specific: bool = False) -> Draft:
    f = fact.field
    return Draft(
        "single_span",
        "value",
        wording,
        slots,
        (answer_of(f, facts),),
        joined(f.keys, f.words),
        1,
        {"op": "values", "paths": [f.path]},
        frozenset({f.path}),
        specific,
    )


def _two_values(facts: Facts) -> Iterator[Draft]:
    good = [f for f in facts.labelled if telling(f.leaf, f.field.value)]
    for a, b in combinations(good, 2):
        near = a.group == b.group or a.sort == b.sort != "text"
        if near and squeeze(a.field.value) != squeeze(b.field.value):
            yield _pair(facts, a.field, b.field, "values", {"label": a.label, "label2": b.label})
    if facts.parties and "number" in facts.anchors:
        slots = {"number": facts.anchors["number"].value}
        yield _pair(facts, *facts.parties, "parties", slots, specific=True)


def _pair(facts: Facts, a: Field, b: Field, wording: str, slots: Mapping[str, str], specific: bool = False) -> Draft:
    return Draft(
        "multi_span",
        "values",
        wording,
        slots,
        (answer_of(a, facts), answer_of(b, facts)),
        joined(a.keys, a.words, b.keys, b.words),
        2,
        {"op": "values", "paths": [a.path, b.path]},
        frozenset({a.path, b.path}),
        specific,
    )


def _siblings(facts: Facts) -> Iterator[Draft]:
    """From a name to its group, and from there to one of several values of the same label."""
    for name, fact in facts.crowded:
        if telling(fact.leaf, fact.field.value):
            yield Draft(
                "multi_hop",
                "sibling",
                "sibling",
                {"name": name.value, "label": fact.label},
                (answer_of(fact.field, facts),),
                joined(name.words, fact.field.keys, fact.field.words),
                2,
                {"op": "values", "paths": [fact.field.path], "through": name.path},
                frozenset({fact.field.path}),
                specific=True,
            )


def _differences_of_fields(facts: Facts) -> Iterator[Draft]:
    sums = [f for f in facts.labelled if f.sort == "amount" and f.number and f.number.value > 0]
    for a, b in permutations(sums, 2):
        one, other = a.number, b.number
        if one and other and one.head == other.head and one.value > other.value and a.group == b.group:
            answer = computed(one.value - other.value, one, other)
            if telling("", answer.text):
                yield Draft(
                    "multi_hop",
                    "difference",
                    "field_difference",
                    {"label": a.label, "label2": b.label},
                    (answer,),
                    joined(a.field.keys, a.field.words, b.field.keys, b.field.words),
                    3,
                    {"op": "less", "paths": [a.field.path, b.field.path]},
                    frozenset({f"{a.field.path}-{b.field.path}"}),
                )


# Tables


def _of_table(facts: Facts, table: Table) -> Iterator[Draft]:
    """Drafts over one table: cells, extremes, filters, counts, sums, and chains of them; or over one chart."""
    if table.size > SHOWN_ROWS:
        return
    rows = Rows(facts, table)
    if table.chart:
        yield from (d for d in chart_drafts(rows) if d is not None)
        return
    found: list[Draft | None] = []
    others = [c for c in table.columns if c is not table.names]
    for column in others:
        found += cells(rows, column)
        if column.numbers is not None and table.size > 1:
            found += compared(rows, column, column.numbers)
    for a, b in combinations(others, 2):
        found += two_cells(rows, a, b)
    for by in (c for c in others if c.numbers is not None and table.size > 2):
        for column in others:
            if column is not by:
                found += cell_at_extreme(rows, by, column)
    for key, column in permutations(others, 2):
        found += cells_by(rows, key, column)
    if 2 < table.size <= MOST_LISTED and table.names.leaf != "instalment":
        found.append(all_names(rows))
    yield from (d for d in found if d is not None)
