"""A chat completion, as OpenAI-compatible endpoints answer it, taken apart with care: any part may be missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schemas.llm import LlmReply, LlmRequest


def completion_reply(answer: Any, request: LlmRequest, endpoint: str, clean: Callable[[str], str] = str) -> LlmReply:
    """The reply in a completion's JSON; ValueError if it is none. `clean` cuts out what must not be kept.

    Where the endpoint does not count tokens, the bounds count: a budget must not be passed unseen.
    """
    choices = answer.get("choices") if isinstance(answer, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        error = answer.get("error") if isinstance(answer, dict) else None
        raise ValueError(f"no choices in the answer{f': {error}'[:200] if error else ''}")
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise ValueError("no message in the answer")
    usage = answer.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return LlmReply(
        text=clean(_text(message.get("content"))),
        finish_reason=str(choices[0].get("finish_reason") or ""),
        refusal=clean(_text(message.get("refusal"))),
        model=clean(str(answer.get("model") or request.model))[:200],
        prompt_tokens=_count(usage.get("prompt_tokens"), request.prompt_bound),
        completion_tokens=_count(usage.get("completion_tokens"), request.max_tokens),
        latency_s=0.0,
        attempts=1,
        endpoint=endpoint,
    )


def _text(content: Any) -> str:
    """Text of a message's content, which is a text, or a list of parts."""
    if isinstance(content, list):
        return "".join(str(p.get("text", "")) for p in content if isinstance(p, dict))
    return "" if content is None else str(content)


def _count(value: Any, bound: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else bound
