from __future__ import annotations

import pytest
from pydantic import ValidationError

from schemas.question_settings import DEFAULT_KINDS, Questions
from schemas.questions import KINDS


def test_kinds_are_weights_or_a_list() -> None:
    assert Questions().kinds == DEFAULT_KINDS and set(DEFAULT_KINDS) == set(KINDS)
    assert Questions.model_validate({"kinds": ["table", "chart"]}).kinds == {"table": 1, "chart": 1}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kinds": ["tables"]}, "unknown kind of question 'tables'; known: single_span, multi_span"),
        ({"kinds": {"table": 0}}, "weight"),
        ({"kinds": {"table": -1}}, "greater than or equal to 0"),
        ({"kinds": ["multi_hop"], "kind": "llm", "llm": {"model": "m"}}, "chain multi_hop questions from others"),
        ({"kind": "llm"}, "needs a model"),
        ({"llm": {"model": "m"}}, "neither kind nor judges uses it"),
    ],
)
def test_what_cannot_be_asked_is_refused(given: dict, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Questions.model_validate(given)
