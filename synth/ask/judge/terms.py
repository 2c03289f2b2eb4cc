"""What a question names on the page, and how well a place on the page goes with it."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from synth.ask.judge.grid import Grid
from synth.ask.judge.page import Pages, Piece, fold, tight
from synth.ask.judge.question import Asked, alike, content, same
from synth.ask.judge.shape import parts, shape

LONG = {"en": 60, "zh": 26, "bn": 60}  # characters from which a piece is running text
_NEAR = 12.0  # words over which nearness in running text fades
NEARNESS = 0.35  # what nearness weighs beside a label
_RATE = re.compile(r"[(\[]?\d+(\.\d+)? ?%[)\]]?")  # a rate beside a label is no part of it
ELSEWHERE = 0.4  # what a label counts that stands in another section
REACH = 80  # words over which a section or a name reaches
STRONG = 0.5  # share of a label that has to be named


@dataclass(frozen=True)
class Term:
    """A text of the page that the question names, wherever it stands. `cover` is the share of it that is named."""

    text: str
    pieces: tuple[Piece, ...]
    weight: float
    cover: float
    at: int
    """Where it stands in the tight question; -1 where only its words do."""


def terms(asked: Asked, pages: Pages) -> list[Term]:
    """Texts that the question names, weightiest first. Words that a longer text takes count little elsewhere."""
    groups: dict[str, list[Piece]] = defaultdict(list)
    for piece in pages.pieces:
        if len(piece.text) <= LONG[asked.language]:
            groups[tight(_RATE.sub("", fold(piece.text))).strip(":.ঃ")].append(piece)
    found: list[tuple[float, float, str, frozenset[str], int]] = []
    for text in (t for t in groups if len(t) > 1):
        words = content(_RATE.sub("", fold(groups[text][0].text)), asked.language)
        at = _whole(text, asked)
        if at >= 0:
            named = frozenset(q for q in asked.tokens if any(alike(q, w, asked.language) for w in words))
            found.append((1.0, 1.0 + len(text) / 4, text, named, at))
        elif words:
            hit = [w for w in words if any(alike(q, w, asked.language) for q in asked.tokens)]
            cover = len(hit) / len(words)
            exact = sum(any(same(q, w, asked.language) for q in asked.tokens) for w in words)
            cover = (0.6 * cover + 0.4 * exact / len(words)) if exact < len(hit) else cover
            if cover >= 0.5:
                named = frozenset(q for q in asked.tokens if any(alike(q, w, asked.language) for w in hit))
                found.append((cover, cover * (0.5 + len("".join(hit)) / 4), text, named, -1))
    found.sort(key=lambda f: (-f[1], f[2]))
    taken: set[str] = set()
    by_named: dict[frozenset[str], int] = {}
    spans: list[tuple[int, int]] = []
    result: list[Term] = []
    for cover, size, text, named, at in found:
        inside = at >= 0 and any(a <= at and at + len(text) <= b for a, b in spans)
        fresh = len(named - taken) / len(named) if named else 1.0
        if at >= 0:
            fresh = 0.0 if inside else 1.0
        alike_one = by_named.get(named) if named and at < 0 and cover >= STRONG else None
        if alike_one is not None:  # another wording of the same label: as good a place to look
            first = result[alike_one]
            result[alike_one] = replace(first, pieces=(*first.pieces, *groups[text]))
            continue
        if named and not inside and tight(text) not in {tight(q) for q in asked.quoted}:
            by_named.setdefault(named, len(result))
        weight = cover**1.5 * (0.15 + 0.85 * fresh) * min(1.5, 0.4 + size / 4) / math.sqrt(len(groups[text]))
        result.append(Term(text, tuple(groups[text]), weight, cover, at))
        if cover > 0.6:
            taken |= named
            if at >= 0:
                spans.append((at, at + len(text)))
    return result


def _whole(text: str, asked: Asked) -> int:
    """Where a whole text stands in the question, -1 where it does not, or only inside other words."""
    if len(text) < 2 or (len(text) < 3 and asked.language == "en"):
        return -1
    at = asked.tight.find(text)
    while at >= 0:
        before, after = asked.tight[at - 1 : at], asked.tight[at + len(text) : at + len(text) + 1]
        if not (text[0].isdigit() and before.isdigit()) and not (text[-1].isdigit() and after.isdigit()):
            pattern = r"\s*".join(map(re.escape, text))
            if asked.language == "zh" or re.search(rf"(?<!\w){pattern}(?!\w)", asked.core):
                return at
        at = asked.tight.find(text, at + 1)
    return -1


def relation(key: Piece, run: Sequence[int], pages: Pages) -> float:
    """How well words go with a label: 1 right of it or right below it, less farther off, 0 elsewhere."""
    first = pages.piece_of[run[0]]
    if first.page != key.page:
        return 0.0
    if first.id == key.id:
        return 0.0 if set(key.words) <= set(run) else 0.8
    if first.row == key.row:
        if first.x0 < key.x0:
            return 0.3
        row = pages.rows[key.row]
        between = [p for p in row if key.x0 < p.x0 < first.x0 and p.id != key.id]
        if any(p.is_label for p in between):
            return 0.2
        return max(0.55, 1.0 - 0.12 * len(between))
    if first.y0 < key.y0 or first.over(key) <= 0:
        gap = (key.y0 - first.y1) / max(key.height, first.height)
        if first.over(key) > 0.3 and -0.3 < gap < 1.5:
            # A label under the line that is filled in, unless it has a value of its own below it.
            nearest = max(gap, 0.2)
            own = [p for p in pages.pieces if p.page == key.page and -0.3 < (p.y0 - key.y1) / key.height < nearest]
            return 0.25 if any(p.over(key) > 0.3 and p.id != key.id for p in own) else 0.6
        follows = run[0] - key.words[-1]
        return 0.35 if 0 < follows <= 3 else 0.0
    above = [
        p
        for p in pages.pieces
        if p.page == key.page and key.y1 <= (p.y0 + p.y1) / 2 <= first.y0 + 0.3 * first.height and p.over(key) > 0
    ]
    above = [p for p in above if p.id != first.id]
    right = next((p for p in pages.rows[key.row] if p.x0 > key.x1), None)
    if right is not None and shape(right.text) != "text":
        return 0.4  # its value stands beside it
    gap = (first.y0 - key.y1) / max(key.height, first.height)
    if not above:
        return 1.0 if gap < 2.5 else 0.6 if gap < 6 else 0.3
    kind = shape(first.text)
    return 0.85 if all(shape(p.text) == kind for p in above) else 0.45


class Scorer:
    """Scores runs of words by the terms of a question."""

    def __init__(self, asked: Asked, pages: Pages, tables: Sequence[Grid]) -> None:
        self.asked, self.pages = asked, pages
        self.terms = terms(asked, pages)
        self._heads = {head.id: grid for grid in tables for head in grid.heads}
        self._rows = {piece.id: row for grid in tables for row in grid.rows for piece in row.pieces}
        self._cells = {piece.id: grid for grid in tables for row in grid.rows for piece in row.pieces}
        self._hits = self._token_hits()
        self._meant = {t.text: piece for t in self.terms[:8] if (piece := self._piece_meant(t)) is not None}

    def _token_hits(self) -> list[tuple[str, float, list[int]]]:
        """Where each content word of the question stands, with its weight by how rare it is."""
        language = self.asked.language
        if language == "zh":
            stream, owners = self.pages.stream
            places = {
                t: sorted({owners[m.start()] for m in re.finditer(re.escape(t), stream)})
                for t in set(self.asked.tokens)
            }
        else:
            words = [content(w.text, language) for w in self.pages.words]
            places = {
                t: [i for i, ws in enumerate(words) if any(alike(t, w, language) for w in ws)]
                for t in set(self.asked.tokens)
            }
        return [(t, 1 / math.sqrt(len(at)), at) for t, at in sorted(places.items()) if 0 < len(at) <= 12]

    def _piece_meant(self, term: Term) -> int | None:
        """Of a label that stands several times, the one that follows the section or the name that is also asked for."""
        if not 1 < len(term.pieces) < 5:
            return None
        own = content(term.pieces[0].text, self.asked.language)
        best: list[tuple[int, int]] = []
        for token, _, places in self._hits:
            if len(places) > 3 or any(alike(token, w, self.asked.language) for w in own):
                continue
            gaps = [(p.words[0] - at, p.id) for p in term.pieces for at in places if 0 < p.words[0] - at < REACH]
            best += [min(gaps)] if gaps else []
        chosen = {piece for _, piece in best}
        return chosen.pop() if len(chosen) == 1 else None

    def fit(self, run: Sequence[int]) -> tuple[float, ...]:
        """How well words go with each strong term, times its weight, and last how near they are to all words asked."""
        weights = [t.weight * (math.sqrt(len(t.pieces)) if t.text in self._meant else 1) for t in self.strong]
        near = NEARNESS * self.nearness(run)
        return (*(w * self.relation(t, run) for w, t in zip(weights, self.strong, strict=True)), near)

    def names_a_row(self, term: Term) -> bool:
        """Whether a term stands in the body of a table."""
        return any(p.id in self._rows for p in term.pieces)

    def relation(self, term: Term, run: Sequence[int]) -> float:
        """How well words go with a term, wherever it stands."""
        meant = self._meant.get(term.text)
        return max(
            self._relation(piece, run) * (1.0 if meant in (None, piece.id) else ELSEWHERE) for piece in term.pieces
        )

    def _relation(self, key: Piece, run: Sequence[int]) -> float:
        piece = self.pages.piece_of[run[0]]
        row = self._rows.get(piece.id)
        # In a chart the name stands below its number.
        if row is not None and row is self._rows.get(key.id) and (key.x0 < piece.x0 or key.y0 > piece.y1):
            return 0.9
        grid = self._heads.get(key.id)
        if grid is not None and self._cells.get(piece.id) is grid:
            return 0.95 if grid.head_of(piece) is key else 0.0
        return relation(key, run, self.pages)

    @cached_property
    def strong(self) -> list[Term]:
        return [t for t in self.terms if t.cover >= STRONG and t.weight > 0.3][:5]

    def nearness(self, run: Sequence[int]) -> float:
        near = 0.0
        page = self.pages.words[run[0]].page
        inside = set(run)
        for _, weight, places in self._hits:
            best = 0.0
            for i in places:
                if i in inside or self.pages.words[i].page != page:
                    continue
                apart = run[0] - i if i < run[0] else (i - run[-1]) * 1.5
                best = max(best, math.exp(-apart / _NEAR))
            near += weight * best
        return near

    def candidates(self, kind: str) -> list[tuple[int, ...]]:
        """Runs of words of the same kind as an answer."""
        found: list[tuple[int, ...]] = []
        named = {p.id for t in self.terms if t.cover > 0.9 for p in t.pieces}
        for piece in self.pages.pieces:
            if kind == "text":
                usable = not piece.is_label and piece.id not in named and len(piece.text) > 1
                if usable and shape(piece.text) == "text" and len(piece.text) <= LONG[self.asked.language]:
                    found.append(piece.words)
                continue
            if shape(piece.text) == kind:
                found.append(piece.words)
            else:
                found += self._inside(piece, kind)
        return found

    def _inside(self, piece: Piece, kind: str) -> list[tuple[int, ...]]:
        text, owners = "", []
        for i in piece.words:
            word = fold(self.pages.words[i].text) + (" " if self.pages.words[i].space_after else "")
            text += word
            owners += [i] * len(word)
        found = []
        for a, b in parts(text, kind):
            a += len(text[a:b]) - len(text[a:b].lstrip())
            found.append(tuple(range(owners[a], owners[b - 1] + 1)))
        return found
