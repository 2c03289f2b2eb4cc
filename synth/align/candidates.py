"""From hits to candidates: how well a line, or a part of it, fits at each place."""

from __future__ import annotations

from dataclasses import dataclass, field

from rapidfuzz.distance import Levenshtein

from synth.align.seeds import Clusters, Index
from synth.align.text import Joined, mirrored

KEEP = 8  # places looked at for one line
MERGED = 6.0  # weight that must be left over, and found elsewhere, before a line is taken for two
TAIL = 4  # characters at an end that are taken along unseen
WORST = 0.5  # similarity below which a place is none


@dataclass(frozen=True, slots=True)
class Option:
    """A place in the joined blocks. `gain`: weight of what agrees less what differs; `score`: share that agrees.

    `head` and `tail` count the characters at the piece's ends that do not belong there.
    """

    start: int
    end: int
    gain: float
    score: float
    head: int = 0
    tail: int = 0


@dataclass(slots=True)
class Piece:
    """A line, or one part of a merged one: `start` to `end` of the joined lines."""

    line: int
    start: int
    end: int
    key: str
    weight: float
    options: list[Option] = field(default_factory=list)


def pieces_of(lines: Joined, blocks: Joined, index: Index) -> list[Piece]:
    """Every line with its candidates, best first; merged lines come as several pieces. Lines keep their order."""
    clusters = index.clusters(lines, KEEP)
    columns = [column.tolist() for column in (clusters.first, clusters.last, clusters.at_first, clusters.at_last)]
    rows = list(zip(*columns, strict=True))
    bounds = _bounds(clusters, len(lines.keys))
    pieces: list[Piece] = []
    for line in range(len(lines.keys)):
        own = rows[bounds[line] : bounds[line + 1]]
        start, end = int(lines.starts[line]), int(lines.starts[line + 1])
        for a, b, hits in _parts(lines, start, end, own):
            piece = Piece(line, a, b, lines.text[a:b], lines.weight(a, b))
            piece.options = _options(piece, hits, blocks)
            pieces.append(piece)
    return pieces


def turn_round(keys: list[str], blocks: Joined, index: Index) -> list[str]:
    """Lines of right-to-left scripts that an extractor gave in visual order, read the way that finds more."""
    from synth.align.text import join

    turned = [at for at, key in enumerate(keys) if mirrored(key)]
    if not turned:
        return keys
    found = []
    for way in (1, -1):
        clusters = index.clusters(join([keys[at][::way] for at in turned]), 1)
        hits = [0] * len(turned)
        for line, count in zip(clusters.line.tolist(), clusters.hits.tolist(), strict=True):
            hits[line] = count
        found.append(hits)
    result = list(keys)
    for at, plain, back in zip(turned, *found, strict=True):
        if back > plain:
            result[at] = keys[at][::-1]
    return result


def option_at(piece: Piece, start: int, end: int, blocks: Joined) -> Option | None:
    """The piece held against one stretch of the blocks; None if it does not fit there."""
    there = blocks.text[start:end]
    if there == piece.key:
        return Option(start, end, piece.weight, 1.0)
    size = max(len(piece.key), end - start)
    distance = Levenshtein.distance(piece.key, there, score_cutoff=int(size * (1 - WORST)))
    if distance > size * (1 - WORST):
        return None
    unit = piece.weight / len(piece.key)
    return Option(start, end, unit * (size - 2 * distance), 1 - distance / size)


def _bounds(clusters: Clusters, lines: int) -> list[int]:
    return clusters.line.searchsorted(range(lines + 1), "left").tolist()


Row = tuple[int, int, int, int]


def _parts(lines: Joined, start: int, end: int, own: list[Row]) -> list[tuple[int, int, list[Row]]]:
    """The line whole, or cut where what its best place leaves over is found somewhere else."""
    if end == start:
        return []
    if len(own) < 2:
        return [(start, end, own)]
    first, last = own[0][0], own[0][1]
    if lines.weight(start, first) < MERGED and lines.weight(last, end) < MERGED:
        return [(start, end, own)]
    others = [row for row in own if row[1] <= first + 2 or row[0] >= last - 2]
    before = [row for row in others if row[1] <= first + 2 and lines.weight(row[0], row[1]) >= MERGED]
    after = [row for row in others if row[0] >= last - 2 and lines.weight(row[0], row[1]) >= MERGED]
    left = max((row[1] for row in before), default=start)
    right = min((row[0] for row in after), default=end)
    left, right = (_cut(left, first) if before else start), (_cut(last, right) if after else end)
    if not start <= left < right <= end or (left, right) == (start, end):
        return [(start, end, own)]
    middle = [row for row in own if row[0] < right and row[1] > left]
    parts = [(left, right, [row for row in middle if row[0] >= left - 2 and row[1] <= right + 2])]
    if left > start:
        parts[:0] = _parts(lines, start, left, [row for row in own if row[1] <= left + 2])
    if right < end:
        parts += _parts(lines, right, end, [row for row in own if row[0] >= right - 2])
    return parts


def _cut(a: int, b: int) -> int:
    return (a + b) // 2


def _options(piece: Piece, rows: list[Row], blocks: Joined) -> list[Option]:
    options: list[Option] = []
    size = piece.end - piece.start
    for first, last, at_first, at_last in rows:
        if options and options[0].score == 1.0 and (last - first) * 4 < size * 3:
            continue
        first, last = max(first, piece.start), min(last, piece.end)
        head, tail = first - piece.start, piece.end - last
        start, end = at_first - head, at_last + tail
        if head > TAIL and not _agree(piece.key[:head], blocks.text[max(0, start) : at_first]):
            start = at_first
        else:
            head = 0
        if tail > TAIL and not _agree(piece.key[-tail:], blocks.text[at_last:end]):
            end = at_last
        else:
            tail = 0
        option = _fitted(piece, max(0, start), min(end, len(blocks.text)), head, tail, blocks)
        if option is not None:
            options.append(option)
    return sorted(options, key=lambda option: (-option.gain, option.start))


def _agree(a: str, b: str) -> bool:
    return Levenshtein.normalized_similarity(a, b) >= WORST


def _fitted(piece: Piece, start: int, end: int, head: int, tail: int, blocks: Joined) -> Option | None:
    """Like `option_at`, but characters at the ends that stand elsewhere, or nowhere (a page number), cost half."""
    if not head and not tail:
        return option_at(piece, start, end, blocks)
    size = len(piece.key)
    distance = Levenshtein.distance(piece.key[head : size - tail], blocks.text[start:end])
    matched = size - head - tail - distance
    gain = piece.weight / size * (matched - distance - (head + tail) / 2)
    return Option(start, end, gain, matched / size, head, tail) if gain > 0 else None
