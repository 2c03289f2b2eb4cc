"""What a model is asked on each track, and its reply as a line of a prediction file (see `synth.score.answer`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from schemas.document import ROLES
from schemas.llm import CallError, Image, LlmReply, LlmRequest, Message, Text
from schemas.release import sha256
from synth.llm.answers import Read, read_json, read_text
from synth.llm.pictures import MAX_PIXELS, scaled_size
from synth.llm.prompts import load_prompt
from synth.llm.schema import bare, bounded, outline, with_reasoning
from synth.score.answer import FORMAT
from synth.score.truth import DocumentTruth, PageTruth

ModelTrack = Literal["kie", "qa", "layout", "text"]
MAX_TOKENS: dict[ModelTrack, int] = {"kie": 4096, "qa": 512, "layout": 16_000, "text": 8192}
"""Tokens of an answer. BaFCo gives layouts 16,000 at low reasoning effort and 64,000 at high (section 4.1)."""
STEPS_TOKENS = 2048  # more for thinking aloud
HIGH_EFFORT_TOKENS = 64_000

_ANSWER = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_QA = {"type": "object", "properties": {"answer": _ANSWER}, "required": ["answer"], "additionalProperties": False}
_BLOCK = {
    "type": "object",
    "properties": {
        "role": {"type": "string", "enum": list(ROLES)},
        "box": {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4},
        "score": {"type": "number"},
    },
    "required": ["role", "box", "score"],
    "additionalProperties": False,
}
_LAYOUT = {
    "type": "object",
    "properties": {"blocks": {"type": "array", "items": _BLOCK}},
    "required": ["blocks"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Asking:
    """How a model is asked. Defaults are the papers': temperature 0, zero-shot, at most 1,605,632 pixels a page.

    `constrained` sends a JSON Schema with the request; open asks for JSON in words only. `steps` is chain of thought.
    `see` "text" gives the words of the page instead of its picture. `bound` limits texts and lists of the schema.
    """

    model: str
    constrained: bool = True
    steps: bool = False
    see: Literal["picture", "text"] = "picture"
    max_pixels: int = MAX_PIXELS
    max_tokens: int | None = None
    temperature: float | None = 0.0
    seed: int | None = None
    reasoning_effort: str | None = None
    bound: int | None = None


@dataclass(frozen=True)
class PagePicture:
    """A page's picture file and its size in pixels."""

    data: bytes = field(repr=False)
    width: int
    height: int


Pictures = Mapping[str, PagePicture]


@dataclass(frozen=True)
class Task:
    """One request and how its reply is read. `scale` takes boxes from the picture sent to the page."""

    track: ModelTrack
    id: str
    split: str
    index: int
    request: LlmRequest = field(repr=False)
    schema: dict[str, Any] | None
    open: bool
    steps: bool
    scale: tuple[float, float] = (1.0, 1.0)

    def line(self, reply: LlmReply) -> dict[str, Any]:
        """The reply as a line: what was read, or the text as it came. Nothing is dropped; `meta` says how it ended."""
        read = read_text(reply) if self.schema is None else read_json(reply, self.schema)
        line: dict[str, Any] = {"version": FORMAT, "track": self.track, "id": self.id}
        meta = {"status": read.status, "finish_reason": reply.finish_reason, "model": reply.model}
        if read.detail:
            meta["detail"] = read.detail
        if read.status in ("refused", "filtered"):
            line |= {"refused": True, "reply": reply.text or reply.refusal}
        elif read.status in ("length", "too_large", "unfinished"):
            line |= {"failed": f"the answer did not end: {read.status}"}
            meta["reply"] = reply.text
        elif self.track == "kie" and self.open and not self.steps:
            line |= {"reply": reply.text}  # the scorer has the papers' own rules for raw replies
        elif read.value is None:
            line |= {"reply": reply.text}
        else:
            line |= {"prediction": self._payload(read)}
        return line | {"meta": meta}

    def failed(self, error: CallError) -> dict[str, Any]:
        """A line for a call that gave no answer."""
        meta = {"status": "failed", "kind": error.kind}
        return {"version": FORMAT, "track": self.track, "id": self.id, "failed": str(error), "meta": meta}

    def _payload(self, read: Read) -> Any:
        value = read.value
        if self.steps and isinstance(value, dict) and not self.open:
            value = value.get("answer", value)
        if self.track == "qa" and isinstance(value, dict):
            return value.get("answer", value)
        if self.track == "layout":
            blocks = value.get("blocks", value) if isinstance(value, dict) else value
            return [self._scaled(block) for block in blocks] if isinstance(blocks, list) else blocks
        return value

    def _scaled(self, block: Any) -> Any:
        box = block.get("box") if isinstance(block, dict) else None
        if not isinstance(box, list) or not all(isinstance(c, int | float) for c in box):
            return block
        return block | {"box": [round(c * self.scale[at % 2], 2) for at, c in enumerate(box)]}


def tasks_of(track: ModelTrack, document: DocumentTruth, pictures: Pictures, asking: Asking) -> Iterator[Task]:
    """What a track asks about a document. `pictures` are by page id; with `see` "text" none is needed."""
    if track == "kie":
        yield _kie(document, pictures, asking)
    elif track == "qa":
        for question in document.questions:
            fill = {"question": question.question}
            shape = 'an object {"answer": ...}'
            yield _task(track, question.id, document, document.pages, pictures, asking, fill, _QA, shape)
    elif track == "text":
        for page in document.pages:
            if page.lines:
                yield _task(track, page.id, document, (page,), pictures, asking, {}, None, "")
    else:
        for page in document.pages:
            yield _layout(document, page, pictures, asking)


def _kie(document: DocumentTruth, pictures: Pictures, asking: Asking) -> Task:
    schema = bare(document.schema)
    fill = {"form": json.dumps(outline(schema), ensure_ascii=False, indent=1)}
    return _task("kie", document.id, document, document.pages, pictures, asking, fill, schema, "the filled form")


def _layout(document: DocumentTruth, page: PageTruth, pictures: Pictures, asking: Asking) -> Task:
    picture = pictures[page.id]
    width, height = scaled_size(picture.width, picture.height, asking.max_pixels)
    fill = {"width": str(width), "height": str(height), "roles": ", ".join(ROLES)}
    shape = 'an object {"blocks": [...]}'
    scale = (picture.width / width, picture.height / height)
    return _task("layout", page.id, document, (page,), pictures, asking, fill, _LAYOUT, shape, scale)


def _task(
    track: ModelTrack,
    name: str,
    document: DocumentTruth,
    pages: Sequence[PageTruth],
    pictures: Pictures,
    asking: Asking,
    fill: dict[str, str],
    schema: dict[str, Any] | None,
    shape: str,
    scale: tuple[float, float] = (1.0, 1.0),
) -> Task:
    prompt = load_prompt(f"{track}-1")
    wanted, ids = schema, [prompt.id]
    if schema is not None:
        ending = load_prompt(f"answer-{'schema' if asking.constrained else 'json'}{'-steps' if asking.steps else ''}-1")
        fill = fill | {"ending": ending.fill(shape=shape)}
        ids.append(ending.id)
        if asking.bound is not None:
            wanted = bounded(schema, asking.bound, asking.bound)
        if asking.steps and asking.constrained:
            wanted = with_reasoning(wanted or {})
    parts: list[Text | Image] = []
    if asking.see == "picture":
        for page in pages:
            one = pictures[page.id]
            parts.append(Image(one.data, sha256(one.data), one.width * one.height, asking.max_pixels))
        source = (
            "The picture shows one page." if len(parts) == 1 else f"The {len(parts)} pictures show the pages in order."
        )
    else:
        source = "The text of the document, in reading order:\n\n" + "\n\n".join(page.text for page in pages)
    parts.append(Text(prompt.fill(source=source, **fill)))
    request = LlmRequest(
        model=asking.model,
        messages=(Message("user", tuple(parts)),),
        max_tokens=_max_tokens(track, asking),
        temperature=asking.temperature,
        seed=asking.seed,
        schema=wanted if asking.constrained else None,
        reasoning_effort=asking.reasoning_effort,
        prompt="+".join(ids),
    )
    split, _, index = document.id.rpartition("-")
    return Task(track, name, split, int(index), request, wanted, not asking.constrained, asking.steps, scale)


def _max_tokens(track: ModelTrack, asking: Asking) -> int:
    if asking.max_tokens is not None:
        return asking.max_tokens
    most = MAX_TOKENS[track] + (STEPS_TOKENS if asking.steps else 0)
    return max(most, HIGH_EFFORT_TOKENS) if asking.reasoning_effort == "high" else most
