"""A sheet that was crushed in a hand and smoothed again: flat facets between many short sharp folds."""

from __future__ import annotations

import random

import numpy as np
from scipy.interpolate import LinearNDInterpolator

from synth.degrade.families.base import Family, Grid, Params, Points
from synth.degrade.families.draws import camera, cockle, desk, lamp
from synth.degrade.families.paper import flat, waves

SCALES = ((1.0, 1.0), (0.5, 0.55), (0.24, 0.4))  # size of facets and steepness, of `facet` and `crush`


def draw(rng: random.Random, width: float, height: float) -> Params:
    return {
        "crush": rng.uniform(0.08, 0.15),
        "facet": rng.uniform(50, 80) * min(1.0, width / 150),
        "crumple_seed": float(rng.randrange(1 << 20)),
        **camera(rng, width, height),
        **lamp(rng),
        "light_elevation": rng.uniform(34, 54),
        "light_size": rng.uniform(0.4, 0.8),
        **desk(rng),
        **cockle(rng, 0.3, 0.8),
    }


def _facets(seed: int, size: float, reach_x: float, reach_y: float) -> LinearNDInterpolator:
    """Heights, around 0 and of the order of `size`, over triangles between scattered points about `size` mm apart."""
    rng = np.random.Generator(np.random.PCG64(seed))
    across, down = (int(2 * reach / size) + 3 for reach in (reach_x, reach_y))
    i, j = np.meshgrid(np.arange(across) - across // 2, np.arange(down) - down // 2)
    # Every other row is shifted and all points are jittered, so that no direction is preferred.
    points = np.stack([i + 0.5 * (j % 2), j], -1).reshape(-1, 2) + rng.uniform(-0.42, 0.42, (i.size, 2))
    return LinearNDInterpolator(points * size, rng.uniform(-1, 1, len(points)) * size, fill_value=0.0)


def shape(params: Params, width: float, height: float, u: Grid, v: Grid) -> Points:
    """Facets of three sizes, one upon the other. `facet`: the largest, mm; `crush`: how steep those are."""
    x, y = flat(u, v, width, height)
    z = waves(params, x, y)
    for number, (size, steep) in enumerate(SCALES):
        facets = _facets(int(params["crumple_seed"]) + number, size * params["facet"], width, height)
        z = z + params["crush"] * steep * facets(x, y)
    return x, y, z


FAMILY = Family(draw, shape, fine=True)
