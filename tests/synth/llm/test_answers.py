"""Answers as models give them: clean, wrapped, broken, refused, cut."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.llm import LlmReply
from synth.llm.answers import READABLE, STATUSES, read_json, read_text

SCHEMA = {
    "type": "object",
    "properties": {"total": {"type": "string"}, "items": {"type": "array", "items": {"type": "string"}}},
    "required": ["total", "items"],
    "additionalProperties": False,
}
GOOD = {"total": "3.50", "items": ["a", "b"]}
TEXT = json.dumps(GOOD)


def reply(text: str, finish: str = "stop", refusal: str = "") -> LlmReply:
    return LlmReply(text, finish, refusal, "m", 10, 5, 0.1, 1, "e")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (TEXT, "ok"),
        (f"```json\n{TEXT}\n```", "ok"),
        (f"<think>maybe {{}}</think>{TEXT}", "ok"),
        (f"Here it is [1]: {TEXT} I hope that helps.", "extracted"),
        (f"{TEXT}\n{TEXT}", "extracted"),
        (f'First I read {{"total": "9", "items": []}}. No: {TEXT}', "extracted"),
        (TEXT[:-1], "repaired"),
        (TEXT.replace('"', "'"), "repaired"),
        (TEXT.replace("]", ",]"), "repaired"),
    ],
)
def test_the_value_is_found(text: str, status: str) -> None:
    read = read_json(reply(text), SCHEMA)
    assert (read.status, read.value) == (status, GOOD) and read.usable


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", "empty"),
        (" \n<think>hm</think>", "empty"),
        ("I'm sorry, but I can't help with that.", "refused"),
        ("很抱歉，我无法回答。", "refused"),
        ("দুঃখিত, আমি পারব না।", "refused"),
        ("The total is 3.50.", "unparsed"),
        ("NaN", "unparsed"),
        ('{"total": NaN, "items": []}', "wrong_schema"),
        ('{"total": 3.5, "items": []}', "wrong_schema"),
        ('{"something": "else"}', "wrong_schema"),
        ("[" * 100_000, "unparsed"),
        ('{"a":' * 100_000, "unparsed"),
    ],
)
def test_what_cannot_be_used_says_why(text: str, status: str) -> None:
    read = read_json(reply(text), SCHEMA)
    assert read.status == status and not read.usable
    assert (read.value is not None) == (status == "wrong_schema"), "a value of another form is kept, nothing is made up"


@pytest.mark.parametrize(
    ("finish", "status"),
    [("length", "length"), ("content_filter", "filtered"), ("too_large", "too_large"), ("", "unfinished")],
)
def test_the_finish_reason_is_obeyed_even_if_the_text_would_parse(finish: str, status: str) -> None:
    for read in (read_json(reply(TEXT, finish), SCHEMA), read_text(reply(TEXT, finish))):
        assert read.status == status and read.value is None


def test_a_refusal_in_its_own_field_counts() -> None:
    assert read_json(reply(TEXT, refusal="no"), SCHEMA).status == "refused"


def test_text_answers() -> None:
    assert read_text(reply("<think>x</think> two lines\nof text ")).value == "two lines\nof text"
    assert read_text(reply("I cannot read this.")).status == "refused"
    assert read_text(reply("  ")).status == "empty"


def test_a_hundred_thousand_brackets_take_no_time() -> None:
    start = time.perf_counter()
    for text in ("{ [ " * 50_000, "x" * 1_000_000, '{"a": "' + "b" * 1_000_000):
        assert read_json(reply(text), SCHEMA).status in STATUSES
    assert time.perf_counter() - start < 5


@given(
    st.recursive(st.none() | st.text() | st.integers(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)),
    st.text(),
)
def test_any_answer_has_a_status_and_no_answer_is_invented(value: Any, around: str) -> None:
    for text in (json.dumps(value), around, around + json.dumps(value)):
        read = read_json(reply(text), SCHEMA)
        assert read.status in STATUSES
        assert read.status not in READABLE or set(read.value) == {"total", "items"}
