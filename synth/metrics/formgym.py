"""FormGym: what counts as a correctly filled field, kind by kind, and the accuracy of a filled form."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from dateutil.parser import ParserError, parse, parserinfo

from synth.metrics import Mode

_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation, " "))
_CHECKS = frozenset("x✓✔✗✘☑☒√")
_SCALE_OF_YEARS = re.compile(r"(\d+)\s*(?:years?|yrs?|y)\b", re.IGNORECASE)
_SCALE_OF_MONTHS = re.compile(r"(\d+)\s*(?:months?|mos?|m)\b", re.IGNORECASE)
NOT_SCORED = ("None", False, "", None, "N/A")
"""Truths that leave a field out of the accuracy, by ==, so 0 and 0.0 go too."""


@dataclass(frozen=True)
class Mark:
    """A text an agent put on the page; its centre in shares of the page. `action` is `PlaceText` or `Sign`."""

    cx: float
    cy: float
    value: str
    action: str | None = None


@dataclass(frozen=True)
class FormField:
    """A field of a form: kind (a key of `KINDS`), box (x, y, width, height) in shares of the page, wanted content."""

    kind: str
    box: tuple[float, float, float, float]
    truth: Any
    prefilled: bool = False


@dataclass(frozen=True)
class FormScore:
    """Accuracy over the scored fields (None: none is scored), and every field's verdict and joined text."""

    accuracy: float | None
    correct: int
    total: int
    per_field: list[bool]
    pred: list[str]


def inside(box: Sequence[float], cx: float, cy: float) -> bool:
    """Whether a centre lies in the box (x, y, width, height), borders included. Source: section 6.2."""
    x, y, width, height = box
    return x <= cx <= x + width and y <= cy <= y + height


def join(marks: Sequence[Mark]) -> str:
    """The texts of a field from top to bottom, then left to right, joined by blanks. Source: section 6.2.

    Any difference in height decides before the horizontal place.
    """
    return " ".join([mark.value for mark in sorted(marks, key=lambda mark: (mark.cy, mark.cx))])


def _bare(text: str) -> str:
    """ASCII punctuation as blanks, blanks collapsed."""
    return " ".join("".join(text).translate(_PUNCTUATION).split())


def _folded(text: str) -> str:
    """Any script's case, compatibility forms and punctuation folded."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(" " if unicodedata.category(c)[0] in "PZ" else c for c in plain).split())


def string_correct(marks: Sequence[Mark], truth: str, mode: Mode = "compat") -> bool:
    """The same words, whatever case and punctuation (`compat`: ASCII punctuation only, no compatibility folding)."""
    fold: Callable[[str], str] = _folded if mode == "strict" else lambda text: _bare(text).lower()
    return fold(truth) == fold(join(marks))


def numeric_correct(marks: Sequence[Mark], truth: str, mode: Mode = "compat") -> bool:
    """The same number. `compat` compares the ASCII digits and dots left over, so `N/A` equals an empty truth and
    1200 is not 1200.00; `strict` compares values where both sides are numbers and the digits where they are not."""
    text = join(marks)
    if mode == "strict":
        one, two = _number(text), _number(truth)
        if one is not None and two is not None:
            return one == two
        digits = ["".join(filter(str.isdigit, unicodedata.normalize("NFKC", side))) for side in (text, truth)]
        return digits[0] == digits[1] != "" or text.strip() == truth.strip()
    one, two = ([c for c in list(side) if c in "0123456789."] for side in (truth, text))
    return one == two


def _number(text: str) -> Decimal | None:
    plain = re.sub(r"[\s,$€£¥%]", "", unicodedata.normalize("NFKC", text))
    try:
        value = Decimal(plain)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def checkbox_correct(marks: Sequence[Mark], truth: bool, mode: Mode = "compat") -> bool:
    """One x where a tick is wanted, nothing where none is. `strict` also takes tick and cross signs.

    AssertionError for a truth that is no boolean.
    """
    if not isinstance(truth, bool):
        raise AssertionError("the truth of a checkbox is true or false")
    text = join(marks).lower()
    if mode == "strict":
        text = text.strip()
        return text in _CHECKS if truth else not text
    return text == ("x" if truth else "")


class _Century(parserinfo):
    """Two-digit years within 1976 to 2075, whatever year it is (dateutil's own rule as of 2026)."""

    def convertyear(self, year: int, century_specified: bool = False) -> int:
        if year < 100 and not century_specified:
            return year + (1900 if year >= 76 else 2000)
        return year


_DEFAULTS = datetime(2003, 1, 1), datetime(2008, 6, 2)


def _dates(text: str) -> tuple[date, ...]:
    """The date read with two different defaults for the parts it lacks: they agree only where nothing is lacking."""
    return tuple(parse(text, parserinfo=_Century(), default=default).date() for default in _DEFAULTS)


def date_correct(marks: Sequence[Mark], truth: str, mode: Mode = "compat") -> bool:
    """The same day, read month first by dateutil; a date without its day or year equals only one that lacks it too.

    The released code fills such gaps from today's date; here nothing depends on the clock. An unreadable truth raises
    ParserError in `compat` and is wrong in `strict`. AssertionError for a truth that is no text.
    """
    if not isinstance(truth, str):
        raise AssertionError("the truth of a date is text")
    text = join(marks)
    try:
        wanted = _dates(truth)
    except (ParserError, OverflowError):
        if mode == "compat":
            raise
        return False
    try:
        return _dates(text) == wanted
    except (ParserError, OverflowError):
        return False


def name_correct(marks: Sequence[Mark], truth: str, mode: Mode = "compat") -> bool:
    """`strict`: the full name, as `string_correct` (section 3.2). `compat`: at least three different words, all of them
    words of the name, in any order; a name of two words can never match. AssertionError for a truth that is no text."""
    if not isinstance(truth, str):
        raise AssertionError("the truth of a name is text")
    if mode == "strict":
        return string_correct(marks, truth, mode)
    words, allowed = join(marks).split(), truth.split()
    return len(set(words)) > 2 and all(word in allowed for word in words)


def duration_correct(marks: Sequence[Mark], truth: str, mode: Mode = "compat") -> bool:
    """The same number of months (`truth`), written as years and months. Nothing is never correct.

    `compat` knows only `N year` and `N month` in lower case; `strict` also abbreviations, any case and a bare number of
    months. ValueError for a truth that is no integer.
    """
    text = join(marks)
    if not text.strip() if mode == "strict" else not text:
        return False
    if mode == "strict":
        if text.strip().isdecimal():
            return int(text) == int(truth)
        years, months = _SCALE_OF_YEARS.search(text), _SCALE_OF_MONTHS.search(text)
        if not years and not months:
            return False
    else:
        years, months = re.search(r"(\d+) year", text), re.search(r"(\d+) month", text)
    total = (12 * int(years[1]) if years else 0) + (int(months[1]) if months else 0)
    return total == int(truth)


def signature_correct(marks: Sequence[Mark], truth: str, mode: Mode = "compat") -> bool:
    """Exactly one mark, put there by signing, with exactly the wanted text (`strict`: ends trimmed)."""
    if len(marks) != 1 or marks[0].action != "Sign":
        return False
    return marks[0].value.strip() == truth.strip() if mode == "strict" else marks[0].value == truth


KINDS: dict[str, Callable[[Sequence[Mark], Any, Mode], bool]] = {
    "BaseStringField": string_correct,
    "BaseNumericField": numeric_correct,
    "BaseCheckboxField": checkbox_correct,
    "BaseDateField": date_correct,
    "BaseNameField": name_correct,
    "BaseDurationField": duration_correct,
    "SignOrInitial": signature_correct,
}


def document_accuracy(fields: Sequence[FormField], marks: Sequence[Mark], mode: Mode = "compat") -> FormScore:
    """Share of correct fields among those that are not prefilled and should not stay empty. Source: section 6.2.

    A mark counts for every field it lies in. With nothing to score `compat` raises ZeroDivisionError, `strict`
    gives None.
    """
    verdicts, texts = [], []
    for item in fields:
        here = [mark for mark in marks if inside(item.box, mark.cx, mark.cy)]
        texts.append(join(here))
        verdicts.append(KINDS[item.kind](here, item.truth, mode))
    scored = [
        verdict
        for item, verdict in zip(fields, verdicts, strict=True)
        if not item.prefilled and item.truth not in NOT_SCORED
    ]
    if not scored and mode == "compat":
        raise ZeroDivisionError("no field to score")
    accuracy = sum(scored) / len(scored) if scored else None
    return FormScore(accuracy, sum(scored), len(scored), verdicts, texts)
