"""What a bent sheet lies on: the desk that it has laid bare, and its shadow there.

A scene's desk was baked with the sheet on it, so the shadow of that outline is in it. Integers only.
"""

from __future__ import annotations

import cv2
import numpy as np

from synth.degrade.bank import UV_ONE, UV_ZERO, SceneEntry
from synth.degrade.faults.arithmetic import larger, smaller

BARE = 0.02  # of the picture; what waves lay bare is less
RING_MM, LINE_MM = 7.0, 1.8  # reach of the old shadow, and of the line where the sheet touched the desk
NEAR_MM, FAR_MM = 0.8, 14.0  # what light is averaged over in that shadow, and around it
SHADOW_MM, SHADOW = 2.2, 110  # of the new shadow: softness, and 255 parts of the light it takes


def on_ground(entry: SceneEntry, u: np.ndarray, v: np.ndarray, cell_mm: float) -> np.ndarray:
    """The desk (rows x columns x BGR, uint8) under a sheet whose map is now u, v (codes); `cell_mm`: of the map.

    The scene's own where next to nothing was laid bare.
    """
    was, now = _within(entry.u, entry.v), _within(u, v)
    if int(((was > 0) & (now == 0)).sum()) < BARE * was.size:
        return entry.desk
    rows, columns = entry.desk.shape[:2]
    cells = columns / u.shape[1] / cell_mm  # of the desk, in a millimetre
    was, now = (cv2.resize(m, (columns, rows), interpolation=cv2.INTER_LINEAR_EXACT) for m in (was, now))
    lit = _without_shadow(entry.desk, was, cells)
    dark = cv2.GaussianBlur(now, (0, 0), SHADOW_MM * cells).astype(np.int32)
    seen: np.ndarray = lit.astype(np.int32) * (255 * 255 - dark * SHADOW)[..., None] // (255 * 255)
    return seen.astype(np.uint8)


def _within(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.where((np.minimum(u, v) > UV_ZERO) & (np.maximum(u, v) < UV_ONE), 255, 0).astype(np.uint8)


def _without_shadow(desk: np.ndarray, sheet: np.ndarray, cells: float) -> np.ndarray:
    """Near the sheet's outline, light is made what it is on both sides of it; the desk's pattern stays, but for the
    line where the sheet touched it."""
    edge = cv2.morphologyEx(
        np.where(sheet > 127, 255, 0).astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)
    )
    away, clear = (cv2.bitwise_not(_wider(edge, mm * cells)) for mm in (RING_MM, LINE_MM))
    around, weight = (_far(image, FAR_MM * cells) for image in (cv2.bitwise_and(desk, cv2.merge([away] * 3)), away))
    level = np.minimum(around * 255 // np.maximum(weight, 1)[..., None], 255)
    here = cv2.GaussianBlur(desk, (0, 0), NEAR_MM * cells).astype(np.int32)
    mended = np.clip(desk.astype(np.int32) * level // np.maximum(here, 1), 0, 255)
    mended = np.where((clear > 0)[..., None], mended, level).astype(np.uint8)
    return np.where(((away == 0) & (weight > 3))[..., None], mended, desk)


def _wider(mask: np.ndarray, reach: float) -> np.ndarray:
    side = 2 * round(reach) + 1
    return cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)))


def _far(image: np.ndarray, sigma: float) -> np.ndarray:
    """Blurred much, at a quarter of the size; int32."""
    small = smaller(image, 0.25, 0.25)
    soft = cv2.GaussianBlur(small, (0, 0), sigma / 4)
    return larger(soft, image.shape[1], image.shape[0]).astype(np.int32)
