"""Versions that pictures depend on, read without starting Blender."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from schemas.errors import UserError


def blender_version() -> str:
    """Version of Blender's Python package. UserError where it is not installed."""
    try:
        return version("bpy")
    except PackageNotFoundError:
        raise UserError("Blender (the package bpy) is not installed", fix="run `make install`") from None


def camera_versions() -> dict[str, str]:
    """Packages whose versions may change the bytes of a picture."""
    return {name: version(name) for name in ("pymupdf", "opencv-contrib-python", "numpy", "pillow")}
