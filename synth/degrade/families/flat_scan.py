"""The sheet on a scanner's glass, slightly turned, one edge lifting a little; a white or a dark lid behind it."""

from __future__ import annotations

import random

import numpy as np

from synth.degrade.families.base import Family, Grid, Params, Points
from synth.degrade.families.draws import cockle, is_roll
from synth.degrade.families.paper import flat, waves
from synth.degrade.surfaces import LID


def draw(rng: random.Random, width: float, height: float) -> Params:
    roll = is_roll(width, height)
    dark = rng.random() < 0.2
    lid = rng.uniform(0.05, 0.14) if dark else rng.uniform(0.62, 0.84)
    return {
        "turn": rng.uniform(-0.75, 0.75) * min(1.0, 1.45 * width / height),
        "margin_x": rng.uniform(3, 9) if roll else rng.uniform(-0.3, 2.5),
        "margin_y": rng.uniform(4, 12) if roll else rng.uniform(-0.3, 2.5),
        "lift": rng.uniform(0.3, 2.2),
        "lift_side": float(rng.randrange(4)),
        "lift_reach": rng.uniform(0.06, 0.16),
        "desk_r": lid,
        "desk_g": lid * rng.uniform(0.985, 1.0),
        "desk_b": lid * rng.uniform(0.96, 1.0),
        "desk_kind": float(LID),
        "light_azimuth": rng.choice((90.0, 270.0)) + rng.uniform(-3, 3),
        "light_elevation": rng.uniform(42, 55),
        "light_size": rng.uniform(0.15, 0.3),
        "light_distance": 3.0,
        "ambient": rng.uniform(0.75, 1.1),
        "tint_r": 1.0,
        "tint_g": rng.uniform(0.985, 1.0),
        "tint_b": rng.uniform(0.965, 1.0),
        "white": rng.uniform(0.94, 0.99),
        **cockle(rng, 0.05, 0.25),
    }


def shape(params: Params, width: float, height: float, u: Grid, v: Grid) -> Points:
    x, y = flat(u, v, width, height)
    toward = (1 - u, u, v, 1 - v)[int(params["lift_side"])]  # 1 at the lifted edge
    near = np.clip((toward - 1 + params["lift_reach"]) / params["lift_reach"], 0, 1)
    return x, y, waves(params, x, y) + params["lift"] * near * near


FAMILY = Family(draw, shape, perspective=False)
