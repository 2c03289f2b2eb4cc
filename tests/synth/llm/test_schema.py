"""Schemas as they are sent."""

from __future__ import annotations

from synth.llm.schema import bare, bounded, outline, with_reasoning

SCHEMA = {
    "$schema": "x",
    "type": "object",
    "title": "Invoice",
    "properties": {
        "title": {"type": "string", "title": "Printed title"},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"price": {"type": "string", "description": "d"}}},
        },
    },
}


def test_bare_drops_what_explains_fields_but_no_field() -> None:
    assert bare(SCHEMA) == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "items": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "string"}}}},
        },
    }


def test_bounded_limits_every_text_and_list_once() -> None:
    found = bounded(bare(SCHEMA), 30, 5)
    assert found["properties"]["title"]["maxLength"] == 30
    assert found["properties"]["items"]["maxItems"] == 5
    assert found["properties"]["items"]["items"]["properties"]["price"]["maxLength"] == 30
    assert "maxLength" not in found["properties"]["kind"]
    assert bounded(found, 99, 99) == found, "a limit that is there stays"


def test_outline_and_reasoning() -> None:
    assert outline(bare(SCHEMA)) == {"title": "", "kind": "", "items": [{"price": ""}]}
    assert list(with_reasoning(SCHEMA)["properties"]) == ["reasoning", "answer"], "thoughts come before the answer"
