"""The sheet is seen where it does not lie: waves in the paper, a camera that does not look straight down."""

from __future__ import annotations

import math

import numpy as np

from synth.degrade.faults.contract import Bend, Setting, Stage

WAVE_MM = 4.5  # from one control point of the waves to the next
STEEP = 0.62  # at amount 1, of WAVE_MM; the map stays one to one up to 0.7, where cells keep a tenth of their area
RIPPLE_MM = 9.0  # the same for ripples; they fade out over three of it from the edge
RISE = 1.0  # at amount 1, of RIPPLE_MM
RELIEF = 0.4  # see contract.Bend
NARROW = 0.72  # how much shorter the far edge is at amount 1


def _weights(x: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """First of the four lattice points that decide a cubic B-spline at x, and their weights; elementwise arithmetic."""
    first = np.floor(x).astype(np.intp)
    part = x - first
    rest = 1.0 - part
    square, cube = part * part, part * part * part
    return first, [
        rest * rest * rest / 6.0,
        (3.0 * cube - 6.0 * square + 4.0) / 6.0,
        (3.0 * square - 3.0 * cube + 3.0 * part + 1.0) / 6.0,
        cube / 6.0,
    ]


def _spline(lattice: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The surface through a lattice of integers at positions x, y."""
    (left, across), (top, down) = _weights(x), _weights(y)
    total = np.zeros(x.shape)
    for j, weight in enumerate(down):
        for i, other in enumerate(across):
            total = total + lattice[top + j, left + i] * other * weight
    return total


def _line(lattice: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The curve through a row of integers at positions x."""
    left, across = _weights(x)
    total = np.zeros(x.shape)
    for i, weight in enumerate(across):
        total = total + lattice[left + i] * weight
    return total


def _points(at: np.ndarray, mm: float, step: float) -> tuple[int, np.ndarray]:
    """How many lattice points `step` mm apart a side of `mm` needs, and `at` (0..1 on the sheet) among them.

    The map runs a quarter sheet beyond each edge.
    """
    steps = 1.5 * mm / step
    return int(steps) + 5, np.clip((at + 0.25) * steps / 1.5, 0.0, steps)


def _numbers(noise: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers from -127.5 to 127.5."""
    return np.frombuffer(noise.bytes(math.prod(shape)), np.uint8).reshape(shape).astype(np.float64) - 127.5


def _elastic(
    u: np.ndarray, v: np.ndarray, amount: float, setting: Setting, size: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Random smooth waves (after Simard et al., ICDAR 2003, on a spline lattice) and the ripples that damp paper has
    along its fibres, which move a point across them by what its place along them says.

    Ripples are shears, which keep a map one to one however steep they are.
    """
    noise = setting.noise()
    (columns, x), (rows, y) = (_points(at, mm, WAVE_MM) for at, mm in zip((u, v), size, strict=True))
    waves = [_numbers(noise, rows, columns) for _ in range(2)]
    push = amount * STEEP * WAVE_MM / 127.5
    u, v = (at + _spline(wave, x, y) * (push / mm) for at, wave, mm in zip((u, v), waves, size, strict=True))
    v = v + _ripple(u, v, size[0], size[1], amount * RISE, noise)
    u = u + _ripple(v, u, size[1], size[0], amount * RISE / 2, noise)
    return u, v


def _ripple(
    along: np.ndarray, across: np.ndarray, long: float, wide: float, rise: float, noise: np.random.Generator
) -> np.ndarray:
    """How far ripples move points `across` the fibres (sides in millimetres); nothing at the edges and beyond."""
    many, place = _points(along, long, RIPPLE_MM)
    high = rise * RIPPLE_MM
    within = np.clip(np.minimum(across, 1.0 - across) * (wide / (3.0 * RIPPLE_MM)), 0.0, 1.0)
    return _line(_numbers(noise, many), place) * within * (high / 127.5 / wide)


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


ELASTIC = Bend("elastic", Stage.SHAPE, "waves in damp paper", _elastic, RELIEF)
PERSPECTIVE = Bend("perspective", Stage.SHAPE, "the camera does not look straight down", _perspective)
