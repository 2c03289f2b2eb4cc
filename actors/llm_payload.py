"""A request as an endpoint takes it: pictures scaled to their pixel limit, a schema as `response_format`."""

from __future__ import annotations

import asyncio
import base64
import math
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from schemas.errors import SampleError
from schemas.llm import Endpoint, Image, LlmRequest, Text

JPEG_QUALITY = 90
_OPENAI = "https://api.openai.com/"


async def payload(request: LlmRequest, endpoint: Endpoint | None) -> dict[str, Any]:
    """Arguments of a chat completion. Pictures are scaled in a thread, so that other calls go on."""
    parts: list[dict[str, Any]] = []
    for message in request.messages:
        texts = [part.text for part in message.parts if isinstance(part, Text)]
        if len(texts) == len(message.parts):  # plain text: some servers know nothing else
            parts.append({"role": message.role, "content": "\n".join(texts)})
            continue
        content: list[dict[str, Any]] = []
        for part in message.parts:
            if isinstance(part, Text):
                content.append({"type": "text", "text": part.text})
            else:
                url = await asyncio.to_thread(data_url, part)
                content.append({"type": "image_url", "image_url": {"url": url}})
        parts.append({"role": message.role, "content": content})
    model = endpoint.model if endpoint is not None and endpoint.model else request.model
    body: dict[str, Any] = {"model": model, "messages": parts, _length_field(endpoint): request.max_tokens}
    chosen = {"temperature": request.temperature, "top_p": request.top_p, "seed": request.seed}
    chosen["reasoning_effort"] = request.reasoning_effort
    body |= {name: value for name, value in chosen.items() if value is not None}
    if request.schema is not None:
        named = {"name": "answer", "strict": True, "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    return body


def _length_field(endpoint: Endpoint | None) -> str:
    if endpoint is not None and endpoint.length_field is not None:
        return endpoint.length_field
    at_openai = endpoint is not None and (endpoint.base_url + "/").startswith(_OPENAI)
    return "max_completion_tokens" if at_openai else "max_tokens"


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
