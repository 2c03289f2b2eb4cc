from __future__ import annotations

from typing import cast

from synth.degrade.measure.trial import MOST, Bench, Point, try_fault


class Cliff:
    """A bench whose fault does nothing up to an amount and everything above it."""

    def __init__(self, edge: float, top: float) -> None:
        self.edge, self.top, self.asked = edge, top, list[float]()

    def point(self, fault: str, amount: float) -> Point:
        self.asked.append(amount)
        rate = self.top if amount > self.edge else 0.0
        return Point((rate, rate, rate / 2), (amount,) * 3)


def test_amounts_gather_where_the_rates_change() -> None:
    bench = Cliff(0.3, 0.9)
    trial = try_fault(cast(Bench, bench), "fax", (0.0, 0.0, 0.0))
    assert trial.amounts[0] == 0
    assert trial.amounts[-1] == 1
    assert len(bench.asked) == MOST
    near = [a for a in trial.amounts if abs(a - 0.3) < 0.07]
    assert len(near) >= 3
    assert trial.rates[0][-1] == 0.9
    assert trial.losses[0] == trial.amounts


def test_a_fault_that_does_nothing_is_soon_done_with() -> None:
    bench = Cliff(2, 1)
    assert try_fault(cast(Bench, bench), "fax", (0.01, 0.01, 0.01)).amounts == (0, 0.5, 1)


def test_given_amounts_are_taken() -> None:
    bench = Cliff(0.3, 0.9)
    assert try_fault(cast(Bench, bench), "fax", (0.0, 0.0, 0.0), (0.0, 0.2, 1.0)).amounts == (0, 0.2, 1)
    assert bench.asked == [0.2, 1.0]
