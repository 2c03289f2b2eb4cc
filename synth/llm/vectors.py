"""Embeddings of texts: how they are asked for, and kept so that they compare alike on every machine."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.llm import LlmReply, LlmRequest, Message, Text

MOST_TEXTS = 16
"""Of one call; the longest vectors in use stay within the size limit of an answer."""
_SCALE = 32767
Vector = NDArray[np.int64]


def vectors_request(model: str, texts: Sequence[str]) -> LlmRequest:
    """Asks for one vector a text."""
    return LlmRequest(model, (Message("user", tuple(Text(text) for text in texts)),), 0, embed=True)


def vectors_reply(answer: Any, request: LlmRequest, endpoint: str, clean: Callable[[str], str] = str) -> LlmReply:
    """The reply in the JSON of `/v1/embeddings`: unit vectors in 16-bit integers. ValueError if it is none."""
    data = answer.get("data") if isinstance(answer, dict) else None
    count = len(request.messages[0].parts)
    if not isinstance(data, list) or len(data) != count or not all(isinstance(one, dict) for one in data):
        raise ValueError(f"not {count} vectors in the answer")
    places = [one.get("index") for one in data]
    if sorted(map(str, places)) == sorted(map(str, range(count))):
        data = [one for _, one in sorted(zip(places, data, strict=True), key=lambda pair: pair[0])]
    packed = [_packed(one.get("embedding")) for one in data]
    if len({len(text) for text in packed}) > 1:
        raise ValueError("the vectors differ in length")
    usage = answer.get("usage")
    tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    counted = isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0
    return LlmReply(
        text=json.dumps({"vectors": packed}),
        finish_reason="stop",
        refusal="",
        model=clean(str(answer.get("model") or request.model))[:200],
        prompt_tokens=tokens if counted and tokens is not None else request.prompt_bound,
        completion_tokens=0,
        latency_s=0.0,
        attempts=1,
        endpoint=endpoint,
    )


def vectors_of(reply: LlmReply) -> list[Vector] | None:
    """The vectors of a kept reply; None where it holds none, as when the endpoint refused the request."""
    try:
        packed = json.loads(reply.text)["vectors"]
        return [np.frombuffer(base64.b64decode(text), "<i2").astype(np.int64) for text in packed]
    except (ValueError, KeyError, TypeError, binascii.Error):
        return None


def cosine(a: Vector, b: Vector) -> float:
    """Cosine of two vectors, the same on every machine: the sums are of integers."""
    dot, norms = int(np.dot(a, b)), int(np.dot(a, a)) * int(np.dot(b, b))
    return dot / math.sqrt(norms) if norms else 0.0


def _packed(embedding: Any) -> str:
    try:
        values = np.asarray(embedding, np.float64)
    except (ValueError, TypeError):
        raise ValueError("a vector is not of numbers") from None
    norm = float(np.linalg.norm(values)) if values.ndim == 1 and values.size else math.nan
    if not math.isfinite(norm) or norm == 0:
        raise ValueError("a vector is empty, zero or not finite")
    return base64.b64encode(np.rint(values / norm * _SCALE).astype("<i2").tobytes()).decode()
