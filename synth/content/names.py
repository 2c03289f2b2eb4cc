"""Names of companies and shops, made from surnames and roots of each country."""

from __future__ import annotations

import random

from synth.content.data import places
from synth.content.persona import FAKER_LOCALES, City, draw_name, faker

_COMPANY_EN = ("{a} {trade} {form}", "{a} & {b} {form}", "{a} {trade}", "{a} and Sons {trade}", "{town} {trade} {form}")
_FORMS = {"US": ("LLC", "Inc.", "Co.", "Corp."), "GB": ("Ltd", "Limited", "LLP", "& Co.")}
LANGUAGE_OF = {"US": "en", "GB": "en", "CN": "zh", "BD": "bn"}
SHOP_TRADES = tuple(places("en")["shops"])


def _surname(rng: random.Random, country: str) -> str:
    source = faker(FAKER_LOCALES[country])
    source.seed_instance(rng.getrandbits(64))
    return source.last_name()


def draw_company(rng: random.Random, country: str, city: City, trading: bool = False) -> str:
    """A company; with `trading` one that sells goods to other companies."""
    words = places(LANGUAGE_OF[country])
    trade = rng.choice(words["trading_trades" if trading else "company_trades"])
    if country == "CN":
        town = city.name.removesuffix("市") if rng.random() < 0.75 else ""
        return f"{town}{rng.choice(words['trade_roots'])}{trade}{rng.choice(words['company_forms'])}"
    if country == "BD":
        root = rng.choice(words["trade_roots"])
        if trading or rng.random() < 0.33:
            return f"মেসার্স {root} {rng.choice(words['trading_trades'])}"
        return f"{root} {trade} {rng.choice(('লিমিটেড', 'লিঃ', ''))}".strip()
    return rng.choice(_COMPANY_EN).format(
        a=_surname(rng, country),
        b=_surname(rng, country),
        town=city.name,
        trade=trade,
        form=rng.choice(_FORMS[country]),
    )


def draw_shop(rng: random.Random, country: str, city: City, trade: str) -> str:
    """A shop of a trade (see `SHOP_TRADES`). KeyError for an unknown trade."""
    words = places(LANGUAGE_OF[country])
    roots = words.get("trade_roots")
    first = rng.choice(roots) if roots else _surname(rng, country)
    second = draw_name(rng, "CN", False)[0] if country == "CN" else _surname(rng, country)
    pattern = rng.choice(words["shops"][trade])
    return pattern.format(a=first, b=second, town=city.name.removesuffix("市"))
