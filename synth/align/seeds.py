"""Where in the blocks a line may stand: an n-gram index over the joined blocks, hits gathered into candidates.

The filter by text of MosaicDoc's Algorithm 1, in time that grows with the text and not with lines times blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synth.align.text import Joined

MAX_HITS = 20  # an n-gram that stands at more places tells nothing
DRIFT = 3  # characters that may be lost or added between two hits of one candidate
CHUNK = 60_000  # characters of lines looked up at once, so that memory stays bounded
WEAKEST = 4  # a place with so many times fewer hits than the best one is none
MARGIN = 64
MASK = (1 << 32) - 1
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
            if dense:
                enough = np.concatenate([[0], np.cumsum(joined.dense >= dense)])
                if not enough[-1]:
                    continue
                fit = fit & (enough[size : size + len(fit)] - enough[: len(fit)] == size)
            places = np.flatnonzero(fit)
            rest[places] = False
            found.append((hashes[places] ^ np.uint64(size), places, np.full(len(places), size)))
        grams, places, sizes = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return grams, places, sizes

    def clusters(self, lines: Joined, keep: int) -> Clusters:
        """At most `keep` places for each line; an n-gram that goes on in the next line does not count."""
        grams, places, sizes = self._grams(lines)
        owners = np.repeat(np.arange(len(lines.keys)), np.diff(lines.starts))
        inside = places + sizes <= lines.starts[owners[places] + 1]
        grams, places, sizes = grams[inside], places[inside], sizes[inside]
        parts = [
            self._gather(grams[own], places[own], sizes[own], owners, keep)
            for own in _chunks(owners[places], places // CHUNK)
        ]
        empty = np.zeros(0, np.int64)
        return Clusters(*(np.concatenate([empty, *(part[i] for part in parts)]) for i in range(6)))

    def _gather(
        self, grams: np.ndarray, places: np.ndarray, sizes: np.ndarray, owners: np.ndarray, keep: int
    ) -> tuple[np.ndarray, ...]:
        left = np.searchsorted(self._grams_sorted, grams, "left")
        count = np.searchsorted(self._grams_sorted, grams, "right") - left
        count[count > MAX_HITS] = 0
        total = int(count.sum())
        if not total:
            return tuple(np.zeros(0, np.int64) for _ in range(6))
        source = np.repeat(np.arange(len(grams)), count)
        at = self._places[np.arange(total) + np.repeat(left - np.cumsum(count) + count, count)]
        owner = owners[places[source]]
        # Sorted by line and diagonal; hits of one cluster stand together, wherever in the line they are.
        span = np.int64(len(owners) + len(self._places) + MARGIN)
        diagonal = owner * span + (at - places[source] + len(owners))
        order = np.argsort(diagonal, kind="stable")
        diagonal = diagonal[order]
        begins = np.flatnonzero(np.diff(diagonal, prepend=np.int64(-MARGIN)) > DRIFT)
        hits = np.diff(begins, append=total)
        both = (places[source[order]] << 32) | at[order]
        low, high = np.minimum.reduceat(both, begins), np.maximum.reduceat(both, begins)
        line = diagonal[begins] // span
        best = np.zeros(len(owners) + 1, np.int64)
        np.maximum.at(best, line, hits)
        good = np.flatnonzero(hits * WEAKEST >= best[line])
        line, hits, low, high = line[good], hits[good], low[good], high[good]
        ranked = np.lexsort((low & MASK, -hits, line))
        line, hits, low, high = (column[ranked] for column in (line, hits, low, high))
        first = np.arange(len(line)) - np.searchsorted(line, line, "left") < keep
        line, hits, low, high = line[first], hits[first], low[first], high[first]
        tail = _sizes(places, sizes, high >> 32)
        return line, low >> 32, (high >> 32) + tail, low & MASK, (high & MASK) + tail, hits


def _chunks(lines: np.ndarray, chunk: np.ndarray) -> list[np.ndarray]:
    """Indices of n-grams, whole lines together, in parts of bounded size."""
    if not len(lines):
        return []
    order = np.argsort(lines, kind="stable")
    new_line = np.diff(lines[order], prepend=-1) > 0
    start = np.maximum.accumulate(np.where(new_line, np.arange(len(order)), 0))
    part = chunk[order][start]
    return np.split(order, np.flatnonzero(np.diff(part)) + 1)


def _sizes(places: np.ndarray, sizes: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Length of the n-gram at each wanted place."""
    order = np.argsort(places, kind="stable")
    return sizes[order[np.searchsorted(places[order], wanted)]]


def _rolling(codes: np.ndarray, n: int) -> np.ndarray:
    """Hash of the n codes from each place on."""
    size = max(0, len(codes) - n + 1)
    value = np.zeros(size, np.uint64)
    for offset in range(n):
        value = value * _MULTIPLIER + codes[offset : offset + size].astype(np.uint64)
    return value ^ (value >> np.uint64(29))
