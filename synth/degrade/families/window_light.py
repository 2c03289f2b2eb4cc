"""Daylight through a blind: bright and dark stripes across the sheet and the desk."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np

from synth.degrade.families import soft_curl
from synth.degrade.families.base import Family, Params, Prop
from synth.degrade.families.draws import lamp

SLAT = (0.7, 0.7, 0.68)


def draw(rng: random.Random, width: float, height: float) -> Params:
    return {
        **soft_curl.draw(rng, width, height),
        "left_angle": rng.uniform(2, 12),
        "right_angle": rng.uniform(-2, 9),
        **lamp(rng),
        "light_elevation": rng.uniform(36, 56),
        "light_size": rng.uniform(0.05, 0.12),
        "light_distance": rng.uniform(3.4, 4.6),
        "ambient": rng.uniform(0.75, 1.15),
        "slat": rng.uniform(9, 17),
        "gap": rng.uniform(0.8, 1.5),
        "slat_turn": rng.uniform(-28, 28),
        "blind_away": rng.uniform(0.28, 0.42),
        "window": rng.uniform(0.7, 1.3),
    }


def props(params: Params, width: float, height: float) -> Sequence[Prop]:
    """Slats square to the light, at `blind_away` of the lamp's distance; a frame ends the light on one side."""
    reach = max(width, height)
    azimuth, elevation = math.radians(params["light_azimuth"]), math.radians(params["light_elevation"])
    towards = np.array(
        [math.cos(elevation) * math.cos(azimuth), math.cos(elevation) * math.sin(azimuth), math.sin(elevation)]
    )
    across = np.array([-math.sin(azimuth), math.cos(azimuth), 0.0])
    upward = np.cross(towards, across)
    turn = math.radians(params["slat_turn"])
    across, upward = (
        across * math.cos(turn) + upward * math.sin(turn),
        upward * math.cos(turn) - across * math.sin(turn),
    )
    centre = towards * params["blind_away"] * params["light_distance"] * reach
    pitch = params["slat"] * (1 + params["gap"])
    number = int(1.3 * reach / pitch) + 1
    half = 1.5 * reach
    slats: list[Prop] = []
    for k in range(-number, number + 1):
        x, y = np.meshgrid(np.linspace(-half, half, 3), np.linspace(-params["slat"] / 2, params["slat"] / 2, 3))
        points = centre + x[..., None] * across + (y + k * pitch)[..., None] * upward
        slats.append(Prop(points, SLAT, "shadow"))
    x, y = np.meshgrid(np.linspace(0, 2 * half, 3), np.linspace(-2 * half, 2 * half, 3))
    frame = centre + (x + params["window"] * reach * 0.6)[..., None] * across + y[..., None] * upward
    return [*slats, Prop(frame, SLAT, "shadow")]


FAMILY = Family(draw, soft_curl.shape, props=props)
