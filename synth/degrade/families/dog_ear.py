"""A sheet with one corner turned over onto its front: the corner's print is gone, and its back hides some more."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np

from synth.degrade.families.base import Family, Grid, Params, Points
from synth.degrade.families.draws import camera, cockle, desk, is_roll, lamp
from synth.degrade.families.paper import flat, waves

DEEPEST = 4.2  # of the bend: so much of a corner comes round it and lies over what is steep
STEEPEST = 1.12  # radians; print on what is steeper is hidden by the corner above it


def draw(rng: random.Random, width: float, height: float) -> Params:
    most = 0.22 if is_roll(width, height) else 0.18
    corner = float(rng.randrange(4))  # 0 top left, 1 top right, 2 bottom right, 3 bottom left
    ear_x, ear_y = rng.uniform(0.06, most) * width, rng.uniform(0.06, most) * width
    deep = ear_x * ear_y / math.hypot(ear_x, ear_y)  # from the fold line to the corner
    return {
        "corner": corner,
        "ear_x": ear_x,
        "ear_y": ear_y,
        "opening": rng.uniform(4, 14),
        "bend": min(rng.uniform(1.2, 2.4), deep / DEEPEST),
        **camera(rng, width, height),
        **lamp(rng),
        **desk(rng),
        **cockle(rng, 0.1, 0.35),
    }


def shape(params: Params, width: float, height: float, u: Grid, v: Grid) -> Points:
    """The front, as a smooth function: it runs up the bend as far as print may be seen on it, and levels out again
    under the turned corner."""
    radius, half = params["bend"], STEEPEST * params["bend"]

    def step(beyond: Grid) -> tuple[Grid, Grid]:
        first = np.clip(beyond, 0, half) / radius
        second = (2 * half - np.clip(beyond, half, 2 * half)) / radius
        along = radius * (np.sin(first) + math.sin(STEEPEST) - np.sin(second)) + np.maximum(beyond - 2 * half, 0)
        return along, radius * (1 - np.cos(first) + np.cos(second) - math.cos(STEEPEST))

    return _beyond_the_fold(params, width, height, u, v, step)


def folded(params: Params, width: float, height: float, u: Grid, v: Grid) -> Points:
    """What lies beyond the fold line runs around a half circle of radius `bend` mm and back over the sheet, rising by
    `opening` degrees, as no corner lies quite flat."""
    radius, turn = params["bend"], math.pi - math.radians(params["opening"])

    def curl(beyond: Grid) -> tuple[Grid, Grid]:
        angle = np.clip(beyond / radius, 0, turn)
        rest = np.maximum(beyond - turn * radius, 0)
        along = radius * np.sin(angle) + rest * math.cos(turn)
        return along, radius * (1 - np.cos(angle)) + rest * math.sin(turn)

    return _beyond_the_fold(params, width, height, u, v, curl)


def _beyond_the_fold(
    params: Params, width: float, height: float, u: Grid, v: Grid, bent: Callable[[Grid], tuple[Grid, Grid]]
) -> Points:
    """The sheet, `bent` beyond the fold line: from how far a point lies beyond it to how far it comes, and its rise."""
    x, y = flat(u, v, width, height)
    corner = int(params["corner"])
    sx, sy = (-1 if corner in (0, 3) else 1), (1 if corner in (0, 1) else -1)
    # The unit normal of the fold line, towards the corner, and the line's distance from the origin.
    nx, ny = sx / params["ear_x"], sy / params["ear_y"]
    size = math.hypot(nx, ny)
    nx, ny = nx / size, ny / size
    line = nx * sx * (width / 2 - params["ear_x"]) + ny * sy * height / 2
    beyond = np.maximum(x * nx + y * ny - line, 0)
    along, up = bent(beyond)
    return x + (along - beyond) * nx, y + (along - beyond) * ny, waves(params, x, y) + up


FAMILY = Family(draw, shape, fine=True, folded=folded, revision=1)
