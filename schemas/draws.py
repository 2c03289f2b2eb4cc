"""Exact, prefix-stable draws: dealing weighted kinds over indices, and partitioning things by split."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")
MAX_PERIOD = 100_000


def whole_weights(weights: Sequence[float | Fraction]) -> tuple[int, ...]:
    """Weights as the smallest integers in the same ratio. ValueError if the sum passes `MAX_PERIOD` or one is < 0."""
    if not all(isinstance(w, Fraction) or math.isfinite(w) for w in weights):
        raise ValueError("weights must be finite numbers")
    parts = [Fraction(str(w)) for w in weights]
    if any(p < 0 for p in parts) or not any(parts):
        raise ValueError("weights must be at least 0 and not all 0")
    scale = math.lcm(*(p.denominator for p in parts))
    numbers = [int(p * scale) for p in parts]
    divisor = math.gcd(*numbers)
    numbers = [n // divisor for n in numbers]
    if sum(numbers) > MAX_PERIOD:
        shown = ", ".join(str(w)[:20] for w in weights[:3]) + (", ..." if len(weights) > 3 else "")
        turns = f"{float(min(sum(numbers), 10**300)):.0e}"
        raise ValueError(
            f"weights {shown} repeat only after {turns} samples, at most {MAX_PERIOD}: use rounder numbers"
        )
    return tuple(numbers)


@lru_cache(maxsize=64)
def period(weights: tuple[int, ...]) -> tuple[int, ...]:
    """One period of kinds such that every prefix holds every kind's share to within one.

    Tijdeman's rule for the chairman assignment problem (Discrete Mathematics 32, 1980): deviation below 1 - 1/(2k-2).
    """
    kinds = [k for k, w in enumerate(weights) if w]
    total = sum(weights)
    if len(kinds) == 1:
        return (kinds[0],) * total
    slack = 1 - Fraction(1, 2 * len(kinds) - 2)
    given = dict.fromkeys(kinds, 0)
    dealt: list[int] = []
    for step in range(1, total + 1):
        due = {k: Fraction(weights[k] * step, total) - given[k] for k in kinds}
        ready = [k for k in kinds if due[k] >= 1 - slack]
        chosen = min(ready, key=lambda k: ((slack - due[k]) * Fraction(total, weights[k]), k))
        given[chosen] += 1
        dealt.append(chosen)
    return tuple(dealt)


class Dealer:
    """Which kind index i gets, and how many of that kind came before it, in constant time."""

    def __init__(self, weights: Sequence[float | Fraction]) -> None:
        self.weights = whole_weights(weights)
        self.order = period(self.weights)
        seen = [0] * len(self.weights)
        self._before: list[int] = []
        for kind in self.order:
            self._before.append(seen[kind])
            seen[kind] += 1

    def kind(self, index: int) -> int:
        return self.order[index % len(self.order)]

    def number(self, index: int) -> int:
        """How many earlier indices have the same kind."""
        turns, place = divmod(index, len(self.order))
        return turns * self.weights[self.order[place]] + self._before[place]

    def counts(self, size: int) -> list[int]:
        """How many of the first `size` indices have each kind."""
        turns, rest = divmod(size, len(self.order))
        counts = [turns * w for w in self.weights]
        for kind in self.order[:rest]:
            counts[kind] += 1
        return counts


def hash_order(items: Sequence[str], salt: str) -> list[str]:
    """The items in an order that depends on each name and the salt alone, so that a new item moves no other."""
    return sorted(items, key=lambda item: hashlib.sha256(f"{salt}\0{item}".encode()).digest())


def partition(items: Sequence[str], shares: Mapping[str, float], salt: str) -> dict[str, list[str]]:
    """Disjoint parts of `items` by split, in the ratio of `shares`, at least one each. ValueError if too few."""
    if len(items) < len(shares):
        raise ValueError(f"{len(items)} items cannot be parted among {len(shares)} splits")
    ordered = hash_order(items, salt)
    names = list(shares)
    parts: dict[str, list[str]] = {name: [ordered[i]] for i, name in enumerate(names)}
    dealer = Dealer([shares[name] for name in names])
    room = dealer.counts(len(items))
    for item in ordered[len(names) :]:
        # The first round gave everyone one; then whoever is furthest below its share.
        name = max(names, key=lambda n: (room[names.index(n)] - len(parts[n]), -names.index(n)))
        parts[name].append(item)
    return parts


def deal_item(items: Sequence[T], number: int, rng_of_turn: int) -> T:
    """Item for the `number`-th sample: every run of len(items) samples is a fresh shuffle, so each is used equally.

    `rng_of_turn` seeds the shuffles; it must not depend on the sample's index or try.
    """
    turn, place = divmod(number, len(items))
    order = list(range(len(items)))
    random.Random(f"{rng_of_turn}:{turn}").shuffle(order)
    return items[order[place]]


def weighted(rng: random.Random, weights: Mapping[str, float]) -> str:
    """One key, drawn in proportion to its weight; keys in sorted order, so a reordered recipe draws the same."""
    names = sorted(k for k, w in weights.items() if w > 0)
    return rng.choices(names, [float(weights[n]) for n in names])[0]
