"""Labels as rows of the release's tables: one Arrow record batch per config (see `schemas.tables`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from schemas.document import RELATIONS, ROLES, Document
from schemas.tables import BOX, QUAD, arrow_schema, page_id


def label_rows(document_id: str, document: Document) -> dict[str, pa.RecordBatch]:
    """Rows of all labels by config. Coordinates are rounded to 1/100 pixel, finer than any map is exact."""
    pages = [page_id(document_id, number) for number in range(len(document.pages))]

    def placed(config: str, elements: Sequence[Any], **columns: Any) -> pa.RecordBatch:
        return _batch(
            config,
            document_id=[document_id] * len(elements),
            page_id=[pages[e.page] for e in elements],
            box=_floats(BOX, (e.box for e in elements)),
            quad=_floats(QUAD, (chain.from_iterable(e.quad) for e in elements)),
            **columns,
        )

    words, lines, blocks, cells, fields, characters = (_columns(k) for k in _elements(document))
    relations = document.relations
    finest = {}
    if document.characters:
        finest["characters"] = placed(
            "characters",
            document.characters,
            character_id=characters("id"),
            word_id=characters("word"),
            text=characters("text"),
            ligature=characters("ligature"),
            ink_box=_floats(BOX, characters("ink")),
            visible=np.round(np.array(characters("visible"), float), 3).astype(np.float32),
        )
    return finest | {
        "words": placed(
            "words",
            document.words,
            word_id=words("id"),
            text=words("text"),
            space_after=words("space_after"),
            order=words("order"),
            line_id=words("line"),
            block_id=words("block"),
            ink_box=_floats(BOX, words("ink")),
            font_size=np.round(np.array(words("font_size"), float), 2).astype(np.float32),
            visible=_shares(words("visible")),
        ),
        "lines": placed(
            "lines",
            document.lines,
            line_id=lines("id"),
            block_id=lines("block"),
            text=lines("text"),
            direction=lines("direction"),
            word_ids=lines("words"),
            visible=_shares(lines("visible")),
            next_line_id=[None if k < 0 else k for k in lines("next")],
        ),
        "layout": placed(
            "layout",
            document.blocks,
            block_id=blocks("id"),
            role=[ROLES.index(role) for role in blocks("role")],
            logical_id=blocks("logical"),
            text=blocks("text"),
            line_ids=blocks("lines"),
            visible=_shares(blocks("visible")),
            next_block_id=[None if k < 0 else k for k in blocks("next")],
        ),
        "cells": placed(
            "cells",
            document.cells,
            cell_id=cells("id"),
            table_id=cells("table"),
            row=cells("row"),
            col=cells("col"),
            rowspan=cells("rowspan"),
            colspan=cells("colspan"),
            header=cells("header"),
            text=cells("text"),
            word_ids=cells("words"),
            visible=_shares(cells("visible")),
        ),
        "kie": placed(
            "kie",
            document.fields,
            field_id=fields("id"),
            path=fields("path"),
            value=fields("value"),
            word_ids=fields("words"),
            key=fields("key"),
            key_word_ids=fields("keys"),
            visible=_shares(fields("visible")),
        ),
        "relations": _batch(
            "relations",
            document_id=[document_id] * len(relations),
            kind=[RELATIONS.index(r.kind) for r in relations],
            head_word_ids=[r.head for r in relations],
            tail_word_ids=[r.tail for r in relations],
        ),
    }


def _elements(document: Document) -> tuple[Sequence[Any], ...]:
    return document.words, document.lines, document.blocks, document.cells, document.fields, document.characters


def _columns(elements: Sequence[Any]) -> Callable[[str], list[Any]]:
    return lambda name: [getattr(e, name) for e in elements]


def _batch(config: str, **columns: Any) -> pa.RecordBatch:
    schema = arrow_schema(config)
    arrays = [pa.array(columns.pop(field.name), field.type) for field in schema]
    assert not columns, f"{config} has no column {next(iter(columns))}"
    return pa.record_batch(arrays, schema=schema)


def _shares(values: Sequence[float]) -> np.ndarray:
    return np.round(np.array(values, float), 3).astype(np.float32)


def _floats(of: pa.DataType, rows: Iterable[Iterable[float]]) -> pa.Array:
    """Lists of numbers as an array of type `of`."""
    flat = np.round(np.fromiter(chain.from_iterable(rows), float), 2).astype(np.float32)
    return pa.FixedSizeListArray.from_arrays(pa.array(flat), type=of)
