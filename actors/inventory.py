"""What this machine would make documents with: templates, fonts, models, scenes and versions, by digest."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from schemas.recipe import Content
from synth.content.library import load_library
from synth.degrade.scenes import SceneSpec, plan_scenes
from synth.read.engines import Readers
from synth.render.chromium import chromium_version
from synth.render.fonts import font_set

__all__ = ["Inventory", "SceneSpec", "take"]

# Packages whose code decides bytes of a release.
_PACKAGES = ("pageloom", "bpy", "pymupdf", "opencv-contrib-python", "pyarrow", "faker", "babel", "jinja2", "pikepdf")


@dataclass(frozen=True)
class Inventory:
    versions: dict[str, str]
    templates: dict[str, str]
    fonts: dict[str, str]
    models: dict[str, str]
    scenes: list[SceneSpec]


def take(content: Content, cache: Path) -> Inventory:
    """Look at this machine. UserError for whatever is missing or wrong: a template, a font, the browser, weights."""
    library = load_library(content.writer.folders)
    _check_cells(content, library)
    return Inventory(
        versions=versions(),
        templates=library.digests(),
        fonts=font_set(tuple(content.languages), content.fonts.folders).digests(),
        models=_models(content, cache),
        scenes=plan_scenes(content),
    )


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Versions and CPU class that decide the bytes."""
    found = {package: version(package) for package in _PACKAGES}
    found["blender"] = found.pop("bpy")
    found["chromium"] = chromium_version()
    found["cpu"] = platform.machine()
    return found
