"""Draws that families share: lamp, desk, camera, unevenness."""

from __future__ import annotations

import random

from synth.degrade.families.base import Params
from synth.degrade.surfaces import CLOTH, LAMINATE, STONE, WOOD

# What lies under the paper, and its mean linear albedo.
DESKS = (
    (WOOD, 0.30, 0.17, 0.09),  # oak
    (WOOD, 0.12, 0.065, 0.035),  # walnut
    (WOOD, 0.52, 0.40, 0.27),  # birch
    (LAMINATE, 0.23, 0.23, 0.235),
    (LAMINATE, 0.55, 0.55, 0.54),
    (STONE, 0.07, 0.072, 0.078),  # dark granite
    (STONE, 0.44, 0.42, 0.39),  # pale stone
    (CLOTH, 0.30, 0.27, 0.23),  # linen
    (CLOTH, 0.06, 0.085, 0.13),  # blue cloth
    (CLOTH, 0.05, 0.09, 0.06),  # green baize
)


def is_roll(width: float, height: float) -> bool:
    """Whether the sheet is a strip off a roll."""
    return height > 1.6 * width


def lamp(rng: random.Random) -> Params:
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


def desk(rng: random.Random) -> Params:
    kind, r, g, b = rng.choice(DESKS)
    shade = rng.uniform(0.85, 1.15)
    return {"desk_kind": float(kind), "desk_r": r * shade, "desk_g": g * shade, "desk_b": b * shade}


def camera(rng: random.Random, width: float, height: float) -> Params:
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


def cockle(rng: random.Random, low: float, high: float) -> Params:
    """Height of the paper's waves between `low` and `high` mm, and how uneven it looks close by."""
    return {
        "fibre": rng.uniform(40, 130),
        "cockle": rng.uniform(low, high),
        "cockle_seed": float(rng.randrange(1 << 20)),
    }


def fold_marks(rng: random.Random) -> Params:
    """How sharp a fold is, how far the sheet springs back from it, and how much its broken fibres stand up."""
    return {"radius": rng.uniform(0.4, 0.9), "spring": rng.uniform(0.25, 0.6), "ridge": rng.uniform(0.1, 0.24)}


def light_across(rng: random.Random, direction: float) -> Params:
    """Light along a fold would hide it: it comes from one of its two sides (`direction`: degrees, across the fold)."""
    return {"light_azimuth": (direction + rng.choice((0.0, 180.0)) + rng.uniform(-60, 60)) % 360}
