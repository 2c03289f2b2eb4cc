"""What a questioner's model is asked for: which kinds, of which units, and in which words."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.draws import Dealer
from synth.ask.llm.units import Unit

AT_ONCE = 3
"""Questions that one call writes."""
HOP = "multi_hop"
UNITS = {"single_span": ("text", "table"), "multi_span": ("text", "table"), "table": ("table",), "chart": ("chart",)}
"""Units that a kind may be about. Multi-hop questions are chained from others."""
_WANTED = {
    "single_span": "{count} whose answer is one text copied from one place.",
    "multi_span": "{count} whose answer is a list: two or more texts that stand in different places.",
    "table": "{count} about the table: a cell by its row and column, rows that meet a condition, a highest value.",
    "chart": "{count} about the chart: the value of one mark, or the mark with a certain or the highest value.",
}


@dataclass(frozen=True)
class Wish:
    """So many questions of a kind about one unit, to be asked for in one call."""

    kind: str
    unit: Unit
    count: int

    @property
    def words(self) -> str:
        one = "one question" if self.count == 1 else f"{self.count} different questions"
        return _WANTED[self.kind].format(count=one)


def hops(count: int, weights: Mapping[str, float]) -> int:
    """How many multi-hop questions are tried beside `count` others, by the weights of the kinds."""
    others = sum(weight for kind, weight in weights.items() if kind in UNITS)
    return math.ceil(count * weights.get(HOP, 0) / others)


def wishes(units: Sequence[Unit], count: int, weights: Mapping[str, float], rng: random.Random) -> list[Wish]:
    """`count` questions, dealt by weight over the kinds that the units allow, and over units by their length."""
    given = {kind: weights.get(kind, 0) for kind in UNITS}
    kinds = [kind for kind in given if given[kind] and any(unit.kind in UNITS[kind] for unit in units)]
    if not kinds:
        return []
    dealer = Dealer([given[kind] for kind in kinds])
    counted: dict[tuple[str, int], int] = {}
    for turn in range(count):
        kind = kinds[dealer.kind(turn)]
        # Tables have a kind of their own: text is asked first.
        fit = [n for n, unit in enumerate(units) if unit.kind == UNITS[kind][0]]
        fit = fit or [n for n, unit in enumerate(units) if unit.kind in UNITS[kind]]
        chosen = rng.choices(fit, [len(units[n].pieces) for n in fit])[0]
        counted[kind, chosen] = counted.get((kind, chosen), 0) + 1
    found: list[Wish] = []
    for (kind, number), wanted in counted.items():
        while wanted > 0:
            found.append(Wish(kind, units[number], min(AT_ONCE, wanted)))
            wanted -= AT_ONCE
    return found


def described(unit: Unit) -> str:
    """What a unit is, in words for a prompt."""
    if unit.kind == "table":
        return "a table; the first line has its heads where it has any, cells are parted by |"
    if unit.kind == "chart":
        return "a chart; the lines are the texts drawn in it"
    return f"running text ({', '.join(role.replace('_', ' ') for role in unit.roles)})"
