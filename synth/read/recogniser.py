"""Engines given single lines, cut out beforehand: what they recognise, apart from what they find."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from synth.read import paddle, tesseract
from synth.read.crops import crop_line
from synth.read.engines import engine_of

_PADDLE_BATCH = 8


def _strip(image: np.ndarray, quad: np.ndarray) -> np.ndarray:
    """The line as PaddleOCR's pipeline cuts it: upright, in colour, nothing evened."""
    across = max(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[3]))
    down = max(np.linalg.norm(quad[3] - quad[0]), np.linalg.norm(quad[2] - quad[1]), 1.0)
    size = (max(8, round(float(across))), max(8, round(float(down))))
    target = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32)
    way = cv2.getPerspectiveTransform(quad.astype(np.float32), target)
    return cv2.warpPerspective(image, way, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


class LineReaders:
    """Recognition alone, of lines whose place is known. `cache` is a folder for model files (30 MB)."""

    def __init__(self, cache: Path, threads: int = 1) -> None:
        self._cache, self._threads = Path(cache), threads
        self._recognition: Any = None
        self._tesseract: tesseract.Tesseract | None = None

    def read(self, image: np.ndarray, quads: Sequence[np.ndarray], language: str) -> list[str]:
        """Text of each line (quads: 4 x 2, pixels of the BGR picture), by the engine that reads the language.

        UserError if no engine reads it or the engine is not there.
        """
        if engine_of(language) == tesseract.NAME:
            self._tesseract = self._tesseract or tesseract.Tesseract(self._cache, self._threads)
            return self._tesseract.read_lines([crop_line(image, quad) for quad in quads])
        self._recognition = self._recognition or paddle.recognition(self._cache, self._threads)
        found = self._recognition.predict([_strip(image, quad) for quad in quads], batch_size=_PADDLE_BATCH)
        return [str(line["rec_text"]) for line in found]
