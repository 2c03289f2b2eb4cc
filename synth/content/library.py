"""All layout families a run may use: those of the package and those of the user's folders."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.errors import UserError
from schemas.sample import LANGUAGES, TYPES
from synth.content import data
from synth.content.template import check_syntax

FAMILIES = data.ROOT / "families"
SHARED = FAMILIES / "_shared"


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
    schema: Mapping[str, Any] | None = field(default=None, compare=False, hash=False)

    def __hash__(self) -> int:
        return hash((self.name, self.folder))


@dataclass(frozen=True)
class TemplateLibrary:
    families: dict[str, Family]

    def types(self) -> set[str]:
        return {family.type for family in self.families.values()}

    def of_type(self, kind: str) -> list[str]:
        """Names of a type's families, sorted."""
        return sorted(name for name, family in self.families.items() if family.type == kind)

    def languages_of(self, kind: str) -> set[str]:
        return {lang for f in self.families.values() if f.type == kind for lang in f.languages}

    def digests(self) -> dict[str, str]:
        """SHA-256 of every file that decides content: templates by family, shared parts, wordings, catalogues."""
        found = dict(data.digests())
        folders = [(f"families/{name}", family.folder) for name, family in sorted(self.families.items())]
        for prefix, folder in [("families/_shared", SHARED), *folders]:
            for path in sorted(p for p in folder.rglob("*") if p.is_file()):
                key = f"{prefix}/{path.relative_to(folder).as_posix()}"
                found[key] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found


def load_library(folders: tuple[Path, ...] = ()) -> TemplateLibrary:
    """The package's families and every `<folder>/<family>/template.html` of the user. UserError for what is wrong."""
    from synth.content.user import load_user_family

    families: dict[str, Family] = {}
    for kind in TYPES:
        for folder in sorted((FAMILIES / kind).glob("*/")):
            file = read_family_file(folder / "family.yaml")
            check_syntax(folder / "template.html")
            families[f"{kind}/{folder.name}"] = Family(f"{kind}/{folder.name}", kind, folder, file.languages, file)
    for root in folders:
        if not root.is_dir():
            raise UserError("no such folder of templates", str(root), "name an existing folder in writer.folders")
        own = sorted(path.parent for path in root.glob("*/template.html"))
        if not own:
            raise UserError("no template found", str(root), "put each in a folder of its own: NAME/template.html")
        for folder in own:
            family = load_user_family(folder)
            if family.name in families:
                other = families[family.name].folder
                raise UserError(f"{family.name} exists already in {other}", str(folder), "rename the folder")
            families[family.name] = family
    return TemplateLibrary(families)


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
