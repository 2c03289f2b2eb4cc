"""What is true of a document, from rows of a release's tables: what predictions are scored against."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from schemas.document import ROLES

Row = Mapping[str, Any]
Rows = Mapping[str, Sequence[Row]]
Box = tuple[float, ...]

_MARKS = re.compile("[☐☑☒✓✔✗✘□■◻◼▢]")


@dataclass(frozen=True)
class TextPart:
    """A line or a block: its id within the document, its text, its box in pixels, in reading order where in a list.

    `next`: the id of what certainly follows it on the page, by the local chains of the labels; None at a chain's end.
    """

    id: int
    text: str
    box: Box
    role: str = ""
    next: int | None = None


@dataclass(frozen=True)
class TableTruth:
    """A table as far as it stands on one page: cells as (row, col, rowspan, colspan, header, text), rows from 0."""

    id: int
    cells: tuple[tuple[int, int, int, int, bool, str], ...]
    box: Box


@dataclass(frozen=True)
class PageTruth:
    """One page with something on it: lines and blocks in reading order (`placed` are all blocks, also without text)."""

    id: str
    lines: tuple[TextPart, ...]
    blocks: tuple[TextPart, ...]
    placed: tuple[TextPart, ...]
    tables: tuple[TableTruth, ...]

    @cached_property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


@dataclass(frozen=True)
class FieldPlace:
    """Where a value stands: page, box in pixels, and the label beside it."""

    page_id: str
    box: Box
    key: str


@dataclass(frozen=True)
class QuestionTruth:
    """A question with its answers (all of them asked for), its kind and its difficulty ("" where none is given)."""

    id: str
    page_id: str
    question: str
    answers: tuple[str, ...]
    kind: str
    difficulty: str


@dataclass(frozen=True)
class DocumentTruth:
    """One document with everything that a track may ask for. `places` are the mentions of each value, by path."""

    id: str
    split: str
    type: str
    language: str
    difficulty: str
    values: dict[str, Any]
    schema: dict[str, Any]
    pages: tuple[PageTruth, ...]
    places: dict[str, tuple[FieldPlace, ...]]
    questions: tuple[QuestionTruth, ...] = ()

    @cached_property
    def text(self) -> str:
        return "\n".join(page.text for page in self.pages)


# The columns that are read, by table.
COLUMNS: dict[str, tuple[str, ...]] = {
    "documents": ("document_id", "type", "language", "schema", "values"),
    "words": ("document_id", "word_id", "order"),
    "lines": ("document_id", "page_id", "line_id", "text", "box", "word_ids", "next_line_id"),
    "layout": ("document_id", "page_id", "block_id", "role", "text", "box", "line_ids", "next_block_id"),
    "cells": ("document_id", "page_id", "table_id", "row", "col", "rowspan", "colspan", "header", "text", "box"),
    "kie": ("document_id", "page_id", "path", "key", "box"),
}

# Of a release that has questions.
QUESTION_COLUMNS = {
    "qa": ("document_id", "page_id", "question_id", "question", "answers", "kind", "difficulty"),
}


def documents_of(rows: Rows) -> Iterator[DocumentTruth]:
    """Documents of a shard from its tables (`COLUMNS`), in the order of `documents`; `qa` is optional.

    KeyError, TypeError or ValueError for tables that do not fit together.
    """
    by = {name: _by_document(rows.get(name, ())) for name in ("words", "lines", "layout", "cells", "kie", "qa")}
    for row in rows["documents"]:
        name = row["document_id"]
        of = {config: found.get(name, []) for config, found in by.items()}
        places: dict[str, list[FieldPlace]] = defaultdict(list)
        for field in of["kie"]:
            places[field["path"]].append(FieldPlace(field["page_id"], tuple(field["box"]), field["key"] or ""))
        yield DocumentTruth(
            id=name,
            split=name.rsplit("-", 1)[0],
            type=row["type"],
            language=row["language"],
            difficulty=difficulty([line["text"] for line in of["lines"]], of["cells"]),
            values=json.loads(row["values"]),
            schema=json.loads(row["schema"]),
            pages=tuple(_pages(of)),
            places={path: tuple(found) for path, found in places.items()},
            questions=tuple(question_of(question) for question in of["qa"]),
        )


def difficulty(lines: Sequence[str], cells: Sequence[Row]) -> str:
    """easy, medium or hard by what stands in the document, as BaFCo grades its forms (section 3.2).

    Easy: no table and no box or tick. Medium: boxes, ticks, or tables that have columns only. Hard: a table with heads
    of rows as well, with cells over several rows or columns, or with boxes or ticks in it.
    """
    heads = {(cell["page_id"], cell["table_id"], cell["row"]) for cell in cells if not cell["header"]}
    for cell in cells:
        row_head = cell["header"] and (cell["page_id"], cell["table_id"], cell["row"]) in heads
        if row_head or cell["rowspan"] > 1 or cell["colspan"] > 1 or _MARKS.search(cell["text"]):
            return "hard"
    return "medium" if cells or any(_MARKS.search(line) for line in lines) else "easy"


def question_of(row: Row) -> QuestionTruth:
    """A question from its row; null for page, kind or difficulty is ""."""
    return QuestionTruth(
        id=row["question_id"],
        page_id=row["page_id"] or "",
        question=row["question"],
        answers=tuple(row["answers"]),
        kind=row["kind"] or "",
        difficulty=row["difficulty"] or "",
    )


def table_html(cells: Sequence[tuple[int, int, int, int, bool, str]]) -> str:
    """Cells as an HTML table: one <tr> a row from first to last, <th> for heads, spans above 1 written out."""
    rows: dict[int, list[str]] = defaultdict(list)
    for row, _, rowspan, colspan, header, text in sorted(cells, key=lambda cell: cell[:2]):
        tag = "th" if header else "td"
        spans = (f' rowspan="{rowspan}"' if rowspan > 1 else "") + (f' colspan="{colspan}"' if colspan > 1 else "")
        rows[row].append(f"<{tag}{spans}>{_escaped(text)}</{tag}>")
    body = "".join(f"<tr>{''.join(rows.get(at, []))}</tr>" for at in range(max(rows, default=-1) + 1))
    return f"<table>{body}</table>"


def page_number(page_id: str) -> int:
    """The number at the end of a page id."""
    return int(page_id.rsplit("-p", 1)[1])


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _by_document(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["document_id"]].append(row)
    return found


def _pages(of: Mapping[str, Sequence[Row]]) -> Iterator[PageTruth]:
    order = {row["word_id"]: row["order"] for row in of["words"]}
    first = {row["line_id"]: min((order[i] for i in row["word_ids"]), default=-1) for row in of["lines"]}
    by_page = {name: _by(of[name], "page_id") for name in ("lines", "layout", "cells")}
    for page_id in sorted({name for rows in by_page.values() for name in rows}, key=page_number):
        lines, blocks, cells = (by_page[name].get(page_id, []) for name in ("lines", "layout", "cells"))
        begins = {row["block_id"]: min((first[i] for i in row["line_ids"]), default=-1) for row in blocks}
        lines_after = _following(lines, "line_id", {row["line_id"] for row in lines})
        blocks_after = _following(blocks, "block_id", {number for number, at in begins.items() if at >= 0})
        placed = [_part(row, "block_id", blocks_after) for row in blocks]
        yield PageTruth(
            id=page_id,
            lines=tuple(
                _part(row, "line_id", lines_after)
                for row in sorted(lines, key=lambda row: (first[row["line_id"]], row["line_id"]))
            ),
            blocks=tuple(sorted((part for part in placed if begins[part.id] >= 0), key=lambda part: begins[part.id])),
            placed=tuple(placed),
            tables=tuple(_table(table, rows) for table, rows in _by(cells, "table_id").items()),
        )


def _by(rows: Sequence[Row], column: str) -> dict[Any, list[Row]]:
    found: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        found[row[column]].append(row)
    return found


def _part(row: Row, id_column: str, after: Mapping[int, int | None]) -> TextPart:
    role = ROLES[row["role"]] if "role" in row else ""
    return TextPart(row[id_column], row["text"], tuple(row["box"]), role, after[row[id_column]])


def _following(rows: Sequence[Row], id_column: str, kept: Set[int]) -> dict[int, int | None]:
    """What follows each of a page's elements there, past those that are not `kept`; a chain ends where it leaves the
    page."""
    after: dict[int, int | None] = {row[id_column]: row[f"next_{id_column}"] for row in rows}

    def kept_after(number: int) -> int | None:
        seen, found = {number}, after[number]
        while found in after and found not in kept and found not in seen:
            seen.add(found)
            found = after[found]
        return found if found in kept else None

    return {number: kept_after(number) for number in after}


def _table(number: int, rows: Sequence[Row]) -> TableTruth:
    start = min(row["row"] for row in rows)
    cells = tuple(
        (row["row"] - start, row["col"], row["rowspan"], row["colspan"], bool(row["header"]), row["text"])
        for row in sorted(rows, key=lambda row: (row["row"], row["col"]))
    )
    boxes = [row["box"] for row in rows]
    box = (*(min(b[k] for b in boxes) for k in (0, 1)), *(max(b[k] for b in boxes) for k in (2, 3)))
    return TableTruth(number, cells, box)
