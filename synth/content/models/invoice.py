"""What an invoice says: seller, buyer, rows with tax, sums that add up, terms and where to pay.

The family's option `kind` says which: goods, vat (tax on every row), service, commercial (export papers), utility.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from synth.content.kit import Kit
from synth.content.models.utility import build_utility
from synth.content.persona import City
from synth.content.sums import share_of, times, to_step

TAX_RATES = {"US": (600, 625, 700, 725, 825), "GB": (2000,), "CN": (1300, 600, 300), "BD": (1500, 1000, 750)}
_DOMAINS = {
    "goods": ("wholesale", "stationery", "hardware"),
    "vat": ("wholesale", "stationery"),
    "commercial": ("wholesale",),
}
_ORDERS = {
    "US": ("PO-#####", "PO####", "%#######"),
    "GB": ("PO-#####", "PO####", "%#######"),
    "CN": ("CG%#######", "####-###", "DD######"),
    "BD": ("PO-####", "####/##", "%####"),
}
_LOTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 25, 30, 40, 50, 100)


@dataclass(frozen=True)
class Row:
    """One row before it is printed; quantity in thousandths, money in cents, net of tax."""

    name: str
    unit: str
    quantity: int
    price: int
    tax_rate: int
    hs_code: str = ""

    @property
    def net(self) -> int:
        return times(self.price, self.quantity)

    @property
    def tax(self) -> int:
        return share_of(self.net, self.tax_rate)


def build(kit: Kit) -> dict[str, Any]:
    """Content of an invoice of the family's kind."""
    kind = kit.option("kind", "goods")
    kit.tags.add(kind)
    if kind == "utility":
        return build_utility(kit)
    away = kit.city()
    seller = _freelancer(kit) if kind == "service" else _company(kit, kit.persona.city, trading=True)
    buyer = _company(kit, away)
    rows = _rows(kit, kind)
    terms = kit.rng.choice((0, 7, 14, 15, 30, 30, 45, 60))
    content: dict[str, Any] = {
        "invoice": _head(kit, terms),
        "seller": seller,
        "buyer": buyer,
        "items": [_row(kit, number, row) for number, row in enumerate(rows, 1)],
    }
    content["totals"] = _totals(kit, kind, rows)
    account = kit.bank_account()
    content["bank"] = {
        "name": account.bank,
        "branch": account.branch,
        "account_name": seller["name"],
        "account_number": account.number,
        "routing": account.routing,
    }
    other = kit.bank_account(away)
    content["buyer_bank"] = f"{other.bank} {other.number}"
    content["seller_bank"] = f"{account.bank} {account.number}"
    content["issuer"] = {"payee": kit.person(), "reviewer": kit.person(), "drawer": kit.person()}
    content["notes"] = kit.label("word.invoice.note")
    if kind == "commercial":
        content["shipping"] = _shipping(kit, away, rows)
    if kind == "service":
        start = kit.today.replace(day=1)
        content["invoice"]["period"] = f"{kit.date(start)} - {kit.date(kit.today)}"
    return content


def _head(kit: Kit, terms: int) -> dict[str, str]:
    year = str(kit.today.year)
    number = kit.rng.choice(
        ("INV-######", f"{year}-####", f"{year[2:]}######", "####", "SI-#####", f"{year}{kit.today.month:02d}-###")
    )
    if kit.country == "CN":
        number = kit.rng.choice(("########", f"{year}{kit.today.month:02d}####", f"XS{year}%####"))
        if "vat" in kit.tags:  # printed by the tax office
            number = "########"
    if kit.country == "BD":
        number = kit.rng.choice(("#####", f"{year}/####", "INV-#####"))
    terms_text = {
        "en": f"Net {terms}" if terms else "Due on receipt",
        "zh": f"月结{terms}天" if terms >= 30 else (f"货到{terms}日内付款" if terms else "货到付款"),
        "bn": f"{kit.number(terms)} দিনের মধ্যে" if terms else "নগদ",
    }[kit.language]
    return {
        "code": kit.code("0%%00##%%%##"),
        "cipher": "\n".join("".join(kit.rng.choice("0123456789*+-/<>") for _ in range(21)) for _ in range(4)),
        "number": kit.code(number),
        "date": kit.date(),
        "due_date": kit.date(kit.today + dt.timedelta(days=terms)),
        "terms": terms_text,
        "po_number": kit.code(kit.rng.choice(_ORDERS[kit.country])),
        "customer_number": kit.code("C-%####"),
        "currency": kit.currency,
        "time": kit.clock(kit.rng.randint(560, 1080)),
    }


def _company(kit: Kit, city: City, trading: bool = False) -> dict[str, str]:
    name = kit.company(city, trading)
    address = kit.address(city, business=True)
    return {
        "name": name,
        "address": "\n".join(address.lines),
        "address_line": address.text,
        "phone": kit.phone(city),
        "address_phone": f"{address.text} {kit.phone(city)}",
        "email": kit.email(name),
        "tax_id": kit.tax_id(),
        "contact": kit.person(),
    }


def _freelancer(kit: Kit) -> dict[str, str]:
    address = kit.address()
    return {
        "name": kit.persona.name,
        "trade": kit.label("word.invoice.profession"),
        "address": "\n".join(address.lines),
        "address_line": address.text,
        "phone": kit.mobile(),
        "email": kit.email(kit.persona.name),
        "tax_id": kit.tax_id(),
        "contact": kit.persona.name,
    }


def _rows(kit: Kit, kind: str) -> list[Row]:
    domain = "services" if kind == "service" else kit.rng.choice(_DOMAINS[kind])
    low, high = int(kit.option("min_items", "2")), int(kit.option("max_items", "8"))
    rates = TAX_RATES[kit.country]
    rate = kit.rng.choice(rates)
    rows = []
    for good in kit.goods(domain, kit.rng.randint(low, high)):
        quantity = _service_quantity(kit, good.unit) if kind == "service" else 1000 * kit.rng.choice(_LOTS)
        row_rate = kit.rng.choice(rates) if kind == "vat" and kit.country == "BD" and kit.chance(0.3) else rate
        unit = good.unit or kit.label("word.unit.piece")
        rows.append(Row(good.name, unit, quantity, kit.price(good), row_rate, good.hs_code))
    return rows


def _service_quantity(kit: Kit, unit: str) -> int:
    """Thousandths: hours in halves, areas and pages in tens, whole jobs once."""
    if unit in ("hrs", "小时", "ঘণ্টা"):
        return kit.rng.choice((1000, 1500, 2000, 2500, 4000, 6000, 7500, 8000, 12000, 16000))
    if unit in ("平方米", "বর্গফুট"):
        return 10_000 * kit.rng.randint(6, 40)
    if unit in ("千字", "页", "পৃষ্ঠা"):
        return 1000 * kit.rng.randint(4, 36)
    return 1000 if unit in ("job", "项", "yr", "年", "বছর") else 1000 * kit.rng.choice((1, 1, 1, 2, 3))


def _row(kit: Kit, number: int, row: Row) -> dict[str, str]:
    return {
        "line": kit.number(number),
        "code": kit.code(kit.rng.choice(("@@-####", "#####", "@####"))),
        "hs_code": kit.digits(row.hs_code),
        "name": row.name,
        "quantity": kit.quantity(row.quantity),
        "unit": row.unit,
        "unit_price": kit.amount(row.price),
        "amount": kit.amount(row.net),
        "tax_rate": kit.percent(row.tax_rate),
        "tax": kit.amount(row.tax),
        "total": kit.amount(row.net + row.tax),
    }


def _totals(kit: Kit, kind: str, rows: list[Row]) -> dict[str, str]:
    """Printed sums."""
    net = sum(row.net for row in rows)
    quantity = sum(row.quantity for row in rows)
    totals = {"quantity": kit.quantity(quantity), "subtotal": kit.money(net)}
    due = net
    if kind == "vat":
        tax = sum(row.tax for row in rows)
    else:
        if kit.chance(0.35):
            rate = kit.rng.choice((200, 300, 500, 1000))
            discount = share_of(net, rate)
            totals["discount_rate"], totals["discount"] = kit.percent(rate), kit.money(-discount)
            due -= discount
        tax = share_of(due, rows[0].tax_rate)
        totals["tax_rate"] = kit.percent(rows[0].tax_rate)
    totals["tax"] = kit.money(tax)
    due += tax
    if kind in ("goods", "commercial") and kit.chance(0.5):
        freight = max(500, to_step(share_of(net, kit.rng.randint(150, 800)), 100))
        totals["shipping"] = kit.money(freight)
        due += freight
    totals["total"] = kit.money(due)
    totals["total_in_words"] = kit.upper_amount(due)
    if kind in ("goods", "service") and kit.chance(0.3):
        paid = share_of(due, kit.rng.choice((2000, 2500, 3000, 5000)))
        totals["paid"], totals["balance"] = kit.money(-paid), kit.money(due - paid)
    return totals


def _shipping(kit: Kit, away: City, rows: list[Row]) -> dict[str, str]:
    pieces = sum(row.quantity for row in rows) // 1000
    cartons = max(1, pieces // kit.rng.choice((6, 10, 12)))
    net = pieces * kit.rng.randint(6, 30) * 100
    unit = {"en": "kg", "zh": "公斤", "bn": "কেজি"}[kit.language]
    address = kit.address(away, business=True)
    return {
        "receiver": kit.person(),
        "address": "\n".join(address.lines),
        "incoterms": kit.rng.choice(("FOB", "CIF", "EXW", "DAP", "CPT")),
        "carrier": kit.label("word.invoice.carrier"),
        "tracking": kit.code("@@#########"),
        "origin": kit.persona.city.name,
        "destination": away.name,
        "packages": kit.number(cartons),
        "net_weight": f"{kit.quantity(net)} {unit}",
        "gross_weight": f"{kit.quantity(net + cartons * 800)} {unit}",
        "ship_date": kit.date(kit.day(-6, 0)),
    }
