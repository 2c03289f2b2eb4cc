"""Cleaning: what is left of a text when all that a typesetter or an extractor may change is taken away.

Rules, in this order, character by character:
1. NFKC and case folding: ligatures, presentation forms, full and half width, superscripts, capitals.
2. NFD outside Hangul, and marks go: accents, Arabic vowels, and of Indic scripts the virama, the nukta and the vowel
   signs set before their consonant, which some extractors put there. Other vowel signs stay, but repeated ones count
   once, since extractors double them.
3. Only letters and digits stay: no white space, hyphens (soft, hard, added at a break), quotes, bullets, dot leaders,
   joiners, private-use characters, replacement characters.
So the end of a line and the start of the next join as the words did before they were broken.
A text with no letter or digit keeps its symbols and punctuation instead.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# Scripts in which one character says as much as two or three letters, and those that write syllables (abugidas).
DENSE = ((0x2E80, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
HALF_DENSE = ((0x0900, 0x109F), (0x1780, 0x17FF), (0x1B00, 0x1BFF), (0x11000, 0x116FF))
_INDIC = re.compile("[\u0900-\u0dff\u1780-\u17ff\u1b00-\u1bff]")
# Vowel signs that are set to the left of their consonant (Indic_Positional_Category, left).
_LEFT = set(
    "\u093f\u094e\u09bf\u09c7\u09c8\u0a3f\u0abf\u0b47\u0bc6\u0bc7\u0bc8\u0d46\u0d47\u0d48\u0dd9\u0ddb"
    "\u17c1\u17c2\u17c3\u1b3e\u1b3f\u1ba6"
)
_DOUBLED = re.compile("([\u0900-\u0dff\u1780-\u17ff\u1b00-\u1bff])\\1+")
_HANGUL = range(0xAC00, 0xD7A4)
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff]")


class _Table(dict[int, str]):
    """What becomes of each character; filled as characters are met, for `str.translate`."""

    def __init__(self, kept: str) -> None:
        super().__init__()
        self._kept = kept

    def __missing__(self, code: int) -> str:
        folded = unicodedata.normalize("NFKC", chr(code)).casefold()
        parts = (c if ord(c) in _HANGUL else unicodedata.normalize("NFD", c) for c in folded)
        self[code] = "".join(c for part in parts for c in part if self._keeps(c))
        return self[code]

    def _keeps(self, c: str) -> bool:
        kind = unicodedata.category(c)[0]
        sign = kind == "M" and _INDIC.match(c) and c not in _LEFT and unicodedata.combining(c) not in (7, 9)
        return kind in self._kept or bool(sign)


_LETTERS = _Table("LN")
_SYMBOLS = _Table("LNPS")


def clean(text: str) -> str:
    """The letters and digits that are compared; symbols if there are none."""
    return letters(text) or text.translate(_SYMBOLS)


def letters(text: str) -> str:
    """The same without the symbols."""
    key = text.translate(_LETTERS)
    return key if key.isascii() else _DOUBLED.sub(_once, key)


def _once(match: re.Match[str]) -> str:
    """Of a repeated vowel sign one, of a repeated letter all."""
    return match[1] if unicodedata.category(match[1])[0] == "M" else match[0]


def mirrored(key: str) -> bool:
    """Whether most letters are written from right to left, so that an extractor may have turned them round."""
    return not key.isascii() and len(_RTL.findall(key)) * 2 > len(key)


@dataclass(frozen=True)
class Joined:
    """Cleaned texts one after another. `starts` has one more entry than there are texts: the whole length.

    `codes` are the code points; `dense` is 1 for a character of a dense script, 0.5 for one of an abugida, else 0;
    `weights` is the running sum of what characters tell: 2 a dense one, 1 any other.
    """

    keys: tuple[str, ...]
    text: str
    starts: np.ndarray
    codes: np.ndarray
    dense: np.ndarray
    weights: np.ndarray

    def weight(self, start: int, end: int) -> float:
        return float(self.weights[end] - self.weights[start])


def join(keys: Sequence[str]) -> Joined:
    """Texts that are cleaned already, joined for the index."""
    text = "".join(keys)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)
    starts = np.zeros(len(keys) + 1, np.int64)
    np.cumsum([len(key) for key in keys], out=starts[1:])
    dense = np.zeros(len(codes))
    for ranges, value in ((DENSE, 1.0), (HALF_DENSE, 0.5)):
        for first, last in ranges:
            dense[(codes >= first) & (codes <= last)] = value
    weights = np.zeros(len(codes) + 1)
    np.cumsum(1.0 + (dense == 1.0), out=weights[1:])
    return Joined(tuple(keys), text, starts, codes, dense, weights)
