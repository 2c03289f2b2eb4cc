"""One fault on one script: error rates and stroke losses at amounts that are chosen where the rates change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from rapidfuzz.distance import Levenshtein

from synth.degrade.measure.sheets import SIZES, TextSheet, sheet
from synth.degrade.measure.shots import take
from synth.degrade.measure.strokes import stroke_loss
from synth.read.legibility import normal
from synth.read.recogniser import LineReaders

MOST = 7  # amounts above 0 that are tried
STEP = 0.015  # rates nearer than this need nothing between them
CEILING = 0.35  # above it nobody asks how much worse it gets


@dataclass(frozen=True)
class Trial:
    """`rates` and `losses` by type size (rows) and amount (columns); `rates` is empty where no engine reads."""

    amounts: tuple[float, ...]
    rates: tuple[tuple[float, ...], ...]
    losses: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Point:
    rates: tuple[float, ...]
    losses: tuple[float, ...]


class Bench:
    """Sheets of one language, ready to be taken with any fault. `readers` None: strokes alone are measured."""

    def __init__(self, language: str, sheets: int, of_each: int, readers: LineReaders | None) -> None:
        self.language, self._readers = language, readers
        self._sheets = [sheet(language, number, of_each) for number in range(sheets)]
        self._behind = sheet(language, sheets, of_each).image
        self._clean = [take(s, "gaussian_blur", 0.0, "", self._behind) for s in self._sheets]

    @property
    def clean(self) -> tuple[float, ...]:
        """Error rates without a fault, by size; zeros where no engine reads."""
        return self._pooled([self._errors(s, *shot) for s, shot in zip(self._sheets, self._clean, strict=True)])

    def point(self, fault: str, amount: float) -> Point:
        """Rates and losses by size."""
        errors: list[list[tuple[int, int, int]]] = []
        losses: dict[int, list[float]] = {size: [] for size in SIZES}
        for number, (text, (clean, was)) in enumerate(zip(self._sheets, self._clean, strict=True)):
            image, quads = take(text, fault, amount, f"calibrate:{number}", self._behind)
            errors.append(self._errors(text, image, quads))
            for line, before, seen in zip(text.lines, was, quads, strict=True):
                losses[line.size].append(stroke_loss(clean, before, image, seen))
        return Point(self._pooled(errors), tuple(round(float(np.mean(losses[size])), 5) for size in SIZES))

    def _errors(self, text: TextSheet, image: np.ndarray, quads: Sequence[np.ndarray]) -> list[tuple[int, int, int]]:
        """Size, edits and characters of each line."""
        if self._readers is None:
            return []
        found: list[tuple[int, int, int]] = []
        for line, read in zip(text.lines, self._readers.read(image, quads, self.language), strict=True):
            truth = normal(line.text)
            found.append((line.size, min(len(truth), Levenshtein.distance(truth, normal(read))), len(truth)))
        return found

    def _pooled(self, errors: Sequence[list[tuple[int, int, int]]]) -> tuple[float, ...]:
        pooled: list[float] = []
        for size in SIZES:
            own = [(edits, characters) for of_sheet in errors for s, edits, characters in of_sheet if s == size]
            pooled.append(round(sum(e for e, _ in own) / max(1, sum(c for _, c in own)), 5))
        return tuple(pooled)


def try_fault(bench: Bench, fault: str, base: tuple[float, ...], amounts: Sequence[float] = ()) -> Trial:
    """Measure a fault at the given amounts, or at those where its rates change. `base`: the rates without it."""
    points = {0.0: Point(base, (0.0,) * len(SIZES))}
    for amount in amounts or (1.0, 0.5):
        if amount not in points:
            points[amount] = bench.point(fault, amount)
    while not amounts and len(points) <= MOST:
        middle = _widest(points)
        if middle is None:
            break
        points[middle] = bench.point(fault, middle)
    tried = tuple(sorted(points))

    def table(of: Callable[[Point], tuple[float, ...]]) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(of(points[amount])[row] for amount in tried) for row in range(len(SIZES)))

    return Trial(tried, table(lambda p: p.rates), table(lambda p: p.losses))


def _widest(points: dict[float, Point]) -> float | None:
    """Middle of the two neighbours between which most happens; None if rates differ by no more than `STEP` anywhere."""
    tried = sorted(points)
    gaps: list[tuple[float, float]] = []
    for low, high in pairwise(tried):
        pairs = zip(points[low].rates, points[high].rates, strict=True)
        gap = max(abs(min(b, CEILING) - min(a, CEILING)) for a, b in pairs)
        if gap > STEP:
            gaps.append((gap, (low + high) / 2))
    return max(gaps)[1] if gaps else None
