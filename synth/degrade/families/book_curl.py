"""A page of an open book or bound volume: it rises out of the gutter and falls flat; the facing page is beside it."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from synth.degrade.families.base import Family, Grid, Params, Points, Prop
from synth.degrade.families.draws import camera, cockle, desk, lamp
from synth.degrade.families.paper import bend, flat, waves

PAPER = (0.78, 0.77, 0.73)


def draw(rng: random.Random, width: float, height: float) -> Params:
    return {
        "spine": float(rng.choice((-1, 1))),  # the side the gutter is on: -1 left, 1 right
        "gutter_angle": rng.uniform(34, 48),
        "gutter_reach": rng.uniform(0.10, 0.17),
        "arch": rng.uniform(5, 10),
        "facing": rng.uniform(7, 14),
        "block": rng.uniform(1.5, 5.0),
        **camera(rng, width, height),
        **lamp(rng),
        "distance": rng.uniform(2.0, 2.6) * max(height, 1.25 * width),
        "margin_x": rng.uniform(9, 16),
        **desk(rng),
        **cockle(rng, 0.1, 0.3),
    }


def shape(params: Params, width: float, height: float, u: Grid, v: Grid) -> Points:
    x, y = flat(u, v, width, height)
    side = params["spine"]

    def slope(s: Grid) -> Grid:
        p = np.clip(s * side / (width / 2), -1, 1)  # 1 at the gutter; beyond it the page goes on straight
        steep = np.clip((p - 1 + 2 * params["gutter_reach"]) / (2 * params["gutter_reach"]), 0, 1) ** 1.5
        swell = params["arch"] * np.clip((p + 0.7) / 1.7, 0, 1)
        return np.radians(-side * (params["gutter_angle"] - params["arch"]) * steep - side * swell)

    uneven = waves(params, x, y)
    x, y, z = bend(x, y, 0.0, slope, 2 * (width + height))
    return x, y, z + uneven


def props(params: Params, width: float, height: float) -> Sequence[Prop]:
    """The facing page, which rises out of the gutter the other way, and the leaves below the page's outer edge."""
    side = params["spine"]
    u, v = np.meshgrid(np.linspace(0, 1, 160), np.linspace(-0.004, 1.004, 80))
    own = u if side > 0 else u[:, ::-1]  # towards the gutter
    x, y, z = shape({**params, "cockle": 0.0}, width, height, own, v)
    gutter = float(x[:, -1].mean())
    # The facing page is the mirror image about the gutter, a little lower: no desk shows, and nothing hides this page.
    facing = np.stack([2 * gutter - x, y, z - 0.2 - params["cockle"]], -1)
    leaves: list[Prop] = [Prop(facing, PAPER, "beside")]
    x, y, z = shape(params, width, height, own, v)  # leaves lie in this page's waves, which else would dip below them
    for k in range(4):
        step = params["block"] * (k + 1) / 4
        leaves.append(Prop(np.stack([x - side * step, y, z - 0.35 * (k + 1)], -1), PAPER, "beside"))
    return leaves


FAMILY = Family(draw, shape, bound=True, props=props, revision=1)
