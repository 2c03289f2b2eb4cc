"""Folds that were opened again, any number of them on one sheet; the crease families are made of these."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from synth.degrade.families.base import Grid, Params, Points
from synth.degrade.families.paper import bend_more, flat, half_extent, ridge, waves


def creased(params: Params, width: float, height: float, u: Grid, v: Grid, along: Sequence[Sequence[int]]) -> Points:
    """The sheet with its folds; `along` groups their numbers by direction, as angles of parallel folds add up.

    Parameters of fold n: `direction_n` (degrees, across the fold line), `place_n` (of the sheet's extent, 0 is the
    middle), `fold_n` (degrees, positive a valley), and of all: `radius`, `ridge` (mm), `spring`.
    """
    x, y = flat(u, v, width, height)
    points: Points = (x, y, waves(params, x, y))
    for numbers in along:
        direction = math.radians(sum(params[f"direction_{n}"] for n in numbers) / len(numbers))
        half = half_extent(direction, width, height)
        folds = [(params[f"place_{n}"] * 2 * half, math.radians(params[f"fold_{n}"])) for n in numbers]

        def slope(s: Grid, folds: list[tuple[float, float]] = folds, half: float = half) -> Grid:
            total = np.zeros_like(s)
            for place, fold in folds:
                # The fold itself, sharp; then both halves ease back towards the table, as folded paper does.
                turn = 0.5 * np.tanh((s - place) / params["radius"])
                total += fold * turn * (1 - params["spring"] * np.clip(np.abs(s - place) / (2 * half), 0, 1))
            return total

        stands = np.zeros_like(x)
        across = y * math.cos(direction) - x * math.sin(direction)
        for place, fold in folds:
            away = x * math.cos(direction) + y * math.sin(direction) - place
            stands += math.copysign(1.0, -fold) * ridge(away, across, params["ridge"])
        points = bend_more((points[0], points[1], points[2] + stands), direction, slope, 2 * (width + height))
    return points
