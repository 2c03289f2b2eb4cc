"""Ink that is pale, patchy, broken or of another colour."""

from __future__ import annotations

import cv2
import numpy as np

from synth.degrade.faults.arithmetic import clouds, lighten
from synth.degrade.faults.contract import Pixels, Setting, Stage

TINTS = ((150, 60, 20), (60, 40, 140), (40, 90, 120), (120, 30, 110), (70, 110, 40), (90, 90, 90))
"""BGR of what black turns into: blue, red, brown, violet, green and grey ink."""

GRAIN = 0.17  # millimetres
PALEST = 150  # of 256 parts of the ink
DRY = 0.25  # amount from which on grain is left bare


def _faded(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    rows, columns = image.shape[:2]
    patches = clouds(setting.noise(), rows, columns, setting.pixels(22)).astype(np.int32)
    strength = round(amount * 256)
    gone = (strength * (150 + (patches * 130 >> 8))) >> 8
    return lighten(image, np.clip(256 - gone, 0, 256))


def _broken(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    """Ink is missing in spots and scratches; more of it in some parts of the page than in others."""
    rows, columns = image.shape[:2]
    spots = clouds(setting.noise(), rows, columns, setting.pixels(0.42)).astype(np.int32)
    parts = clouds(setting.noise(), rows, columns, setting.pixels(30)).astype(np.int32)
    limit = (round(amount * 256) * (110 + (parts * 90 >> 8))) >> 8
    return lighten(image, np.clip((spots - limit) * 8 + 128, 0, 256))


def _colour(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    """Every ink moves towards one tint and grows paler; then the pad runs dry, and the grain takes less of it."""
    tint = setting.rng.choice(TINTS)
    rows, columns = image.shape[:2]
    grain = clouds(setting.noise(), rows, columns, setting.pixels(GRAIN)).astype(np.int32)
    turn, pale = min(256, round(amount * 640)), min(PALEST, round(amount * 2 * PALEST))
    level = np.arange(256, dtype=np.int64)
    table = np.empty((256, 1, 3), np.uint8)
    for c in range(3):
        ink = (255 - level) * (256 * 255 - turn * tint[c]) // (256 * 255)
        table[:, 0, c] = 255 - ink * (256 - pale) // 256
    dry = max(0, round((amount - DRY) / (1 - DRY) * 230))
    return lighten(cv2.LUT(image, table), np.clip((grain - dry) * 5 + 256, 0, 256))


FADED = Pixels("faded_ink", Stage.INK, "toner or ribbon at its end: pale in patches", _faded)
BROKEN = Pixels("broken_ink", Stage.INK, "ink that did not hold on the paper: strokes with gaps", _broken)
COLOUR = Pixels("ink_colour", Stage.INK, "pale ink of another colour, from a pad that runs dry", _colour)
