"""Content models: what a document of each type says, before any layout."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from synth.content.kit import Kit


def _model(name: str) -> Callable[[Kit], dict[str, Any]]:
    def build(kit: Kit) -> dict[str, Any]:
        return import_module(f"synth.content.models.{name}").build(kit)

    return build


MODELS: dict[str, Callable[[Kit], dict[str, Any]]] = {
    name: _model(name) for name in ("receipt", "form", "invoice", "contract")
}
