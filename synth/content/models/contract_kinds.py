"""The kinds of contract: parties, terms and schedule of each, with dates in order and sums that add up."""

from __future__ import annotations

from collections.abc import Callable

from synth.content.models.contract_deal import DAY, Deal, add_months


def lease(d: Deal) -> None:
    d.parties = ("landlord", "tenant")
    d.person("landlord") if d.kit.chance(0.65) else d.company("landlord")
    d.person("tenant", d.kit.persona.name)
    in_feet = d.kit.country in ("US", "BD")
    area = d.rng.randint(650, 1900) if in_feet else d.rng.randint(38, 145)
    d.values["property"] = {
        "address": d.kit.address().text,
        "area": d.lists["area_feet" if in_feet else "area"].replace("{n}", d.kit.number(area)),
        "usage": d.rng.choice(d.lists["usage"][:2] if d.kit.chance(0.75) else d.lists["usage"][2:]),
    }
    months = d.rng.choice((11, 12, 12, 24, 36))
    start = (d.signed.replace(day=1) + DAY * 32).replace(day=1)
    d.values["term"] = {
        "months": d.kit.number(months),
        "start": d.date(start),
        "end": d.date(add_months(start, months) - DAY),
    }
    monthly = d.money(900, 2600, {"US": 25, "GB": 25, "CN": 100, "BD": 500}[d.kit.country])
    d.amount_of("rent", "monthly", monthly)
    d.values["rent"] |= {
        "due_day": d.kit.number(d.rng.choice((1, 3, 5, 7, 10))),
        "deposit": d.kit.money(monthly * d.rng.choice((1, 2, 2, 3))),
    }
    d.ending()
    d.fact("property", "address", "area", "usage")
    d.fact("term", "start", "end", "months")
    d.fact("rent", "monthly", "deposit", "due_day")
    d.fact("termination", "notice_days", "cure_days")


def service(d: Deal) -> None:
    d.parties = ("client", "provider")
    d.company("client")
    d.company("provider")
    start = d.signed + DAY * d.rng.randint(3, 20)
    end = start + DAY * d.rng.randint(90, 360)
    d.values["service"] = {"description": d.pick("services")}
    d.values["term"] = {"start": d.date(start), "end": d.date(end)}
    d.values["payment"] = {
        "due_days": d.kit.number(d.rng.choice((10, 14, 15, 30))),
        "late_rate": d.kit.percent(d.rng.choice((3, 5, 10))),
        "review_days": d.kit.number(d.rng.choice((5, 7, 10))),
    }
    count = d.rng.randint(3, 5)
    unit = {"US": 100, "GB": 100, "CN": 500, "BD": 1000}[d.kit.country]
    parts = [d.money(900, 5200, unit) for _ in range(count)]
    stages = d.lists["stages"]
    picked = sorted(d.rng.sample(range(1, len(stages) - 1), count - 2))
    days = sorted(d.rng.sample(range(20, (end - start).days - 5), count - 2))
    whens = [d.signed, *(start + DAY * n for n in days), end]
    names = [stages[0], *(stages[i] for i in picked), stages[-1]]
    d.values["milestones"] = [
        {"stage": name, "due": d.date(when), "amount": d.kit.money(part)}
        for name, when, part in zip(names, whens, parts, strict=True)
    ]
    d.amount_of("fee", "total", sum(parts))
    d.ending()
    d.fact("service", "description")
    d.fact("term", "start", "end")
    d.fact("fee", "total", "words")
    d.fact("payment", "due_days", "review_days", "late_rate")
    d.plan("milestones", "stage:4 due:3 amount!:2", "fee.total")


def employment(d: Deal) -> None:
    d.parties = ("employer", "employee")
    d.company("employer")
    d.person("employee", d.kit.persona.name)
    start = d.signed + DAY * d.rng.randint(5, 45)
    probation = d.rng.choice((1, 2, 3, 3, 6))
    at = d.rng.choice((8 * 60, 8 * 60 + 30, 9 * 60))
    d.values["job"] = {
        "title": d.pick("jobs"),
        "department": d.pick("departments"),
        "location": d.kit.address(business=True).text,
        "probation_months": d.kit.number(probation),
        "probation_end": d.date(add_months(start, probation) - DAY),
        "hours": d.kit.number(40),
        "from": d.kit.clock(at),
        "until": d.kit.clock(at + 540),
        "leave_days": d.kit.number(d.rng.choice((10, 12, 14, 15, 20, 25))),
    }
    d.values["term"] = {"start": d.date(start)}
    unit = {"US": 50, "GB": 50, "CN": 100, "BD": 500}[d.kit.country]
    parts = [
        d.money(2100, 4200, unit),
        *(d.money(low, high, unit) for low, high in ((250, 800), (60, 220), (60, 220), (50, 200))),
    ]
    kept = sorted(d.rng.sample(range(1, 5), d.rng.randint(2, 4)))
    parts = [parts[0], *(parts[i] for i in kept)]
    names = [d.lists["components"][i] for i in (0, *kept)]
    d.values["components"] = [
        {"component": name, "amount": d.kit.money(part)} for name, part in zip(names, parts, strict=True)
    ]
    d.amount_of("salary", "gross", sum(parts))
    d.values["salary"]["pay_day"] = d.kit.number(d.rng.choice((5, 10, 15, 25, 28)))
    d.ending((30, 30, 60))
    d.fact("job", "title", "department", "location", "probation_end")
    d.fact("term", "start")
    d.fact("salary", "gross", "pay_day")
    d.plan("components", "component:4 amount!:2", "salary.gross")


def nda(d: Deal) -> None:
    d.parties = ("discloser", "recipient")
    d.company("discloser")
    d.company("recipient") if d.kit.chance(0.75) else d.person("recipient", d.kit.persona.name)
    years = d.rng.choice((2, 3, 5))
    start = d.signed + DAY * d.rng.choice((0, 1, 7))
    d.values["project"] = {"name": d.pick("projects"), "return_days": d.kit.number(d.rng.choice((5, 7, 10, 14)))}
    d.values["term"] = {
        "years": d.kit.number(years),
        "start": d.date(start),
        "end": d.date(add_months(start, 12 * years) - DAY),
    }
    d.amount_of(
        "liability", "amount", d.money(5000, 40000, {"US": 1000, "GB": 1000, "CN": 10000, "BD": 50000}[d.kit.country])
    )
    d.ending()
    d.fact("project", "name", "return_days")
    d.fact("term", "start", "end", "years")
    d.fact("liability", "amount", "words")
    d.fact("termination", "notice_days", "cure_days")


def sale(d: Deal) -> None:
    d.parties = ("seller", "buyer")
    d.company("seller")
    d.company("buyer")
    rows, total = [], 0
    for line in d.rng.sample(d.lists["goods"], d.rng.randint(3, 7)):
        name, prices, unit = line.split(" | ")
        low, high = (int(p) * 100 for p in prices.split("-"))
        price = (
            d.rng.randint(low, high) // 50 * 50
            if d.kit.country in ("US", "GB")
            else d.rng.randint(low, high) // 100 * 100
        )
        most = 400 if high <= 6000 else (80 if high <= 60000 else 24)
        quantity = d.rng.randint(2, most)
        total += price * quantity
        rows.append(
            {
                "description": name,
                "quantity": d.kit.number(quantity),
                "unit": unit,
                "unit_price": d.kit.amount(price),
                "amount": d.kit.amount(price * quantity),
            }
        )
    d.values["goods"] = rows
    share = d.rng.choice((20, 30, 40, 50))
    advance = total * share // 100
    delivery = d.signed + DAY * d.rng.randint(14, 75)
    d.amount_of("price", "total", total)
    d.values["price"] |= {
        "advance": d.kit.money(advance),
        "advance_percent": d.kit.percent(share * 100),
        "balance": d.kit.money(total - advance),
    }
    d.values["delivery"] = {
        "date": d.date(delivery),
        "place": d.kit.address(business=True).text,
        "inspection_days": d.kit.number(d.rng.choice((3, 5, 7, 10))),
    }
    d.values["payment"] = {
        "due_days": d.kit.number(d.rng.choice((7, 10, 15, 30))),
        "late_rate": d.kit.percent(d.rng.choice((5, 10, 20))),
    }
    d.values["warranty"] = {"months": d.kit.number(d.rng.choice((6, 12, 12, 24)))}
    d.ending()
    d.fact("price", "total", "advance", "advance_percent", "balance")
    d.fact("payment", "due_days", "late_rate")
    d.fact("delivery", "date", "place", "inspection_days")
    d.fact("warranty", "months")
    d.plan("goods", "description:5 quantity!:2 unit:1 unit_price!:2 amount!:3", "price.total")


def loan(d: Deal) -> None:
    d.parties = ("lender", "borrower")
    d.person("lender") if d.kit.chance(0.5) else d.company("lender")
    d.person("borrower", d.kit.persona.name)
    months = d.rng.choice((6, 8, 10, 12))
    unit = {"US": 500, "GB": 500, "CN": 1000, "BD": 10000}[d.kit.country]
    principal, rate = d.money(3000, 24000, unit), d.rng.choice((400, 450, 500, 600, 750, 800, 900, 1000))
    interest = round(principal * rate * months / 12 / 10_000)
    start = d.signed + DAY * d.rng.randint(1, 10)
    dues = [add_months(start, n) for n in range(1, months + 1)]
    d.values["loan"] = {
        "principal": d.kit.money(principal),
        "words": d.kit.upper_amount(principal),
        "purpose": d.pick("purposes"),
        "rate": d.kit.percent(rate),
        "months": d.kit.number(months),
        "interest": d.kit.money(interest),
        "total": d.kit.money(principal + interest),
        "first_due": d.date(dues[0]),
        "default_rate": d.kit.percent(rate + d.rng.choice((200, 300, 500))),
        "guarantor": d.kit.person(),
    }
    d.values["term"] = {"start": d.date(start), "end": d.date(dues[-1])}
    left, rows = principal + interest, []
    for n, due in enumerate(dues, 1):
        last = n == months
        # The last instalment takes the cents that do not divide.
        capital = principal - principal // months * (months - 1) if last else principal // months
        charge = interest - interest // months * (months - 1) if last else interest // months
        left -= capital + charge
        rows.append(
            {
                "instalment": d.kit.number(n),
                "due": d.date(due),
                "principal_part": d.kit.amount(capital),
                "interest_part": d.kit.amount(charge),
                "amount": d.kit.amount(capital + charge),
                "remaining": d.kit.amount(left),
            }
        )
    d.values["repayments"] = rows
    d.ending((7, 10, 15))
    d.fact("loan", "principal", "rate", "interest", "total", "purpose", "guarantor", "first_due", "default_rate")
    d.fact("termination", "notice_days", "cure_days")
    d.fact("term", "start", "end")
    d.plan("repayments", "instalment:2 due:3 principal_part!:2 interest_part!:2 amount!:2 remaining!:2", "loan.total")


KINDS: dict[str, Callable[[Deal], None]] = {f.__name__: f for f in (lease, service, employment, nda, sale, loan)}
