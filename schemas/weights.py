"""Weights by name, as recipes give them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from schemas.strict import no_bool


def _weights(value: Any) -> Any:
    """A list means equal weights."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        raise ValueError("give a list of names, like [one, two], or weights, like {one: 2, two: 1}")
    for item in value:
        if not isinstance(item, str):
            hint = "; put the word in quotes, YAML reads it as true or false" if isinstance(item, bool) else ""
            raise ValueError(f"{item!r} is not a name{hint}")
    twice = next((item for item in value if value.count(item) > 1), None)
    if twice is not None:
        raise ValueError(f"{twice!r} is named twice; give weights to have more of it: {{{twice}: 2}}")
    return dict.fromkeys(value, 1)


Weights = dict[str, Annotated[float, Field(ge=0), BeforeValidator(no_bool)]]
WeightsOrList = Annotated[Weights, BeforeValidator(_weights)]


def check_names(value: Weights, names: Collection[str], what: str) -> None:
    """ValueError, which begins with `what`, for a name that is not among `names`."""
    unknown = sorted(set(value) - set(names))
    if unknown:
        raise ValueError(f"{what} {unknown[0]!r}; known: {', '.join(names)}")
