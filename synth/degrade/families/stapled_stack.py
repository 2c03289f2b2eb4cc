"""The first sheet of a stapled stack, a second one showing below it; the staple sits in a corner and hides a little."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np

from synth.degrade.families.base import Family, Grid, Params, Points, Prop
from synth.degrade.families.draws import camera, cockle, desk, lamp
from synth.degrade.families.paper import flat, waves

PAPER = (0.80, 0.80, 0.79)
STEEL = (0.30, 0.31, 0.33)
LEG = 5.5  # mm, half a staple's length


def draw(rng: random.Random, width: float, height: float) -> Params:
    left = rng.random() < 0.8
    return {
        "staple_x": (rng.uniform(9, 15) - width / 2) * (1 if left else -1),
        "staple_y": height / 2 - rng.uniform(7, 13),
        "staple_angle": (45 if left else -45) + rng.uniform(-22, 22),
        "under_turn": rng.uniform(0.5, 2.2) * (1 if rng.random() < 0.5 else -1),
        "under_slip": rng.uniform(0.6, 2.5),
        "lift": rng.uniform(2, 9),
        "lift_reach": rng.uniform(0.3, 0.6),
        **camera(rng, width, height),
        **lamp(rng),
        "margin_x": rng.uniform(7, 13),
        "margin_y": rng.uniform(6, 12),
        **desk(rng),
        **cockle(rng, 0.1, 0.4),
    }


def shape(params: Params, width: float, height: float, u: Grid, v: Grid) -> Points:
    """The sheet is held down at the staple, and its far corner rises."""
    x, y = flat(u, v, width, height)
    away = np.hypot(x - params["staple_x"], y - params["staple_y"]) / math.hypot(width, height)
    rise = np.clip((away - 1 + params["lift_reach"]) / params["lift_reach"], 0, 1.6) ** 2
    dent = np.exp(-((np.hypot(x - params["staple_x"], y - params["staple_y"]) / 9) ** 2))
    return x, y, waves(params, x, y) + params["lift"] * rise - 0.5 * dent


def props(params: Params, width: float, height: float) -> Sequence[Prop]:
    """The second sheet, turned about the staple, and the staple's bridge."""
    at_x, at_y = params["staple_x"], params["staple_y"]
    turn = math.radians(params["under_turn"])
    u, v = np.meshgrid(np.linspace(0, 1, 40), np.linspace(0, 1, 56))
    x, y = flat(u, v, width, height)
    dx, dy = x - at_x, y - at_y
    under = np.stack(
        [
            at_x + dx * math.cos(turn) - dy * math.sin(turn) + params["under_slip"] * 0.6,
            at_y + dx * math.sin(turn) + dy * math.cos(turn) - params["under_slip"],
            np.full_like(x, -1.2 - 2.0 * params["cockle"]),
        ],
        -1,
    )
    angle = math.radians(params["staple_angle"])
    t, around = np.meshgrid(np.linspace(-1, 1, 25), np.linspace(0, math.pi, 9))
    wire, arch = 0.45, 0.75 * np.sqrt(np.clip(1 - t**8, 0, 1))
    x = at_x + LEG * t * math.cos(angle) - wire * np.cos(around) * math.sin(angle)
    y = at_y + LEG * t * math.sin(angle) + wire * np.cos(around) * math.cos(angle)
    bridge = np.stack([x, y, arch + wire * np.sin(around) - 0.2], -1)
    return Prop(under, PAPER, "beside"), Prop(bridge, STEEL, "over")


FAMILY = Family(draw, shape, props=props, revision=1)
