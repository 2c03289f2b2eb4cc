"""A letter out of its envelope: folded in three, the outer panels standing up a little, or one up and one down."""

from __future__ import annotations

import random

from synth.degrade.families.base import Family, Grid, Params, Points
from synth.degrade.families.creases import creased
from synth.degrade.families.draws import camera, cockle, desk, fold_marks, lamp, light_across


def draw(rng: random.Random, width: float, height: float) -> Params:
    inward = rng.random() < 0.6  # both panels were folded onto the print; else a zigzag
    skew = rng.uniform(-0.8, 0.8)
    return {
        "direction_1": 90.0 + skew,
        "place_1": 1 / 6 + rng.uniform(-0.012, 0.012),
        "fold_1": rng.uniform(14, 26),
        "direction_2": 90.0 + skew + rng.uniform(-0.4, 0.4),
        "place_2": -1 / 6 + rng.uniform(-0.012, 0.012),
        "fold_2": rng.uniform(12, 24) * (1 if inward else -1),
        **fold_marks(rng),
        **camera(rng, width, height),
        **lamp(rng),
        **light_across(rng, 90.0),
        **desk(rng),
        **cockle(rng, 0.1, 0.35),
    }


def shape(params: Params, width: float, height: float, u: Grid, v: Grid) -> Points:
    return creased(params, width, height, u, v, ((1, 2),))


FAMILY = Family(draw, shape, fine=True)
