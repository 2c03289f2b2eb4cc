"""Which paths a template shows, read from its syntax tree, so that a wrong field is found before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jinja2 import nodes

from synth.content.page import pattern_of
from synth.content.template import environment


@dataclass(frozen=True)
class Use:
    """A call such as `f("items[0].price")`: function, pattern of the path, line, and whether a wording is named."""

    function: str
    pattern: str
    line: int
    worded: bool


def uses(path: Path) -> list[Use]:
    """All calls of f, k and rows whose path can be told without running; paths from other expressions are left out."""
    found: list[Use] = []
    _visit(environment(path.parent).parse(path.read_text(encoding="utf-8")), {}, found)
    return found


def _visit(node: nodes.Node, rows: dict[str, str], found: list[Use]) -> None:
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in ("f", "k", "rows"):
        path = _path(node.args[0], rows) if node.args else None
        if path is not None:
            worded = len(node.args) > 1 or bool(node.kwargs)
            found.append(Use(node.node.name, pattern_of(path), node.lineno, worded))
    if isinstance(node, nodes.For):
        _visit(node.iter, rows, found)
        inner = dict(rows)
        array = _rows_of(node.iter, rows)
        for name in node.target.find_all(nodes.Name) if isinstance(node.target, nodes.Tuple) else [node.target]:
            if isinstance(name, nodes.Name):
                inner.pop(name.name, None)
        if array is not None and isinstance(node.target, nodes.Name):
            inner[node.target.name] = f"{array}[]"
        for child in [*([node.test] if node.test else []), *node.body, *node.else_]:
            _visit(child, inner, found)
        return
    for child in node.iter_child_nodes():
        _visit(child, rows, found)


def _rows_of(node: nodes.Node, rows: dict[str, str]) -> str | None:
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == "rows" and node.args:
        return _path(node.args[0], rows)
    return None


def _path(node: nodes.Node, rows: dict[str, str]) -> str | None:
    """A path of constants and row variables; None if it holds anything else."""
    if isinstance(node, nodes.Const):
        return str(node.value)
    if isinstance(node, nodes.Name):
        return rows.get(node.name)
    parts = [node.left, node.right] if isinstance(node, nodes.Add) else getattr(node, "nodes", None)
    if not isinstance(node, nodes.Add | nodes.Concat) or parts is None:
        return None
    known = [_path(part, rows) for part in parts]
    return "".join(part for part in known if part is not None) if None not in known else None
