"""A contract in the making: its parties, and the draws that all kinds of contract share."""

from __future__ import annotations

import calendar
import datetime as dt
from typing import Any

from synth.content.kit import Kit

DAY = dt.timedelta(days=1)
_SCALE = {"US": 1.0, "GB": 0.8, "CN": 3.2, "BD": 22.0}


def add_months(day: dt.date, months: int) -> dt.date:
    """The same day of a later month, or its last."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return dt.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


class Deal:
    """A contract in the making. `parties` are the two paths of the parties; money is in cents."""

    def __init__(self, kit: Kit, prose: dict[str, Any], kind: str) -> None:
        self.kit, self.rng, self.kind = kit, kit.rng, kind
        self.lists: dict[str, Any] = prose["word_lists"]
        self.signed = kit.today
        city = kit.persona.city
        self.values: dict[str, Any] = {
            "agreement": {
                "number": kit.code(self.rng.choice(("@@-%###-##", "C%####", "%###/##", "@@@%####"))),
                "date": self.date(self.signed),
                "place": city.name,
                "court": f"{city.name}人民法院" if kit.language == "zh" else city.name,
            }
        }
        self.parties: tuple[str, str] = ("", "")
        self.facts: list[dict[str, Any]] = []
        self.schedule: dict[str, Any] = {}

    def pick(self, name: str) -> str:
        return self.rng.choice(self.lists[name])

    def date(self, day: dt.date) -> str:
        """Contracts write dates out."""
        return self.kit.date(day, "long")

    def money(self, low: float, high: float, step: int) -> int:
        """A round sum in cents. Bounds are main units at US prices, `step` main units of the country."""
        scale = _SCALE[self.kit.country]
        return max(step, round(self.rng.uniform(low, high) * scale / step) * step) * 100

    def number(self, low: int, high: int) -> tuple[int, str]:
        value = self.rng.randint(low, high)
        return value, self.kit.number(value)

    # Parties

    def person(self, path: str, name: str = "") -> None:
        kit = self.kit
        name = name or kit.person()
        pattern = {"US": "@%##-####-####", "GB": "@@######@", "BD": "%#########", "CN": ""}[kit.country]
        self.values[path] = {
            "name": name,
            "id_number": kit.code(pattern) if pattern else self._chinese_id(),
            "address": kit.address().text,
            "phone": kit.mobile(),
            "email": kit.email(name),
            "bank": self._bank(name),
        }

    def company(self, path: str) -> None:
        kit, name = self.kit, self.kit.company()
        self.values[path] = {
            "name": name,
            "tax_id": kit.tax_id(),
            "address": kit.address(business=True).text,
            "representative": kit.person(),
            "position": self.pick("positions"),
            "phone": kit.phone(),
            "email": kit.email(name),
            "bank": self._bank(name),
        }

    def _bank(self, holder: str) -> dict[str, str]:
        account = self.kit.bank_account()
        return {"name": account.bank, "branch": account.branch, "account": account.number, "holder": holder}

    def _chinese_id(self) -> str:
        """Area, a birthday of an adult, an order number and the check digit of GB 11643."""
        born = self.signed - DAY * self.rng.randint(22 * 366, 60 * 365)
        area = self.rng.choice(("110105", "310104", "320106", "330106", "440106"))
        body = f"{area}{born:%Y%m%d}{self.rng.randint(10, 899):03d}"
        weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
        return body + "10X98765432"[sum(int(d) * w for d, w in zip(body, weights, strict=True)) % 11]

    # Parts that several kinds have

    def fact(self, group: str, *leaves: str) -> None:
        """Add a group of terms to the summary, by leaf below the group's path."""
        self.facts.append({"group": group, "paths": [f"{group}.{leaf}" for leaf in leaves]})

    def plan(self, rows: str, columns: str, total: str = "") -> None:
        """The schedule's table: `!` after a leaf aligns right, `:n` weighs its column; `total` is the sum's path."""
        parsed = []
        for item in columns.split():
            leaf, _, width = item.partition(":")
            parsed.append({"leaf": leaf.rstrip("!"), "right": leaf.endswith("!"), "width": int(width or 2)})
        self.schedule = {"rows": rows, "columns": parsed, "total": total}

    def amount_of(self, group: str, leaf: str, cents: int) -> None:
        self.values.setdefault(group, {}).update({leaf: self.kit.money(cents), "words": self.kit.upper_amount(cents)})

    def ending(self, notice: tuple[int, ...] = (15, 30, 60)) -> None:
        number = self.kit.number
        self.values["termination"] = {
            "notice_days": number(self.rng.choice(notice)),
            "cure_days": number(self.rng.choice((7, 10, 15))),
        }
