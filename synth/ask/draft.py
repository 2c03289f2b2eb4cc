"""A question before it has words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from schemas.document import Field
from schemas.questions import Answer
from synth.ask.facts import Facts
from synth.ask.values import Number, normal, plain, printed


@dataclass(frozen=True)
class Draft:
    """A question without its words. `wording` names its phrasings, `slots` what they name.

    `paths` are what it asks for.
    """

    kind: str
    operation: str
    wording: str
    slots: Mapping[str, str]
    answers: tuple[Answer, ...]
    evidence: tuple[int, ...]
    difficulty: int
    program: Mapping[str, Any]
    paths: frozenset[str]
    specific: bool = False
    """Whether the words name something of this document, so that no name of the document is needed."""
    default_labels: frozenset[str] = frozenset()
    """Slots whose label is not printed."""


def answer_of(field: Field, facts: Facts) -> Answer:
    return Answer(field.value, normal(field.value, facts.day_first), field.words)


def joined(*parts: Sequence[int]) -> tuple[int, ...]:
    """Ids of all parts, each once, in order."""
    return tuple(dict.fromkeys(i for part in parts for i in part))


def computed(value: Decimal, like: Number, other: Number) -> Answer:
    return Answer(printed(value, like, other), plain(value))
