from __future__ import annotations

from typing import Any

import bpy
import cv2
import numpy as np
import pytest

from synth.degrade.bake import bake, direct
from synth.degrade.bank import UV_SPAN, UV_ZERO, SceneEntry
from synth.degrade.compose import expose
from synth.degrade.mapping import PageMap
from synth.degrade.scenes import SceneSpec
from synth.degrade.versions import blender_version
from tests.synth.degrade.pages import patch_boxes

BLENDER: Any = bpy  # its attributes are made at run time


def ssim(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Structural similarity at each pixel (Wang et al. 2004): Gaussian window of 1.5 pixels, grey."""
    x, y = (cv2.cvtColor(i, cv2.COLOR_BGR2GRAY).astype(float) for i in (a, b))
    windows: list[np.ndarray] = [x, y, x * x, y * y, x * y]
    mean = [cv2.GaussianBlur(i, (11, 11), 1.5) for i in windows]
    mx, my = mean[0], mean[1]
    vx, vy, cov = mean[2] - mx * mx, mean[3] - my * my, mean[4] - mx * my
    c1, c2 = 6.5025, 58.5225
    return (2 * mx * my + c1) * (2 * cov + c2) / ((mx * mx + my * my + c1) * (vx + vy + c2))


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


@pytest.mark.parametrize("family", ["soft_curl", "one_crease"])
def test_composed_picture_is_the_direct_render(
    scenes: dict[str, SceneSpec], entries: dict[str, SceneEntry], family: str
) -> None:
    entry = entries[family]
    page = np.full((424, 300, 3), 255, np.uint8)
    for k, box in enumerate(patch_boxes(300, 424, 5, 9)):
        colour = ((20, 20, 20), (160, 60, 30), (40, 40, 170))[k % 3]
        cv2.rectangle(page, (round(box.x0), round(box.y0)), (round(box.x1), round(box.y1)), colour, -1)
    map_ = PageMap.of(entry, 300, 424)
    reference = direct(scenes[family], entry, page, (map_.width, map_.height), 24)
    ours = cv2.GaussianBlur(expose(page, map_), (3, 3), 0.6)
    corners = np.stack(map_.picture(np.array([0.02, 0.98, 0.98, 0.02]), np.array([0.02, 0.02, 0.98, 0.98])), 1)
    filled = cv2.fillPoly(np.zeros((map_.height, map_.width), np.uint8), [corners.astype(np.int32)], (1,))
    inside = filled.astype(bool)
    assert ssim(ours, reference)[inside].mean() > 0.95
    assert abs(ours[inside].astype(float).mean() - reference[inside].astype(float).mean()) < 2
