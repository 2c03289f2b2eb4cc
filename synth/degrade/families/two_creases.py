"""A sheet that was folded to a quarter of its size and opened: two creases that cross (on a roll, in line)."""

from __future__ import annotations

import random

from synth.degrade.families.base import Family, Grid, Params, Points
from synth.degrade.families.creases import creased
from synth.degrade.families.draws import camera, cockle, desk, fold_marks, is_roll, lamp, light_across


def draw(rng: random.Random, width: float, height: float) -> Params:
    side = rng.choice((-1, 1))
    first = 90.0 + rng.uniform(-1.5, 1.5)
    second = first if is_roll(width, height) else rng.uniform(-1.5, 1.5)
    return {
        "direction_1": first,
        "place_1": rng.uniform(-0.02, 0.02) - (0.17 if is_roll(width, height) else 0.0),
        "fold_1": side * rng.uniform(12, 22),
        "direction_2": second,
        "place_2": rng.uniform(-0.02, 0.02) + (0.17 if is_roll(width, height) else 0.0),
        "fold_2": side * rng.uniform(8, 17),
        **fold_marks(rng),
        **camera(rng, width, height),
        **lamp(rng),
        **light_across(rng, 45.0 + 90 * rng.randrange(4)),
        **desk(rng),
        **cockle(rng, 0.15, 0.4),
    }


def shape(params: Params, width: float, height: float, u: Grid, v: Grid) -> Points:
    return creased(params, width, height, u, v, ((1, 2),) if is_roll(width, height) else ((1,), (2,)))


FAMILY = Family(draw, shape, fine=True)
