"""The words of a document as a judge sees them: a text to search, pieces of lines, and rows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from synth.ask.values import latin

T = TypeVar("T")

_FOLD = str.maketrans("：；，（）“”‘’—–−￥", ":;,()\"\"''---¥")
# The visarga ends a label in Bangla print as a colon does, but also titles and short forms.
_LABEL_END = re.compile(r"(?:[:：]|(?<!মো)(?<!মোছা)(?<!মোসা)(?<!ডা)(?<!লি)(?<!প্রো)(?<!ইঞ্জি)ঃ)$")


@dataclass(frozen=True)
class PageWord:
    """A word with its advance box in any unit; words come in reading order."""

    page: int
    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    space_after: bool = True

    @property
    def height(self) -> float:
        return self.y1 - self.y0


@dataclass(frozen=True)
class Piece:
    """Words of one line with no gap between them: a cell's line, a label, a line of prose. `row` is its visual row."""

    id: int
    page: int
    row: int
    words: tuple[int, ...]
    text: str
    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def is_label(self) -> bool:
        return bool(_LABEL_END.search(self.text.rstrip()))

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    def over(self, other: Piece) -> float:
        """Width that two pieces share, as a share of the narrower."""
        shared = min(self.x1, other.x1) - max(self.x0, other.x0)
        return shared / max(1e-6, min(self.x1 - self.x0, other.x1 - other.x0))


# The same few hundred texts of a page are asked for again with every question about it.
@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """NFC, lower case, Latin digits, plain punctuation."""
    return unicodedata.normalize("NFC", latin(text)).lower().translate(_FOLD)


@lru_cache(maxsize=8192)
def tight(text: str) -> str:
    return "".join(fold(text).split())


class Pages:
    """All pages of one document. `rows` holds the pieces of each visual row from left to right, top to bottom."""

    def __init__(self, words: Sequence[PageWord]) -> None:
        self.words = list(words)
        self._memo: dict[str, Any] = {}
        self.pieces, self.rows = _pieces(self.words)
        self.piece_of: dict[int, Piece] = {w: piece for piece in self.pieces for w in piece.words}

    @cached_property
    def stream(self) -> tuple[str, list[int]]:
        """The folded text without white space, and the word of each of its characters."""
        parts, owners = [], []
        for number, word in enumerate(self.words):
            text = tight(word.text)
            parts.append(text)
            owners += [number] * len(text)
        return "".join(parts), owners

    def find(self, text: str) -> list[tuple[int, ...]]:
        """Runs of words that spell a text, wherever it stands on its own."""
        wanted = tight(text)
        stream, owners = self.stream
        found: list[tuple[int, ...]] = []
        start = stream.find(wanted) if wanted else -1
        while start >= 0:
            end = start + len(wanted)
            if self._cut_well(start, owners, stream) and self._cut_well(end, owners, stream, ending=True):
                found.append(tuple(range(owners[start], owners[end - 1] + 1)))
            start = stream.find(wanted, start + 1)
        return found

    def _cut_well(self, at: int, owners: list[int], stream: str, ending: bool = False) -> bool:
        """Whether a text may begin or end here: not inside a number or a Latin word, nor before a Bangla word's end.

        Bangla puts its case endings onto the word, so an answer may end up to four letters before a word does.
        """
        if at in (0, len(stream)) or owners[at - 1] != owners[at]:
            return True
        left, right = stream[at - 1], stream[at]
        if not (left.isalnum() and (right.isalnum() or unicodedata.category(right)[0] == "M")):
            # 1,234 and 12.50 are one number each
            return not (left in ".,'" and right.isdigit() and at > 1 and stream[at - 2].isdigit()) and not (
                right in ".,'" and left.isdigit() and at + 1 < len(stream) and stream[at + 1].isdigit()
            )
        if (left.isascii() and right.isascii()) or (left.isdigit() and right.isdigit()):
            return False
        if "ঀ" <= left <= "৿":
            rest = 0
            while at + rest < len(stream) and owners[at + rest] == owners[at]:
                rest += 1
            return ending and rest <= 4
        return True

    def memo(self, name: str, make: Callable[[], T]) -> T:
        """What `make` gives, made once for these pages."""
        if name not in self._memo:
            self._memo[name] = make()
        return self._memo[name]


def _pieces(words: list[PageWord]) -> tuple[list[Piece], list[list[Piece]]]:
    rows = _visual_rows(words)
    pieces: list[Piece] = []
    by_row: list[list[Piece]] = []
    for number, row in enumerate(rows):
        parts: list[list[int]] = []
        for index in row:
            word = words[index]
            if parts:
                last = words[parts[-1][-1]]
                gap = word.x0 - last.x1
                em = min(word.height, last.height)
                jump = index != parts[-1][-1] + 1
                if not any(c.isalnum() for c in word.text) and word.text.strip() in ":：":
                    parts[-1].append(index)  # a colon in a place of its own
                    continue
                if gap < 0.75 * em and not jump and not _LABEL_END.search(fold(last.text)):
                    parts[-1].append(index)
                    continue
            parts.append([index])
        made = []
        for part in parts:
            inside = [words[i] for i in part]
            text = "".join(w.text + (" " if w.space_after else "") for w in inside).strip()
            box = (
                min(w.x0 for w in inside),
                min(w.y0 for w in inside),
                max(w.x1 for w in inside),
                max(w.y1 for w in inside),
            )
            made.append(Piece(len(pieces) + len(made), inside[0].page, number, tuple(part), text, *box))
        pieces += made
        by_row.append(made)
    return pieces, by_row


def _visual_rows(words: list[PageWord]) -> list[list[int]]:
    """Words side by side, chained from neighbour to neighbour so that a page may be curved or turned a little."""
    parent = list(range(len(words)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    order = sorted(range(len(words)), key=lambda i: (words[i].page, words[i].x0))
    for place, i in enumerate(order):
        a = words[i]
        best, distance = None, float("inf")
        for j in order[place + 1 :]:
            b = words[j]
            if b.page != a.page:
                break
            if b.x0 - a.x1 > distance:
                break
            shared = min(a.y1, b.y1) - max(a.y0, b.y0)
            if shared > 0.5 * min(a.height, b.height) and b.x0 >= a.x0 + 0.3 * (a.x1 - a.x0):
                middle = abs((a.y0 + a.y1) - (b.y0 + b.y1)) / 2
                if middle < 0.45 * max(a.height, b.height):
                    best, distance = j, max(0.0, b.x0 - a.x1)
        if best is not None:
            parent[root(best)] = root(i)
    groups: dict[int, list[int]] = {}
    for i in order:
        groups.setdefault(root(i), []).append(i)

    def place_of(group: list[int]) -> tuple[int, float]:
        return words[group[0]].page, sum(words[i].y0 + words[i].y1 for i in group) / len(group)

    return sorted(groups.values(), key=place_of)
