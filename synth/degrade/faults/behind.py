"""The other side of the sheet shows through."""

from __future__ import annotations

import cv2
import numpy as np

from synth.degrade.faults.arithmetic import clouds, darken, mix
from synth.degrade.faults.contract import Pixels, Setting, Stage

SOFT_MM, SPREAD_MM, THIN_MM = 0.16, 0.1, 18.0


def _bleed(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    """Another page of the document in a mirror, soft and pale; the page itself, upside down, where it is the only one.

    The two sides never lie exactly on one another: a shift of a few millimetres. Ink spreads in the paper on its way
    through, and comes through more where the sheet is thin or the pen stood longer.
    """
    other = setting.behind if setting.behind is not None else cv2.flip(image, 0)
    seen = cv2.flip(other, 1)
    spread = cv2.erode(seen, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3)))
    seen = mix(seen, spread, min(1.0, setting.pixels(SPREAD_MM)))
    sigma = setting.pixels(SOFT_MM) * (1 - 0.5 * amount) + 0.3  # much ink comes through as it was written
    seen = cv2.GaussianBlur(seen, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    right, down = (round(setting.pixels(setting.rng.uniform(-3, 3))) for _ in range(2))
    seen = np.roll(seen, (down, right), (0, 1))
    rows, columns = image.shape[:2]
    thin = clouds(setting.noise(), rows, columns, setting.pixels(THIN_MM)).astype(np.uint32)
    strength = (round(amount * 256) * (150 + (thin * 106 >> 8)) >> 8)[..., None]
    through = cv2.bitwise_not(seen).astype(np.uint32) * strength >> 8
    return darken(image, cv2.bitwise_not(through.astype(np.uint8)))


BLEED = Pixels("bleed_through", Stage.SHEET, "ink of another page of the document shows through", _bleed)
