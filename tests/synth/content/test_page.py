from __future__ import annotations

import jsonschema
import pytest

from schemas.errors import SampleError
from synth.content.page import Page, pattern_of, steps_of

CONTENT = {
    "shop": {"name": "A & B <Ltd>", "address": "1 Oak St\nLeeds"},
    "items": [{"name": "Tea", "tags": ["hot"]}, {"name": "Cake", "note": "cut", "tags": ["cold", "new"]}],
    "empty": " ",
    "_helper": ["not a field"],
}


def page() -> Page:
    return Page(CONTENT, lambda path, key: key or f"Label of {path}", str.upper)


def test_values_and_schema_hold_what_was_shown():
    p = page()
    for call, path in ((p.f, "shop.address"), (p.k, "shop"), (p.k, "items[].name")):
        call(path)
    for row in p.rows("items"):
        p.f(f"{row}.name")
    for path in ("items[1].note", "items[0].tags[0]", "items[1].tags[0]", "items[1].tags[1]"):
        p.f(path)
    assert p.values() == {
        "shop": {"address": "1 Oak St Leeds"},
        "items": [{"name": "Tea", "tags": ["hot"]}, {"name": "Cake", "note": "cut", "tags": ["cold", "new"]}],
    }
    schema = p.schema()
    jsonschema.validate(p.values(), schema)
    rows = schema["properties"]["items"]["items"]
    assert rows["required"] == ["name", "tags"] and rows["properties"]["name"]["title"] == "Label of items[].name"
    assert schema["properties"]["shop"]["title"] == "Label of shop"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"items": p.values()["items"]}, schema)


def test_text_is_escaped_and_lines_broken():
    p = page()
    assert p.f("shop.name") == '<span data-field="shop.name">A &amp; B &lt;Ltd&gt;</span>'
    assert "1 Oak St<br>Leeds" in p.f("shop.address")
    assert p.fill("At {shop.name} & co") == 'At <span data-field="shop.name">A &amp; B &lt;Ltd&gt;</span> &amp; co'


def test_an_empty_value_is_no_field():
    p = page()
    assert p.f("empty") == "" and p.values() == {}


@pytest.mark.parametrize("path", ["shop.owner", "items[7].name", "shop.name.first"])
def test_an_undefined_value_rejects_the_sample(path):
    with pytest.raises(SampleError, match="undefined_value"):
        page().f(path)
    assert not page().has(path)


def test_a_skipped_row_rejects_the_sample():
    p = page()
    p.f("items[1].name")
    with pytest.raises(SampleError, match="row_not_shown"):
        p.values()


def test_groups_are_no_values():
    with pytest.raises(SampleError, match="not_a_value"):
        page().f("shop")
    with pytest.raises(SampleError, match="not_rows"):
        page().rows("shop")


def test_paths():
    assert steps_of("a[0].b[1][2]") == ["a", 0, "b", 1, 2]
    assert pattern_of("a[0].b[12].c") == "a[].b[].c"
    with pytest.raises(ValueError, match="is not a path"):
        steps_of("a..b")
