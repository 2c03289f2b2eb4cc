"""A sheet that was folded once and opened again; light from a side of the fold."""

from __future__ import annotations

import random

from synth.degrade.families.base import Family, Grid, Params, Points
from synth.degrade.families.creases import creased
from synth.degrade.families.draws import camera, cockle, desk, fold_marks, is_roll, lamp, light_across


def draw(rng: random.Random, width: float, height: float) -> Params:
    lengthwise = not is_roll(width, height) and rng.random() < 0.3  # fold line runs from top to bottom
    direction = (0.0 if lengthwise else 90.0) + rng.uniform(-2.5, 2.5)
    return {
        "direction_1": direction,
        "place_1": rng.uniform(-0.04, 0.04) if rng.random() < 0.5 else rng.uniform(-0.36, 0.36),
        "fold_1": rng.uniform(13, 27) * rng.choice((-1, 1)),
        **fold_marks(rng),
        **camera(rng, width, height),
        **lamp(rng),
        **light_across(rng, direction),
        **desk(rng),
        **cockle(rng, 0.1, 0.35),
    }


def shape(params: Params, width: float, height: float, u: Grid, v: Grid) -> Points:
    return creased(params, width, height, u, v, ((1,),))


FAMILY = Family(draw, shape, fine=True)
