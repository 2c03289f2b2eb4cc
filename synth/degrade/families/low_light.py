"""A dim room: one warm lamp near by, light that falls off over the sheet, and the noise of a sensor at its limit."""

from __future__ import annotations

import random

from synth.degrade.families import soft_curl
from synth.degrade.families.base import Family, Params
from synth.degrade.families.draws import lamp


def draw(rng: random.Random, width: float, height: float) -> Params:
    warm = rng.uniform(0.4, 1.0)
    return {
        **soft_curl.draw(rng, width, height),
        "left_angle": rng.uniform(2, 12),
        "right_angle": rng.uniform(-2, 9),
        **lamp(rng),
        "light_elevation": rng.uniform(34, 52),
        "light_size": rng.uniform(0.12, 0.35),
        "light_distance": rng.uniform(1.0, 1.6),
        "ambient": rng.uniform(0.12, 0.3),
        "tint_r": 1.0,
        "tint_g": 1.0 - 0.11 * warm,
        "tint_b": 1.0 - 0.34 * warm,
        "white": rng.uniform(0.50, 0.72),
        "grain": rng.uniform(250, 550),
    }


FAMILY = Family(draw, soft_curl.shape)
