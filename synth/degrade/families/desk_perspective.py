"""A sheet on a desk, taken from the side by someone who stands there: strong perspective, much of the desk in view."""

from __future__ import annotations

import random

from synth.degrade.families import soft_curl
from synth.degrade.families.base import Family, Params
from synth.degrade.families.draws import camera, cockle, desk, is_roll, lamp


def draw(rng: random.Random, width: float, height: float) -> Params:
    slender = 0.5 if is_roll(width, height) else 1.0
    lean = rng.uniform(12, 24) * slender
    return {
        **soft_curl.draw(rng, width, height),
        "left_angle": rng.uniform(1, 9),
        "right_angle": rng.uniform(-1, 7),
        "arch": rng.uniform(-2, 2),
        **camera(rng, width, height),
        "distance": rng.uniform(1.35, 1.9) * max(height, 1.25 * width),
        "tilt_x": lean,
        "tilt_y": rng.uniform(-8, 8) * slender,
        "turn": rng.uniform(-7, 7) * slender,
        "margin_x": rng.uniform(0.05, 0.12) * width,
        "margin_y": rng.uniform(0.04, 0.10) * min(height, 1.5 * width),
        **lamp(rng),
        **desk(rng),
        **cockle(rng, 0.15, 0.5),
    }


FAMILY = Family(draw, soft_curl.shape)
