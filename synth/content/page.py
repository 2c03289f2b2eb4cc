"""What a layout may call, and the record of what it showed: values and schema hold only what is on the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup, escape

from schemas.errors import SampleError

_STEP = re.compile(r"([A-Za-z][A-Za-z0-9_]*)((?:\[\d+\])*)\Z")
_INDEX = re.compile(r"\[\d+\]")
_GAP = re.compile(r"\{([A-Za-z][\w.\[\]]*)\}")


def steps_of(path: str) -> list[str | int]:
    """`items[0].price` as `["items", 0, "price"]`. ValueError for anything else."""
    steps: list[str | int] = []
    for part in path.split("."):
        match = _STEP.match(part)
        if not match:
            raise ValueError(f"{path!r} is not a path like items[0].price")
        steps.append(match[1])
        steps.extend(int(index) for index in re.findall(r"\d+", match[2]))
    return steps


def pattern_of(path: str) -> str:
    """The path with its row numbers left out: `items[].price`."""
    return _INDEX.sub("[]", path)


class Page:
    """Functions of one document's template.

    `content` is the model's nested dict; leaves are printed strings, keys that begin with `_` are no fields.
    `label` gives the wording of a path.
    """

    def __init__(
        self, content: Mapping[str, Any], label: Callable[[str, str | None], str], word: Callable[[str], str]
    ) -> None:
        self.content = content
        self._label, self._word = label, word
        self._shown: set[str] = set()
        self._titles: dict[str, str] = {}

    # Called by templates

    def f(self, path: str) -> Markup:
        """Show the value at `path` as a field. An empty value shows nothing and is no field."""
        value = self.v(path)
        if not isinstance(value, str):
            raise SampleError("not_a_value", "content", f"field {path!r} is {type(value).__name__}, not text")
        if not value.strip():
            return Markup("")
        self._shown.add(path)
        text = Markup("<br>").join(escape(line.strip()) for line in value.split("\n"))
        return Markup(f'<span data-field="{escape(path)}">{text}</span>')

    def k(self, path: str, key: str | None = None) -> Markup:
        """Show the label of the value or group at `path`; `key` names another wording of the lexicon."""
        wording = self._label(path, key)
        self._titles.setdefault(pattern_of(path), wording)
        return Markup(f'<span data-key="{escape(path)}">{escape(wording)}</span>')

    def t(self, key: str) -> str:
        """A wording that labels nothing, such as a title or a thank-you."""
        return self._word(key)

    def rows(self, path: str) -> list[str]:
        """Paths of the rows of an array, to loop over."""
        value = self.v(path)
        if not isinstance(value, list):
            raise SampleError("not_rows", "content", f"{path!r} is not a list of rows")
        return [f"{path}[{i}]" for i in range(len(value))]

    def has(self, path: str) -> bool:
        """Whether there is a value, group or row at `path` that is not empty."""
        try:
            return bool(self.v(path))
        except SampleError:
            return False

    def v(self, path: str) -> Any:
        """The bare content at `path`, also under helper keys (`_name`), without showing a field."""
        value: Any = self.content
        for step in _loose_steps(path):
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                raise SampleError(
                    "undefined_value", "content", f"the template shows {path!r}, which has no value"
                ) from None
        return value

    def fill(self, text: str) -> Markup:
        """Running text with fields in it: `{buyer.name}` becomes the field at that path."""
        parts, last = [], 0
        for gap in _GAP.finditer(text):
            parts += [escape(text[last : gap.start()]), self.f(gap[1])]
            last = gap.end()
        return Markup("").join([*parts, escape(text[last:])])

    def functions(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("f", "k", "t", "rows", "has", "v", "fill")}

    # Read by the writer

    def values(self) -> dict[str, Any]:
        """Shown values, in the content's order. SampleError if a row before a shown one was left out."""
        return _shown_part(self.content, "", self._shown) or {}

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the shown values; `title` is the wording that labels the value or group."""
        return schema_of(self.values(), self._titles)


def schema_of(values: Mapping[str, Any], titles: Mapping[str, str]) -> dict[str, Any]:
    """JSON Schema of some values, as narrow as they are; `titles` are wordings by pattern (`items[].price`)."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_schema([values], "", titles)}


def _loose_steps(path: str) -> list[str | int]:
    return [int(p) if p.isdigit() else p for p in re.split(r"[.\[\]]+", path) if p]


def _shown_part(node: Any, path: str, shown: set[str]) -> Any:
    """The part of `node` whose leaves were shown, or None if none was."""
    if isinstance(node, Mapping):
        parts = {
            key: _shown_part(child, f"{path}.{key}" if path else key, shown)
            for key, child in node.items()
            if not key.startswith("_")
        }
        return {key: part for key, part in parts.items() if part is not None} or None
    if isinstance(node, list):
        rows = [_shown_part(child, f"{path}[{i}]", shown) for i, child in enumerate(node)]
        while rows and rows[-1] is None:
            rows.pop()
        if None in rows:
            raise SampleError(
                "row_not_shown", "content", f"{path}[{rows.index(None)}] is not on the page, later rows are"
            )
        return rows or None
    return " ".join(line.strip() for line in node.split("\n")) if path in shown else None


def _schema(examples: list[Any], pattern: str, titles: Mapping[str, str]) -> dict[str, Any]:
    """One schema for all nodes at a pattern: the properties of any, required those of all."""
    title = {"title": titles[pattern]} if pattern in titles else {}
    if isinstance(examples[0], str):
        return {"type": "string", **title}
    if isinstance(examples[0], list):
        items = [row for rows in examples for row in rows]
        return {"type": "array", **title, "items": _schema(items, f"{pattern}[]", titles)}
    keys = list(dict.fromkeys(key for node in examples for key in node))
    properties = {
        key: _schema([node[key] for node in examples if key in node], f"{pattern}.{key}".lstrip("."), titles)
        for key in keys
    }
    required = [key for key in keys if all(key in node for node in examples)]
    return {"type": "object", **title, "properties": properties, "required": required, "additionalProperties": False}
