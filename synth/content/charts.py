"""Scales of charts that templates draw: where the ticks stand, and how far each value reaches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_STEPS = (1, 2, 5)


@dataclass(frozen=True)
class Scale:
    """An axis from 0. `ticks` are its round numbers from 0 up, `shares` each value's part of the last, in percent."""

    ticks: tuple[int, ...]
    shares: tuple[float, ...]


def scale(values: Sequence[int], most_ticks: int = 5) -> Scale:
    """The finest axis of 1, 2 or 5 times a power of ten with at most `most_ticks` steps that holds all values.

    Values are whole and not negative, at least one above 0.
    """
    top, power = max(values), 1
    while True:
        for step in (factor * power for factor in _STEPS):
            count = -(-top // step)
            if count <= most_ticks:
                ticks = tuple(step * n for n in range(count + 1))
                return Scale(ticks, tuple(round(100 * value / ticks[-1], 3) for value in values))
        power *= 10
