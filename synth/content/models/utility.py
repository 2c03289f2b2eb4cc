"""A utility bill: an account, a meter, charges by band, what is due with the balance brought forward, past use."""

from __future__ import annotations

import datetime as dt
from typing import Any

from synth.content.charts import scale
from synth.content.kit import Kit
from synth.content.sums import half_up, share_of

_SERVICES = ("electricity", "water", "gas")
# Price per unit by band, in thousandths of the main unit of money, and the fixed charge in cents.
_TARIFFS: dict[str, dict[str, tuple[tuple[int, int], int]]] = {
    "US": {"electricity": ((128, 164), 1250), "water": ((3400, 4900), 1480), "gas": ((910, 1240), 1125)},
    "GB": {"electricity": ((247, 285), 1630), "water": ((1890, 2340), 920), "gas": ((640, 790), 880)},
    "CN": {"electricity": ((538, 588), 0), "water": ((2900, 3850), 0), "gas": ((3100, 3720), 0)},
    "BD": {"electricity": ((5260, 7200), 4200), "water": ((15180, 17500), 3000), "gas": ((18000, 21500), 5000)},
}
_USAGE = {"electricity": (90, 640), "water": (6, 42), "gas": (12, 96)}
_UNITS = {
    "electricity": {"en": "kWh", "zh": "千瓦时", "bn": "ইউনিট"},
    "water": {"en": "m³", "zh": "立方米", "bn": "ঘনমিটার"},
    "gas": {"en": "therms", "zh": "立方米", "bn": "ঘনমিটার"},
}
_TAX = {"US": 350, "GB": 500, "CN": 0, "BD": 500}


def _month(kit: Kit, day: dt.date, back: int) -> str:
    """Short name of the month `back` months before that of `day`; in Chinese two digits, so that none ends another."""
    year, month = divmod(12 * day.year + day.month - 1 - back, 12)
    return kit.date(dt.date(year, month + 1, 1), "MM月" if kit.language == "zh" else "LLL")


def _history(kit: Kit, end: dt.date, usage: int) -> tuple[list[dict[str, str]], dict[str, Any]]:
    """Use of the last months with this one as the last, and how a chart of them is drawn."""
    back = range(5 if kit.option("bars", "") == "rows" else 11, -1, -1)
    used = [max(1, usage * kit.rng.randint(60, 135) // 100) if months else usage for months in back]
    rows = [{"month": _month(kit, end, m), "used": kit.number(n)} for m, n in zip(back, used, strict=True)]
    axis = scale(used)
    return rows, {"ticks": [kit.number(tick) for tick in axis.ticks], "shares": axis.shares}


def build_utility(kit: Kit) -> dict[str, Any]:
    """Content of a bill for electricity, water or gas. Money in cents inside, printed outside."""
    service = kit.rng.choice(_SERVICES)
    kit.tags.add(service)
    first, fixed = _TARIFFS[kit.country][service]
    usage = kit.rng.randint(*_USAGE[service])
    edge = sum(_USAGE[service]) // 3
    bands = [(min(usage, edge), first[0])] + ([(usage - edge, first[1])] if usage > edge else [])
    unit = _UNITS[service][kit.language]
    charges, current = [], 0
    for number, (amount, rate) in enumerate(bands, 1):
        cents = half_up(amount * rate, 10)
        current += cents
        charges.append(
            {
                "name": kit.label(f"word.utility.band{number}"),
                "quantity": f"{kit.number(amount)} {unit}",
                "rate": kit.digits(f"{rate / 1000:.{2 if rate % 10 == 0 else 3}f}"),
                "amount": kit.amount(cents),
            }
        )
    if fixed:
        current += fixed
        charges.append({"name": kit.label("word.utility.fixed"), "amount": kit.amount(fixed)})
    tax = share_of(current, _TAX[kit.country])
    if tax:
        charges.append({"name": kit.label("word.utility.tax"), "amount": kit.amount(tax)})
    current += tax
    before = share_of(current, kit.rng.randint(7000, 13000))
    paid = before if kit.chance(0.75) else share_of(before, 5000)
    end = kit.today - dt.timedelta(days=kit.rng.randint(3, 8))
    start = end - dt.timedelta(days=kit.rng.randint(28, 32))
    reading = kit.rng.randint(1200, 48000)
    address = kit.address()
    seller_address = kit.address(business=True)
    name = kit.label("word.utility.company").format(town=kit.persona.city.name.removesuffix("市"))
    total = before - paid + current
    history, chart = _history(kit, end, usage)
    return {
        "seller": {
            "name": name,
            "address": seller_address.text,
            "phone": kit.phone(),
            "email": kit.email("customer care"),
            "tax_id": kit.tax_id(),
        },
        "buyer": {"name": kit.persona.name, "address": "\n".join(address.lines), "address_line": address.text},
        "account": {
            "number": kit.code("%### #### ##" if kit.country in ("US", "GB") else "%#########"),
            "class": kit.label("word.utility.class"),
        },
        "invoice": {
            "number": kit.code("########"),
            "date": kit.date(),
            "due_date": kit.date(kit.day(12, 24)),
            "period": f"{kit.date(start)} - {kit.date(end)}",
        },
        "meter": {
            "number": kit.code("@@######"),
            "previous": kit.number(reading),
            "current": kit.number(reading + usage),
            "usage": f"{kit.number(usage)} {unit}",
            "read_date": kit.date(end),
            "kind": kit.label("word.utility.actual"),
        },
        "items": charges,
        "totals": {
            "previous_balance": kit.money(before),
            "payments": kit.money(-paid),
            "current_charges": kit.money(current),
            "total": kit.money(total),
            "total_in_words": kit.upper_amount(total),
        },
        "history": history,
        "notes": kit.label("word.utility.note"),
        "_service": service,
        "_chart": chart,
    }
