"""Which candidate of each line: dynamic programming over the lines in the order of the page.

What follows on the page mostly follows in the HTML. A line is worth what agrees of it, and going on anywhere else than
where the line before ended costs something: the context score of MosaicDoc's Algorithm 1, taken over all lines at once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from math import log2
from typing import NamedTuple

from synth.align.candidates import Option, Piece, option_at
from synth.align.text import Joined

JUMP = 9.0  # the dearest way to go on, in letters
TOLERANCE = 3  # characters by which the end of a line is not known for sure
WHOLE = 4.0  # what it is worth to be exactly one block
SURE = 0.6  # share of a line that must agree where only its neighbours point to a place
STATES = 24

Bans = Mapping[int, Sequence[tuple[int, int]]]  # piece -> stretches of the blocks it may not take


class _State(NamedTuple):
    score: float
    end: int
    step: tuple[int, Option, tuple | None] | None


class Edges:
    """Where blocks begin, give or take a character."""

    def __init__(self, blocks: Joined) -> None:
        self.near = bytearray(len(blocks.text) + 2)
        for start in blocks.starts.tolist():
            for at in (start - 1, start, start + 1):
                if 0 <= at < len(self.near):
                    self.near[at] = 1

    def cost(self, end: int, start: int) -> float:
        """Of going on at `start` after something that ended at `end`."""
        gap = start - end
        if -TOLERANCE <= gap <= TOLERANCE:
            return 0.3 * abs(gap)
        cost = min(JUMP, 2.0 + 0.6 * log2(gap)) if gap > 0 else JUMP
        return cost * 0.6 if self.near[start] else cost

    def bonus(self, option: Option) -> float:
        return WHOLE if self.near[option.start] and self.near[option.end] else 0.0


def choose(pieces: list[Piece], blocks: Joined, edges: Edges, bans: Bans) -> list[Option | None]:
    """The best option of each piece, or None."""
    states = [_State(0.0, 0, None)]
    starts = blocks.starts.tolist()
    for number, piece in enumerate(pieces):
        options = piece.options + _foreseen(piece, states, blocks, starts)
        if number in bans:
            options = [o for o in options if not any(overlap(o.start, o.end, *ban) for ban in bans[number])]
        if not options:
            continue
        best = states[0]  # sorted: the best comes first
        grown: dict[int, _State] = {state.end: state for state in states}
        for option in options:
            worth = option.gain + edges.bonus(option)
            before = max(states, key=lambda s, at=option.start: s.score - edges.cost(s.end, at)) if states[1:] else best
            score = before.score - edges.cost(before.end, option.start) + worth
            known = grown.get(option.end)
            if known is None or known.score < score:
                grown[option.end] = _State(score, option.end, (number, option, before.step))
        ranked = sorted(grown.values(), key=lambda state: (-state.score, state.end))[:STATES]
        # From the best state every place can be reached for a jump, so what is worse than that by more is never needed.
        least = ranked[0].score - JUMP
        states = [state for state in ranked if state.score > least]
    chosen: list[Option | None] = [None] * len(pieces)
    step = states[0].step
    while step is not None:
        number, option, step = step
        chosen[number] = option
    return chosen


def overlap(a: int, b: int, c: int, d: int) -> bool:
    """Whether two stretches share more than is in doubt at their ends."""
    return min(b, d) - max(a, c) > min(TOLERANCE, (b - a) / 2, (d - c) / 2)


def _foreseen(piece: Piece, states: list[_State], blocks: Joined, starts: list[int]) -> list[Option]:
    """Places where the line would simply go on, or begin the next block or the one after it.

    Short or damaged lines need them: no n-gram of theirs says enough.
    """
    size, options = len(piece.key), piece.options
    if options and options[0].score == 1.0 and size > 12:
        return []
    found: list[Option] = []
    for state in states:
        start = state.end
        if any(abs(o.start - start) <= TOLERANCE for o in options):
            continue
        at = blocks.text.find(piece.key, start, start + size + TOLERANCE)
        if at < 0 and size > 1:
            at = blocks.text.find(piece.key, max(0, start - 1), start + size)
        if at >= 0:
            found.append(Option(at, at + size, piece.weight, 1.0))
        elif size > TOLERANCE:
            option = option_at(piece, start, min(start + size, len(blocks.text)), blocks)
            if option is not None and option.score >= SURE and option.end > option.start:
                found.append(option)
    if size > 1 and not options:
        after = bisect_right(starts, states[0].end)
        for start in starts[after : after + 2]:
            if blocks.text.startswith(piece.key, start) and all(o.start != start for o in found):
                found.append(Option(start, start + size, piece.weight, 1.0))
    return found
