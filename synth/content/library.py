"""All layout families a run may use: those of the package and those of the user's folders."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import UserError
from schemas.sample import TYPES
from synth.content import data
from synth.content.family import Family, read_family_file
from synth.content.template import SHARED, check_syntax
from synth.content.user import load_user_family

FAMILIES = data.ROOT / "families"


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
