"""One place for one line: what stands twice is given to the line that belongs there, and gaps are filled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from synth.align.candidates import Piece
from synth.align.gaps import Chosen, Gaps
from synth.align.model import PdfLine
from synth.align.sequence import Edges, choose, overlap
from synth.align.text import Joined

ROUNDS = 5
GOES_ON = 1.5  # cost up to which two lines count as one stretch


def assign(pieces: list[Piece], blocks: Joined, edges: Edges, lines: Sequence[PdfLine]) -> tuple[Chosen, set[int]]:
    """A place for each piece, none taken twice, and the pieces that lost theirs to another."""
    bans: dict[int, list[tuple[int, int]]] = defaultdict(list)
    chosen = choose(pieces, blocks, edges, bans)
    for _ in range(ROUNDS):
        losers = _losers(pieces, chosen, edges)
        if not losers:
            break
        for number in losers:
            option = chosen[number]
            if option is not None:
                bans[number].append((option.start, option.end))
        chosen = choose(pieces, blocks, edges, bans)
    for number in _losers(pieces, chosen, edges):
        chosen[number] = None
    Gaps(pieces, chosen, blocks, lines).fill()
    return chosen, {number for number in bans if chosen[number] is None}


def _losers(pieces: list[Piece], chosen: Chosen, edges: Edges) -> set[int]:
    """Of every two pieces at one place the one whose stretch of lines is joined worse to what stands around it.

    Source of the idea: a repeated head has the text of a title, but nothing goes on from it.
    """
    taken = [(option.start, option.end, number) for number, option in enumerate(chosen) if option is not None]
    worth = _joints(taken, edges)
    taken.sort()
    losers: set[int] = set()
    open_ones: list[tuple[int, int, int]] = []
    for start, end, number in taken:
        open_ones = [one for one in open_ones if one[1] > start and one[2] not in losers]
        for a, b, other in open_ones:
            if overlap(a, b, start, end):
                losers.add(max(number, other, key=lambda n: (-worth[n], n)))
                if number in losers:
                    break
        if number not in losers:
            open_ones.append((start, end, number))
    return losers


def _joints(taken: list[tuple[int, int, int]], edges: Edges) -> dict[int, float]:
    """For each piece: letters in its stretch, less what it costs to come to the stretch and to go on from it."""
    costs = [edges.cost(one[1], two[0]) for one, two in pairwise(taken)]
    worth: dict[int, float] = {}
    begin = 0
    for at in range(1, len(taken) + 1):
        if at < len(taken) and costs[at - 1] < GOES_ON:
            continue
        cost = (costs[begin - 1] if begin else 0.0) + (costs[at - 1] if at < len(taken) else 0.0)
        size = sum(one[1] - one[0] for one in taken[begin:at])
        for one in taken[begin:at]:
            worth[one[2]] = min(size, 1000) / 10 - cost
        begin = at
    return worth
