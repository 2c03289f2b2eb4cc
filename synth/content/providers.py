"""Values by name for users' own templates: `person.name`, `money(min=5, max=90)`, `choice(['red', 'blue'])`."""

from __future__ import annotations

import ast
import datetime as dt
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from synth.content.data import ROOT
from synth.content.kit import Kit
from synth.content.names import SHOP_TRADES

Provider = Callable[..., str]
_COLOURS = {
    "en": ("black", "white", "silver", "grey", "blue", "red", "green", "brown", "beige"),
    "zh": ("黑色", "白色", "银色", "灰色", "蓝色", "红色", "绿色", "棕色"),
    "bn": ("কালো", "সাদা", "রুপালি", "ধূসর", "নীল", "লাল", "সবুজ", "বাদামি"),
}
_WEEKDAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    "bn": ("সোমবার", "মঙ্গলবার", "বুধবার", "বৃহস্পতিবার", "শুক্রবার", "শনিবার", "রবিবার"),
}
_GENDERS = {"en": ("Female", "Male"), "zh": ("女", "男"), "bn": ("মহিলা", "পুরুষ")}
_YES_NO = {"en": ("Yes", "No"), "zh": ("是", "否"), "bn": ("হ্যাঁ", "না")}
_COUNTRY = {"US": "United States", "GB": "United Kingdom", "CN": "中国", "BD": "বাংলাদেশ"}
_DOMAINS = tuple(sorted(path.stem for path in (ROOT / "catalog" / "en").glob("*.yaml")))


def _check(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ValueError(f"{name} {value!r} is none of {', '.join(known)}")


def _money(kit: Kit, min: float = 1, max: float = 500) -> str:
    return kit.money(kit.rng.randint(round(min * 100), round(max * 100)))


def _amount(kit: Kit, min: float = 1, max: float = 500) -> str:
    return kit.amount(kit.rng.randint(round(min * 100), round(max * 100)))


def _int(kit: Kit, min: int = 1, max: int = 100) -> str:
    return kit.number(kit.rng.randint(min, max))


def _decimal(kit: Kit, min: float = 0, max: float = 10, places: int = 1) -> str:
    step = 10 ** (3 - places)
    return kit.quantity(kit.rng.randint(round(min * 1000 / step), round(max * 1000 / step)) * step)


def _percent(kit: Kit, min: float = 1, max: float = 100) -> str:
    return kit.percent(kit.rng.randint(round(min), round(max)) * 100)


def _past(kit: Kit, days: int = 365, style: str | None = None) -> str:
    return kit.date(kit.day(-days, -1), style)


def _future(kit: Kit, days: int = 365, style: str | None = None) -> str:
    return kit.date(kit.day(1, days), style)


def _birth(kit: Kit, style: str | None = None) -> str:
    return kit.date(kit.today - dt.timedelta(days=kit.persona.age * 365 + kit.rng.randrange(365)), style)


def _time(kit: Kit, start: int = 8, end: int = 20) -> str:
    return kit.clock(kit.rng.randint(start * 60, end * 60 - 1))


def _product(kit: Kit, domain: str = "grocery") -> str:
    _check("domain", domain, _DOMAINS)
    return kit.goods(domain, 1)[0].name


def _price(kit: Kit, domain: str = "grocery") -> str:
    _check("domain", domain, _DOMAINS)
    return kit.amount(kit.price(kit.goods(domain, 1)[0]))


def _shop(kit: Kit, trade: str = "grocery") -> str:
    _check("trade", trade, SHOP_TRADES)
    return kit.shop(trade)


def _choice(kit: Kit, options: list[str]) -> str:
    return str(kit.rng.choice(options))


def _sample(kit: Kit, options: list[str], count: int = 2, join: str = ", ") -> str:
    return join.join(str(o) for o in kit.rng.sample(options, count))


def _district(kit: Kit) -> str:
    return kit.rng.choice(kit.persona.city.districts or (kit.persona.city.region,))


PROVIDERS: dict[str, Provider] = {
    # The document's persona: the same person wherever it is named.
    "persona.name": lambda kit: kit.persona.name,
    "persona.first_name": lambda kit: kit.persona.name if kit.country == "CN" else kit.persona.name.split()[0],
    "persona.age": lambda kit: kit.number(kit.persona.age),
    "persona.gender": lambda kit: _GENDERS[kit.language][0 if kit.persona.female else 1],
    "persona.occupation": lambda kit: kit.persona.occupation,
    "persona.birth_date": _birth,
    "persona.city": lambda kit: kit.persona.city.name,
    "persona.email": lambda kit: kit.email(kit.persona.name),
    # Other people.
    "person.name": lambda kit: kit.person(),
    "person.female_name": lambda kit: kit.person(female=True),
    "person.male_name": lambda kit: kit.person(female=False),
    "person.gender": lambda kit: kit.rng.choice(_GENDERS[kit.language]),
    "person.id_number": lambda kit: kit.code(
        {"US": "###-##-####", "GB": "@@ ## ## ## @", "CN": "%#####19%#0%1###%#", "BD": "%#########"}[kit.country]
    ),
    "person.passport": lambda kit: kit.code("@########"),
    # Companies and shops.
    "company.name": lambda kit: kit.company(),
    "company.seller": lambda kit: kit.company(trading=True),
    "company.shop": _shop,
    "company.tax_id": lambda kit: kit.tax_id(),
    "company.email": lambda kit: kit.email(),
    "company.phone": lambda kit: kit.phone(),
    # Places.
    "address.full": lambda kit: kit.address().text,
    "address.lines": lambda kit: "\n".join(kit.address().lines),
    "address.business": lambda kit: kit.address(business=True).text,
    "address.street": lambda kit: kit.address().lines[0],
    "address.city": lambda kit: kit.persona.city.name,
    "address.other_city": lambda kit: kit.city().name,
    "address.region": lambda kit: kit.persona.city.region or kit.persona.city.name,
    "address.district": _district,
    "address.postcode": lambda kit: kit.code(kit.persona.city.postcode),
    "address.country": lambda kit: _COUNTRY[kit.country],
    # Reaching people.
    "phone": lambda kit: kit.phone(),
    "phone.mobile": lambda kit: kit.mobile(),
    "email": lambda kit: kit.email(),
    # Time.
    "date.today": lambda kit, style=None: kit.date(style=style),
    "date.long": lambda kit: kit.date(style="long"),
    "date.past": _past,
    "date.future": _future,
    "date.year": lambda kit: kit.digits(str(kit.today.year)),
    "date.month": lambda kit: kit.date(style="MMMM"),
    "date.weekday": lambda kit: _WEEKDAYS[kit.language][kit.today.weekday()],
    "time": _time,
    # Numbers and money.
    "number.int": _int,
    "number.decimal": _decimal,
    "number.percent": _percent,
    "money": _money,
    "money.amount": _amount,
    "money.currency": lambda kit: kit.currency,
    "money.in_words": lambda kit, min=1, max=5000: kit.upper_amount(kit.rng.randint(min, max) * 100),
    # Goods.
    "product.name": _product,
    "product.price": _price,
    "product.code": lambda kit: kit.code("@@-####"),
    "product.barcode": lambda kit: kit.code("#############"),
    "product.colour": lambda kit: kit.rng.choice(_COLOURS[kit.language]),
    "service.name": lambda kit: kit.goods("services", 1)[0].name,
    # Banks.
    "bank.name": lambda kit: kit.bank_account().bank,
    "bank.branch": lambda kit: kit.bank_account().branch,
    "bank.account": lambda kit: kit.bank_account().number,
    "bank.routing": lambda kit: kit.bank_account().routing,
    "bank.card": lambda kit: kit.code("**** **** **** ####"),
    # Codes and choices.
    "code": lambda kit, pattern="######": kit.code(pattern),
    "vehicle.plate": lambda kit: kit.plate(),
    "yes_no": lambda kit: kit.rng.choice(_YES_NO[kit.language]),
    "choice": _choice,
    "sample": _sample,
}


@dataclass(frozen=True)
class Call:
    """A provider with its arguments."""

    provider: str
    args: tuple[Any, ...] = ()
    kwargs: tuple[tuple[str, Any], ...] = ()

    def value(self, kit: Kit) -> str:
        return PROVIDERS[self.provider](kit, *self.args, **dict(self.kwargs))


def parse_call(text: str) -> Call:
    """`money(min=5)` as a `Call`. ValueError that says what is wrong and what is known."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
        call = node if isinstance(node, ast.Call) else None
        name = ast.unparse(call.func if call else node)
        args = tuple(ast.literal_eval(a) for a in (call.args if call else ()))
        kwargs = tuple((str(k.arg), ast.literal_eval(k.value)) for k in (call.keywords if call else ()))
    except (SyntaxError, ValueError):
        raise ValueError(f"{text!r} is not a provider such as person.name or money(min=5, max=90)") from None
    if name not in PROVIDERS:
        close = [known for known in PROVIDERS if known.split(".")[0] == name.split(".")[0]]
        raise ValueError(f"unknown provider {name!r}; known: {', '.join(close or PROVIDERS)}")
    try:
        inspect.signature(PROVIDERS[name]).bind(None, *args, **dict(kwargs))
    except TypeError as error:
        raise ValueError(f"{name}: {error}") from None
    return Call(name, args, kwargs)
