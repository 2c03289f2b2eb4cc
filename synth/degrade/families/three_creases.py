"""A sheet that was folded in half, in half again and across, and opened: three creases."""

from __future__ import annotations

import random

from synth.degrade.families.base import Family, Grid, Params, Points
from synth.degrade.families.creases import creased
from synth.degrade.families.draws import camera, cockle, desk, fold_marks, is_roll, lamp, light_across


def draw(rng: random.Random, width: float, height: float) -> Params:
    roll, side = is_roll(width, height), rng.choice((-1, 1))
    return {
        "direction_1": 90.0 + rng.uniform(-1.2, 1.2),
        "place_1": rng.uniform(-0.015, 0.015),
        "fold_1": side * rng.uniform(10, 19),
        "direction_2": 90.0 + rng.uniform(-1.2, 1.2),
        "place_2": rng.uniform(0.23, 0.27),
        "fold_2": -side * rng.uniform(8, 16),
        "direction_3": 90.0 + rng.uniform(-1.2, 1.2) if roll else rng.uniform(-1.2, 1.2),
        "place_3": rng.uniform(-0.27, -0.23) if roll else rng.uniform(-0.015, 0.015),
        "fold_3": rng.choice((-1, 1)) * rng.uniform(8, 15),
        **fold_marks(rng),
        **camera(rng, width, height),
        **lamp(rng),
        **light_across(rng, 45.0 + 90 * rng.randrange(4)),
        **desk(rng),
        **cockle(rng, 0.15, 0.45),
    }


def shape(params: Params, width: float, height: float, u: Grid, v: Grid) -> Points:
    return creased(params, width, height, u, v, ((1, 2, 3),) if is_roll(width, height) else ((1, 2), (3,)))


FAMILY = Family(draw, shape, fine=True)
