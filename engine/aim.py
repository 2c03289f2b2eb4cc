"""The dial of a document with a target error rate: turned, photographed and read again until the pictures have it.

What a calibration says of lines cannot hold on whole pages, where the engine must also find its lines: specks, screens
and folds make its detector lose some. So the release's own reader closes the loop. The readings are answers in the
ledger, and a turn is a function of the rates read before it: a replay finds the same one without an engine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

TRIES = 10
NEAR = 0.2  # of the target: 4 to 6% is near enough to 5%
NONE, FIRST, MOST = 0.0, 1.0, 2.0
STRIDE = 0.35  # of the way to the end whose rate is not known
INSET = 0.15  # of the way between two turns at least, so that every try narrows it
LEAST = 0.002  # rates below it count as it: logarithms need something


@dataclass
class Aim:
    """Turns tried so far. 0 is no fault, 1 what the calibration says, 2 all that the faults can do.

    Rates grow like powers, so between two turns the next one is where a straight line in logarithms meets the target.
    """

    target: float
    tries: list[tuple[float, float]] = field(default_factory=list)
    """Turns and the error rates that they gave."""

    def next(self) -> float | None:
        """The turn to try now; None if the last one hit, or enough were tried."""
        if not self.tries:
            return FIRST
        if self.off(self.tries[-1][1]) <= NEAR * self.target or len(self.tries) == TRIES:
            return None
        low, high = (NONE, None), (MOST, None)
        for tried in self.tries:
            low, high = (low, tried) if tried[1] > self.target else (tried, high)
        if low[1] is None:  # the page without faults: the other end, or worse than the target all by itself
            return NONE if high[0] > NONE else None
        if high[1] is None:
            return low[0] + (high[0] - low[0]) * STRIDE
        below, wanted, above = (math.log(max(LEAST, rate)) for rate in (low[1], self.target, high[1]))
        share = (wanted - below) / (above - below) if above > below else 0.5
        return low[0] + (high[0] - low[0]) * min(1 - INSET, max(INSET, share))

    def off(self, rate: float) -> float:
        """How far a rate is from the target."""
        return abs(rate - self.target)

    def tell(self, turn: float, rate: float) -> bool:
        """Note what a turn gave. Whether it is the nearest to the target so far; the first of equals is."""
        nearest = all(self.off(rate) < self.off(other) for _, other in self.tries)
        self.tries.append((turn, rate))
        return nearest
