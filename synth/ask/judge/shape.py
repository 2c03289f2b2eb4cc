"""What kind of thing a text is, and pieces of a text of the same kind."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from synth.ask.judge.page import fold
from synth.ask.values import looks_like_date

_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?|"
    r"(?:জানুয়ারি|ফেব্রুয়ারি|মার্চ|এপ্রিল|মে|জুন|জুলাই|আগস্ট|সেপ্টেম্বর|অক্টোবর|নভেম্বর|ডিসেম্বর)"
)
_DATE = re.compile(
    rf"\d{{4}} ?[-/.年] ?\d{{1,2}} ?[-/.月] ?\d{{1,2}} ?日?|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}|"
    rf"\d{{1,2}} (?:{_MONTH}),? \d{{4}}|(?:{_MONTH}) \d{{1,2}}, \d{{4}}"
)
_MONEY = re.compile(r"[-−]?\s?[$£€¥৳]?\s?\d[\d,]*\.\d{2}|[-−]?[$£€¥৳]\s?\d[\d,]*(?:\.\d+)?")
_AMOUNT = re.compile(r"[-−–]?\s?(?:[$£€¥৳]|usd|gbp|cny|bdt|tk\.?)?\s?\d[\d,]*(?:\.\d+)?(?:\s?(?:元|টাকা|taka))?")
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?")
_EMAIL = re.compile(r"\S+@\S+")


@lru_cache(maxsize=8192)
def shape(text: str) -> str:
    """email, date, time, money, percent, integer, code (mostly digits) or text."""
    bare = " ".join(fold(text).split()).strip(".,;。 ")
    if _EMAIL.fullmatch(bare):
        return "email"
    if looks_like_date(bare) or _DATE.fullmatch(bare):
        return "date"
    if _TIME.fullmatch(bare):
        return "time"
    if _MONEY.fullmatch(bare):
        return "money"
    if re.fullmatch(r"\d+(?:\.\d+)? ?%", bare):
        return "percent"
    if re.fullmatch(r"\d{1,6}(?:\.\d+)?", bare):
        return "integer"
    digits = sum(c.isdigit() for c in bare)
    return "code" if digits and digits >= 0.4 * len(bare.replace(" ", "")) and digits > 3 else "text"


@lru_cache(maxsize=8192)
def amount(text: str) -> Decimal | None:
    """The number that a text is, with or without currency; None for dates, codes with dashes and words."""
    bare = fold(text).strip(" .,;。()")
    if not _AMOUNT.fullmatch(bare):
        return None
    digits = re.sub(r"[^\d.]", "", bare).strip(".")
    try:
        value = Decimal(digits)
    except InvalidOperation:
        return None
    return -value if bare[0] in "-−–" else value


@lru_cache(maxsize=8192)
def measure(text: str) -> Decimal | None:
    """The number that a text is or begins with, such as 100 of `100 pcs`; None where more than a unit follows."""
    bare = fold(text).strip(" .,;。()")
    match = re.fullmatch(r"([-−–]?\d[\d,]*(?:\.\d+)?) ?[^\d\s]{1,8}", bare)
    return amount(text) if amount(text) is not None else amount(match[1]) if match else None


@lru_cache(maxsize=8192)
def parts(text: str, kind: str) -> tuple[tuple[int, int], ...]:
    """Spans of a folded text that are of this kind; none for plain text."""
    pattern = {"date": _DATE, "money": _MONEY, "time": _TIME, "email": _EMAIL}.get(kind)
    if kind == "integer":
        pattern = re.compile(r"(?<![\w.,\-/])\d{1,6}(?:\.\d+)?(?![\w,\-/]|\.\d)")
    if kind == "percent":
        pattern = re.compile(r"\d+(?:\.\d+)? ?%")
    if kind == "code":
        pattern = re.compile(r"[\w()+-]*\d[\w()/+-]*(?: \d[\w/+-]*)*")
    spans = [m.span() for m in pattern.finditer(text)] if pattern else []
    if kind in ("code", "integer"):
        dates = [m.span() for m in _DATE.finditer(text)]
        inside = [(a, b) for a, b in spans if any(x <= a and b <= y and b - a < y - x for x, y in dates)]
        spans = [span for span in spans if span not in inside and not (kind == "integer" and span in dates)]
    if kind == "code":
        spans = [(a, b) for a, b in spans if sum(c.isdigit() for c in text[a:b]) > 3]
    return tuple(spans)
