from __future__ import annotations

import datetime as dt

import pytest

from synth.content import amounts, formats
from synth.content.sums import half_up, included_tax, share_of, times, to_step
from tests.synth.content.samples import kit


def test_amounts_follow_the_locale():
    assert formats.amount(123456789, "en") == "1,234,567.89"
    assert formats.amount(123456789, "bn") == "১২,৩৪,৫৬৭.৮৯"
    assert formats.amount(-5, "zh") == "-0.05"
    assert formats.quantity(1500, "en") == "1.5" and formats.quantity(2000, "bn") == "২"
    assert formats.percent(825, "en") == "8.25%" and formats.percent(1500, "bn") == "১৫%"


@pytest.mark.parametrize(
    ("cents", "capital"),
    [
        (0, "零元整"),
        (5, "伍分"),
        (100, "壹元整"),
        (10050, "壹佰元伍角整"),
        (1005, "壹拾元零伍分"),
        (1000500, "壹万零伍元整"),
        (1680732, "壹万陆仟捌佰零柒元叁角贰分"),
        (100050000, "壹佰万零伍佰元整"),
        (10000000050, "壹亿元伍角整"),
        (1000001000000, "壹佰亿零壹万元整"),
    ],
)
def test_chinese_capitals(cents, capital):
    assert amounts.chinese_capital(cents) == capital


def test_words_of_amounts():
    assert amounts.english_amount(1234567, "Dollars", "/100") == (
        "Twelve Thousand Three Hundred Forty-Five Dollars and 67/100"
    )
    assert amounts.english_amount(100, "Pounds", "Pence") == "One Pound Only"
    assert amounts.bangla_amount(12345650) == "এক লক্ষ তেইশ হাজার চার শত ছাপ্পান্ন টাকা পঞ্চাশ পয়সা মাত্র"
    assert len({amounts.bangla_number(n) for n in range(100)}) == 100


def test_dates_and_clocks():
    day = dt.date(2024, 3, 9)
    assert formats.date(day, "US", "MMM d, yyyy") == "Mar 9, 2024"
    assert formats.date(day, "BD", "d MMMM yyyy") == "৯ মার্চ ২০২৪"
    assert formats.date(day, "CN", "yyyy年M月d日") == "2024年3月9日"
    assert formats.clock(0, None, "12", "en") == "12:00 AM" and formats.clock(725, 7, "24", "bn") == "১২:০৫:০৭"


def test_money_rounds_half_up():
    assert half_up(5, 2) == 3 and half_up(-5, 2) == -3
    assert times(333, 1500) == 500 and share_of(1050, 1000) == 105 and included_tax(1200, 2000) == 200
    assert to_step(1049, 10) == 1050 and to_step(1044, 10) == 1040


def test_bangla_codes_with_letters_keep_latin_digits():
    tools = kit("receipt", "bn", 0)
    assert tools.code("AB-####").isascii()
    assert not any(c.isascii() and c.isdigit() for c in tools.code("####"))


@pytest.mark.parametrize("language", ["en", "zh", "bn"])
def test_contacts_reach_nobody(language):
    for index in range(8):
        tools = kit("receipt", language, index)
        assert tools.email(tools.company()).endswith(".example")
        if tools.country == "US":
            assert "555-" in tools.phone()
