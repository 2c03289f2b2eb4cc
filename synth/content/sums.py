"""Arithmetic of money in whole cents, rounded half up as tills do."""

from __future__ import annotations


def half_up(numerator: int, denominator: int) -> int:
    """Nearest whole number, halves away from zero; the denominator is above 0."""
    sign = -1 if numerator < 0 else 1
    return sign * ((2 * abs(numerator) + denominator) // (2 * denominator))


def times(cents: int, thousandths: int) -> int:
    """Price times quantity."""
    return half_up(cents * thousandths, 1000)


def share_of(cents: int, basis_points: int) -> int:
    """A rate in hundredths of a percent of an amount."""
    return half_up(cents * basis_points, 10_000)


def included_tax(cents: int, basis_points: int) -> int:
    """The tax inside a price that includes it."""
    return cents - half_up(cents * 10_000, 10_000 + basis_points)


def to_step(cents: int, step: int) -> int:
    """The nearest multiple of `step`, as where small coins are not in use."""
    return half_up(cents, step) * step
