"""What a desk is made of: procedural wood, stone, cloth and laminate, as linear albedo at points of its plane."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.ndimage import map_coordinates

Grid = np.ndarray
LATTICE = 96  # side of the random lattice that all noise is read from; it repeats beyond


class Noise:
    """Smooth noise of one seed, around 0 with a deviation of about 1, at points in mm."""

    def __init__(self, seed: int) -> None:
        self._lattice = np.random.Generator(np.random.PCG64(seed)).standard_normal((LATTICE, LATTICE))

    def at(self, x: Grid, y: Grid, size_x: float, size_y: float, offset: float = 0.0) -> Grid:
        """Noise whose features are about `size_x` by `size_y` mm; other `offset`s give other noise."""
        return 1.6 * map_coordinates(
            self._lattice, [y / size_y + 17.3 * offset, x / size_x + 29.1 * offset], order=2, mode="grid-wrap"
        )

    def octaves(self, x: Grid, y: Grid, size: float, number: int, stretch: float = 1.0) -> Grid:
        """Sum of noises of halving size, each weaker than the last; `stretch` times as long in x as in y."""
        total, weight = np.zeros_like(x), 0.0
        for k in range(number):
            step, strength = size / 2**k, 0.62**k
            total += strength * self.at(x, y, step * stretch, step, k + 1.0)
            weight += strength * strength
        return total / math.sqrt(weight)


def _wood(noise: Noise, x: Grid, y: Grid) -> Grid:
    """Planks with long fibres, wavy year rings and short dark pores."""
    plank = np.floor(y / 118 + 0.37)
    tone = np.sin(plank * 12.9898) * 0.14
    x = x + 431 * np.sin(plank * 78.233)
    rings = np.sin(2 * math.pi * (y / 11 + 1.1 * noise.octaves(x, y, 34, 2, stretch=9)))
    fibre = noise.octaves(x, y, 1.6, 3, stretch=26)
    pores = np.clip(noise.at(x, y, 7.5, 0.55, 9.0) - 1.1, 0, 1.5)
    joint = np.exp(-(((y / 118 + 0.37 - np.round(y / 118 + 0.37)) * 118 / 0.55) ** 2))
    return 1 + tone + 0.10 * rings + 0.11 * fibre - 0.26 * pores - 0.6 * joint


def _stone(noise: Noise, x: Grid, y: Grid) -> Grid:
    """Granite: soft clouds, and light and dark grains."""
    clouds = noise.octaves(x, y, 60, 3)
    grains = noise.octaves(x, y, 2.1, 2)
    dark = np.clip(noise.at(x, y, 1.5, 1.5, 5.0) - 0.9, 0, 1)
    return 1 + 0.07 * clouds + 0.14 * grains - 0.3 * dark


def _cloth(noise: Noise, x: Grid, y: Grid) -> Grid:
    """A plain weave: threads go over and under each other; some are thicker."""
    pitch = 1.5
    wobble = 0.12 * noise.octaves(x, y, 9, 2)
    p, q = x / pitch + wobble, y / pitch - wobble
    over = np.sin(math.pi * p) * np.sin(math.pi * q)
    thread = 0.5 * noise.at(x, y, 40, pitch / 1.4, 3.0) + 0.5 * noise.at(x, y, pitch / 1.4, 40, 4.0)
    return 1 + 0.30 * over + 0.16 * thread + 0.06 * noise.octaves(x, y, 70, 2)


def _laminate(noise: Noise, x: Grid, y: Grid) -> Grid:
    """A painted or laminated top: fine speckle, faint wear."""
    return 1 + 0.06 * noise.octaves(x, y, 1.1, 2) + 0.05 * noise.octaves(x, y, 90, 3)


def _lid(noise: Noise, x: Grid, y: Grid) -> Grid:
    """The foam or plastic of a scanner's lid."""
    return 1 + 0.012 * noise.octaves(x, y, 22, 3)


KINDS: tuple[Callable[[Noise, Grid, Grid], Grid], ...] = (_wood, _stone, _cloth, _laminate, _lid)
WOOD, STONE, CLOTH, LAMINATE, LID = range(5)


def desk_albedo(params: dict[str, float], seed: int, x: Grid, y: Grid) -> Grid:
    """Linear albedo, BGR, of a desk at `x`, `y` mm. Parameters: desk_kind, and its mean desk_r, desk_g, desk_b."""
    angle = math.radians(seed % 90 - 45)
    along, side = x * math.cos(angle) + y * math.sin(angle), y * math.cos(angle) - x * math.sin(angle)
    shade = np.clip(KINDS[int(params["desk_kind"])](Noise(seed), along, side), 0.12, 2.2)
    colour = np.array([params["desk_b"], params["desk_g"], params["desk_r"]])
    return np.clip(shade[..., None] ** np.array([1.15, 1.05, 1.0]) * colour, 0, 0.95)
