"""The sheet on a scanner's glass, slightly turned, one edge lifting a little; a white or a dark lid behind it.

The bar of light moves along the sheet and lights every line alike: a lamp so far away that no part is nearer to it.
Beyond the bar's ends it is dark: a low dark wall at each side hides some of the light that comes from everywhere.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from synth.degrade.families.base import Family, Grid, Params, Points, Prop
from synth.degrade.families.draws import cockle, is_roll
from synth.degrade.families.paper import flat, waves
from synth.degrade.surfaces import LID

GLASS = 216.0  # mm, its width
WALL = (0.04, 0.04, 0.04)


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
        "light_size": rng.uniform(2.0, 4.0),
        "light_distance": 40.0,
        "bar_end": rng.uniform(3, 12),
        "wall": rng.uniform(3, 8),
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
    return x, y, waves(params, x, y) - params["lift"] * near * near  # away from the glass, and from the camera


def props(params: Params, width: float, height: float) -> Sequence[Prop]:
    """A wall of `wall` mm at both ends of the bar, `bar_end` mm beyond the glass (or the sheet, if that is wider)."""
    away = max(width, GLASS) / 2 + params["bar_end"]
    along, up = np.meshgrid(np.linspace(-1.5 * height, 1.5 * height, 3), np.linspace(-5, params["wall"], 3))
    return [Prop(np.stack([np.full_like(along, side * away), along, up], -1), WALL, "shadow") for side in (-1, 1)]


FAMILY = Family(draw, shape, perspective=False, props=props, revision=1)
