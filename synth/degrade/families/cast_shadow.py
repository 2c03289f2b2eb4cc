"""The shadow of the hand that holds the phone, or of the phone alone, falls on the sheet."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np

from synth.degrade.families import soft_curl
from synth.degrade.families.base import Family, Grid, Params, Prop
from synth.degrade.families.draws import lamp

SKIN = (0.45, 0.28, 0.2)
CASE = (0.03, 0.03, 0.03)


def draw(rng: random.Random, width: float, height: float) -> Params:
    return {
        **soft_curl.draw(rng, width, height),
        "left_angle": rng.uniform(1, 10),
        "right_angle": rng.uniform(-2, 8),
        **lamp(rng),
        "light_elevation": rng.uniform(40, 58),
        "light_size": rng.uniform(0.18, 0.5),
        "ambient": rng.uniform(0.5, 0.9),
        "hand": float(rng.random() < 0.6),
        "shade_u": rng.choice((rng.uniform(0.0, 0.3), rng.uniform(0.7, 1.0))),
        "shade_v": rng.uniform(0.15, 0.9),
        "shade_height": rng.uniform(70, 150),
        "shade_turn": rng.uniform(0, 360),
        "shade_size": rng.uniform(0.85, 1.15),
    }


def _tube(start: tuple[float, float, float], end: tuple[float, float, float], radii: tuple[float, float]) -> Grid:
    """A round rod with round ends, from point to point."""
    a, b = np.array(start), np.array(end)
    axis = (b - a) / np.linalg.norm(b - a)
    side = np.cross(axis, [0.31, 0.2, 0.93])
    side /= np.linalg.norm(side)
    other = np.cross(axis, side)
    t, around = np.meshgrid(np.linspace(-0.5 * math.pi, 0.5 * math.pi, 18), np.linspace(0, 2 * math.pi, 20))
    share = np.clip(np.linspace(-0.35, 1.35, 18), 0, 1)[None, :]
    radius = (radii[0] + (radii[1] - radii[0]) * share) * np.cos(t * (np.abs(t) > 0.9)) ** 0.7
    bulge = np.where(np.abs(t) > 0.9, np.sin(t) * np.where(t < 0, radii[0], radii[1]), 0.0)
    centre = a + (b - a) * share[..., None] + bulge[..., None] * axis
    return centre + radius[..., None] * (np.cos(around)[..., None] * side + np.sin(around)[..., None] * other)


def props(params: Params, width: float, height: float) -> Sequence[Prop]:
    """Things between the lamp and a place on the sheet, `shade_height` mm above it."""
    azimuth, elevation = math.radians(params["light_azimuth"]), math.radians(params["light_elevation"])
    up = params["shade_height"]
    reach = up / math.tan(elevation)
    centre = np.array(
        [
            (params["shade_u"] - 0.5) * width + reach * math.cos(azimuth),
            (0.5 - params["shade_v"]) * height + reach * math.sin(azimuth),
            up,
        ]
    )
    size, turn = params["shade_size"] * min(1.0, width / 150), math.radians(params["shade_turn"])
    cos, sin = math.cos(turn), math.sin(turn)

    def placed(points: Grid) -> Grid:
        x, y, z = (size * points[..., k] for k in range(3))
        return np.stack([x * cos - y * sin, x * sin + y * cos, z], -1) + centre

    # A phone of 74 x 150 mm with round corners: a slab between two outlines.
    t, edge = np.meshgrid(np.linspace(0, 2 * math.pi, 96), np.linspace(0, 1, 8))
    power = 0.22  # superellipse
    x = 37 * edge * np.sign(np.cos(t)) * np.abs(np.cos(t)) ** power
    y = 75 * edge * np.sign(np.sin(t)) * np.abs(np.sin(t)) ** power
    things = [Prop(placed(np.stack([x, y, np.zeros_like(x)], -1)), CASE, "shadow")]
    if params["hand"]:
        # Four fingers along one side, the thumb on the other, the palm and the arm.
        rods = [((-46.0, 50.0 - 21 * k, -6.0), (-22.0, 55.0 - 21 * k, 6.0), (9.5, 8.0)) for k in range(4)] + [
            ((44.0, -20.0, -6.0), (30.0, 30.0, 8.0), (13.0, 9.0)),
            ((-34.0, -12.0, -22.0), (38.0, -40.0, -22.0), (30.0, 34.0)),
            ((8.0, -60.0, -30.0), (60.0, -330.0, -10.0), (33.0, 48.0)),
        ]
        things += [Prop(placed(_tube(*rod)), SKIN, "shadow") for rod in rods]
    return things


FAMILY = Family(draw, soft_curl.shape, props=props)
