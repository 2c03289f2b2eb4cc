"""A small page of text for faults: drawn lines of letters, their boxes, and a setting that is always the same."""

from __future__ import annotations

import random

import cv2
import numpy as np

from schemas.geometry import Box
from synth.degrade.faults.contract import Setting

DPI = 100
ROWS, COLUMNS = 420, 300


def page(seed: int = 0) -> tuple[np.ndarray, tuple[Box, ...]]:
    """White with black and a few coloured letters; the boxes of its lines."""
    rng = random.Random(seed)
    image = np.full((ROWS, COLUMNS, 3), 255, np.uint8)
    lines: list[Box] = []
    for top in range(30, ROWS - 40, 28):
        text = "".join(rng.choice("abcdefghkmnopqrstuvwxyz ") for _ in range(24))
        colour = rng.choice(((0, 0, 0), (0, 0, 0), (120, 30, 20)))
        cv2.putText(image, text, (28, top + 16), cv2.FONT_HERSHEY_SIMPLEX, 0.5, colour, 1, cv2.LINE_AA)
        lines.append(Box(28, top, COLUMNS - 40, top + 22))
    return image, tuple(lines)


def setting(lines: tuple[Box, ...], seed: int = 1, language: str = "en") -> Setting:
    return Setting(random.Random(seed), DPI, page(7)[0], lines, language)
