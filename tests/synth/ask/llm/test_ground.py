"""Answers on the page: found as printed, in the lines that were named, and nowhere else."""

from __future__ import annotations

from decimal import Decimal

import pytest

from synth.ask.llm.ground import agrees, calculated, located
from synth.ask.llm.units import units_of
from tests.synth.ask.conftest import Printed
from tests.synth.ask.llm.asking import document

PAGE = document(
    (
        "key_value",
        [
            *("Guest: Maria Lopez,", "Total (net): £1,258.20", "Code A12.50"),
            *("收货人周文静 订单", "থাকেন করিম উদ্দিনের বাড়ি"),
        ],
    ),
    ("table", ["Item | Price", "Oak board | 7.40", "Pine | 120.00"]),
)


@pytest.mark.parametrize(
    ("answer", "printed"),
    [
        ("maria  lopez", "Maria Lopez"),
        ("“Maria Lopez”", "Maria Lopez"),
        ("£1,258.20", "£1,258.20"),
        ("1,258.20", "1,258.20"),
        ("net", "net"),
        ("258.20", None),
        ("1,258", None),
        ("Maria Lope", None),
        ("12.50", None),
        ("周文静", "周文静"),
        ("করিম উদ্দিন", "করিম উদ্দিন"),
        ("উ", None),
        ("Paul", None),
        ("", None),
        ("...", None),
    ],
)
def test_an_answer_is_found_whole_or_not_at_all(answer: str, printed: str | None) -> None:
    place = located(PAGE, units_of(PAGE)[0].pieces, answer)
    assert (place.text if place else None) == printed
    if place:
        spelled = "".join(PAGE.words[i].text for i in place.words)
        assert place.text.replace(" ", "") in spelled


def test_an_answer_may_go_on_from_line_to_line_but_not_stand_in_another() -> None:
    pieces = units_of(PAGE)[1].pieces
    assert located(PAGE, pieces[:1], "Oak board") is None
    assert located(PAGE, pieces, "Oak board 7.40 Pine") is not None


def test_every_value_of_every_document_is_found_where_it_stands(documents: list[Printed]) -> None:
    for p in documents:
        for field in p.document.fields:
            mine = set(field.words)
            pieces = [piece for unit in units_of(p.document) for piece in unit.pieces if mine & set(piece.words)]
            if pieces and mine:
                assert located(p.document, pieces, field.value) is not None, (p.spec, field)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("120.00 - 7.40", "112.60"),
        ("7.40 + 120", "127.40"),
        ("7.40 / 120.00 * 100", None),
        ("120.00", None),
        ("120.00 - 8", None),
        ("__import__('os')", None),
        ("120.00 ** 7.40", None),
        ("120.00 / 0", None),
        ("(" * 300, None),
        ("", None),
    ],
)
def test_a_calculation_takes_its_numbers_from_the_lines(expression: str, value: str | None) -> None:
    found = calculated(expression, units_of(PAGE)[1].pieces, PAGE)
    if value is None and expression.startswith("7.40 /"):
        assert found is not None and agrees("6.2", found) and not agrees("6.3", found)
    else:
        assert found == (None if value is None else Decimal(value))


def test_a_result_agrees_as_it_is_rounded() -> None:
    assert agrees("£112.60", Decimal("112.6")) and agrees("113", Decimal("112.6"))
    assert not agrees("112.61", Decimal("112.6")) and not agrees("much", Decimal(1))
