"""A sheet that was folded once and opened again; light from a side of the fold."""

from __future__ import annotations

import math
import random

import numpy as np

from synth.degrade.families.base import Family, Grid, Params, Points
from synth.degrade.families.draws import camera, cockle, desk, is_roll, lamp
from synth.degrade.families.paper import bend, flat, half_extent, waves


def draw(rng: random.Random, width: float, height: float) -> Params:
    roll = is_roll(width, height)
    lengthwise = not roll and rng.random() < 0.3  # fold line runs from top to bottom
    direction = (0.0 if lengthwise else 90.0) + rng.uniform(-2.5, 2.5)
    # Light along the fold would hide it: it comes from one of the two sides.
    azimuth = direction + rng.choice((0.0, 180.0)) + rng.uniform(-60, 60)
    return {
        "direction": direction,
        "place": rng.uniform(-0.04, 0.04) if rng.random() < 0.5 else rng.uniform(-0.36, 0.36),
        "fold": rng.uniform(13, 27) * rng.choice((-1, 1)),
        "radius": rng.uniform(0.4, 0.9),
        "spring": rng.uniform(0.25, 0.6),
        "ridge": rng.uniform(0.1, 0.24),
        **camera(rng, width, height),
        **lamp(rng),
        "light_azimuth": azimuth % 360,
        **desk(rng),
        **cockle(rng, 0.1, 0.35),
    }


def shape(params: Params, width: float, height: float, u: Grid, v: Grid) -> Points:
    x, y = flat(u, v, width, height)
    direction = math.radians(params["direction"])
    half = half_extent(direction, width, height)
    place, fold = params["place"] * 2 * half, math.radians(params["fold"])

    def slope(s: Grid) -> Grid:
        # The fold itself, sharp; then both halves ease back towards the table, as folded paper does.
        turn = 0.5 * np.tanh((s - place) / params["radius"])
        ease = 1 - params["spring"] * np.clip(np.abs(s - place) / (2 * half), 0, 1)
        return fold * turn * ease

    uneven = waves(params, x, y)
    along = x * math.cos(direction) + y * math.sin(direction) - place
    across = y * math.cos(direction) - x * math.sin(direction)
    # Broken fibres: a hair-thin uneven ridge on the fold line.
    ridge = (
        params["ridge"] * np.exp(-((along / 0.9) ** 2)) * (1 + 0.5 * np.sin(across / 7.3) + 0.3 * np.sin(across / 2.9))
    )
    x, y, z = bend(x, y, direction, slope, 2 * (width + height))
    return x, y, z + uneven + math.copysign(1.0, -fold) * ridge


FAMILY = Family(draw, shape, fine=True)
