"""Blur that varies over the picture, as of a lens whose focus does not reach all of the sheet."""

from __future__ import annotations

import cv2
import numpy as np

RADII = (12, 24, 40, 60, 88, 128, 184, 255)
"""Radii (pixels / 16) of the evenly blurred pictures between which each pixel is mixed."""
BAND = 16


def defocus(light: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Linear light (rows x columns x BGR, uint16) with each pixel spread over a disk of `radius` pixels / 16.

    A disk of radius r is drawn as a Gaussian of the same variance (r / 2); OpenCV's is fixed-point for 16 bits.
    """
    out, most, sharper = light.copy(), int(radius.max()), 0
    for level in RADII:
        if most <= sharper:
            break
        soft = cv2.GaussianBlur(light, (0, 0), level / 32)
        share = np.clip((radius.astype(np.int32) - sharper) * 256 // (level - sharper), 0, 256)[..., None]
        for top in range(0, len(out), BAND):
            rows = slice(top, top + BAND)
            out[rows] = (out[rows] * (256 - share[rows]) + soft[rows] * share[rows]) >> 8
        sharper = level
    return out
