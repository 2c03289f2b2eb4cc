"""A sheet that was rolled or carried, lying on a desk under a lamp; rolls curl along their length."""

from __future__ import annotations

import math
import random

import numpy as np

from synth.degrade.families.base import Family, Grid, Params, Points
from synth.degrade.families.draws import camera, cockle, desk, is_roll, lamp
from synth.degrade.families.paper import bend, flat, half_extent, waves


def draw(rng: random.Random, width: float, height: float) -> Params:
    roll = is_roll(width, height)
    # A roll curls along its length, as it lay on the spool; a page along either side or towards a corner.
    direction = 90 + rng.uniform(-4, 4) if roll else rng.choice((0.0, 90.0, 45.0, 135.0)) + rng.uniform(-14, 14)
    return {
        "direction": direction,
        "left_angle": rng.uniform(6, 20),
        "right_angle": rng.uniform(-4, 16),
        "left_reach": rng.uniform(0.35, 0.75),
        "right_reach": rng.uniform(0.3, 0.6),
        "arch": rng.uniform(-3.5, 3.5),
        **camera(rng, width, height),
        **lamp(rng),
        **desk(rng),
        **cockle(rng, 0.15, 0.5),
    }


def shape(params: Params, width: float, height: float, u: Grid, v: Grid) -> Points:
    x, y = flat(u, v, width, height)
    direction = math.radians(params["direction"])
    half = half_extent(direction, width, height)

    def slope(s: Grid) -> Grid:
        p = np.clip(s / half, -1, 1)  # beyond the sheet the last slope goes on
        right = np.clip((p - 1 + params["right_reach"]) / params["right_reach"], 0, 1) ** 1.6
        left = np.clip((-p - 1 + params["left_reach"]) / params["left_reach"], 0, 1) ** 1.6
        bow = params["arch"] * np.sin(p * math.pi / 2) * (1 - np.maximum(left, right))
        return np.radians(params["right_angle"] * right - params["left_angle"] * left + bow)

    uneven = waves(params, x, y)
    x, y, z = bend(x, y, direction, slope, 2 * (width + height))
    return x, y, z + uneven


FAMILY = Family(draw, shape)
