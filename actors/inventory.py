"""What this machine would make documents with: templates, fonts, models, scenes and versions, by digest."""

from __future__ import annotations

import hashlib
import platform
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from random import Random

import schemas
import synth
from schemas.errors import UserError
from schemas.recipe import Content
from schemas.sample import SampleSpec
from synth.ask.llm.inputs import question_inputs
from synth.content.library import TemplateLibrary, load_library
from synth.content.typeface import draw_stack
from synth.content.writer import families_of
from synth.degrade.scenes import SceneSpec, plan_scenes
from synth.degrade.severity import calibration_version, check_faults
from synth.read.engines import versions as reader_versions
from synth.render.chromium import find_chromium
from synth.render.font_list import ALLOWED
from synth.render.fonts import font_set
from synth.write.inputs import check_inputs, input_digests

__all__ = ["Inventory", "SceneSpec", "take"]

_BROWSER = "name a chromium-headless-shell in PAGELOOM_CHROMIUM; `pageloom doctor` looks too"
# Packages whose code decides bytes of a release.
_PACKAGES = (
    *("pageloom", "bpy", "pymupdf", "opencv-contrib-python", "pyarrow", "faker", "babel", "jinja2", "pikepdf"),
    "selectolax",
)

# Packages of `synth` that only look at finished releases or at other documents: they decide no byte.
_AFTER = ("align", "audit", "export", "extract", "metrics", "score")


@dataclass(frozen=True)
class Inventory:
    versions: dict[str, str]
    templates: dict[str, str]
    fonts: dict[str, str]
    models: dict[str, str]
    scenes: list[SceneSpec]


def take(content: Content) -> Inventory:
    """Look at this machine. UserError for whatever is missing or wrong: a template, a font, the browser, weights."""
    inputs = check(content)
    return Inventory(
        versions=versions() | ({"calibration": calibration_version()} if content.degradation.faults else {}),
        templates=inputs,
        fonts=font_set(tuple(content.languages), content.fonts.folders).digests(),
        models=reader_versions(tuple(content.languages)),
        scenes=plan_scenes(content),
    )


def check(content: Content) -> dict[str, str]:
    """Digests of what the writer uses (templates; or prompts, descriptions, personas), if it and the fonts that the
    recipe asks for are there and can be used; else UserError."""
    if content.writer.kind == "llm":
        check_inputs(content)
        digests = input_digests()
    else:
        library = load_library(content.writer.folders)
        check_cells(content, library)
        digests = library.digests()
    _check_fonts(content)
    check_faults(content)
    return {**digests, **question_inputs(content)}


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Versions and CPU class that decide the bytes."""
    found = {package: version(package) for package in _PACKAGES}
    found["blender"] = found.pop("bpy")
    found["chromium"] = chromium_version()
    found["cpu"] = platform.machine()
    found["code"] = _code_digest()
    return found


def _code_digest() -> str:
    """Digest of the code that decides bytes (schemas and synth): a checkout between two versions is no version."""
    found = hashlib.sha256()
    for package in (schemas, synth):
        root = Path(package.__path__[0])
        own = (p for p in root.rglob("*") if p.suffix in (".py", ".js") and p.relative_to(root).parts[0] not in _AFTER)
        for path in sorted(own):
            found.update(f"{root.name}/{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes())
    return found.hexdigest()[:16]


def font_licences(names: Iterable[str]) -> dict[str, str]:
    """Licence by file name; "from the recipe's own folder" for a font that is not on the allow-list."""
    known = {file: font.licence for font in ALLOWED for file in font.files}
    return {name: known.get(name, "from the recipe's own folder") for name in sorted(names)}


def chromium_version() -> str:
    """Version of the browser that would be started, asked without starting it."""
    path = str(find_chromium())
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        raise UserError(f"the browser does not start ({type(error).__name__})", path, _BROWSER) from None
    found = re.search(r"\d+(?:\.\d+){2,}", said)
    if found is None:
        raise UserError("the browser does not tell its version", path, _BROWSER)
    return found[0]


def check_cells(content: Content, library: TemplateLibrary) -> None:
    """UserError unless every split has a layout family of its own for every type and language of the recipe."""
    known = set(library.families)
    unknown = sorted(set(content.writer.families or ()) - known)
    if unknown:
        close = get_close_matches(unknown[0], sorted(known), 3) or sorted(known)[:3]
        raise UserError(f"unknown layout family {unknown[0]!r}", "content.writer.families", f"like {', '.join(close)}")
    kinds = [kind for kind, weight in content.types.items() if weight]
    languages = [language for language, weight in content.languages.items() if weight]
    for kind in kinds:
        if not library.of_type(kind):
            types = sorted(library.types())
            close = get_close_matches(kind, types, 1)
            fix = f"did you mean {close[0]}?" if close else f"known: {', '.join(types)}; or add one in writer.folders"
            raise UserError(f"no template makes a {kind!r}", "content.types", fix)
        missing = sorted(set(languages) - library.languages_of(kind))
        if missing:
            raise UserError(
                f"no template of {kind} speaks {missing[0]!r}", "content.languages", "add one, or leave it out"
            )
        for split in content.splits:
            for language in languages:
                spec = SampleSpec(content.seed, content.dataset, split, 0, 0, kind, language, 0)
                families_of(spec, library, content)


def _check_fonts(content: Content) -> None:
    """UserError unless every split has a font of its own for every language."""
    for split in content.splits:
        for language, weight in content.languages.items():
            if weight:
                draw_stack(Random(0), language, split, content, "any")
