from __future__ import annotations

from typing import Any

import bpy
import cv2
import numpy as np
import pytest

from synth.degrade.bake import bake
from synth.degrade.bank import UV_SPAN, UV_ZERO, SceneEntry, load
from synth.degrade.families import FAMILIES
from synth.degrade.scenes import SceneSpec, scene_spec
from synth.degrade.similarity import least, likeness
from synth.degrade.versions import blender_version
from tests.synth.degrade.pages import patches

BLENDER: Any = bpy  # its attributes are made at run time


def test_two_bakes_give_the_same_bytes(scenes: dict[str, SceneSpec], baked: dict[str, bytes]) -> None:
    assert bake(scenes["flat_scan"]) == baked["flat_scan"]


def test_a_bake_leaves_nothing_in_blender(baked: dict[str, bytes]) -> None:
    assert baked
    assert not any(
        (
            *BLENDER.data.meshes,
            *BLENDER.data.materials,
            *BLENDER.data.lights,
            *BLENDER.data.images,
            *BLENDER.data.cameras,
        )
    )


def test_blender_version_without_blender() -> None:
    assert blender_version().startswith(BLENDER.app.version_string.split(" ")[0])


def test_the_fold_shows_in_the_light(entries: dict[str, SceneEntry], scenes: dict[str, SceneSpec]) -> None:
    def steepest(entry: SceneEntry) -> float:
        light = cv2.resize(entry.shade, (120, 170), interpolation=cv2.INTER_AREA).astype(float)[15:-15, 15:-15]
        return max(np.abs(np.diff(light, axis=axis)).mean(1 - axis).max() for axis in (0, 1))

    assert steepest(entries["one_crease"]) > 3 * steepest(entries["soft_curl"])


def test_map_runs_evenly_over_a_flat_sheet(entries: dict[str, SceneEntry]) -> None:
    u = (entries["flat_scan"].u.astype(float) - UV_ZERO) / UV_SPAN
    steps = np.diff(u, axis=1)
    assert steps.std() / steps.mean() < 0.02


@pytest.mark.parametrize("family", ["one_crease"])
def test_composed_picture_is_the_direct_render(
    scenes: dict[str, SceneSpec], entries: dict[str, SceneEntry], family: str
) -> None:
    like, brighter = likeness(scenes[family], entries[family], patches(110, 156), 128)
    assert like >= least(family)
    assert abs(brighter) < 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("family", list(FAMILIES))
def test_composed_pictures_of_every_family_are_the_direct_render(family: str, seed: int) -> None:
    scene = scene_spec(0, "likeness", "train", family, seed, 1.414)
    like, brighter = likeness(scene, load(bake(scene)), patches(150, 212), 128)
    assert like >= least(family)
    assert abs(brighter) < 2
