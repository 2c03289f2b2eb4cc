"""Requests to the models that write and judge questions, and how their answers are read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from schemas.llm import Image, LlmReply, LlmRequest, Message, Text
from schemas.question_settings import QuestionModels
from schemas.steps import Ask
from synth.llm.answers import Read, read_json
from synth.llm.prompts import load_prompt
from synth.llm.schema import bounded

LANGUAGES = {"en": "English", "zh": "Chinese", "bn": "Bangla"}
Turn = tuple[str, Mapping[str, Any]]
"""What was shown and the right answer to it."""


def text(**more: Any) -> dict[str, Any]:
    return {"type": "string", **more}


def list_of(item: dict[str, Any], least: int, most: int) -> dict[str, Any]:
    return {"type": "array", "items": item, "minItems": least, "maxItems": most}


def record(**properties: dict[str, Any]) -> dict[str, Any]:
    """An object with these properties, in this order, and no others: models write them in the order of the schema."""
    return {
        **{"type": "object", "properties": properties, "required": list(properties)},
        "additionalProperties": False,
    }


def line_numbers(count: int, most: int = 8) -> dict[str, Any]:
    return list_of({"type": "integer", "minimum": 1, "maximum": count}, 1, min(count, most))


class Asker:
    """Builds the requests of one recipe's models."""

    def __init__(self, settings: QuestionModels) -> None:
        self.settings = settings

    def ask(
        self,
        stage: str,
        model: str,
        prompt: str,
        schema: dict[str, Any],
        shape: str,
        fill: Mapping[str, str],
        *,
        turns: Sequence[Turn] = (),
        last: str | None = None,
        pictures: Sequence[Image] = (),
        creative: bool = False,
        seed: int | None = None,
    ) -> Ask:
        """One call. With `last` the prompt is the system's turn, then come `turns`, then `last`; without, the prompt is
        all there is. `creative` takes the recipe's temperature, all others are asked at 0."""
        settings, file = self.settings, load_prompt(prompt)
        ending = load_prompt(f"answer-{'schema' if settings.constrained else 'json'}-1")
        said = file.fill(**fill, ending=ending.fill(shape=shape))
        wanted = bounded(schema, settings.bound, 100) if settings.bound is not None else schema
        messages: list[Message] = []
        if last is None:
            messages.append(Message("user", (*pictures, Text(said))))
        else:
            messages.append(Message("system", (Text(said),)))
            for shown, answer in turns:
                messages.append(Message("user", (Text(shown),)))
                messages.append(Message("assistant", (Text(json.dumps(answer, ensure_ascii=False)),)))
            messages.append(Message("user", (Text(last),)))
        temperature = None if settings.temperature is None else settings.temperature if creative else 0.0
        request = LlmRequest(
            model=model,
            messages=tuple(messages),
            max_tokens=settings.max_tokens,
            temperature=temperature,
            seed=seed if creative else 0,
            schema=wanted if settings.constrained else None,
            reasoning_effort=settings.reasoning_effort,
            prompt=f"{file.id}+{ending.id}",
        )
        return Ask(stage, request)


def read_answer(reply: LlmReply, schema: dict[str, Any]) -> Read:
    """The answer, whatever surrounds it, if the schema accepts it. Limits that a small model was given are not held
    against it: a text that is cut there is a text."""
    return read_json(reply, schema)
