"""Files that were made too small: JPEG and WebP, as messengers and old archives do, often at fewer pixels."""

from __future__ import annotations

import io

import cv2
import numpy as np
from PIL import Image

from synth.degrade.faults.arithmetic import larger, smaller
from synth.degrade.faults.contract import Pixels, Setting, Stage

BEST, WORST = 70, 3  # qualities at amounts near 0 and at 1
SHRINK = 0.62  # how much of its extent a picture loses at amount 1


def _quality(amount: float) -> int:
    return round(WORST + (BEST - WORST) * (1 - amount) ** 2)


def _jpeg(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    part = 1 - SHRINK * amount
    small = smaller(image, part, part)
    coded = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, _quality(amount)])[1]
    return larger(cv2.imdecode(coded, cv2.IMREAD_COLOR), image.shape[1], image.shape[0])


def _webp(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    part = 1 - SHRINK * amount
    small = smaller(image, part, part)
    data = io.BytesIO()
    Image.fromarray(cv2.cvtColor(small, cv2.COLOR_BGR2RGB)).save(data, "WEBP", quality=_quality(amount) // 2, method=2)
    back = np.asarray(Image.open(data).convert("RGB"))
    return larger(cv2.cvtColor(back, cv2.COLOR_RGB2BGR), image.shape[1], image.shape[0])


JPEG = Pixels("jpeg_loss", Stage.FILE, "saved as a small JPEG: blocks and ringing, fewer pixels", _jpeg)
WEBP = Pixels("webp_loss", Stage.FILE, "saved as a small WebP: smeared detail, fewer pixels", _webp)
