"""A sheet that was crushed in a hand and smoothed again: flat facets between many short sharp folds."""

from __future__ import annotations

import math
import random

import numpy as np

from synth.degrade.families.base import Family, Grid, Params, Points
from synth.degrade.families.draws import camera, cockle, desk, lamp
from synth.degrade.families.paper import flat, waves


def draw(rng: random.Random, width: float, height: float) -> Params:
    return {
        "crush": rng.uniform(0.09, 0.19),
        "facet": rng.uniform(34, 60),
        "edge": rng.uniform(0.5, 1.1),
        "crumple_seed": float(rng.randrange(1 << 20)),
        **camera(rng, width, height),
        **lamp(rng),
        "light_elevation": rng.uniform(34, 54),
        "light_size": rng.uniform(0.4, 0.8),
        **desk(rng),
        **cockle(rng, 0.3, 0.8),
    }


def shape(params: Params, width: float, height: float, u: Grid, v: Grid) -> Points:
    """A sum of pleats: each is a slope that turns over at lines of one direction, with places and strengths that change
    along the line, so that folds end and meet. `crush` is the slope of the strongest, `facet` their distance, mm."""
    x, y = flat(u, v, width, height)
    rng = random.Random(int(params["crumple_seed"]))
    z = np.zeros_like(x)
    for turn in range(7):
        angle = math.pi * (turn + rng.uniform(-0.4, 0.4)) / 7
        size = params["facet"] * rng.uniform(0.6, 1.5)
        along = x * math.cos(angle) + y * math.sin(angle)
        across = y * math.cos(angle) - x * math.sin(angle)
        bow = 0.0
        for _ in range(3):
            bow = bow + rng.uniform(4, 11) * np.sin(across / rng.uniform(16, 42) + rng.uniform(0, 2 * math.pi))
        phase = (along + bow) / size + rng.uniform(0, 1)
        # A triangle wave whose tips are rounded over `edge` mm.
        fold = np.abs(phase - np.round(phase))
        soft = params["edge"] / size
        pleat = 0.5 - np.sqrt(fold * fold + soft * soft)
        here = 0.5 + 0.5 * np.sin(across / rng.uniform(25, 60) + along / rng.uniform(40, 90) + rng.uniform(0, 6.3))
        z += params["crush"] * size * pleat * here * rng.choice((-1, 1)) * rng.uniform(0.5, 1.0)
    return x, y, z + waves(params, x, y)


FAMILY = Family(draw, shape, fine=True)
