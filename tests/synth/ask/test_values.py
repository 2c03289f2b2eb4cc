from __future__ import annotations

from decimal import Decimal

import pytest

from synth.ask.values import date, day_order, normal, number, printed


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("£4,028.52", "4028.52"),
        ("৳ ৯,০২,৩০৭.৮৩", "902307.83"),
        ("-৳ ০.৪৩", "-0.43"),
        ("¥ 5.00", "5.00"),
        ("20%", "20"),
        ("1,000", "1000"),
    ],
)
def test_printed_numbers_are_read(text: str, value: str) -> None:
    found = number(text)
    assert found is not None and found.value == Decimal(value)


@pytest.mark.parametrize("text", ["0117", "INV-1", "03.01.2023", "43-58-37", "36 therms", "1,0,0", "", "12,34,5"])
def test_codes_and_dates_are_no_numbers(text: str) -> None:
    assert number(text) is None


@pytest.mark.parametrize(
    ("value", "like", "text"),
    [
        ("14397.5", "৭,২৮০.০০", "১৪,৩৯৭.৫০"),
        ("1234567", "৳ ১০.০০", "৳ ১২,৩৪,৫৬৭.০০"),
        ("1053.2", "£96.00", "£1,053.20"),
        ("-3", "$1.50", "-$3.00"),
        ("120", "7", "120"),
    ],
)
def test_sums_are_printed_like_their_page(value: str, like: str, text: str) -> None:
    style = number(like)
    assert style is not None and printed(Decimal(value), style) == text


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("১৩ নভেম্বর ২০১৯", "2019-11-13"),
        ("৩০ মে, ২০২৩", "2023-05-30"),
        ("October 5, 2024", "2024-10-05"),
        ("25 July 2020", "2020-07-25"),
        ("2022年9月12日", "2022-09-12"),
        ("25/12/2020", "2020-12-25"),
        ("£1,200.50", "1200.5"),
        ("  two   words ", "two words"),
    ],
)
def test_normal_forms(text: str, iso: str) -> None:
    assert normal(text) == iso


def test_an_ambiguous_day_is_left_alone_unless_another_date_tells() -> None:
    assert date("03/04/2021") is None and normal("03/04/2021") == "03/04/2021"
    order = day_order(["hello", "03/04/2021", "25/04/2021"])
    assert order is True and normal("03/04/2021", order) == "2021-04-03"
    assert day_order(["03/04/2021"]) is None and day_order(["04-25-21"]) is False
