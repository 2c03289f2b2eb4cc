"""A lens wide open, close to a leaning sheet: one part of the print is sharp, the rest softens with its distance."""

from __future__ import annotations

import random

from synth.degrade.families import soft_curl
from synth.degrade.families.base import Family, Params
from synth.degrade.families.draws import is_roll


def draw(rng: random.Random, width: float, height: float) -> Params:
    slender = 0.5 if is_roll(width, height) else 1.0
    distance = rng.uniform(1.4, 1.8) * max(height, 1.25 * width)
    return {
        **soft_curl.draw(rng, width, height),
        "left_angle": rng.uniform(2, 12),
        "right_angle": rng.uniform(-2, 9),
        "distance": distance,
        "tilt_x": rng.uniform(14, 22) * slender,
        "tilt_y": rng.uniform(-6, 6) * slender,
        "margin_x": rng.uniform(0.04, 0.08) * width,
        "margin_y": rng.uniform(0.04, 0.08) * min(height, 1.5 * width),
        "focus": distance * rng.uniform(0.94, 1.06),
        "aperture": rng.uniform(4.0, 7.5),
    }


FAMILY = Family(draw, soft_curl.shape)
