"""Layout families from the user's own folders: `<folder>/<family>/` with template.html, schema.json and family.yaml."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from schemas.errors import SampleError, UserError
from synth.content.family import Family, read_family_file
from synth.content.kit import Kit
from synth.content.page import pattern_of
from synth.content.template import check_syntax
from synth.content.template_fields import uses
from synth.content.user_schema import Node, read_schema

_OUTSIDE = re.compile(
    r"<(script|iframe|object|embed|link)\b|javascript:|@import|\b(?:src|href)\s*=\s*[\"'](?!data:|#)|url\(\s*[\"']?(?!data:|#)",
    re.IGNORECASE,
)
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*\Z")


def load_user_family(folder: Path) -> Family:
    """A checked family. UserError names file, line and fix for whatever would fail in every document."""
    if not _NAME.match(folder.name):
        raise UserError(f"folder name {folder.name!r}", str(folder), "use small letters, digits, - and _")
    file = read_family_file(folder / "family.yaml")
    if file.type is None:
        raise UserError(
            "type is missing", str(folder / "family.yaml"), "add e.g. `type: receipt` or a name of your own"
        )
    template = folder / "template.html"
    check_syntax(template)
    _check_outside(template)
    root = read_schema(folder / "schema.json", file.languages)
    _check_fields(template, root, file.languages)
    return Family(f"{file.type}/{folder.name}", file.type, folder, file.languages, file, root)


def _check_outside(template: Path) -> None:
    for number, line in enumerate(template.read_text(encoding="utf-8").splitlines(), 1):
        if match := _OUTSIDE.search(line):
            fix = "put styles in <style>, pictures in data: URLs; scripts never run"
            raise UserError(f"{match[0].strip()!r} reaches out of the page", f"{template}:{number}", fix)


def _check_fields(template: Path, root: Node, languages: tuple[str, ...]) -> None:
    nodes = dict(root.walk())
    shown = uses(template)
    if not any(use.function == "f" for use in shown):
        raise UserError("shows no field", str(template), 'show at least one, such as {{ f("name") }}')
    for use in shown:
        where = f"{template}:{use.line}"
        node = nodes.get(use.pattern)
        if node is None:
            known = ", ".join(path for path, leaf in nodes.items() if leaf.kind == "string")
            raise UserError(
                f"{use.function}({use.pattern!r}) is not in schema.json", where, f"add it there, or use: {known}"
            )
        if use.function == "f" and node.kind != "string":
            raise UserError(f"f({use.pattern!r}) is {node.kind}, not a value", where, "show one of its fields")
        if use.function == "rows" and node.kind != "array":
            raise UserError(
                f"rows({use.pattern!r}) is {node.kind}, not an array", where, "give it type array in schema.json"
            )
        if use.function == "k" and not use.worded:
            missing = [lang for lang in languages if not (node.titles or {}).get(lang)]
            if missing:
                fix = 'add "title": "..." or "x-titles": {"' + missing[0] + '": ["..."]} to it in schema.json'
                raise UserError(f"k({use.pattern!r}) has no wording in {missing[0]}", where, fix)


def build_user_content(kit: Kit, root: Node) -> dict[str, Any]:
    """Values for every leaf, drawn in the schema's order. SampleError if a provider fails."""
    return _build(kit, root, "")


def _build(kit: Kit, node: Node, pattern: str) -> Any:
    if node.kind == "object":
        return {name: _build(kit, child, f"{pattern}.{name}".lstrip(".")) for name, child in node.children.items()}
    if node.kind == "array":
        count = kit.rng.randint(node.low, node.high)
        return [_build(kit, node.children[""], f"{pattern}[]") for _ in range(count)]
    call = (node.calls or {})[kit.language]
    try:
        return call.value(kit)
    except (ValueError, TypeError, IndexError, KeyError, OverflowError) as error:
        raise SampleError("provider_failed", "content", f"{pattern}: {call.provider}: {error}") from None


def user_label(kit: Kit, root: Node, path: str) -> str:
    """One wording of a field's titles for this document."""
    pattern = pattern_of(path)
    titles = next((n.titles for p, n in root.walk() if p == pattern and n.titles), None)
    if not titles or kit.language not in titles:
        raise SampleError("no_wording", "content", f"schema.json has no title for {pattern!r} in {kit.language}")
    return kit.spec.rng(f"label:{pattern}").choice(titles[kit.language])
