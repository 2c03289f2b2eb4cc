"""Numbers, money and dates as each locale prints them. Amounts are whole cents; no draw happens here."""

from __future__ import annotations

import datetime as dt

from babel.dates import format_date

_BANGLA_DIGITS = str.maketrans("0123456789", "০১২৩৪৫৬৭৮৯")
_LATIN_DIGITS = str.maketrans("০১২৩৪৫৬৭৮৯", "0123456789")
LOCALES = {"US": "en_US", "GB": "en_GB", "CN": "zh_Hans_CN", "BD": "bn_BD"}

# Named date styles of each country: strftime-free patterns of Babel (CLDR), the first being the most usual.
DATE_STYLES: dict[str, tuple[str, ...]] = {
    "US": ("MM/dd/yyyy", "MM/dd/yy", "MMMM d, yyyy", "MMM d, yyyy", "yyyy-MM-dd", "MM-dd-yyyy"),
    "GB": ("dd/MM/yyyy", "dd/MM/yy", "d MMMM yyyy", "dd MMM yyyy", "dd-MM-yyyy", "dd.MM.yyyy"),
    "CN": ("yyyy-MM-dd", "yyyy年MM月dd日", "yyyy年M月d日", "yyyy/MM/dd", "yyyy.MM.dd"),
    "BD": ("dd/MM/yyyy", "dd-MM-yyyy", "d MMMM yyyy", "dd/MM/yy", "d MMMM, yyyy"),
}
LONG_DATE = {"US": "MMMM d, yyyy", "GB": "d MMMM yyyy", "CN": "yyyy年M月d日", "BD": "d MMMM yyyy"}


def bangla_digits(text: str) -> str:
    return text.translate(_BANGLA_DIGITS)


def latin_digits(text: str) -> str:
    return text.translate(_LATIN_DIGITS)


def grouped(number: int, indian: bool) -> str:
    """Digits in groups of three, or of two after the first three (lakh, crore)."""
    if not indian or abs(number) < 1000:
        return f"{number:,}"
    head, tail = divmod(abs(number), 1000)
    return ("-" if number < 0 else "") + _pairs(head) + f",{tail:03d}"


def _pairs(number: int) -> str:
    return str(number) if number < 100 else f"{_pairs(number // 100)},{number % 100:02d}"


def amount(cents: int, language: str, group: bool = True) -> str:
    """Amount with two decimals and no currency, `1,234.50`; Bangla with its digits and lakh groups."""
    whole, part = divmod(abs(cents), 100)
    text = (grouped(whole, language == "bn") if group else str(whole)) + f".{part:02d}"
    text = f"-{text}" if cents < 0 else text
    return bangla_digits(text) if language == "bn" else text


def quantity(thousandths: int, language: str) -> str:
    """Quantity from thousandths without idle zeros: 1500 is `1.5`, 2000 is `2`."""
    whole, part = divmod(thousandths, 1000)
    text = str(whole) + (f".{part:03d}".rstrip("0") if part else "")
    return bangla_digits(text) if language == "bn" else text


def percent(basis_points: int, language: str) -> str:
    """Rate from hundredths of a percent: 825 is `8.25%`."""
    whole, part = divmod(basis_points, 100)
    text = str(whole) + (f".{part:02d}".rstrip("0") if part else "") + "%"
    return bangla_digits(text) if language == "bn" else text


def date(day: dt.date, country: str, pattern: str) -> str:
    """Date by a CLDR pattern in the country's language and digits."""
    text = format_date(day, pattern, locale=LOCALES[country])
    return bangla_digits(text) if country == "BD" else text


def clock(minute: int, second: int | None, style: str, language: str) -> str:
    """Time of day from the minute of the day; style `24` or `12`."""
    hour, minute = divmod(minute, 60)
    seconds = "" if second is None else f":{second:02d}"
    if style == "24":
        text = f"{hour:02d}:{minute:02d}{seconds}"
    else:
        text = f"{(hour - 1) % 12 + 1}:{minute:02d}{seconds} {'AM' if hour < 12 else 'PM'}"
    return bangla_digits(text) if language == "bn" else text
