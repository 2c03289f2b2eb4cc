"""Where in the blocks a line may stand: an n-gram index over the joined blocks, hits gathered into candidates.

The filter by text of MosaicDoc's Algorithm 1, in time that grows with the text and not with lines times blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from synth.align.text import Joined

MAX_HITS = 24  # an n-gram that stands at more places tells nothing
DRIFT = 3  # characters that may be lost or added between two hits of one candidate
CHUNK = 60_000  # characters of lines looked up at once, so that memory stays bounded
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Clusters:
    """Places of lines in the blocks, best first within a line; arrays of one length.

    A line's characters `first` up to `last` (offsets in the joined lines) have hits, `hits` of them, from `at_first` on
    up to `at_last` in the joined blocks.
    """

    line: np.ndarray
    first: np.ndarray
    last: np.ndarray
    at_first: np.ndarray
    at_last: np.ndarray
    hits: np.ndarray


class Index:
    """n-grams of the joined blocks: six letters, four of an abugida, three of a dense script; more in a long text."""

    def __init__(self, blocks: Joined) -> None:
        size = len(blocks.codes)
        self.long = 6 + int(size > 60_000) * 2 + int(size > 600_000) * 2
        self.middle = 3 + int(size > 100_000)
        self.short = 3 + int(size > 100_000)
        grams, places, _ = self._grams(blocks)
        order = np.argsort(grams, kind="stable")
        self._grams_sorted, self._places = grams[order], places[order]

    def _grams(self, joined: Joined) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Hash, place and length of the n-gram that starts at each character: shorter where characters tell more."""
        rest = np.ones(len(joined.codes), bool)
        found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for size, dense in ((self.short, 1.0), (self.middle, 0.5), (self.long, 0.0)):
            hashes = _rolling(joined.codes, size)
            fit = rest[: len(hashes)]
            if dense and len(hashes):
                fit = fit & (np.lib.stride_tricks.sliding_window_view(joined.dense, size).min(1) >= dense)
            places = np.flatnonzero(fit)
            rest[places] = False
            found.append((hashes[places] ^ np.uint64(size), places, np.full(len(places), size)))
        grams, places, sizes = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return grams, places, sizes

    def clusters(self, lines: Joined, keep: int) -> Clusters:
        """At most `keep` places for each line. An n-gram over a line's end counts for the line it starts in."""
        grams, places, lengths = self._grams(lines)
        line = np.searchsorted(lines.starts, places, "right") - 1
        inside = places + lengths <= lines.starts[line + 1]
        grams, places, lengths, line = (a[inside] for a in (grams, places, lengths, line))
        parts = []
        order = np.argsort(line, kind="stable")
        edges = [0, *np.flatnonzero(np.diff(places[order] // CHUNK) > 0) + 1, len(order)] if len(order) else [0]
        for a, b in pairwise(edges):
            own = order[a:b]
            parts.append(self._gather(grams[own], places[own], lengths[own], line[own], keep))
        empty = np.zeros(0, np.int64)
        columns = [np.concatenate([empty, *(part[i] for part in parts)]) for i in range(6)]
        return Clusters(*columns)

    def _gather(
        self, grams: np.ndarray, places: np.ndarray, lengths: np.ndarray, line: np.ndarray, keep: int
    ) -> tuple[np.ndarray, ...]:
        left = np.searchsorted(self._grams_sorted, grams, "left")
        count = np.searchsorted(self._grams_sorted, grams, "right") - left
        count[count > MAX_HITS] = 0
        total = int(count.sum())
        source = np.repeat(np.arange(len(grams)), count)
        within = np.arange(total) - np.repeat(np.cumsum(count) - count, count)
        at = self._places[left[source] + within]
        place, length, owner = places[source], lengths[source], line[source]
        shift = at - place
        order = np.lexsort((place, shift, owner))
        at, place, length, owner, shift = (a[order] for a in (at, place, length, owner, shift))
        new = np.ones(total, bool)
        new[1:] = (np.diff(owner) > 0) | (np.diff(shift) > DRIFT)
        begins = np.flatnonzero(new)
        if not len(begins):
            return tuple(np.zeros(0, np.int64) for _ in range(6))
        ends = np.append(begins[1:], total)
        hits = ends - begins
        # Of a cluster that drifted, the first and the last hit in the line.
        order = np.lexsort((place, np.repeat(np.arange(len(begins)), hits)))
        low, high = order[begins], order[ends - 1]
        columns = (owner[begins], place[low], place[high] + length[high], at[low], at[high] + length[high], hits)
        ranked = np.lexsort((columns[3], -hits, columns[0]))
        columns = tuple(column[ranked] for column in columns)
        starts = np.searchsorted(columns[0], columns[0], "left")
        rank = np.arange(len(ranked)) - starts
        good = (rank < keep) & (columns[5] * 4 >= columns[5][starts] * (rank < 3 * keep))
        return tuple(column[good] for column in columns)


def _rolling(codes: np.ndarray, n: int) -> np.ndarray:
    """Hash of the n codes from each place on."""
    size = max(0, len(codes) - n + 1)
    value = np.zeros(size, np.uint64)
    for offset in range(n):
        value = value * _MULTIPLIER + codes[offset : offset + size].astype(np.uint64)
    return value ^ (value >> np.uint64(29))
