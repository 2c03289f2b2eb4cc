"""Between the display encoding of pixels (8 bits, gamma 2.2) and linear light (14 bits).

Fourteen bits, since a product of such a value and OpenCV's bilinear weight (10 bits) is then exact in a 32-bit float,
and so is the sum of four: `cv2.remap` on them gives the same on every CPU, fused multiply-adds or not.
"""

from __future__ import annotations

import numpy as np

GAMMA = 2.2
LINEAR_BITS = 14
LINEAR_ONE = (1 << LINEAR_BITS) - 1

LINEAR = np.array([round((k / 255) ** GAMMA * LINEAR_ONE) for k in range(256)], np.uint16)
"""By 8-bit level: its light."""
ENCODED = np.array([round((k / LINEAR_ONE) ** (1 / GAMMA) * 255) for k in range(LINEAR_ONE + 1)], np.uint8)
"""By light: its 8-bit level."""
