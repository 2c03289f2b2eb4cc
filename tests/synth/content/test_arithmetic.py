"""Sums are taken again from the printed texts, with halves up, as tills and tax offices do."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import pytest

from synth.content.models import MODELS
from tests.synth.content.samples import LANGUAGES, basis_points, cents, document, kit, shipped, thousandths

INDICES = range(25)


def half_up(value: Fraction) -> int:
    return floor(value + Fraction(1, 2))


def rows_add_up(rows) -> int:
    for row in rows:
        assert half_up(Fraction(cents(row["unit_price"]) * thousandths(row["quantity"]), 1000)) == cents(row["amount"])
    return sum(cents(row["amount"]) for row in rows)


@pytest.mark.parametrize("trade", ["grocery", "restaurant", "pharmacy", "fuel", "parking", "clothing", "cafe"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_receipts(language, trade):
    for index in INDICES:
        tools = kit("receipt", language, index, trade=trade)
        receipt = MODELS["receipt"](tools)
        totals = receipt["totals"]
        assert cents(totals["subtotal"]) == rows_add_up(receipt["items"])
        due = cents(totals["subtotal"]) + cents(totals.get("discount", "0"))
        if "service_charge" in totals:
            assert cents(totals["service_charge"]) == half_up(
                Fraction(due * basis_points(totals["service_rate"]), 10_000)
            )
            due += cents(totals["service_charge"])
        if "tax" in totals:
            rate = basis_points(totals["tax_rate"])
            if tools.country in ("US", "BD"):
                assert cents(totals["tax"]) == half_up(Fraction(due * rate, 10_000))
                due += cents(totals["tax"])
            else:
                assert cents(totals["tax"]) == due - half_up(Fraction(due * 10_000, 10_000 + rate))
        due += cents(totals.get("rounding", "0"))
        assert cents(totals["total"]) == due
        payment = receipt["payment"]
        if "tendered" in payment:
            assert cents(payment["tendered"]) - cents(payment["change"]) == due
            assert cents(payment["change"]) >= 0


@pytest.mark.parametrize("kind", ["goods", "vat", "service", "commercial"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_invoices(language, kind):
    for index in INDICES:
        tools = kit("invoice", language, index, kind=kind)
        invoice = MODELS["invoice"](tools)
        totals = invoice["totals"]
        net = rows_add_up(invoice["items"])
        assert cents(totals["subtotal"]) == net
        if kind == "vat":
            for row in invoice["items"]:
                assert cents(row["tax"]) == half_up(
                    Fraction(cents(row["amount"]) * basis_points(row["tax_rate"]), 10_000)
                )
                assert cents(row["total"]) == cents(row["amount"]) + cents(row["tax"])
            tax = sum(cents(row["tax"]) for row in invoice["items"])
            due = net
        else:
            if "discount" in totals:
                assert -cents(totals["discount"]) == half_up(
                    Fraction(net * basis_points(totals["discount_rate"]), 10_000)
                )
            due = net + cents(totals.get("discount", "0"))
            tax = half_up(Fraction(due * basis_points(totals["tax_rate"]), 10_000))
        assert cents(totals["tax"]) == tax
        due += tax + cents(totals.get("shipping", "0"))
        assert cents(totals["total"]) == due
        assert totals["total_in_words"] == tools.upper_amount(due)
        if "paid" in totals:
            assert cents(totals["balance"]) == due + cents(totals["paid"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_utility_bills(language):
    for index in INDICES:
        bill = MODELS["invoice"](kit("invoice", language, index, kind="utility"))
        charges = 0
        for row in bill["items"]:
            charges += cents(row["amount"])
            if "rate" in row:
                used = cents(row["quantity"].split()[0]) // 100
                assert cents(row["amount"]) == half_up(Fraction(used * thousandths(row["rate"]), 10))
        totals = bill["totals"]
        assert cents(totals["current_charges"]) == charges
        due = cents(totals["previous_balance"]) + cents(totals["payments"]) + charges
        assert cents(totals["total"]) == due
        meter = bill["meter"]
        used = cents(meter["current"]) - cents(meter["previous"])
        assert cents(meter["usage"].split()[0]) == used > 0
        assert meter["usage"].startswith(bill["history"][-1]["used"]), "the last month is this bill's"


@pytest.mark.parametrize("family", shipped().of_type("invoice") + shipped().of_type("receipt"))
@pytest.mark.parametrize("language", LANGUAGES)
def test_printed_pages_add_up(family, language):
    """On the finished page: whatever rows and sums a layout shows agree with each other."""
    values = document(family, language, 4).values
    totals, items = values["totals"], values.get("items", [])
    if "subtotal" in totals and items:
        assert sum(cents(row["amount"]) for row in items) == cents(totals["subtotal"])
    assert cents(totals["total"]) > 0
