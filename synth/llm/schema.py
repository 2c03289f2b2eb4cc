"""JSON Schemas as endpoints take them for structured output."""

from __future__ import annotations

from typing import Any

_WORDS = ("$schema", "$id", "title", "description", "examples", "default")


def bare(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without titles and descriptions: a model has to find out what a field means from its name
    (UniKIE-Bench, A.6). Properties that happen to be called `title` stay."""
    kept = {k: v for k, v in schema.items() if k not in _WORDS}
    if isinstance(kept.get("properties"), dict):
        kept["properties"] = {name: bare(one) for name, one in kept["properties"].items()}
    if isinstance(kept.get("items"), dict):
        kept["items"] = bare(kept["items"])
    return kept


def bounded(schema: dict[str, Any], characters: int, items: int) -> dict[str, Any]:
    """The schema with limits on every text and list that has none: without them a small model under a grammar
    may write until it runs out of tokens."""
    kept = dict(schema)
    if kept.get("type") == "string" and "enum" not in kept:
        kept.setdefault("maxLength", characters)
    if kept.get("type") == "array":
        kept.setdefault("maxItems", items)
    if isinstance(kept.get("properties"), dict):
        kept["properties"] = {name: bounded(one, characters, items) for name, one in kept["properties"].items()}
    if isinstance(kept.get("items"), dict):
        kept["items"] = bounded(kept["items"], characters, items)
    return kept


def with_reasoning(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that asks for the steps first and the answer after them (chain of thought under a grammar)."""
    properties = {"reasoning": {"type": "string"}, "answer": schema}
    return {
        **{"type": "object", "properties": properties, "required": ["reasoning", "answer"]},
        "additionalProperties": False,
    }


def outline(schema: dict[str, Any]) -> Any:
    """The schema as an empty example, for prompts: objects and lists as they are, every value an empty text."""
    if schema.get("type") == "object":
        return {name: outline(one) for name, one in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        return [outline(schema.get("items", {}))]
    return ""
