"""Folds that were opened again, any number of them on one sheet; the crease families are made of these."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from synth.degrade.families.base import Grid, Params, Points
from synth.degrade.families.paper import bend_more, flat, half_extent, ridge, waves


def creased(params: Params, width: float, height: float, u: Grid, v: Grid, numbers: Sequence[int]) -> Points:
    """The sheet with the folds of these numbers, one after another.

    Parameters of fold n: `direction_n` (degrees, across the fold line), `place_n` (of the sheet's extent, 0 is the
    middle), `fold_n` (degrees, positive a valley), and of all: `radius`, `ridge` (mm), `spring`.
    """
    x, y = flat(u, v, width, height)
    points: Points = (x, y, waves(params, x, y))
    for n in numbers:
        direction, fold = math.radians(params[f"direction_{n}"]), math.radians(params[f"fold_{n}"])
        half = half_extent(direction, width, height)
        place = params[f"place_{n}"] * 2 * half

        def slope(s: Grid, fold: float = fold, place: float = place, half: float = half) -> Grid:
            # The fold itself, sharp; then both halves ease back towards the table, as folded paper does.
            turn = 0.5 * np.tanh((s - place) / params["radius"])
            return fold * turn * (1 - params["spring"] * np.clip(np.abs(s - place) / (2 * half), 0, 1))

        along = x * math.cos(direction) + y * math.sin(direction) - place
        across = y * math.cos(direction) - x * math.sin(direction)
        stands = math.copysign(1.0, -fold) * ridge(along, across, params["ridge"])
        points = bend_more((points[0], points[1], points[2] + stands), direction, slope, 2 * (width + height))
    return points
