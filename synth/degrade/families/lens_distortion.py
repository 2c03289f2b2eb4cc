"""A wide-angle phone lens held close: straight edges bow outwards, and the light falls from one side."""

from __future__ import annotations

import random

from synth.degrade.families import soft_curl
from synth.degrade.families.base import Family, Params


def draw(rng: random.Random, width: float, height: float) -> Params:
    return {
        **soft_curl.draw(rng, width, height),
        "left_angle": rng.uniform(1, 10),
        "right_angle": rng.uniform(-2, 8),
        "barrel": rng.uniform(0.035, 0.10),
        "distance": rng.uniform(1.1, 1.4) * max(height, 1.25 * width),
        "tilt_x": rng.uniform(-5, 5),
        "tilt_y": rng.uniform(-4, 4),
        "margin_x": rng.uniform(0.05, 0.09) * width,
        "margin_y": rng.uniform(0.045, 0.08) * min(height, 1.5 * width),
    }


FAMILY = Family(draw, soft_curl.shape)
