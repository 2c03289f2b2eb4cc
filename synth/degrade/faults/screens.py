"""Regular patterns: halftone screens of a press, fringes between two gratings, and the fax's two levels."""

from __future__ import annotations

import math

import cv2
import numpy as np

from synth.degrade.faults.arithmetic import darken, larger, mix, random_bytes, smaller
from synth.degrade.faults.contract import Pixels, Setting, Stage

TURN = 1024
_WAVE = np.array([round(127.5 + 127.5 * math.cos(2 * math.pi * k / TURN)) for k in range(TURN)], np.int64)


def _grating(
    rows: int, columns: int, period: float, angle: float, phase: int = 0, bow: np.ndarray | int = 0
) -> np.ndarray:
    """A wave from 0 to 255 with `period` pixels from crest to crest, rows x columns. `bow`: how far its crests are
    bent at each pixel, in parts of a turn."""
    step_x, step_y = (round(65536 * f(angle) * TURN / period) for f in (math.cos, math.sin))
    x, y = np.arange(columns, dtype=np.int64) * step_x, np.arange(rows, dtype=np.int64) * step_y
    return _WAVE[((x[None] + y[:, None] >> 16) + phase + bow) % TURN]


def _bow(rows: int, columns: int, turns: float, middle: tuple[float, float]) -> np.ndarray:
    """What a lens does to a grating: crests bent as the square of the distance from `middle` (0..1 of the picture)
    grows, by `turns` crests at half a diagonal."""
    far = max(1, (rows * rows + columns * columns) // 4)
    x, y = (np.arange(n, dtype=np.int64) - round(at * n) for n, at in zip((columns, rows), middle, strict=True))
    return (x[None] ** 2 + y[:, None] ** 2) * round(turns * TURN) // far


def _halftone(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    """Grey print through a 45 degree screen of round dots; fewer lines an inch and paler ink with the amount."""
    rows, columns = image.shape[:2]
    period = setting.dpi / (95 - 58 * amount)
    angle = math.radians(setting.rng.choice((15, 45, 75)) + setting.rng.uniform(-1, 1))
    waves = _grating(rows, columns, period, angle) + _grating(rows, columns, period, angle + math.pi / 2)
    dots = waves * 222 // 512  # white paper stays without dots
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.int64)
    tint = 255 - (255 - grey) * round(256 - 150 * amount) // 256
    screened = np.clip((tint - dots) * 4 + 128, 0, 255).astype(np.uint8)
    return mix(image, cv2.merge([screened] * 3), min(1.0, amount * 5))


def _moire(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    """Fringes as a photograph of a screen has them: two fine gratings a little apart, the second seen through a lens
    that bends it, each colour its own phase."""
    rows, columns = image.shape[:2]
    rng = setting.rng
    period, angle = rng.uniform(2.3, 4.2) * setting.dpi / 150, rng.uniform(0, math.pi)
    other = (period * rng.uniform(1.02, 1.09), angle + math.radians(rng.uniform(-5, 5)))
    middle = (rng.uniform(0.2, 0.8), rng.uniform(0.2, 0.8))
    bow = _bow(rows, columns, rng.choice((-1, 1)) * rng.uniform(4, 14), middle)
    depth = round(amount * 246)
    first = _grating(rows, columns, period, angle)
    light = np.empty((rows, columns, 3), np.uint8)
    for c, phase in enumerate((0, TURN // 12, TURN // 6)):
        fringe = first * _grating(rows, columns, *other, phase, bow) // 255
        light[..., c] = 255 - depth * fringe // 255
    return darken(image, light)


def _fax(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    """Black or white at a fax's resolution (204 x 196 dots an inch, and coarser downwards), with a line's crackle."""
    rows, columns = image.shape[:2]
    rng = setting.rng
    across, down = (min(1.0, dots / setting.dpi) for dots in (204 - 130 * amount, 196 - 146 * amount))
    grey = smaller(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), across, down).astype(np.int64)
    paper = int(np.bincount(grey.ravel(), minlength=256)[64:].argmax()) + 64
    level = paper * (150 + rng.randint(-8, 8) - round(amount * rng.choice((-20, 30)))) // 256
    crackle = random_bytes(setting.noise(), *grey.shape).astype(np.int64)
    flip = crackle < round(amount * amount * 14)
    two = np.where((grey > level) ^ flip, 255, 0).astype(np.uint8)
    sharp = cv2.resize(two, (columns, rows), interpolation=cv2.INTER_NEAREST)
    soft = mix(sharp, larger(two, columns, rows), 0.5)
    return mix(image, cv2.merge([soft] * 3), min(1.0, amount * 8))


HALFTONE = Pixels("halftone", Stage.INK, "printed grey through a screen of dots", _halftone)
MOIRE = Pixels("moire", Stage.SENSOR, "fringes between two fine gratings, as in a picture of a screen", _moire)
FAX = Pixels("fax", Stage.SENSOR, "a fax: coarse, black or white, with crackle", _fax)
