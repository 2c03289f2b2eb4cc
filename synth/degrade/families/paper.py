"""How paper bends: without stretching, with a little unevenness, and softly at a fold."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np

from synth.degrade.families.base import Grid, Params, Points


def flat(u: Grid, v: Grid, width: float, height: float) -> tuple[Grid, Grid]:
    """The plane sheet: x, y in mm."""
    return (u - 0.5) * width, (0.5 - v) * height


def half_extent(direction: float, width: float, height: float) -> float:
    """How far the sheet reaches from its centre along a direction (radians), mm."""
    return (abs(math.cos(direction)) * width + abs(math.sin(direction)) * height) / 2


def waves(params: Params, x: Grid, y: Grid) -> Grid:
    """Gentle unevenness of paper that has been handled: a few long waves, in units of the `cockle` height."""
    rng = random.Random(int(params["cockle_seed"]))
    total = np.zeros_like(x)
    for _ in range(7):
        angle, length, phase = rng.uniform(0, math.pi), rng.uniform(45, 170), rng.uniform(0, 2 * math.pi)
        total += (length / 170) * np.sin((x * math.cos(angle) + y * math.sin(angle)) * (2 * math.pi / length) + phase)
    return params["cockle"] * total / 2.2


def bend(x: Grid, y: Grid, direction: float, slope: Callable[[Grid], Grid], reach: float) -> Points:
    """Roll the plane without stretching it: `slope` is the angle of the sheet at arc length s along `direction`."""
    cos, sin = math.cos(direction), math.sin(direction)
    s, t = x * cos + y * sin, y * cos - x * sin
    arc = np.linspace(-reach, reach, 8193)
    angle = slope(arc)
    step = arc[1] - arc[0]

    def integral(f: Grid) -> Grid:
        total = np.concatenate([[0.0], np.cumsum((f[1:] + f[:-1]) * (step / 2))])
        return total - np.interp(0.0, arc, total)

    along, z = np.interp(s, arc, integral(np.cos(angle))), np.interp(s, arc, integral(np.sin(angle)))
    return along * cos - t * sin, along * sin + t * cos, z


def bend_more(points: Points, direction: float, slope: Callable[[Grid], Grid], reach: float) -> Points:
    """Bend a sheet that is bent already. Heights add up: folds that cross stretch paper a little, by the product of
    their slopes, as real ones do by buckling where they meet."""
    x, y, z = points
    x, y, more = bend(x, y, direction, slope, reach)
    return x, y, z + more


def ridge(along: Grid, across: Grid, height: float) -> Grid:
    """Broken fibres: a hair-thin uneven ridge on a fold line (`along` is the distance from it)."""
    uneven = 1 + 0.5 * np.sin(across / 7.3) + 0.3 * np.sin(across / 2.9)
    return height * np.exp(-((along / 0.9) ** 2)) * uneven
