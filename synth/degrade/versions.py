"""Versions that pictures depend on, read without starting Blender."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from schemas.errors import UserError

BAKES = ("bake", "bank", "families", "planes", "scenes", "stage", "studio", "surfaces")
"""The modules and folders beside this one that decide the bytes of a baked scene."""


def blender_version() -> str:
    """Version of Blender's Python package. UserError where it is not installed."""
    try:
        return version("bpy")
    except PackageNotFoundError:
        raise UserError("Blender (the package bpy) is not installed", fix="run `make install`") from None


def camera_versions() -> dict[str, str]:
    """Packages whose versions may change the bytes of a picture."""
    return {name: version(name) for name in ("pymupdf", "opencv-contrib-python", "numpy", "pillow")}


@cache
def baking_code() -> str:
    """Digest of the code that bakes scenes, so that a scene baked by other code is not taken for this one's."""
    here, found = Path(__file__).parent, hashlib.sha256()
    for name in BAKES:
        for path in sorted([here / f"{name}.py", *(here / name).glob("*.py")]):
            if path.exists():
                found.update(f"{path.relative_to(here).as_posix()}\0".encode() + path.read_bytes())
    return found.hexdigest()
