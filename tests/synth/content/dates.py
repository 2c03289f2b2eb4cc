"""Reads printed dates back."""

from __future__ import annotations

import datetime as dt
import re

from babel.dates import get_month_names

from synth.content.formats import latin_digits


def day_of(text: str, country: str) -> dt.date:
    """The day that a printed date means in its country; without a day the first of the month."""
    plain = latin_digits(text)
    names = {}
    for width in ("wide", "abbreviated"):
        for locale in {"US": ("en_US",), "GB": ("en_GB",), "BD": ("bn_BD",), "CN": ("zh_CN",)}[country]:
            names |= {name.rstrip("."): number for number, name in get_month_names(width, locale=locale).items()}
    if country != "CN":
        for name in sorted(names, key=len, reverse=True):
            if name in plain:
                day, year = (int(n) for n in re.findall(r"\d+", plain.replace(name, " ")))
                return dt.date(year, names[name], day)
    numbers = [int(n) for n in re.findall(r"\d+", plain)]
    if len(numbers) == 2:
        numbers = [*numbers, 1] if numbers[0] > 31 else [numbers[1], numbers[0], 1]
        return dt.date(*numbers)
    if numbers[0] > 31:
        return dt.date(*numbers)
    first, second, year = numbers
    return dt.date(year, first, second) if country == "US" else dt.date(year, second, first)
