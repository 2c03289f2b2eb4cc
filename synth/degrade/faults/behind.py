"""The other side of the sheet shows through."""

from __future__ import annotations

import cv2
import numpy as np

from synth.degrade.faults.arithmetic import darken
from synth.degrade.faults.contract import Pixels, Setting, Stage


def _bleed(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    """Another page of the document in a mirror, soft and pale; the page itself, upside down, where it is the only one.

    The two sides never lie exactly on one another: a shift of a few millimetres.
    """
    other = setting.behind if setting.behind is not None else cv2.flip(image, 0)
    seen = cv2.flip(other, 1)
    sigma = setting.pixels(0.16) * (1 - 0.55 * amount) + 0.3
    seen = cv2.GaussianBlur(seen, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    right, down = (round(setting.pixels(setting.rng.uniform(-3, 3))) for _ in range(2))
    seen = np.roll(seen, (down, right), (0, 1))
    strength = round(amount * 256)
    through: np.ndarray = cv2.bitwise_not(seen).astype(np.uint16) * np.uint16(strength) >> 8
    return darken(image, cv2.bitwise_not(through.astype(np.uint8)))


BLEED = Pixels("bleed_through", Stage.SHEET, "ink of another page of the document shows through", _bleed)
