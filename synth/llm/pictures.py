"""Pictures as they are sent to models: within a limit of pixels, as data URLs."""

from __future__ import annotations

import base64
import math
from functools import lru_cache

import cv2
import numpy as np

from schemas.errors import SampleError
from schemas.llm import Image

MAX_PIXELS = 1_605_632
"""Most pixels of a picture that is sent (UniKIE-Bench, section 4, implementation details)."""
JPEG_QUALITY = 90


def data_url(image: Image) -> str:
    """The picture as a data URL, at most `max_pixels` of it. SampleError if it is no picture."""
    return _data_url(image.sha256, image.data, image.max_pixels)


@lru_cache(maxsize=32)  # the questions of one page follow each other
def _data_url(digest: str, data: bytes, max_pixels: int) -> str:
    kind, scaled = scaled_picture(data, max_pixels)
    return f"data:image/{kind};base64,{base64.b64encode(scaled).decode()}"


def scaled_picture(data: bytes, max_pixels: int) -> tuple[str, bytes]:
    """Format and bytes of a picture of at most `max_pixels`: the file as it is if it is small enough, else a JPEG
    of the same proportions. UniKIE-Bench sends at most 1,605,632 pixels (section 4, implementation details)."""
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        raise SampleError("no_picture", "llm", f"{len(data)} bytes are no picture")
    height, width = picture.shape[:2]
    kind = picture_format(data)
    if width * height <= max_pixels and kind:
        return kind, data
    width, height = scaled_size(width, height, max_pixels)
    small = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    return "jpeg", cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1].tobytes()


def scaled_size(width: int, height: int, max_pixels: int) -> tuple[int, int]:
    """Largest width and height of the same proportions with at most `max_pixels`."""
    factor = min(1.0, math.sqrt(max_pixels / (width * height)))
    return max(1, math.floor(width * factor)), max(1, math.floor(height * factor))


def picture_format(data: bytes) -> str:
    """The kind by the first bytes, "" for anything else."""
    if data.startswith(b"\xff\xd8"):
        return "jpeg"
    if data.startswith(b"\x89PNG"):
        return "png"
    return "webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""
