"""A dim room: one warm lamp close to the sheet, a pool of light below it, and the noise of a sensor at its limit."""

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
        "light_elevation": rng.uniform(30, 60),
        "light_size": rng.uniform(0.1, 0.25),
        "light_distance": rng.uniform(0.55, 0.95),
        "ambient": rng.uniform(0.05, 0.16),
        "tint_r": 1.0,
        "tint_g": 1.0 - 0.11 * warm,
        "tint_b": 1.0 - 0.34 * warm,
        "white": rng.uniform(0.58, 0.80),
        "grain": rng.uniform(250, 550),
    }


FAMILY = Family(draw, soft_curl.shape, revision=1)
