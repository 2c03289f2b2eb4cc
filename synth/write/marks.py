"""Values and schema out of the marks of a document: grouping and containment as the paths say it, text as it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from schemas.document import ROLES
from schemas.errors import SampleError
from synth.content.page import pattern_of, schema_of, steps_of
from synth.write.clean import STAGE

MIN_FIELDS = 5
MAX_FIELDS = 400
MAX_VALUE = 600
MAX_DEPTH = 6
_NUMBER = re.compile(r"\d[\d.,:/\-٫٬]*\d")
MOST_UNMARKED = 0.5  # share of the page's numbers that may stand outside every mark
FEW_NUMBERS = 4


@dataclass(frozen=True)
class Marked:
    """What the marks say: `values` as `HtmlDocument.values`, `schema` over them."""

    schema: dict[str, Any]
    values: dict[str, Any]


def read_marks(tree: LexborHTMLParser) -> Marked:
    """Values by path and their schema. Mends the tree where nothing is lost: empty, useless and unknown marks go.

    SampleError of stage "writer": "missing_marks" (too few fields, or most numbers outside of them), "bad_mark" (a path
    that is none, a field in a field, two texts at one path, a value that is also a group, rows with gaps).
    """
    texts = _fields(tree)
    if len(texts) < MIN_FIELDS:
        raise SampleError(
            "missing_marks", STAGE, f"{len(texts)} values have a data-field, at least {MIN_FIELDS} are due"
        )
    if len(texts) > MAX_FIELDS:
        raise SampleError("bad_mark", STAGE, f"{len(texts)} values have a data-field, at most {MAX_FIELDS} may")
    values = _nested(texts)
    titles = _keys(tree, texts)
    for node in tree.css("[data-role]"):
        if node.attributes["data-role"] not in ROLES:
            del node.attrs["data-role"]  # the tag says what it is
    _check_numbers(tree)
    return Marked(schema_of(values, titles), values)


def text_of(node: LexborNode) -> str:
    """Text of an element on one line, a line break as a blank."""
    parts: list[str] = []
    for child in node.traverse(include_text=True):
        if child.tag == "-text":
            parts.append(child.text_content or "")
        elif child.tag == "br":
            parts.append(" ")
    return " ".join("".join(parts).split())


def _fields(tree: LexborHTMLParser) -> dict[str, str]:
    texts: dict[str, str] = {}
    for node in tree.css("[data-field]"):
        path = (node.attributes["data-field"] or "").strip()
        text = text_of(node)
        if not text:
            del node.attrs["data-field"]
            continue
        inner = next((n for n in node.css("[data-field]") if n.mem_id != node.mem_id), None)
        if inner is not None:
            raise SampleError(
                "bad_mark", STAGE, f"data-field={path!r} contains data-field={inner.attributes['data-field']!r}"
            )
        label = node.css_first("[data-key]")
        if label is not None:
            raise SampleError("bad_mark", STAGE, f"data-field={path!r} contains the label {text_of(label)!r}")
        try:
            steps = steps_of(path)
        except ValueError as error:
            raise SampleError("bad_mark", STAGE, f"data-field: {error}") from None
        if len(steps) > MAX_DEPTH:
            raise SampleError("bad_mark", STAGE, f"data-field={path!r} is nested too deeply")
        if len(text) > MAX_VALUE:
            raise SampleError(
                "bad_mark", STAGE, f"data-field={path!r} marks {len(text)} characters: mark single values"
            )
        if texts.setdefault(path, text) != text:
            raise SampleError("bad_mark", STAGE, f"data-field={path!r} shows {texts[path][:80]!r} and {text[:80]!r}")
        node.attrs["data-field"] = path
    return texts


def _nested(texts: dict[str, str]) -> dict[str, Any]:
    """The texts as groups and rows, in the order of the page."""
    root: dict[str, Any] = {}
    for path, text in texts.items():
        here: Any = root
        steps = steps_of(path)
        for step, after in zip(steps, [*steps[1:], None], strict=True):
            last = after is None
            new: Any = text if last else [] if isinstance(after, int) else {}
            if isinstance(here, list):
                assert isinstance(step, int)
                if step > len(here):
                    raise SampleError(
                        "bad_mark", STAGE, f"{path} comes before row {len(here)}: rows count from 0 in order"
                    )
                if step == len(here):
                    here.append(new)
                found = here[step]
            else:
                found = here.setdefault(step, new)
            if type(found) is not type(new) or (last and found is not new):
                raise SampleError(
                    "bad_mark", STAGE, f"{path}: a part of this path is a value, a group and rows at once"
                )
            here = found
    return root


def _keys(tree: LexborHTMLParser, texts: dict[str, str]) -> dict[str, str]:
    """Wording by pattern of every label that labels something; marks of labels that label nothing are taken away."""
    patterns: set[str] = set()
    for path in texts:
        pattern = pattern_of(path)
        patterns.update(pattern[: match.start()] for match in re.finditer(r"\[\]|\.", pattern))
        patterns.add(pattern)
    titles: dict[str, str] = {}
    for node in tree.css("[data-key]"):
        path = (node.attributes["data-key"] or "").strip()
        text = text_of(node)
        if not text or pattern_of(path) not in patterns:
            del node.attrs["data-key"]
            continue
        node.attrs["data-key"] = path
        titles.setdefault(pattern_of(path), text.rstrip(":： "))
    return titles


def _check_numbers(tree: LexborHTMLParser) -> None:
    """Numbers are nearly always values: a page whose numbers are outside the marks was marked halfway."""
    outside: list[str] = []
    total = 0
    for text, marked in _runs(tree):
        found = [n for n in _NUMBER.findall(text) if sum(c.isdigit() for c in n) >= 3]
        total += len(found)
        if not marked:
            outside += found
    if len(outside) > FEW_NUMBERS and len(outside) > MOST_UNMARKED * total:
        shown = ", ".join(outside[:4])
        raise SampleError("missing_marks", STAGE, f"{len(outside)} of {total} numbers are in no data-field: {shown}")


def _runs(tree: LexborHTMLParser) -> list[tuple[str, bool]]:
    """Every text of the body, with whether a mark holds it."""
    runs: list[tuple[str, bool]] = []
    stack: list[tuple[LexborNode, bool]] = [(tree.body, False)] if tree.body is not None else []
    while stack:
        node, marked = stack.pop()
        if node.tag == "-text":
            runs.append((node.text_content or "", marked))
        elif node.tag != "style":
            marked = marked or any(name in node.attributes for name in ("data-field", "data-key"))
            stack.extend((child, marked) for child in node.iter(include_text=True))
    return runs
