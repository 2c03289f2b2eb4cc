"""When two texts of a word are equal, and what a PDF says each word is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

_UNSEEN = re.compile(r"[\s\u00ad\u200b\u2060\ufeff\ufffe]+")


class Piece(NamedTuple):
    """What a PDF says of one glyph: whose it is (-1: no word's), its span of ActualText (0: none), the text of either.

    `backwards`: in a run that is painted right to left.
    """

    word: int
    span: int
    text: str
    backwards: bool


def normal(text: str) -> str:
    """NFKC (ligatures, widths, presentation forms), without white space, soft hyphens and what prints nothing.

    pdfium says U+0002 for a hyphen at the end of a line.
    """
    if text.isascii() and text.isalnum():
        return text
    return _UNSEEN.sub("", unicodedata.normalize("NFKC", text.replace("\x02", "-")))


def same(dom: str, pdf: str, rtl: bool = False) -> bool:
    """Whether two texts of a word are equal.

    PDFs keep right-to-left text (`rtl`) in the order of painting, so there only the letters are compared.
    """
    if dom == pdf:
        return True
    a, b = normal(dom), normal(pdf)
    if rtl or any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in a):
        return sorted(a) == sorted(b)
    return a == b


def spoken(pieces: Iterable[Piece]) -> dict[int, str]:
    """Text of each word. A span of ActualText counts once, for the word it begins in; right-to-left runs are turned."""
    parts: dict[int, list[str]] = {}
    runs: dict[int, list[str]] = {}
    last_span = 0
    for word, span, text, backwards in pieces:
        if span and span == last_span:
            continue
        last_span = span
        if backwards:
            runs.setdefault(word, []).append(text)
            continue
        own = parts.setdefault(word, [])
        if word in runs:
            own += reversed(runs.pop(word))
        own.append(text)
    for word, run in runs.items():
        parts.setdefault(word, []).extend(reversed(run))
    return {word: "".join(texts) for word, texts in parts.items()}
