"""The sheet is seen where it does not lie: waves in the paper, a camera that does not look straight down."""

from __future__ import annotations

import numpy as np

from synth.degrade.faults.contract import Bend, Setting, Stage

WAVE_MM = 4.5  # from one control point of the waves to the next
STEEP = 0.62  # at amount 1, of WAVE_MM; the map stays one to one up to 0.7, where cells keep a tenth of their area
NARROW = 0.72  # how much shorter the far edge is at amount 1


def _spline(lattice: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Cubic B-spline with integer coefficients at lattice positions x, y; elementwise arithmetic only."""
    left, top = np.floor(x).astype(np.intp), np.floor(y).astype(np.intp)
    weights: list[list[np.ndarray]] = []
    for part in (x - left, y - top):
        rest = 1.0 - part
        square, cube = part * part, part * part * part
        weights.append(
            [
                rest * rest * rest / 6.0,
                (3.0 * cube - 6.0 * square + 4.0) / 6.0,
                (3.0 * square - 3.0 * cube + 3.0 * part + 1.0) / 6.0,
                cube / 6.0,
            ]
        )
    total = np.zeros(x.shape)
    for j, down in enumerate(weights[1]):
        for i, across in enumerate(weights[0]):
            total = total + lattice[top + j, left + i] * across * down
    return total


def _elastic(
    u: np.ndarray, v: np.ndarray, amount: float, setting: Setting, size: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Random smooth waves (after Simard et al., ICDAR 2003, on a spline lattice), as damp paper has."""
    across, down = ((1.5 * mm / WAVE_MM) for mm in size)  # the map runs a quarter sheet beyond each edge
    shape = (int(down) + 5, int(across) + 5)
    noise = setting.noise()
    x, y = (np.clip((at + 0.25) * n / 1.5, 0.0, n) for at, n in ((u, across), (v, down)))
    moved: list[np.ndarray] = []
    for at, mm in ((u, size[0]), (v, size[1])):
        lattice = np.frombuffer(noise.bytes(shape[0] * shape[1]), np.uint8).reshape(shape).astype(np.float64) - 127.5
        moved.append(at + _spline(lattice, x, y) * (amount * STEEP * WAVE_MM / 127.5 / mm))
    return moved[0], moved[1]


def _perspective(
    u: np.ndarray, v: np.ndarray, amount: float, setting: Setting, size: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """One edge of the sheet is farther from the camera: the outline becomes a trapezoid within the flat one."""
    rng = setting.rng
    narrow = NARROW * amount
    lean = rng.uniform(-0.35, 0.35)
    ends = (narrow * (0.5 + lean), 1 - narrow * (0.5 - lean))  # of the far edge
    far = rng.choice(("top", "top", "bottom", "left", "right"))  # most people hold the camera over the lower edge
    short = narrow * 0.55  # of the other extent
    if far in ("left", "right"):
        u, v = v, u
    if far in ("bottom", "right"):
        v = 1.0 - v
    # Seen widths grow evenly from the far edge to the near one, as 1 / distance does, so that dividing by them undoes
    # the projection in both directions.
    wide = ends[1] - ends[0]
    depth = (v - short) / (1.0 - short)
    here = np.maximum(wide + (1.0 - wide) * depth, 0.05)
    found_u, found_v = (u - ends[0] * (1.0 - depth)) / here, depth / here
    if far in ("bottom", "right"):
        found_v = 1.0 - found_v
    return (found_v, found_u) if far in ("left", "right") else (found_u, found_v)


ELASTIC = Bend("elastic", Stage.SHAPE, "waves in damp paper", _elastic)
PERSPECTIVE = Bend("perspective", Stage.SHAPE, "the camera does not look straight down", _perspective)
