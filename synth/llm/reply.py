"""What an endpoint answered, as the reply that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schemas.llm import LlmReply, LlmRequest
from synth.llm.completion import completion_reply
from synth.llm.vectors import vectors_reply


def reply_of(answer: Any, request: LlmRequest, endpoint: str, clean: Callable[[str], str] = str) -> LlmReply:
    """A completion, or vectors where the request asks for these. ValueError if the JSON holds none.

    `clean` cuts out what must not be kept.
    """
    read = vectors_reply if request.embed else completion_reply
    return read(answer, request, endpoint, clean)
