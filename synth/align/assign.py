"""One place for one line: what stands twice is given to the line that belongs there, and gaps are filled."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein
from scipy.optimize import linear_sum_assignment

from synth.align.candidates import Option, Piece, option_at
from synth.align.sequence import SURE, TOLERANCE, Edges, choose, overlap
from synth.align.text import Joined

ROUNDS = 5
GOES_ON = 1.5  # cost up to which two lines count as one stretch
NEAR = 300  # characters around its neighbours in which a short line is looked for
ALIKE = 0.75  # least similarity of a line and a whole block where nothing else speaks
TELLS = 4.0  # least weight of a line that is looked for in all free blocks
PAIRS = 200_000

Chosen = list[Option | None]


def assign(pieces: list[Piece], blocks: Joined, edges: Edges) -> tuple[Chosen, set[int]]:
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
    _fill(pieces, chosen, blocks)
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


def _fill(pieces: list[Piece], chosen: Chosen, blocks: Joined) -> None:
    """Give lines without a place the text that is left over beside their neighbours, then whole blocks left over."""
    free = bytearray(b"\1") * len(blocks.text)
    for option in chosen:
        if option is not None:
            free[option.start : option.end] = bytes(option.end - option.start)
    if all(option is not None for option in chosen):
        return
    _beside(pieces, chosen, blocks, free)
    _left_over(pieces, chosen, blocks, free)
    _beside(pieces, chosen, blocks, free)


def _beside(pieces: list[Piece], chosen: Chosen, blocks: Joined, free: bytearray) -> None:
    following: list[int] = [len(blocks.text)] * len(pieces)
    for number in range(len(pieces) - 2, -1, -1):
        later = chosen[number + 1]
        following[number] = later.start if later is not None else following[number + 1]
    end = 0
    for number, piece in enumerate(pieces):
        if chosen[number] is None:
            alone = number + 1 == len(pieces) or chosen[number + 1] is not None
            alone = alone and (number == 0 or chosen[number - 1] is not None)
            _take(number, _after(piece, end, following[number], alone, blocks, free), chosen, free)
        option = chosen[number]
        end = option.end if option is not None else end
    start = len(blocks.text)
    for number in range(len(pieces) - 1, -1, -1):
        if chosen[number] is None:
            _take(number, _before(pieces[number], start, blocks, free), chosen, free)
        option = chosen[number]
        start = option.start if option is not None else start


def _take(number: int, option: Option | None, chosen: Chosen, free: bytearray) -> None:
    if option is not None:
        chosen[number] = option
        free[option.start : option.end] = bytes(option.end - option.start)


def _open(free: bytearray, start: int, end: int) -> bool:
    return 0 <= start < end <= len(free) and free.find(0, start, end) < 0


def _after(piece: Piece, end: int, upto: int, alone: bool, blocks: Joined, free: bytearray) -> Option | None:
    """A free place for the piece from `end` on, where the line before it ended; the next one goes on at `upto`."""
    size = len(piece.key)
    if blocks.text.startswith(piece.key, end) and _open(free, end, end + size):
        return Option(end, end + size, piece.weight, 1.0)
    if alone and abs(upto - end - size) <= max(1, size // 3) and _open(free, end, upto):
        option = option_at(piece, end, upto, blocks)
        if option is not None:
            return option
    if size > TOLERANCE:
        at = blocks.text.find(piece.key, end, end + NEAR)
        if at >= 0 and _open(free, at, at + size):
            return Option(at, at + size, piece.weight, 1.0)
        option = option_at(piece, end, min(end + size, len(blocks.text)), blocks)
        if option is not None and option.score >= SURE and _open(free, option.start, option.end):
            return option
    return None


def _before(piece: Piece, start: int, blocks: Joined, free: bytearray) -> Option | None:
    size = len(piece.key)
    if blocks.text.endswith(piece.key, 0, start) and _open(free, start - size, start):
        return Option(start - size, start, piece.weight, 1.0)
    if size > TOLERANCE:
        at = blocks.text.rfind(piece.key, max(0, start - NEAR), start)
        if at >= 0 and _open(free, at, at + size):
            return Option(at, at + size, piece.weight, 1.0)
        option = option_at(piece, max(0, start - size), start, blocks)
        if option is not None and option.score >= SURE and _open(free, option.start, option.end):
            return option
    return None


def _left_over(pieces: list[Piece], chosen: Chosen, blocks: Joined, free: bytearray) -> None:
    """Whole blocks that nobody took, given to the lines that are most like them, each once (linear assignment)."""
    starts = blocks.starts.tolist()
    wholes = [at for at in range(len(blocks.keys)) if _open(free, starts[at], starts[at + 1])]
    rows = [n for n, piece in enumerate(pieces) if chosen[n] is None and piece.weight >= TELLS]
    if not rows or not wholes or len(rows) * len(wholes) > PAIRS:
        return
    likeness = process.cdist(
        [pieces[n].key for n in rows],
        [blocks.keys[at] for at in wholes],
        scorer=Levenshtein.normalized_similarity,
        score_cutoff=ALIKE,
        dtype=np.float32,
    )
    # Of equal ones the order on the page decides: the nearer in relative place, the better.
    near = np.abs(np.array(rows)[:, None] / len(pieces) - np.array(wholes)[None, :] / len(blocks.keys))
    for row, column in zip(*linear_sum_assignment(likeness - 0.01 * near, maximize=True), strict=True):
        if likeness[row, column] >= ALIKE:
            number, at = rows[row], wholes[column]
            _take(number, option_at(pieces[number], starts[at], starts[at + 1], blocks), chosen, free)
