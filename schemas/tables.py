"""Tables of a release: one Arrow schema per Hugging Face config, joined by document_id and page_id (DESIGN decision 7).

Boxes are [x0, y0, x1, y1] and quads eight numbers (text's top left, top right, bottom right, bottom left), float32
pixels of the page's picture, origin top left. Word ids count from 0 within a document.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pyarrow as pa

from schemas.document import RELATIONS, ROLES
from schemas.questions import CRITERIA
from schemas.recipe import Content

BOX = pa.list_(pa.float32(), 4)
QUAD = pa.list_(pa.float32(), 8)
IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
IDS = pa.list_(pa.int32())
FAULTS = pa.list_(pa.struct([("name", pa.string()), ("severity", pa.float64()), ("amount", pa.float64())]))

_ON_PAGE = [("document_id", pa.string()), ("page_id", pa.string())]

COLUMNS: dict[str, list[tuple[str, pa.DataType]]] = {
    "documents": [
        ("document_id", pa.string()),
        ("index", pa.int64()),
        ("try", pa.int32()),
        ("type", pa.string()),
        ("language", pa.string()),
        ("family", pa.string()),
        ("persona", pa.string()),
        ("fonts", pa.list_(pa.string())),
        ("characters", pa.int32()),
        ("page_count", pa.int32()),
        ("schema", pa.string()),
        ("values", pa.string()),
        ("pdf", pa.binary()),
    ],
    "pages": [
        ("page_id", pa.string()),
        ("document_id", pa.string()),
        ("page", pa.int32()),
        ("image", IMAGE),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("dpi", pa.int32()),
        ("scene", pa.string()),
        ("faults", FAULTS),
        ("ocr_engine", pa.string()),
        ("cer", pa.float64()),
        ("ocr_characters", pa.int32()),
        ("ocr_edits", pa.int32()),
        ("ocr_unmatched_lines", pa.int32()),
        ("ocr_spurious", pa.int32()),
    ],
    "words": [
        *_ON_PAGE,
        ("word_id", pa.int32()),
        ("text", pa.string()),
        ("space_after", pa.bool_()),
        ("order", pa.int32()),
        ("line_id", pa.int32()),
        ("block_id", pa.int32()),
        ("box", BOX),
        ("ink_box", BOX),
        ("quad", QUAD),
        ("font_size", pa.float32()),
        ("visible", pa.float32()),
    ],
    "lines": [
        *_ON_PAGE,
        ("line_id", pa.int32()),
        ("block_id", pa.int32()),
        ("text", pa.string()),
        ("direction", pa.string()),
        ("box", BOX),
        ("quad", QUAD),
        ("word_ids", IDS),
        ("visible", pa.float32()),
        ("next_line_id", pa.int32()),
    ],
    "layout": [
        *_ON_PAGE,
        ("block_id", pa.int32()),
        ("role", pa.int64()),
        ("logical_id", pa.int32()),
        ("text", pa.string()),
        ("box", BOX),
        ("quad", QUAD),
        ("line_ids", IDS),
        ("visible", pa.float32()),
        ("next_block_id", pa.int32()),
    ],
    "cells": [
        *_ON_PAGE,
        ("cell_id", pa.int32()),
        ("table_id", pa.int32()),
        ("row", pa.int32()),
        ("col", pa.int32()),
        ("rowspan", pa.int32()),
        ("colspan", pa.int32()),
        ("header", pa.bool_()),
        ("text", pa.string()),
        ("box", BOX),
        ("quad", QUAD),
        ("word_ids", IDS),
        ("visible", pa.float32()),
    ],
    "kie": [
        *_ON_PAGE,
        ("field_id", pa.int32()),
        ("path", pa.string()),
        ("value", pa.string()),
        ("word_ids", IDS),
        ("key", pa.string()),
        ("key_word_ids", IDS),
        ("box", BOX),
        ("quad", QUAD),
        ("visible", pa.float32()),
    ],
    "relations": [
        ("document_id", pa.string()),
        ("kind", pa.int64()),
        ("head_word_ids", IDS),
        ("tail_word_ids", IDS),
    ],
    "rejections": [
        ("document_id", pa.string()),
        ("index", pa.int64()),
        ("try", pa.int32()),
        ("type", pa.string()),
        ("language", pa.string()),
        ("stage", pa.string()),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("quarantined", pa.bool_()),
        ("family", pa.string()),
        ("characters", pa.int32()),
        ("font", pa.string()),
        ("script", pa.string()),
    ],
}

_OPINION = pa.struct(
    [("judge", pa.string()), *((name, pa.int32()) for name in CRITERIA), ("reasons", pa.list_(pa.string()))]
)
_QUESTION: list[tuple[str, pa.DataType]] = [
    ("document_id", pa.string()),
    ("question_id", pa.string()),
    ("page_id", pa.string()),
    ("question", pa.string()),
    ("kind", pa.string()),
    ("operation", pa.string()),
    ("difficulty", pa.string()),
    ("cardinality", pa.int32()),
    ("answers", pa.list_(pa.string())),
    ("answers_normal", pa.list_(pa.string())),
    ("answer_word_ids", pa.list_(IDS)),
    ("answer_quads", pa.list_(pa.list_(QUAD))),
    ("evidence_word_ids", IDS),
    ("evidence_page_ids", pa.list_(pa.string())),
    ("program", pa.string()),
    *((name, pa.int32()) for name in CRITERIA),
    ("reasons", pa.list_(pa.string())),
    ("source", pa.string()),
    ("opinions", pa.list_(_OPINION)),
    ("agreement", pa.float64()),
    ("gates", pa.list_(pa.struct([("gate", pa.string()), ("passed", pa.bool_()), ("detail", pa.string())]))),
    ("dropped", pa.string()),
]

# Only where the recipe asks for questions.
QUESTION_COLUMNS: dict[str, list[tuple[str, pa.DataType]]] = {"qa": _QUESTION, "qa_rejections": _QUESTION}


# Only where the recipe asks for boxes of characters.
CHARACTER_COLUMNS: dict[str, list[tuple[str, pa.DataType]]] = {
    "characters": [
        *_ON_PAGE,
        ("character_id", pa.int32()),
        ("word_id", pa.int32()),
        ("text", pa.string()),
        ("ligature", pa.int32()),
        ("box", BOX),
        ("ink_box", BOX),
        ("quad", QUAD),
        ("visible", pa.float32()),
    ]
}


def configs(questions: bool, characters: bool) -> list[str]:
    """Names of a release's tables, with or without those of questions and of characters."""
    return [*COLUMNS, *(QUESTION_COLUMNS if questions else ()), *(CHARACTER_COLUMNS if characters else ())]


def configs_of(content: Content) -> list[str]:
    """Names of the tables that a recipe asks for."""
    return configs(content.questions is not None, content.labels.characters)


# Rows per row group: small where rows are heavy, so that a viewer can page through without reading a shard.
ROW_GROUP = {"documents": 100, "pages": 20}
DEFAULT_ROW_GROUP = 5000

_FEATURES: dict[str, dict[str, Any]] = {
    "pages": {"image": {"_type": "Image"}},
    "layout": {"role": {"names": list(ROLES), "_type": "ClassLabel"}},
    "relations": {"kind": {"names": list(RELATIONS), "_type": "ClassLabel"}},
}


@cache
def arrow_schema(config: str) -> pa.Schema:
    """Arrow schema of a config; Image and ClassLabel columns are declared in the metadata that `datasets` reads."""
    schema = pa.schema((COLUMNS | QUESTION_COLUMNS | CHARACTER_COLUMNS)[config])
    features = _FEATURES.get(config)
    if features:
        schema = schema.with_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    return schema


def label_ids() -> dict[str, list[str]]:
    """Names of all label ids; an id is a position."""
    return {"layout.role": list(ROLES), "relations.kind": list(RELATIONS)}


def page_id(document_id: str, page: int) -> str:
    return f"{document_id}-p{page}"
