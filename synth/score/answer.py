"""The format of predictions, version 1: one JSON object a line for each (track, id); and what became of an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

FORMAT = 1

Status = Literal["answered", "missing", "failed", "refused", "unparsable", "empty"]
STATUSES: tuple[Status, ...] = ("answered", "missing", "failed", "refused", "unparsable", "empty")

TrackName = Literal["kie", "layout", "line_order", "block_order", "text", "table", "qa"]


class Prediction(BaseModel):
    """One line of a prediction file. Exactly one of `prediction`, `reply`, `refused` and `failed` is given.

    `prediction` is the answer in the track's form, null for none. `reply` is the raw text of a model, read by the
    track's rules. `refused` true: the model would not answer. `failed`: why there is no answer (a timeout, an error of
    the endpoint). `meta` is for you and is not read.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    version: Literal[1] = FORMAT
    track: TrackName
    id: Annotated[str, Field(min_length=1, max_length=500)]
    prediction: Any = None
    reply: str | None = None
    refused: bool = False
    failed: str | None = None
    meta: Any = None

    @model_validator(mode="after")
    def _one_answer(self) -> Prediction:
        """`refused` may stand beside the reply that refuses."""
        given = [name for name in ("prediction", "reply", "failed") if name in self.model_fields_set]
        if not given and not self.refused:
            raise ValueError("give one of prediction, reply, refused and failed")
        if len(given) > 1:
            raise ValueError(f"give {given[0]} or {given[1]}, not both")
        return self


class Unusable(ValueError):
    """An answer that has not the form of its track; the text says what is wrong with it."""


@dataclass(frozen=True)
class Answer:
    """What became of one prediction; `value` only where it is answered. `why` says what made it unusable."""

    status: Status
    value: Any = None
    why: str = ""


MISSING = Answer("missing")

_REFUSAL = re.compile(
    r"^\W*(i(['’]m| am) (very |really )?(sorry|unable|not able)|sorry, (but )?i|i (cannot|can['’]?t|can not|won['’]t)\b"
    r"|as an ai\b|unfortunately, i (cannot|can['’]?t|am)"
    r"|抱歉|很抱歉|非常抱歉|对不起|我无法|我不能|作为一个?(AI|人工智能)|দুঃখিত|আমি দুঃখিত)",
    re.IGNORECASE,
)
_LONGEST_REFUSAL = 400


def is_refusal(reply: str) -> bool:
    """Whether a short reply begins like a refusal, in English, Chinese or Bangla."""
    text = without_thoughts(reply)
    return len(text) <= _LONGEST_REFUSAL and _REFUSAL.match(text) is not None


def without_thoughts(reply: str) -> str:
    """A reply without its <think> part."""
    return re.sub(r"<think>.*?</think>", "", reply, flags=re.DOTALL).strip()
