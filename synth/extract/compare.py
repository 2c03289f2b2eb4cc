"""A text as extracted, held against the text that was printed."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein


@dataclass(frozen=True)
class Comparison:
    """`edits`: Levenshtein distance. `lost`, `added`: characters of one text alone, wherever they stand."""

    characters: int
    edits: int
    lost: int
    added: int

    @property
    def cer(self) -> float:
        return self.edits / max(1, self.characters)

    @property
    def outcome(self) -> str:
        """ "exact", "reordered" (the same characters in another order), or what became of the characters."""
        if not self.edits:
            return "exact"
        found = [f"{number} {word}" for number, word in ((self.lost, "lost"), (self.added, "added")) if number]
        return ", ".join(found) or "reordered"


def compare(printed: str, read: str) -> Comparison:
    """Both normalised first."""
    a, b = normal(printed), normal(read)
    left, right = Counter(a), Counter(b)
    return Comparison(len(a), Levenshtein.distance(a, b), (left - right).total(), (right - left).total())


def normal(text: str) -> str:
    """NFKC (so that a ligature is its letters), without white space and without characters of format (joiners, soft
    hyphens, marks of direction)."""
    folded = unicodedata.normalize("NFKC", text)
    return "".join(c for c in folded if not c.isspace() and unicodedata.category(c) not in ("Cf", "Cc"))
