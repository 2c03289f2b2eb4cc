"""A form in the making: draws shared by all kinds of form, and the plan of its sections."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Any

from synth.content import formats
from synth.content.data import ROOT, read_yaml
from synth.content.kit import Kit

_FIELD = re.compile(r"(?P<leaf>[a-z_]+)(?P<mark>[*+#@]?)(?::(?P<width>[1-4]))?\Z")
_MARKS = {"": "text", "*": "choice", "+": "multi", "#": "comb", "@": "table"}
_COMB = re.compile(r"[0-9A-Za-z০-৯/.\-年月日 ]{4,24}\Z")
_NUMERIC_DATES = {"US": "MM/dd/yyyy", "GB": "dd/MM/yyyy", "CN": "yyyy年MM月dd日", "BD": "dd/MM/yyyy"}
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


@dataclass(frozen=True)
class Person:
    name: str
    female: bool
    born: dt.date


class Draft:
    """Collects values and sections of one form; all draws go through the kit."""

    def __init__(self, kit: Kit, kind: str) -> None:
        self.kit, self.kind, self.rng = kit, kind, kit.rng
        self.prose = read_yaml(ROOT / "prose" / "form" / f"{kit.language}.yaml")
        self.lists: dict[str, Any] = self.prose["lists"]
        # Two-digit years and slashes without a century are not written on forms.
        self._dates = self.rng.choice([s for s in formats.DATE_STYLES[kit.country] if "yyyy" in s])
        persona = kit.persona
        born = kit.today - dt.timedelta(days=round(persona.age * 365.25) + self.rng.randint(1, 363))
        self.applicant = Person(persona.name, persona.female, born)
        self.values: dict[str, Any] = {
            "organisation": self._issuer(),
            "form_number": self.kit.code(self.rng.choice(("F-##", "@@-1##", "##/@", "FM-0##"))),
            "serial": self.kit.code(self.rng.choice(("2#####", "%###-####", "%#######"))),
            "filed": self.date(kit.today),
        }
        self.sections: list[dict[str, Any]] = []
        self.signer = self.applicant.name

    # Words

    def pick(self, name: str) -> str:
        """One entry of a word list, with {town} filled in."""
        return self.town(self.rng.choice(self.lists[name]))

    def sample(self, name: str, count: int) -> list[str]:
        return [self.town(word) for word in self.rng.sample(self.lists[name], count)]

    def town(self, text: str) -> str:
        return text.replace("{town}", self.kit.persona.city.name.removesuffix("市"))

    def choices(self, name: str) -> list[str]:
        return self.prose["choices"][name]

    def choose(self, name: str) -> str:
        return self.rng.choice(self.choices(name))

    def several(self, name: str, most: int) -> list[str]:
        """Some of the choices in their printed order, at least one."""
        options = self.choices(name)
        picked = set(self.rng.sample(options, self.rng.randint(1, min(most, len(options)))))
        return [option for option in options if option in picked]

    def _issuer(self) -> str:
        city = self.kit.persona.city
        self.account = self.kit.bank_account()
        pattern = self.rng.choice(self.prose["kinds"][self.kind]["issuers"])
        return pattern.format(
            town=city.name,
            district=self.rng.choice(city.districts) if city.districts else city.name,
            bank=self.account.bank,
            company=self.kit.company(),
            surname=self.kit.person().split()[-1],
        )

    # Coherent draws

    def date(self, day: dt.date, numeric: bool = False) -> str:
        return self.kit.date(day, _NUMERIC_DATES[self.kit.country] if numeric else self._dates)

    def age(self, person: Person) -> int:
        today, born = self.kit.today, person.born
        return today.year - born.year - ((today.month, today.day) < (born.month, born.day))

    def relative(self, years: int, female: bool, name: str = "") -> Person:
        """A person born `years` before the applicant (after, if negative)."""
        born = self.applicant.born - dt.timedelta(days=round(years * 365.25) + self.rng.randint(0, 300))
        return Person(name or self.kit.person(female), female, born)

    def parent(self, of: Person, female: bool) -> str:
        """A parent's name; the father bears the family name."""
        return self.kit.person(True) if female else self.kin(of.name, False)

    def kin(self, of: str, female: bool) -> str:
        """A name of somebody with the same family name; in Bangla families have none."""
        name = self.kit.person(female)
        if self.kit.language == "zh":
            return of[0] + name[1:]
        return name if self.kit.language == "bn" else f"{name.split()[0]} {of.split()[-1]}"

    def gender(self, person: Person) -> str:
        return self.choices("gender")[1 if person.female else 0]

    def occupation(self) -> str:
        """The persona's, unless nobody of that age has it."""
        job, age = self.kit.persona.occupation, self.age(self.applicant)
        if (job in self.lists["student"] and age > 27) or (job in self.lists["retired"] and age < 58):
            return self.pick("jobs")
        return job.capitalize()

    def split_name(self, person: Person) -> tuple[str, str]:
        """Family name and given names."""
        if self.kit.language == "zh":
            return person.name[0], person.name[1:]
        *given, last = person.name.split()
        return last, " ".join(given)

    def id_number(self, person: Person) -> str:
        """Identity number of the country; the Chinese one holds the birthday and its check digit."""
        country = self.kit.country
        if country == "CN":
            area = self.rng.choice(
                ("110105", "310104", "320106", "330106", "370202", "420106", "440106", "510107", "610113")
            )
            order = self.rng.randrange(10, 400) * 2 + (0 if person.female else 1)
            body = f"{area}{person.born:%Y%m%d}{order:03d}"
            return body + "10X98765432"[sum(int(d) * w for d, w in zip(body, _ID_WEIGHTS, strict=True)) % 11]
        return self.kit.code({"BD": "%#########", "US": "@%##-####-####", "GB": "@@######@"}[country])

    def money(self, low: int, high: int, step: int = 100) -> int:
        """A round sum in cents; bounds in main units at US price level, scaled to the country."""
        scale = {"US": 1, "GB": 0.8, "CN": 3, "BD": 20}[self.kit.country]
        return max(step, round(self.rng.uniform(low, high) * scale / step) * step) * 100

    # The plan of the page

    def section(self, group: str, spec: str, **values: Any) -> None:
        """Add a group of values and how its fields stand: `birth_date#:2` is a comb field over half a line."""
        self.values[group] = values
        fields = []
        for item in spec.split():
            match = _FIELD.match(item)
            assert match, item
            leaf, kind = match["leaf"], _MARKS[match["mark"]]
            if leaf not in values:
                continue
            if kind == "comb" and not _COMB.match(values[leaf]):
                kind = "text"
            path = f"{group}.{leaf}"
            field = {"path": path, "leaf": leaf, "kind": kind, "width": int(match["width"] or 2)}
            if kind in ("choice", "multi"):
                name = f"currency_{self.kit.country.lower()}" if leaf == "currency" else leaf
                field["options"] = self.choices(name)
            fields.append(field)
        self.sections.append({"group": group, "fields": fields, "rows": "", "columns": []})

    def table(self, group: str, columns: str, rows: list[dict[str, str]]) -> None:
        """Add a table section; `columns` lists the leaves, `!` after one aligns it right, `:n` weighs its width."""
        self.values[group] = rows
        plan = []
        for item in columns.split():
            leaf, _, width = item.partition(":")
            plan.append({"leaf": leaf.rstrip("!"), "right": leaf.endswith("!"), "width": int(width or 2)})
        self.sections.append({"group": group, "fields": [], "rows": group, "columns": plan})

    def content(self) -> dict[str, Any]:
        words = self.prose["kinds"][self.kind]
        letter = self.prose["kinds"]["grant"]["letter"] if self.kind == "government" else words.get("letter", [])
        city = self.kit.persona.city.name.removesuffix("市")
        return {
            **self.values,
            "signature": {"name": self.signer, "date": self.date(self.kit.today), "place": city},
            "_kind": self.kind,
            "_title": self.rng.choice(words["titles"]),
            "_note": self.rng.choice(words["notes"]),
            "_notes": words["notes"],
            "_declaration": self.rng.choice(words["declaration"]),
            "_photo": self.rng.choice(self.prose["photo"]),
            "_to": self.rng.choice(self.prose["to"]),
            "_respect": self.rng.choice(self.prose["respect"]),
            "_letter": letter,
            "_sections": self.sections,
            "_options": self.prose["choices"],
            "_digits": [self.kit.digits(str(n)) for n in range(60)],
        }
