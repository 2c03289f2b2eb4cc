"""Real scenes for the camera's tests, baked once a session."""

from __future__ import annotations

import pytest

from schemas.recipe import DEFAULT_SCENES
from synth.degrade.bake import bake
from synth.degrade.bank import SceneEntry, load
from synth.degrade.scenes import SceneSpec, scene_spec

ROLL = 3.15


@pytest.fixture(scope="session")
def scenes() -> dict[str, SceneSpec]:
    """One scene of each default family on a page, and "roll", a curled strip."""
    pages = {family: scene_spec(0, "test", "train", family, 0, 1.414) for family in DEFAULT_SCENES}
    return pages | {"roll": scene_spec(0, "test", "train", "soft_curl", 0, ROLL)}


@pytest.fixture(scope="session")
def baked(scenes: dict[str, SceneSpec]) -> dict[str, bytes]:
    return {name: bake(scene) for name, scene in scenes.items()}


@pytest.fixture(scope="session")
def entries(baked: dict[str, bytes]) -> dict[str, SceneEntry]:
    return {name: load(data) for name, data in baked.items()}
