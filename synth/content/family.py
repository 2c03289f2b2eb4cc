"""One layout family: a folder with `template.html` and `family.yaml`, and for a user's own also `schema.json`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.errors import UserError
from schemas.sample import LANGUAGES
from synth.content.user_schema import Node


class FamilyFile(BaseModel):
    """`family.yaml`. A user's family also names its `type`; the package's families have it from their folder."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    type: str | None = Field(default=None, pattern=r"^[a-z][a-z0-9_]{0,40}$")
    languages: tuple[str, ...] = Field(default=LANGUAGES, min_length=1)
    paper: Literal["sheet", "roll", "slip"] = "sheet"
    """`sheet`: a page size of the recipe. `roll`: a paper roll, as long as needed. `slip`: one of `sizes`."""
    widths: tuple[float, ...] = (58, 80)
    """Widths of a roll in mm."""
    sizes: tuple[tuple[float, float], ...] = ((148, 210),)
    """Widths and heights of a slip in mm."""
    font: Literal["any", "sans", "serif", "mono", "hand"] = "any"
    options: dict[str, tuple[str | int | float, ...]] = Field(default_factory=dict)
    """What the template can vary on: one value of each is drawn for a document."""


@dataclass(frozen=True)
class Family:
    """One layout family. `schema` is the user's schema with providers, None for the package's own families."""

    name: str
    type: str
    folder: Path
    languages: tuple[str, ...]
    file: FamilyFile
    schema: Node | None = field(default=None, compare=False)

    def __hash__(self) -> int:
        return hash((self.name, self.folder))


def read_family_file(path: Path) -> FamilyFile:
    """UserError naming file, line and what is wrong."""
    if not path.is_file():
        raise UserError("family.yaml is missing", str(path), "write one with at least `type:` and `languages:`")
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise UserError(f"not YAML: {getattr(error, 'problem', error)}", where, "mend the YAML") from None
    try:
        file = FamilyFile.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "the file"
        raise UserError(
            f"{name}: {first['msg']}", str(path), f"known keys: {', '.join(FamilyFile.model_fields)}"
        ) from None
    unknown = sorted(set(file.languages) - set(LANGUAGES))
    if unknown:
        raise UserError(f"unknown language {unknown[0]!r}", str(path), f"use one of {', '.join(LANGUAGES)}")
    return file
