"""Reads and checks `schema.json` of a user's template: a JSON Schema whose leaves name value providers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from schemas.errors import UserError
from synth.content.providers import Call, parse_call

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
MAX_ROWS = 200


@dataclass(frozen=True)
class Node:
    """One node of a user's schema. `calls` (a leaf's provider) and `titles` are by language."""

    kind: str  # "object", "array" or "string"
    children: Mapping[str, Node]  # of an array: its rows' node under ""
    low: int = 1
    high: int = 1
    calls: Mapping[str, Call] | None = None
    titles: Mapping[str, tuple[str, ...]] | None = None

    def walk(self, pattern: str = "") -> Iterator[tuple[str, Node]]:
        """All nodes below, with their patterns such as `items[].price`."""
        for name, child in self.children.items():
            path = f"{pattern}[]" if not name else f"{pattern}.{name}".lstrip(".")
            yield path, child
            yield from child.walk(path)


def read_schema(path: Path, languages: tuple[str, ...]) -> Node:
    """UserError with file and line for whatever is wrong in the schema."""
    if not path.is_file():
        raise UserError("schema.json is missing", str(path), "write a JSON Schema with an x-provider at every leaf")
    text = path.read_text(encoding="utf-8")
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"not JSON: {error.msg}", f"{path}:{error.lineno}", "mend the JSON") from None
    node = _Reader(path, languages, _lines(text)).node(raw, ())
    if node.kind != "object":
        raise UserError("the schema is no object", str(path), 'begin with {"type": "object", "properties": {...}}')
    return node


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """Line of every key, by its path of keys. JSON is YAML once tabs are gone."""
    found: dict[tuple[str, ...], int] = {}

    def visit(node: yaml.Node | None, path: tuple[str, ...]) -> None:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                found[(*path, key.value)] = key.start_mark.line + 1
                visit(value, (*path, key.value))

    try:
        visit(yaml.compose(text.replace("\t", " ")), ())
    except yaml.YAMLError:
        return {}
    return found


class _Reader:
    def __init__(self, path: Path, languages: tuple[str, ...], lines: dict[tuple[str, ...], int]) -> None:
        self.path, self.languages, self.lines = path, languages, lines

    def fault(self, keys: tuple[str, ...], what: str, fix: str) -> UserError:
        line = next((self.lines[keys[:n]] for n in range(len(keys), 0, -1) if keys[:n] in self.lines), 1)
        name = ".".join(k for k in keys if k not in ("properties", "items")) or "the schema"
        return UserError(f"{name}: {what}", f"{self.path}:{line}", fix)

    def node(self, raw: Any, keys: tuple[str, ...]) -> Node:
        if not isinstance(raw, dict):
            raise self.fault(keys, "is no schema", 'write an object such as {"type": "string", "x-provider": "email"}')
        kind = raw.get("type", "object" if "properties" in raw else "array" if "items" in raw else "string")
        titles = self._titles(raw, keys)
        if kind == "object":
            return self._object(raw, keys, titles)
        if kind == "array":
            return self._array(raw, keys, titles)
        if kind != "string":
            raise self.fault(keys, f"type {kind!r}", "use object, array or string: values are text as printed")
        if "x-provider" not in raw:
            raise self.fault(
                keys, "has no x-provider", 'add e.g. "x-provider": "person.name" (docs/templates.md lists all)'
            )
        return Node("string", {}, calls=self._calls(raw["x-provider"], keys), titles=titles)

    def _object(self, raw: dict[str, Any], keys: tuple[str, ...], titles: Mapping[str, tuple[str, ...]]) -> Node:
        properties = raw.get("properties")
        if not isinstance(properties, dict) or not properties:
            raise self.fault(keys, "has no properties", "name at least one property")
        for name in properties:
            if not _NAME.match(name):
                raise self.fault((*keys, "properties", name), "is no name", "use letters, digits and _, a letter first")
        children = {name: self.node(child, (*keys, "properties", name)) for name, child in properties.items()}
        return Node("object", children, titles=titles)

    def _array(self, raw: dict[str, Any], keys: tuple[str, ...], titles: Mapping[str, tuple[str, ...]]) -> Node:
        low, high = raw.get("minItems", 1), raw.get("maxItems", raw.get("minItems", 5))
        if not (isinstance(low, int) and isinstance(high, int) and 0 <= low <= high <= MAX_ROWS):
            raise self.fault(keys, f"minItems {low}, maxItems {high}", f"use 0 <= minItems <= maxItems <= {MAX_ROWS}")
        return Node("array", {"": self.node(raw.get("items"), (*keys, "items"))}, low, high, titles=titles)

    def _calls(self, raw: Any, keys: tuple[str, ...]) -> dict[str, Call]:
        by_language = raw if isinstance(raw, dict) else dict.fromkeys(self.languages, raw)
        missing = [lang for lang in self.languages if lang not in by_language]
        if missing:
            raise self.fault((*keys, "x-provider"), f"no provider for {missing[0]}", "name one for every language")
        try:
            return {lang: parse_call(str(by_language[lang])) for lang in self.languages}
        except ValueError as error:
            raise self.fault((*keys, "x-provider"), str(error), "see docs/templates.md for the providers") from None

    def _titles(self, raw: dict[str, Any], keys: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """Wordings by language, from `title` (one for all) or `x-titles` (a wording or several for each)."""
        titles = raw.get("x-titles", dict.fromkeys(self.languages, raw["title"]) if "title" in raw else {})
        if not isinstance(titles, dict):
            raise self.fault(
                (*keys, "x-titles"), "is no object", 'write e.g. {"en": ["Due", "Due date"], "bn": "তারিখ"}'
            )
        return {lang: tuple(text) if isinstance(text, list) else (str(text),) for lang, text in titles.items()}
