"""The phrasings themselves: enough of them, none that leaves a slot open, none that points at nothing."""

from __future__ import annotations

import re

import pytest

from synth.ask.judge.question import cues, parse
from synth.ask.phrase import LANGUAGES, phrases

WORDINGS = [name for name, value in phrases("en").items() if isinstance(value, list) and name != "of_heads"]
FEWER = {"value_date": 4, "value_person": 4}
SLOTS = {"label", "label2", "row", "row2", "noun", "nouns", "noun_of", "limit", "name", "number", "value2"} | {
    "doc",
    "doc_of",
    "doc_in",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("wording", WORDINGS)
def test_there_are_many_different_phrasings_of_each_kind(language: str, wording: str) -> None:
    found = phrases(language)[wording]
    assert len(set(found)) == len(found) >= FEWER.get(wording, 8)
    if wording in FEWER:
        assert len({*found, *phrases(language)["value"]}) >= 8
    for text in found:
        assert set(re.findall(r"\{(\w+)\}", text)) <= SLOTS, text
        assert text[-1] in "?？.。।", text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_kinds_lists_and_labels(language: str) -> None:
    mine, english = phrases(language), phrases("en")
    assert set(english) - {"back"} <= set(mine) | {"asks_of_no_amount"}
    assert set(english["lists"]) <= set(mine["lists"]) and set(english["prose_labels"]) == set(mine["prose_labels"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("wording", WORDINGS)
def test_no_phrasing_points_outside_of_the_question(language: str, wording: str) -> None:
    for text in phrases(language)[wording]:
        filled = re.sub(r"\{\w+\}", "ABC", text)
        asked = parse(filled)
        for pattern in cues()[language]["dangling"]:
            assert not re.search(pattern, asked.unquoted), (text, pattern)
