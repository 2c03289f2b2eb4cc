from __future__ import annotations

import datetime as dt
import re

import pytest

from synth.content.data import ROOT, read_yaml
from synth.content.formats import latin_digits
from synth.content.models.contract import build
from synth.content.models.contract_deal import add_months
from synth.content.models.contract_kinds import KINDS
from synth.content.page import Page
from synth.content.writer import write
from tests.synth.content.dates import day_of
from tests.synth.content.samples import LANGUAGES, cents, document, kit, only, shipped, spec

FAMILIES = shipped().of_type("contract")
MANY = range(20)


def built(kind, language, index, general=9):
    tool = kit("contract", language, index, kind=kind, general=general)
    return build(tool), tool


def whole(text: str) -> int:
    """Whole cents of a sum of money with its currency."""
    return cents(re.sub(r"[^0-9.]", "", latin_digits(text)))


def test_at_least_six_families_and_all_kinds():
    assert len(FAMILIES) >= 6
    shown = {kind for name in FAMILIES for kind in shipped().families[name].file.options["kind"]}
    assert shown == set(KINDS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_prose_has_twenty_five_clauses_in_several_wordings(language):
    clauses = read_yaml(ROOT / "prose" / "contract" / f"{language}.yaml")["clauses"]
    assert len(clauses) >= 25
    assert all(len(set(clause["texts"])) >= 2 and clause["heads"] for clause in clauses.values())
    for kind in KINDS:
        assert sum(name.startswith(f"{kind}.") for name in clauses) >= 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_wordings_of_all_languages_have_the_same_clauses(language):
    names = [set(read_yaml(ROOT / "prose" / "contract" / f"{lang}.yaml")["clauses"]) for lang in ("en", language)]
    assert names[0] == names[1]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_wording_finds_its_values(kind, language):
    content, _ = built(kind, language, 3)
    page = Page(content, lambda path, key: "", lambda key: "")
    prose = read_yaml(ROOT / "prose" / "contract" / f"{language}.yaml")
    texts = [t for name, c in prose["clauses"].items() if name.split(".")[0] in (kind, "general") for t in c["texts"]]
    texts += [*prose["openings"], *prose["kinds"][kind]["recitals"], *content["_party_lines"]]
    if kind == "employment":
        texts += [t for name in ("openings", "pay", "subject") for t in prose["letter"][name]]
    for text in texts:
        assert page.fill(text.replace("{A}", "").replace("{B}", ""))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("family", FAMILIES)
def test_documents_leave_no_slot_open_and_are_repeatable(family, language):
    doc = document(family, language, 2)
    body = doc.html.split("<body>")[1]
    assert not re.search(r"\{[A-Za-z_.]+\}", body)
    assert doc == write(spec("contract", language, 2), shipped(), only(family))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_terms_begin_after_signing_and_end_after_they_begin(kind, language):
    for index in MANY:
        content, tool = built(kind, language, index)
        signed = day_of(content["agreement"]["date"], tool.country)
        assert signed == tool.today
        if "term" not in content:
            assert kind == "sale" and day_of(content["delivery"]["date"], tool.country) > signed
            continue
        start = day_of(content["term"]["start"], tool.country)
        assert start >= signed
        if "end" in content["term"]:
            end = day_of(content["term"]["end"], tool.country)
            assert end > start
            months = {"lease": ("term", "months"), "nda": ("term", "years"), "loan": ("loan", "months")}.get(kind)
            if months:
                number = int(latin_digits(content[months[0]][months[1]])) * (12 if kind == "nda" else 1)
                assert end == add_months(start, number) - dt.timedelta(days=0 if kind == "loan" else 1)
        if kind == "employment":
            assert day_of(content["job"]["probation_end"], tool.country) > start


@pytest.mark.parametrize("language", LANGUAGES)
def test_sums_of_schedules(language):
    for index in MANY:
        goods, _ = built("sale", language, index)
        for row in goods["goods"]:
            assert whole(row["unit_price"]) * int(latin_digits(row["quantity"]).replace(",", "")) == whole(
                row["amount"]
            )
        assert sum(whole(row["amount"]) for row in goods["goods"]) == whole(goods["price"]["total"])
        assert whole(goods["price"]["advance"]) + whole(goods["price"]["balance"]) == whole(goods["price"]["total"])
        service, _ = built("service", language, index)
        assert sum(whole(row["amount"]) for row in service["milestones"]) == whole(service["fee"]["total"])
        pay, _ = built("employment", language, index)
        assert sum(whole(row["amount"]) for row in pay["components"]) == whole(pay["salary"]["gross"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_loans_are_paid_back_to_the_cent(language):
    for index in MANY:
        content, tool = built("loan", language, index)
        loan, rows = content["loan"], content["repayments"]
        total, left = whole(loan["total"]), whole(loan["total"])
        assert whole(loan["principal"]) + whole(loan["interest"]) == total
        for row in rows:
            assert whole(row["principal_part"]) + whole(row["interest_part"]) == whole(row["amount"])
            left -= whole(row["amount"])
            assert left == whole(row["remaining"])
        assert left == 0 and sum(whole(row["principal_part"]) for row in rows) == whole(loan["principal"])
        days = [day_of(row["due"], tool.country) for row in rows]
        assert days == sorted(days) and len(set(days)) == len(days) == int(latin_digits(loan["months"]))


def test_parties_keep_their_terms_over_the_whole_contract():
    for index in MANY:
        content, _ = built("sale", "en", index)
        text = " ".join(c["text"] for c in content["_clauses"])
        others = {"Seller", "Buyer", "Supplier", "Purchaser", "Vendor"} - {content["_a"]["term"], content["_b"]["term"]}
        assert not any(re.search(rf"\bthe {other}\b", text) for other in others)


def test_clauses_are_numbered_in_the_way_of_the_language():
    for language, numbers in (
        ("en", ["1", "2", "11"]),
        ("zh", ["第一条", "第二条", "第十一条"]),
        ("bn", ["১", "২", "১১"]),
    ):
        clauses = built("lease", language, 0)[0]["_clauses"]
        assert [clauses[i]["article"] for i in (0, 1, 10)] == numbers


def test_months_end_on_their_last_day():
    assert add_months(dt.date(2023, 10, 31), 4) == dt.date(2024, 2, 29)
    assert add_months(dt.date(2023, 12, 15), 1) == dt.date(2024, 1, 15)
