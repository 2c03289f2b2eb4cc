"""How each kind of engine is made inside its actor. Heavy imports happen here, in the actor, not in the driver."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from schemas.errors import EnvironmentMismatch, UserError
from schemas.recipe import Content
from schemas.release import canonical, sha256
from synth.degrade.bank import load
from synth.degrade.scenes import SceneSpec
from synth.degrade.versions import baking_code

Sandbox = Literal["require", "auto", "off"]


def writer(content: Content, templates: dict[str, str]) -> Any:
    from actors.writer import Writer

    return Writer(content, templates)


def browser(content: Content, fonts: dict[str, str], chromium: str, sandbox: Sandbox) -> Any:
    from actors.browser import Browser
    from synth.render.fonts import font_set

    found = font_set(content.languages, content.fonts.folders)
    differing = sorted(dict(set(found.digests().items()) ^ set(fonts.items())))
    if differing:
        fix = "install the same font packages on every node"
        raise EnvironmentMismatch(f"font {differing[0]} is not the one the lock pins", "browser", fix)
    return Browser(found, sandbox, chromium)


def camera(
    content: Content, entries: dict[str, str], fetch: Callable[[str], bytes], calibration: str | None = None
) -> Any:
    """`calibration`: digest that the lock pins, where the recipe has faults."""
    from actors.camera import Camera
    from synth.degrade import severity

    if calibration is not None and severity.calibration_version() != calibration:
        raise EnvironmentMismatch(
            f"{severity.FILE} has the digest {severity.calibration_version()}, the lock pins {calibration}",
            "camera",
            "put the file that the release was begun with at synth/degrade/calibration.json on every node",
        )
    return Camera(content, entries, fetch)


def reader(cache: Path, models: dict[str, str]) -> Any:
    from actors.reader import Reader

    return Reader(str(cache), models)


def baker() -> Any:
    from actors.baker import Baker

    return Baker()


def check_scene(data: bytes, spec: SceneSpec, where: str) -> None:
    """UserError if these bytes are not a whole entry of this scene."""
    if load(data, where).scene != spec.id:
        raise UserError(f"not the entry of scene {spec.id}", where, "remove the file and run again")


def scene_cache_key(spec: SceneSpec, blender: str) -> str:
    """Name of a baked scene in this machine's cache: all that decides its bytes."""
    return sha256(canonical([spec.to_json(), blender, baking_code()]))
