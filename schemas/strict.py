"""What all parts of a recipe are: frozen, without unknown keys, and strict about numbers."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def no_bool(value: Any) -> Any:
    """YAML's yes, no, on and off are not numbers."""
    if isinstance(value, bool):
        raise ValueError("give a number, not true or false")
    return value
