"""Pictures of any size, cut so that an engine meets only sizes it was made for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from schemas.errors import SampleError
from schemas.sample import OcrLine

# PaddleOCR shrinks what is longer than 4000 px, which makes a receipt of a metre illegible; memory grows with the area.
MAX_LENGTH = 2560
# A line in the overlap is whole in both strips; it is taken from the one whose part its middle lies in.
OVERLAP = 256
# 600 dpi adds nothing to what an engine can read at 300 but four times the work.
MAX_BREADTH = 2560
MIN_SIDE = 64
MAX_PIXELS = 400_000_000


@dataclass(frozen=True)
class Strip:
    """A part of a scaled picture: `offset` px from its start, answerable for middles in [start, stop)."""

    image: np.ndarray
    offset: int
    start: float
    stop: float


def read_in_strips(image: np.ndarray, read: Callable[[np.ndarray], list[OcrLine]]) -> list[OcrLine]:
    """Lines of a BGR uint8 picture of any size, quads in its pixels, by an engine that is given a strip at a time.

    ValueError if it is not a BGR uint8 array; SampleError if it is over `MAX_PIXELS`.
    """
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
        raise ValueError(f"expected a height x width x 3 uint8 picture, got {image.dtype} {image.shape}")
    height, width = image.shape[:2]
    if not height or not width:
        return []
    if height * width > MAX_PIXELS:
        raise SampleError("picture_too_large", "read", f"{width}x{height} px, at most {MAX_PIXELS} in all")
    scale = min(1.0, MAX_BREADTH / min(height, width))
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    upright = image.shape[0] >= image.shape[1]
    lines = []
    for strip in _strips(image if upright else image.transpose(1, 0, 2)):
        part = strip.image if upright else strip.image.transpose(1, 0, 2)
        for line in read(_padded(np.ascontiguousarray(part))):
            along = line.quad[1::2] if upright else line.quad[::2]
            if strip.start <= sum(along) / 4 + strip.offset < strip.stop:
                lines.append(_moved(line, strip.offset, upright, scale))
    return lines


def _strips(image: np.ndarray) -> Iterator[Strip]:
    """Strips over the first axis. The outer ones answer for all beyond them: boxes may leave the picture."""
    length = image.shape[0]
    count = 1 if length <= MAX_LENGTH else -(-(length - OVERLAP) // (MAX_LENGTH - OVERLAP))
    step = (length - OVERLAP) / count
    for i in range(count):
        begin, end = round(i * step), length if i == count - 1 else round((i + 1) * step) + OVERLAP
        start = -np.inf if i == 0 else begin + OVERLAP / 2
        stop = np.inf if i == count - 1 else end - OVERLAP / 2
        yield Strip(image[begin:end], begin, start, stop)


def _padded(image: np.ndarray) -> np.ndarray:
    down, right = (max(0, MIN_SIDE - side) for side in image.shape[:2])
    if not down and not right:
        return image
    return cv2.copyMakeBorder(image, 0, down, 0, right, cv2.BORDER_CONSTANT, value=(255, 255, 255))


def _moved(line: OcrLine, offset: int, upright: bool, scale: float) -> OcrLine:
    dx, dy = (0, offset) if upright else (offset, 0)
    quad = tuple((c + (dy if i % 2 else dx)) / scale for i, c in enumerate(line.quad))
    return replace(line, quad=quad)
