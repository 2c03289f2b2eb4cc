"""The labels of one page as shapes to draw: boxes by kind, arrows from keys to values, the reading order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.document import ROLES, Document

# Kinds of label that a viewer can switch on and off, with the colour of each; blocks are coloured by role. They are
# drawn in this order, so that what is small lies on top and answers to the pointer.
KINDS = {
    "blocks": "#475569",
    "cells": "#7c3aed",
    "lines": "#0891b2",
    "keys": "#c2410c",
    "fields": "#15803d",
    "words": "#2563eb",
    "order": "#db2777",
}
ROLE_COLOURS = {
    "title": "#b91c1c",
    "section_header": "#b45309",
    "text": "#475569",
    "list_item": "#4d7c0f",
    "table": "#7c3aed",
    "key_value": "#0f766e",
    "caption": "#a21caf",
    "figure": "#0369a1",
    "page_header": "#0e7490",
    "page_footer": "#64748b",
    "signature": "#1d4ed8",
    "stamp": "#be123c",
    "hole_punch": "#1e293b",
    "sticky_note": "#ca8a04",
    "redaction": "#000000",
}

Quad8 = Sequence[float]
Row = Mapping[str, Any]
PageRows = Mapping[str, Sequence[Row]]


@dataclass(frozen=True)
class Mark:
    """One box: its kind, its corners (x, y four times, in pixels of the page), what to say of it.

    `role` is set for blocks, `path` (place in the schema) for fields and their keys.
    """

    kind: str
    quad: tuple[float, ...]
    title: str
    role: str = ""
    path: str = ""


@dataclass(frozen=True)
class Marks:
    """All marks of one page of `width` x `height` pixels. `arrows` hold x0, y0, x1, y1 and the path of their field."""

    width: float
    height: float
    boxes: tuple[Mark, ...]
    arrows: tuple[tuple[float, float, float, float, str], ...]
    order: tuple[tuple[float, float], ...]


def marks_of_document(document: Document, page: int) -> Marks:
    """Marks of a page of a labelled document."""
    info = document.pages[page]
    return marks_of_rows(_rows(document, page), info.width, info.height)


def marks_of_rows(rows: PageRows, width: float, height: float) -> Marks:
    """Marks from one page's rows by config (`words`, `lines`, `layout`, `cells`, `kie`), as in `schemas.tables`."""
    words = {row["word_id"]: row for row in rows.get("words", ())}
    boxes = [_block(row) for row in rows.get("layout", ())]
    boxes += [Mark("lines", tuple(row["quad"]), row["text"]) for row in rows.get("lines", ())]
    boxes += [_word(row) for row in words.values()]
    boxes += [_cell(row) for row in rows.get("cells", ())]
    arrows = []
    for row in rows.get("kie", ()):
        path = row["path"]
        title = f"{path} = {row['value']}"
        keys = _runs([words[i] for i in row["key_word_ids"] if i in words])
        boxes += [Mark("keys", quad, f"{row['key']} → {path}", path=path) for quad in keys]
        boxes.append(Mark("fields", tuple(row["quad"]), title, path=path))
        if keys:
            arrows.append((*_arrow(keys[-1], row["quad"]), path))
    return Marks(width, height, tuple(boxes), tuple(arrows), tuple(_order(words, rows.get("lines", ()))))


def _block(row: Row) -> Mark:
    role = ROLES[row["role"]]
    return Mark("blocks", tuple(row["quad"]), f"{role}: {row['text']}", role=role)


def _word(row: Row) -> Mark:
    return Mark("words", tuple(row["quad"]), f"{row['text']} (word {row['word_id']}, order {row['order']})")


def _cell(row: Row) -> Mark:
    spans = "" if row["rowspan"] == row["colspan"] == 1 else f", spans {row['rowspan']} × {row['colspan']}"
    head = "head " if row["header"] else ""
    return Mark("cells", tuple(row["quad"]), f"{head}cell row {row['row']}, column {row['col']}{spans}: {row['text']}")


def _runs(words: Sequence[Row]) -> list[tuple[float, ...]]:
    """One quad for each run of words on the same line."""
    runs: list[list[Row]] = []
    for word in words:
        if runs and runs[-1][-1]["line_id"] == word["line_id"]:
            runs[-1].append(word)
        else:
            runs.append([word])
    return [(*r[0]["quad"][:2], *r[-1]["quad"][2:6], *r[0]["quad"][6:8]) for r in runs]


def _order(words: Mapping[int, Row], lines: Sequence[Row]) -> list[tuple[float, float]]:
    """Middles of the lines in reading order, a line being where its first word is read."""
    first = {
        row["line_id"]: min((words[i]["order"] for i in row["word_ids"] if i in words), default=-1) for row in lines
    }
    return [_middle(row["quad"]) for row in sorted(lines, key=lambda row: (first[row["line_id"]], row["line_id"]))]


def _middle(quad: Quad8) -> tuple[float, float]:
    return sum(quad[::2]) / 4, sum(quad[1::2]) / 4


def _arrow(key: Quad8, value: Quad8) -> tuple[float, float, float, float]:
    """From the edge of the key's box to the edge of the value's, along the line through their middles."""
    (x0, y0), (x1, y1) = _middle(key), _middle(value)
    leave, arrive = _reach(key, x1 - x0, y1 - y0), _reach(value, x1 - x0, y1 - y0)
    if leave + arrive >= 1:  # the boxes touch
        return x0, y0, x1, y1
    dx, dy = x1 - x0, y1 - y0
    return x0 + leave * dx, y0 + leave * dy, x1 - arrive * dx, y1 - arrive * dy


def _reach(quad: Quad8, dx: float, dy: float) -> float:
    """Share of (dx, dy) that lies within the box of the quad, starting at its middle."""
    half_x, half_y = (max(quad[::2]) - min(quad[::2])) / 2, (max(quad[1::2]) - min(quad[1::2])) / 2
    return min(half_x / abs(dx) if dx else 1.0, half_y / abs(dy) if dy else 1.0, 1.0)


def _rows(document: Document, page: int) -> dict[str, list[Row]]:
    """The columns that are drawn, of one page, named as in `schemas.tables`."""

    def here(items: Sequence[Any]) -> list[tuple[Any, tuple[float, ...]]]:
        return [(item, tuple(item.quad.flat())) for item in items if item.page == page]

    return {
        "words": [
            {"word_id": w.id, "text": w.text, "order": w.order, "line_id": w.line, "quad": quad}
            for w, quad in here(document.words)
        ],
        "lines": [
            {"line_id": n.id, "text": n.text, "word_ids": n.words, "quad": quad} for n, quad in here(document.lines)
        ],
        "layout": [{"role": ROLES.index(b.role), "text": b.text, "quad": quad} for b, quad in here(document.blocks)],
        "cells": [
            {
                "row": c.row,
                "col": c.col,
                "rowspan": c.rowspan,
                "colspan": c.colspan,
                "header": c.header,
                "text": c.text,
                "quad": quad,
            }
            for c, quad in here(document.cells)
        ],
        "kie": [
            {"path": f.path, "value": f.value, "key": f.key, "key_word_ids": f.keys, "quad": quad}
            for f, quad in here(document.fields)
        ],
    }
