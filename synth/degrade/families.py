"""Scene families: what is drawn for each, and the shape of its sheet. A new family is one `Family` more in `FAMILIES`.

Lengths are millimetres; the sheet lies in the plane z = 0 with its centre at the origin, x to the right, y up, z to the
camera. `u` runs from 0 to 1 along the width, `v` from 0 to 1 from the top edge to the bottom edge.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Params = dict[str, float]
Grid = np.ndarray

# Linear albedo of what lies under the paper, and how strong its grain is.
DESKS = (
    (0.30, 0.17, 0.09, 0.55),  # oak
    (0.12, 0.065, 0.035, 0.6),  # walnut
    (0.52, 0.40, 0.27, 0.4),  # birch
    (0.23, 0.23, 0.235, 0.25),  # grey laminate
    (0.045, 0.047, 0.05, 0.2),  # dark slate
    (0.46, 0.45, 0.43, 0.2),  # pale stone
    (0.07, 0.10, 0.095, 0.15),  # desk pad
)


@dataclass(frozen=True)
class Family:
    """`draw`: named parameters of one scene; `shape`: sheet points of u, v (arrays of any shape) to x, y, z in mm."""

    draw: Callable[[random.Random, float, float], Params]
    shape: Callable[[Params, float, float, Grid, Grid], tuple[Grid, Grid, Grid]]
    perspective: bool


def _light(rng: random.Random) -> Params:
    """A lamp or window above a desk, and the share of light that comes from everywhere."""
    warmth = rng.uniform(-1, 1)
    return {
        "light_azimuth": rng.uniform(0, 360),
        "light_elevation": rng.uniform(38, 62),
        "light_size": rng.uniform(0.5, 1.1),
        "light_distance": rng.uniform(2.2, 4.0),
        "ambient": rng.uniform(0.45, 0.8),
        "tint_r": 1.0 - max(0.0, -warmth) * 0.035,
        "tint_g": 0.99 - abs(warmth) * 0.008,
        "tint_b": 1.0 - max(0.0, warmth) * 0.06,
        "white": rng.uniform(0.86, 0.95),
    }


def _desk(rng: random.Random) -> Params:
    r, g, b, grain = rng.choice(DESKS)
    shade = rng.uniform(0.85, 1.15)
    return {"desk_r": r * shade, "desk_g": g * shade, "desk_b": b * shade, "desk_grain": grain}


def _camera(rng: random.Random, width: float, height: float) -> Params:
    """A camera held above the sheet; a long strip is turned less, as it shows it sooner."""
    slender = min(1.0, 1.45 * width / height)
    return {
        "distance": rng.uniform(1.5, 2.3) * max(height, 1.25 * width),
        "tilt_x": rng.uniform(-2.0, 2.0),
        "tilt_y": rng.uniform(-2.0, 2.0),
        "turn": rng.uniform(-1.6, 1.6) * slender,
        "margin_x": rng.uniform(0.015, 0.04) * width,
        "margin_y": rng.uniform(0.012, 0.035) * min(height, 1.5 * width),
    }


def _cockle(rng: random.Random, low: float, high: float) -> Params:
    return {"cockle": rng.uniform(low, high), "cockle_seed": float(rng.randrange(1 << 20))}


def _waves(params: Params, x: Grid, y: Grid) -> Grid:
    """Gentle unevenness of paper that has been handled: a few long waves, in units of the `cockle` height."""
    rng = random.Random(int(params["cockle_seed"]))
    total = np.zeros_like(x)
    for _ in range(7):
        angle, length, phase = rng.uniform(0, math.pi), rng.uniform(45, 170), rng.uniform(0, 2 * math.pi)
        total += (length / 170) * np.sin((x * math.cos(angle) + y * math.sin(angle)) * (2 * math.pi / length) + phase)
    return params["cockle"] * total / 2.2


def _bend(x: Grid, y: Grid, direction: float, slope: Callable[[Grid], Grid], reach: float) -> tuple[Grid, Grid, Grid]:
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


def _flat(u: Grid, v: Grid, width: float, height: float) -> tuple[Grid, Grid]:
    return (u - 0.5) * width, (0.5 - v) * height


def draw_flat_scan(rng: random.Random, width: float, height: float) -> Params:
    roll = height > 1.6 * width
    dark = rng.random() < 0.2
    lid = rng.uniform(0.05, 0.14) if dark else rng.uniform(0.62, 0.84)
    return {
        "turn": rng.uniform(-0.75, 0.75) * min(1.0, 1.45 * width / height),
        "margin_x": rng.uniform(3, 9) if roll else rng.uniform(-0.3, 2.5),
        "margin_y": rng.uniform(4, 12) if roll else rng.uniform(-0.3, 2.5),
        "lift": rng.uniform(0.3, 2.2),
        "lift_side": float(rng.randrange(4)),
        "lift_reach": rng.uniform(0.06, 0.16),
        "desk_r": lid,
        "desk_g": lid * rng.uniform(0.985, 1.0),
        "desk_b": lid * rng.uniform(0.96, 1.0),
        "desk_grain": 0.03,
        "light_azimuth": rng.choice((90.0, 270.0)) + rng.uniform(-3, 3),
        "light_elevation": rng.uniform(42, 55),
        "light_size": rng.uniform(0.15, 0.3),
        "light_distance": 3.0,
        "ambient": rng.uniform(0.75, 1.1),
        "tint_r": 1.0,
        "tint_g": rng.uniform(0.985, 1.0),
        "tint_b": rng.uniform(0.965, 1.0),
        "white": rng.uniform(0.94, 0.99),
        **_cockle(rng, 0.05, 0.25),
    }


def shape_flat_scan(params: Params, width: float, height: float, u: Grid, v: Grid) -> tuple[Grid, Grid, Grid]:
    x, y = _flat(u, v, width, height)
    toward = (1 - u, u, v, 1 - v)[int(params["lift_side"])]  # 1 at the lifted edge
    near = np.clip((toward - 1 + params["lift_reach"]) / params["lift_reach"], 0, 1)
    return x, y, _waves(params, x, y) + params["lift"] * near * near


def draw_soft_curl(rng: random.Random, width: float, height: float) -> Params:
    roll = height > 1.6 * width
    # A roll curls along its length, as it lay on the spool; a page along either side or towards a corner.
    direction = 90 + rng.uniform(-4, 4) if roll else rng.choice((0.0, 90.0, 45.0, 135.0)) + rng.uniform(-14, 14)
    return {
        "direction": direction,
        "left_angle": rng.uniform(6, 20),
        "right_angle": rng.uniform(-4, 16),
        "left_reach": rng.uniform(0.35, 0.75),
        "right_reach": rng.uniform(0.3, 0.6),
        "arch": rng.uniform(-3.5, 3.5),
        **_camera(rng, width, height),
        **_light(rng),
        **_desk(rng),
        **_cockle(rng, 0.15, 0.5),
    }


def shape_soft_curl(params: Params, width: float, height: float, u: Grid, v: Grid) -> tuple[Grid, Grid, Grid]:
    x, y = _flat(u, v, width, height)
    direction = math.radians(params["direction"])
    half = (abs(math.cos(direction)) * width + abs(math.sin(direction)) * height) / 2

    def slope(s: Grid) -> Grid:
        p = np.clip(s / half, -1, 1)  # beyond the sheet the last slope goes on
        right = np.clip((p - 1 + params["right_reach"]) / params["right_reach"], 0, 1) ** 1.6
        left = np.clip((-p - 1 + params["left_reach"]) / params["left_reach"], 0, 1) ** 1.6
        bow = params["arch"] * np.sin(p * math.pi / 2) * (1 - np.maximum(left, right))
        return np.radians(params["right_angle"] * right - params["left_angle"] * left + bow)

    waves = _waves(params, x, y)
    x, y, z = _bend(x, y, direction, slope, 2 * (width + height))
    return x, y, z + waves


def draw_one_crease(rng: random.Random, width: float, height: float) -> Params:
    roll = height > 1.6 * width
    lengthwise = not roll and rng.random() < 0.3  # fold line runs from top to bottom
    direction = (0.0 if lengthwise else 90.0) + rng.uniform(-2.5, 2.5)
    # Light along the fold would hide it: it comes from one of the two sides.
    azimuth = direction + rng.choice((0.0, 180.0)) + rng.uniform(-60, 60)
    return {
        "direction": direction,
        "place": rng.uniform(-0.04, 0.04) if rng.random() < 0.5 else rng.uniform(-0.36, 0.36),
        "fold": rng.uniform(13, 27) * rng.choice((-1, 1)),
        "radius": rng.uniform(0.4, 0.9),
        "spring": rng.uniform(0.25, 0.6),
        "ridge": rng.uniform(0.1, 0.24),
        **_camera(rng, width, height),
        **_light(rng),
        "light_azimuth": azimuth % 360,
        **_desk(rng),
        **_cockle(rng, 0.1, 0.35),
    }


def shape_one_crease(params: Params, width: float, height: float, u: Grid, v: Grid) -> tuple[Grid, Grid, Grid]:
    x, y = _flat(u, v, width, height)
    direction = math.radians(params["direction"])
    half = (abs(math.cos(direction)) * width + abs(math.sin(direction)) * height) / 2
    place, fold = params["place"] * 2 * half, math.radians(params["fold"])

    def slope(s: Grid) -> Grid:
        # The fold itself, sharp; then both halves ease back towards the table, as folded paper does.
        turn = 0.5 * np.tanh((s - place) / params["radius"])
        ease = 1 - params["spring"] * np.clip(np.abs(s - place) / (2 * half), 0, 1)
        return fold * turn * ease

    waves = _waves(params, x, y)
    along = x * math.cos(direction) + y * math.sin(direction) - place
    across = y * math.cos(direction) - x * math.sin(direction)
    # Broken fibres: a hair-thin uneven ridge on the fold line.
    ridge = (
        params["ridge"] * np.exp(-((along / 0.9) ** 2)) * (1 + 0.5 * np.sin(across / 7.3) + 0.3 * np.sin(across / 2.9))
    )
    x, y, z = _bend(x, y, direction, slope, 2 * (width + height))
    return x, y, z + waves + math.copysign(1.0, -fold) * ridge


FAMILIES: dict[str, Family] = {
    "flat_scan": Family(draw_flat_scan, shape_flat_scan, perspective=False),
    "soft_curl": Family(draw_soft_curl, shape_soft_curl, perspective=True),
    "one_crease": Family(draw_one_crease, shape_one_crease, perspective=True),
}
