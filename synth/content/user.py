"""Families from the user's own folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schemas.errors import UserError
from synth.content.kit import Kit
from synth.content.library import Family


def load_user_family(folder: Path) -> Family:
    raise UserError("user templates are not read yet", str(folder), "")


def build_user_content(kit: Kit, family: Family) -> dict[str, Any]:
    raise NotImplementedError


def user_label(kit: Kit, family: Family, path: str) -> str:
    raise NotImplementedError
