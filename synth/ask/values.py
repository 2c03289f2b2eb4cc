"""Printed numbers and dates as values, and values in the style of a printed number."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

_BANGLA = "০১২৩৪৫৬৭৮৯"
_LATIN = str.maketrans(_BANGLA, "0123456789")
_TO_BANGLA = str.maketrans("0123456789", _BANGLA)
_NUMBER = re.compile(r"(?P<sign>[-−–]?)(?P<head>[^\d\s.,-]{0,4}\s?)(?P<digits>\d[\d,]*(?:\.\d+)?)(?P<tail>\s?%?)")
_GROUPS = re.compile(r"\d{1,3}(,\d{2,3})*,\d{3}|\d+")
_CURRENCY = ("", "$", "£", "€", "¥", "￥", "৳", "USD", "GBP", "CNY", "BDT", "Tk", "Tk.", "টাকা", "RMB")
_EN_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_BN_MONTHS = tuple(
    unicodedata.normalize("NFC", month)
    for month in (
        "জানুয়ারি",
        "ফেব্রুয়ারি",
        "মার্চ",
        "এপ্রিল",
        "মে",
        "জুন",
        "জুলাই",
        "আগস্ট",
        "সেপ্টেম্বর",
        "অক্টোবর",
        "নভেম্বর",
        "ডিসেম্বর",
    )
)


def latin(text: str) -> str:
    """NFC with Bangla digits as Latin ones."""
    return unicodedata.normalize("NFC", text).translate(_LATIN)


@dataclass(frozen=True)
class Number:
    """A printed number and how it is printed: currency before it, decimals, grouping, digits."""

    value: Decimal
    head: str = ""
    decimals: int = 0
    grouped: str = ""  # "", "western" or "indian"
    bangla: bool = False
    tail: str = ""


def number(text: str) -> Number | None:
    """The number that a text is, with its currency or percent sign; None for codes, dates, units and words."""
    plain = latin(text).strip()
    match = _NUMBER.fullmatch(plain)
    if not match or match["head"].strip() not in _CURRENCY or not _GROUPS.fullmatch(match["digits"].split(".")[0]):
        return None
    whole, _, part = match["digits"].partition(".")
    if len(whole) > 1 and whole[0] == "0":
        return None  # a code
    value = Decimal(match["digits"].replace(",", ""))
    groups = whole.split(",")
    style = "" if len(groups) == 1 else "indian" if any(len(g) == 2 for g in groups[1:]) else "western"
    bangla = any(c in _BANGLA for c in text)
    if style == "western" and len(groups) == 2 and bangla:
        style = "indian"  # 1,234 looks the same in both
    return Number(-value if match["sign"] else value, match["head"], len(part), style, bangla, match["tail"])


def printed(value: Decimal, like: Number, other: Number | None = None) -> str:
    """A value as the page would print it: in the currency, decimals, grouping and digits of `like`."""
    decimals = max(like.decimals, other.decimals if other else 0)
    text = f"{abs(value):.{decimals}f}"
    whole, _, part = text.partition(".")
    style = like.grouped or (other.grouped if other else "")
    if style or (like.decimals == 2 and len(whole) > 3):
        whole = _group(whole, style == "indian" or like.bangla)
    text = f"{whole}.{part}" if part else whole
    text = f"{'-' if value < 0 else ''}{like.head}{text}{like.tail}"
    return text.translate(_TO_BANGLA) if like.bangla else text


def _group(whole: str, indian: bool) -> str:
    head, tail = whole[:-3], whole[-3:]
    if not head:
        return tail
    size = 2 if indian else 3
    parts = []
    while head:
        parts.append(head[-size:])
        head = head[:-size]
    return ",".join([*reversed(parts), tail])


def plain(value: Decimal) -> str:
    """A value without idle zeros or exponent."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def date(text: str, day_first: bool | None = None) -> dt.date | None:
    """The day that a text is, None if it is none or if day and month cannot be told apart.

    `day_first` decides for 03/04/2024 where the document tells it.
    """
    text = latin(text).strip()
    if match := re.fullmatch(r"(\d{4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})\s?日?", text):
        return _day(int(match[1]), int(match[2]), int(match[3]))
    if match := re.fullmatch(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})", text):
        first, second, year = (int(g) for g in match.groups())
        year += 2000 if year < 100 else 0
        if first > 12 or day_first is True or first == second:
            return _day(year, second, first)
        if second > 12 or day_first is False:
            return _day(year, first, second)
        return None
    if match := re.fullmatch(r"(\d{1,2}) (\S+?),? (\d{4})", text):
        month = _month(match[2])
        return _day(int(match[3]), month, int(match[1])) if month else None
    if match := re.fullmatch(r"([A-Za-z]{3,9})\.? (\d{1,2}), (\d{4})", text):
        month = _month(match[1])
        return _day(int(match[3]), month, int(match[2])) if month else None
    return None


def looks_like_date(text: str) -> bool:
    return date(text, day_first=True) is not None or date(text, day_first=False) is not None


def day_order(texts: list[str]) -> bool | None:
    """Whether the ambiguous dates of a document have the day first, by those that are not; None if none tells."""
    for text in texts:
        match = re.fullmatch(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})", latin(text).strip())
        if match and max(int(match[1]), int(match[2])) > 12:
            return int(match[1]) > 12
    return None


def _month(name: str) -> int | None:
    if name[:3].lower() in _EN_MONTHS:
        return _EN_MONTHS.index(name[:3].lower()) + 1
    return _BN_MONTHS.index(name) + 1 if name in _BN_MONTHS else None


def _day(year: int, month: int, day: int) -> dt.date | None:
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def normal(text: str, day_first: bool | None = None) -> str:
    """Normalised form of a printed answer: a bare number, an ISO date, or NFC text with single spaces."""
    if found := number(text):
        return plain(found.value)
    if day := date(text, day_first):
        return day.isoformat()
    return " ".join(unicodedata.normalize("NFC", text).split())
