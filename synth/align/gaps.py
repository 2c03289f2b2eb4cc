"""What is left over: lines without a place, and text of the blocks that no line shows yet.

Here space counts (the spatial filter of MosaicDoc's Algorithm 1): a short or damaged line is given what is free beside
its neighbours on the page, since its own letters do not say enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein
from scipy.optimize import linear_sum_assignment

from synth.align.candidates import WORST, Option, Piece, option_at
from synth.align.model import PdfLine
from synth.align.sequence import SURE, TOLERANCE
from synth.align.text import Joined

NEAR = 300  # characters around its neighbours in which a line is looked for
REACH = 2.0  # heights of the text between a line and its neighbour on the page
ALIKE = 0.75  # least similarity of a line and a whole block where nothing else speaks
ROUGHLY = 0.3  # least similarity of lines and the gap between their neighbours
LOST = 6  # times a line's letters that may be missing within a block
TELLS = 4.0  # least weight of a line that is looked for in all free blocks
PAIRS = 200_000
LINE = 100  # longest gap that is held against ends of lines

Chosen = list[Option | None]


def near(one: PdfLine, two: PdfLine) -> bool:
    """Whether two lines stand side by side or one above the other, with no more than REACH between."""
    if one.page != two.page:
        return False
    across = max(one.box.x0, two.box.x0) - min(one.box.x1, two.box.x1)
    down = max(one.box.y0, two.box.y0) - min(one.box.y1, two.box.y1)
    reach = REACH * max(one.size, two.size)
    return across < reach and down < reach and min(across, down) < 0


class Gaps:
    """The blocks' text that is still free, and the pieces it can be given to; `chosen` is filled in."""

    def __init__(self, pieces: list[Piece], chosen: Chosen, blocks: Joined, lines: Sequence[PdfLine]) -> None:
        self.pieces, self.chosen, self.blocks, self.lines = pieces, chosen, blocks, lines
        self.free = bytearray(b"\1") * len(blocks.text)
        for option in chosen:
            if option is not None:
                self.free[option.start : option.end] = bytes(option.end - option.start)

    def fill(self) -> None:
        if all(option is not None and not option.head and not option.tail for option in self.chosen):
            return
        self._bridge()
        self._beside()
        self._spelled()
        self._whole_blocks()
        self._bridge()
        self._beside()
        self._remnants()

    def _take(self, number: int, option: Option | None) -> None:
        if option is not None:
            self.chosen[number] = option
            self.free[option.start : option.end] = bytes(option.end - option.start)

    def _open(self, start: int, end: int) -> bool:
        return 0 <= start < end <= len(self.free) and self.free.find(0, start, end) < 0

    def _near(self, a: int, b: int) -> bool:
        return near(self.lines[self.pieces[a].line], self.lines[self.pieces[b].line])

    def _bridge(self) -> None:
        """Lines between two that have a place are laid over the free text between those, all at once."""
        for empty, members in groupby(range(len(self.pieces)), key=lambda n: self.chosen[n] is None):
            run = list(members)
            before, after = run[0] - 1, run[-1] + 1
            if not empty or before < 0 or after >= len(self.pieces):
                continue
            one, two = self.chosen[before], self.chosen[after]
            if one is not None and two is not None:
                self._lay(self._linked(run, before, after), one.end, two.start)

    def _linked(self, run: list[int], before: int, after: int) -> list[int]:
        """Those of the run that hang together on the page with the line before or after it."""
        kept: list[int] = []
        last = before
        for number in run:
            if self._near(last, number):
                kept.append(number)
                last = number
        following, last = [], after
        for number in reversed(run):
            if self._near(number, last):
                following.append(number)
                last = number
        return sorted({*kept, *following})

    def _lay(self, run: list[int], start: int, end: int) -> None:
        keys = [self.pieces[number].key for number in run]
        size, gap = sum(map(len, keys)), end - start
        if not run or not self._open(start, end):
            return
        joined, there = "".join(keys), self.blocks.text[start:end]
        first, last = self.blocks.starts.searchsorted([start, end - 1], "right")
        # Between two lines of one block, beside them on the page: however little is left of it, it belongs there.
        within = first == last and size / 2 <= gap <= LOST * size
        alike = size / 2 <= gap <= size * 2 or abs(gap - size) <= 2
        if not within and not (alike and Levenshtein.normalized_similarity(joined, there) >= ROUGHLY):
            return
        place = _places(joined, there)
        at = 0
        for number, key in zip(run, keys, strict=True):
            a, b = start + place[at], start + place[at + len(key)]
            at += len(key)
            if b > a:
                score = Levenshtein.normalized_similarity(key, self.blocks.text[a:b])
                self._take(number, Option(a, b, 0.0, max(score, ROUGHLY)))

    def _beside(self) -> None:
        end, last = 0, -1
        for number, piece in enumerate(self.pieces):
            if self.chosen[number] is None and piece.key:
                self._take(number, self._after(number, end, last))
            option = self.chosen[number]
            if option is not None:
                end, last = option.end, number
        start, last = len(self.blocks.text), -1
        for number in range(len(self.pieces) - 1, -1, -1):
            if self.chosen[number] is None and self.pieces[number].key:
                self._take(number, self._before(number, start, last))
            option = self.chosen[number]
            if option is not None:
                start, last = option.start, number

    def _after(self, number: int, end: int, last: int) -> Option | None:
        """A free place from `end` on, where the piece `last` ended."""
        piece, text = self.pieces[number], self.blocks.text
        size = len(piece.key)
        linked = last >= 0 and self._near(last, number)
        if (linked or _tells(piece.key)) and text.startswith(piece.key, end) and self._open(end, end + size):
            return Option(end, end + size, piece.weight, 1.0)
        if size > TOLERANCE:
            at = text.find(piece.key, end, end + NEAR)
            if at >= 0 and self._open(at, at + size):
                return Option(at, at + size, piece.weight, 1.0)
        block_end = int(self.blocks.starts[self.blocks.starts.searchsorted(end, "right")]) if end < len(text) else end
        if linked and size / 2 <= block_end - end <= size * 2 and self._open(end, block_end):
            option = option_at(piece, end, block_end, self.blocks)
            if option is not None:
                return option
        return self._fits(piece, end, min(end + size, len(text)), linked)

    def _before(self, number: int, start: int, last: int) -> Option | None:
        """A free place up to `start`, where the piece `last` begins."""
        piece, text = self.pieces[number], self.blocks.text
        size = len(piece.key)
        linked = last >= 0 and self._near(number, last)
        if (linked or _tells(piece.key)) and text.endswith(piece.key, 0, start) and self._open(start - size, start):
            return Option(start - size, start, piece.weight, 1.0)
        if size > TOLERANCE:
            at = text.rfind(piece.key, max(0, start - NEAR), start)
            if at >= 0 and self._open(at, at + size):
                return Option(at, at + size, piece.weight, 1.0)
        block = int(self.blocks.starts[self.blocks.starts.searchsorted(start, "left") - 1]) if start else 0
        if linked and size / 2 <= start - block <= size * 2 and self._open(block, start):
            option = option_at(piece, block, start, self.blocks)
            if option is not None:
                return option
        return self._fits(piece, max(0, start - size), start, linked)

    def _fits(self, piece: Piece, start: int, end: int, linked: bool) -> Option | None:
        if len(piece.key) <= TOLERANCE or not self._open(start, end):
            return None
        option = option_at(piece, start, end, self.blocks)
        return option if option is not None and (option.score >= SURE or linked) else None

    def _spelled(self) -> None:
        """Short lines in a row that say together what stands free somewhere, like the letters around a stamp."""
        for empty, members in groupby(range(len(self.pieces)), key=lambda n: self.chosen[n] is None):
            run = [n for n in members if empty and len(self.pieces[n].key) <= TOLERANCE]
            joined = "".join(self.pieces[n].key for n in run)
            if len(run) < 2 or sum(self.pieces[n].weight for n in run) < 2 * TELLS:
                continue
            at = self.blocks.text.find(joined)
            while at >= 0 and not self._open(at, at + len(joined)):
                at = self.blocks.text.find(joined, at + 1)
            for number in run if at >= 0 else ():
                size = len(self.pieces[number].key)
                self._take(number, Option(at, at + size, 0.0, 1.0))
                at += size

    def _whole_blocks(self) -> None:
        """Whole blocks that nobody took, given to the lines that are most like them, each once (linear assignment)."""
        starts, keys = self.blocks.starts.tolist(), self.blocks.keys
        wholes = [at for at in range(len(keys)) if self._open(starts[at], starts[at + 1])]
        rows = [n for n, piece in enumerate(self.pieces) if self.chosen[n] is None and piece.weight >= TELLS]
        if not rows or not wholes or len(rows) * len(wholes) > PAIRS:
            return
        likeness = process.cdist(
            [self.pieces[n].key for n in rows],
            [keys[at] for at in wholes],
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=ALIKE,
            dtype=np.float32,
        )
        # Of equal ones the order on the page decides: the nearer in relative place, the better.
        apart = np.abs(np.array(rows)[:, None] / len(self.pieces) - np.array(wholes)[None, :] / len(keys))
        for row, column in zip(*linear_sum_assignment(likeness - 0.01 * apart, maximize=True), strict=True):
            if likeness[row, column] >= ALIKE:
                number, at = rows[row], wholes[column]
                self._take(number, option_at(self.pieces[number], starts[at], starts[at + 1], self.blocks))

    def _remnants(self) -> None:
        """Short ends of merged lines, and short lines, given to gaps of the same letters beside them on the page."""
        for number in range(len(self.pieces)):
            piece, option = self.pieces[number], self.chosen[number]
            if option is not None:
                for a, b in ((0, option.head), (len(piece.key) - option.tail, len(piece.key))):
                    if a < b:
                        part = (piece.start + a, piece.start + b)
                        weight = piece.weight * (b - a) / len(piece.key)
                        self.pieces.append(Piece(piece.line, *part, piece.key[a:b], weight))
                        self.chosen.append(None)
        rest = [n for n, piece in enumerate(self.pieces) if self.chosen[n] is None and piece.key]
        gaps = self._gaps()
        if not rest or not gaps or len(rest) * len(gaps) > PAIRS:
            return
        owner: dict[int, int] = {}
        for number, option in enumerate(self.chosen):
            if option is not None:
                owner[option.start] = owner[option.end] = self.pieces[number].line
        texts = [self.blocks.text[a:b] for a, b in gaps]
        keys = [self.pieces[n].key for n in rest]
        likeness = process.cdist(keys, texts, scorer=Levenshtein.normalized_similarity, score_cutoff=0.5)
        for row, column in sorted(np.argwhere(likeness >= WORST).tolist(), key=lambda at: -likeness[at[0], at[1]]):
            number, (start, end) = rest[row], gaps[column]
            if self.chosen[number] is not None or not self._open(start, end):
                continue
            beside = [owner[at] for at in (start, end) if at in owner]
            line = self.lines[self.pieces[number].line]
            if any(near(line, self.lines[other]) for other in beside) or (
                likeness[row, column] == 1.0 and self.pieces[number].weight >= 2 * TELLS
            ):
                self._take(number, Option(start, end, 0.0, float(likeness[row, column])))

    def _gaps(self) -> list[tuple[int, int]]:
        """Free stretches within a block that are no longer than a line."""
        found: list[tuple[int, int]] = []
        start = self.free.find(1)
        while start >= 0:
            end = self.free.find(0, start)
            end = len(self.free) if end < 0 else end
            first, last = self.blocks.starts.searchsorted([start, end], "right")
            cuts = [start, *(at for at in self.blocks.starts[first:last].tolist() if at < end), end]
            found += [(a, b) for a, b in pairwise(cuts) if b - a <= LINE]
            start = self.free.find(1, end)
        return found


def _tells(key: str) -> bool:
    """Whether it can be told by its letters at all; a page number is found in many a date."""
    return len(key) > TOLERANCE or not key.isdecimal()


def _places(text: str, there: str) -> list[int]:
    """Where each character of `text`, and its end, comes to lie in `there` when both are laid over each other."""
    places = [0] * (len(text) + 1)
    for code in Levenshtein.opcodes(text, there):
        size = max(1, code.src_end - code.src_start)
        for at in range(code.src_start, code.src_end):
            places[at] = code.dest_start + (at - code.src_start) * (code.dest_end - code.dest_start) // size
    places[0], places[-1] = 0, len(there)
    return places
