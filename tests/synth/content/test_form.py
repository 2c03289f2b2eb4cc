from __future__ import annotations

import datetime as dt
from itertools import pairwise

import pytest

from synth.content.data import ROOT, read_yaml
from synth.content.formats import latin_digits
from synth.content.models.form import build
from synth.content.models.form_kinds import KINDS
from synth.content.writer import write
from tests.synth.content.dates import day_of
from tests.synth.content.samples import LANGUAGES, cents, document, kit, only, shipped, spec

FAMILIES = shipped().of_type("form")
MANY = range(25)


def built(kind, language, index):
    tool = kit("form", language, index, kind=kind)
    return build(tool), tool


def years_between(born: dt.date, then: dt.date) -> int:
    return then.year - born.year - ((then.month, then.day) < (born.month, born.day))


def test_at_least_six_families_in_every_language():
    assert len(FAMILIES) >= 6
    assert all(set(shipped().families[name].languages) == set(LANGUAGES) for name in FAMILIES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_form_and_contract_bring_280_wordings(language):
    words = {
        w
        for name in ("form", "contract")
        for ws in read_yaml(ROOT / "lexicon" / language / f"{name}.yaml").values()
        for w in ws
    }
    assert len(words) >= 280


def test_families_show_every_kind_of_form():
    shown = {kind for name in FAMILIES for kind in shipped().families[name].file.options["kind"]}
    assert shown == set(KINDS)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_sample_is_the_same_document(family):
    sample = spec("form", "zh", 5)
    assert write(sample, shipped(), only(family)) == write(sample, shipped(), only(family))
    assert write(sample, shipped(), only(family)).html != write(spec("form", "zh", 6), shipped(), only(family)).html


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_ticked_choices_are_among_those_printed(kind, language):
    for index in MANY:
        content, _ = built(kind, language, index)
        for section in content["_sections"]:
            for field in section["fields"]:
                group, leaf = field["path"].split(".")
                value = content[group][leaf]
                if field["kind"] == "choice":
                    assert value in field["options"]
                elif field["kind"] == "multi":
                    assert value and set(value) <= set(field["options"])
                    assert value == sorted(value, key=field["options"].index)
                else:
                    assert isinstance(value, str) and value.strip()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_patient_is_as_old_as_the_birthday_says(language):
    for index in MANY:
        content, tool = built("medical", language, index)
        born = day_of(content["patient"]["birth_date"], tool.country)
        visit = day_of(content["visit"]["visit_date"], tool.country)
        assert int(latin_digits(content["patient"]["age"])) == years_between(born, visit)
        assert day_of(content["visit"]["since"], tool.country) < visit


@pytest.mark.parametrize("language", LANGUAGES)
def test_careers_begin_after_school_and_do_not_overlap(language):
    for index in MANY:
        content, tool = built("job", language, index)
        born = day_of(content["applicant"]["birth_date"], tool.country)
        until = dt.date(9999, 1, 1)
        for post in content["employment"]:
            begun, ended = day_of(post["from"], tool.country), day_of(post["to"], tool.country)
            assert begun <= ended <= until
            until = begun
        assert years_between(born, until) >= 16
        years = [int(latin_digits(row["year"])) for row in content["education"]]
        assert years == sorted(years, reverse=True)
        assert all(17 <= year - born.year <= 23 and year <= tool.today.year for year in years)
        assert day_of(content["position"]["available_from"], tool.country) > tool.today


@pytest.mark.parametrize("language", LANGUAGES)
def test_pupils_are_children(language):
    for index in MANY:
        content, tool = built("school", language, index)
        assert 5 <= years_between(day_of(content["student"]["birth_date"], tool.country), tool.today) <= 16


@pytest.mark.parametrize("language", LANGUAGES)
def test_expenses_add_up_and_lie_in_the_claimed_days(language):
    seen = set()
    for index in MANY:
        content, tool = built("expense", language, index)
        summary, rows = content["summary"], content["expenses"]
        total = cents("".join(c for c in latin_digits(summary["total"]) if c.isdigit() or c == "."))
        assert sum(cents(latin_digits(row["amount"]).replace(",", "")) for row in rows) == total
        if "advance" in summary:
            parts = [
                cents("".join(c for c in latin_digits(summary[n]) if c.isdigit() or c == "."))
                for n in ("advance", "balance")
            ]
            assert sum(parts) == total and min(parts) >= 0
        seen.add("advance" in summary)
        first, last = (day_of(content["trip"][n], tool.country) for n in ("period_from", "period_to"))
        days = [day_of(row["date"], tool.country) for row in rows]
        assert days == sorted(days) and first <= days[0] and days[-1] <= last < tool.today
    assert seen == {True, False}


@pytest.mark.parametrize("language", LANGUAGES)
def test_leave_has_as_many_days_as_it_says(language):
    for index in MANY:
        content, tool = built("leave", language, index)
        leave = content["leave"]
        first, last, back = (day_of(leave[n], tool.country) for n in ("first_day", "last_day", "return_date"))
        assert (last - first).days + 1 == int(latin_digits(leave["days"])) and (back - last).days == 1
        assert tool.today < first


@pytest.mark.parametrize("language", LANGUAGES)
def test_passports_outlive_the_journey(language):
    for index in MANY:
        content, tool = built("visa", language, index)
        travel, passport = content["travel"], content["passport"]
        arrival, departure = (day_of(travel[n], tool.country) for n in ("arrival", "departure"))
        assert (departure - arrival).days == int(latin_digits(travel["stay"]))
        assert day_of(passport["expires_on"], tool.country) > departure + dt.timedelta(days=180)
        assert day_of(passport["issued_on"], tool.country) < tool.today < arrival
        trips = [(day_of(r["from"], tool.country), day_of(r["to"], tool.country)) for r in content["visits"]]
        assert all(a < b for a, b in trips)
        assert all(later[0] > earlier[1] for later, earlier in pairwise(trips))


def test_chinese_identity_numbers_hold_birthday_sex_and_check_digit():
    weights = [2 ** (17 - i) % 11 for i in range(17)]
    for index in MANY:
        content, tool = built("bank", "zh", index)
        number = content["applicant"]["id_number"]
        assert f"{day_of(content['applicant']['birth_date'], 'CN'):%Y%m%d}" == number[6:14]
        assert "10X98765432"[sum(int(d) * w for d, w in zip(number, weights, strict=False)) % 11] == number[17]
        assert (int(number[16]) % 2 == 0) == tool.persona.female


def test_comb_fields_show_one_character_a_cell_in_one_element():
    from lxml import html

    found = 0
    for index in range(4):
        doc = document("form/comb_sections", "en", index)
        for node in html.fromstring(doc.html).xpath("//*[contains(@class,'comb') and @data-field]"):
            cells = node.xpath("./i|./b")
            assert all(len(cell.text_content()) == 1 for cell in cells)
            found += 1
    assert found >= 8
