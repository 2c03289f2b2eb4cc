"""Reading an answer: what the finish reason allows, JSON out of what surrounds it, the schema, repair at last.

A reply is never dropped: what cannot be read has a status that says why, and keeps its text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from json_repair import repair_json
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from schemas.llm import LlmReply

STATUSES = (
    "ok",  # JSON as asked, alone or in a code fence
    "extracted",  # JSON as asked, with prose around it
    "repaired",  # as asked after json-repair
    "wrong_schema",  # JSON, but not as asked; the value is kept
    "unparsed",  # no JSON
    "refused",
    "filtered",  # the provider's content filter
    "empty",
    "length",  # cut at the token limit
    "too_large",  # cut at the size limit
    "unfinished",  # any other end
)
READABLE = frozenset({"ok", "extracted", "repaired"})
_FINISHED = frozenset({"stop", "eos", "end_turn"})
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FENCE = re.compile(r"```(?:json)?\s*\n?(.*?)```", re.DOTALL)
_SORRY = re.compile(
    r"^\W*(?:i['’]?m (?:very )?sorry|sorry[,.]|i (?:can(?:no|['’])t|am (?:unable|not able))|i (?:must|have to) decline"
    r"|as an ai\b|unfortunately,? i (?:can|am)|很?抱歉|对不起|我(?:无法|不能)|দুঃখিত|আমি .{0,40}পারব না)",
    re.IGNORECASE,
)
_MAX_SCANS = 2000  # brackets tried in one answer: prose full of them must not take forever
_MAX_MENDED = 200_000  # characters of an answer that is mended
_MAX_UNCLOSED = 100  # brackets that a broken answer leaves open


@dataclass(frozen=True)
class Read:
    """An answer as it was understood. `value` is None where there is none; `detail` is for people."""

    status: str
    value: Any = None
    detail: str = ""

    @property
    def usable(self) -> bool:
        return self.status in READABLE


def read_text(reply: LlmReply) -> Read:
    """A plain-text answer: its text without thoughts, or why there is none."""
    ended = _ended_badly(reply)
    if ended is not None:
        return ended
    text = _THOUGHT.sub("", reply.text).strip()
    if not text:
        return Read("empty")
    return Read("refused", detail=text[:200]) if _SORRY.match(text) else Read("ok", text)


def read_json(reply: LlmReply, schema: dict[str, Any] | None) -> Read:
    """A JSON answer that `schema` accepts (None: any object or list), or why there is none."""
    ended = _ended_badly(reply)
    if ended is not None:
        return ended
    text = _THOUGHT.sub("", reply.text).strip()
    if not text:
        return Read("empty")
    wrong: Read | None = None
    for status, candidates in (("ok", _whole(text)), ("extracted", _within(text)), ("repaired", _mended(text))):
        # The last one counts: a model that thinks aloud ends with its answer.
        for value in reversed(list(candidates)):
            fault = _fault(value, schema)
            if fault is None:
                return Read(status, value)
            wrong = wrong or Read("wrong_schema", value, fault)
        if wrong is not None and status != "ok":
            break  # it is JSON already: mending would only guess
    if wrong is not None:
        return wrong
    return Read("refused" if _SORRY.match(text) else "unparsed", detail=text[:200])


def _ended_badly(reply: LlmReply) -> Read | None:
    if reply.refusal:
        return Read("refused", detail=reply.refusal[:200])
    if reply.finish_reason == "content_filter":
        return Read("filtered")
    if reply.finish_reason in ("length", "too_large"):
        return Read(reply.finish_reason, detail=f"{reply.completion_tokens} tokens")
    if reply.finish_reason not in _FINISHED:
        return Read("unfinished", detail=reply.finish_reason)
    return None


def _whole(text: str) -> Iterator[Any]:
    for piece in [text, *(_FENCE.findall(text) if text.startswith("```") else [])]:
        try:
            value = json.loads(piece, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            yield value


def _within(text: str) -> Iterator[Any]:
    """Every outermost JSON object or list in a text."""
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    at = 0
    for _ in range(_MAX_SCANS):
        starts = [i for i in (text.find("{", at), text.find("[", at)) if i >= 0]
        if not starts:
            return
        at = min(starts)
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        # A list of plain text in prose, like [1], is a footnote and no answer.
        if isinstance(value, dict) or any(isinstance(item, dict) for item in value):
            yield value


def _mended(text: str) -> Iterator[Any]:
    fenced = _FENCE.findall(text)
    start = min((i for i in (text.find("{"), text.find("[")) if i >= 0), default=-1)
    if start < 0:
        return
    for piece in fenced or [text[start:]]:
        unclosed = piece.count("{") + piece.count("[") - piece.count("}") - piece.count("]")
        if len(piece) > _MAX_MENDED or unclosed > _MAX_UNCLOSED:
            continue
        try:
            value = repair_json(piece, return_objects=True)
        except Exception:  # whatever the repair stumbles over, the text stays unread
            continue
        if isinstance(value, dict | list) and value:
            yield value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _fault(value: Any, schema: dict[str, Any] | None) -> str | None:
    """The first thing about a value that the schema refuses, in words; None if it accepts."""
    if schema is None:
        return None
    try:
        error = best_match(Draft202012Validator(schema).iter_errors(value))
    except RecursionError:
        return "nested too deeply"
    return None if error is None else f"{error.json_path}: {error.message}"[:300]
