"""A request as an endpoint takes it: pictures scaled to their pixel limit, a schema as `response_format`."""

from __future__ import annotations

import asyncio
from typing import Any

from schemas.llm import Endpoint, LlmRequest, Text
from synth.llm.pictures import data_url

_OPENAI = "https://api.openai.com/"


async def payload(request: LlmRequest, endpoint: Endpoint | None) -> dict[str, Any]:
    """Arguments of a chat completion, or of embeddings. Pictures are scaled in a thread, so that other calls go on."""
    model = endpoint.model if endpoint is not None and endpoint.model else request.model
    if request.embed:
        texts = [part.text for m in request.messages for part in m.parts if isinstance(part, Text)]
        return {"model": model, "input": texts, "encoding_format": "float"}
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
