"""The reference: a printed sheet rendered by Cycles as a whole, which composed pictures are held against."""

from __future__ import annotations

import tempfile
from pathlib import Path

import cv2
import numpy as np

from synth.degrade.bake import GAMMA
from synth.degrade.bank import SceneEntry
from synth.degrade.scenes import SceneSpec
from synth.degrade.stage import Sheet, Stage
from synth.degrade.studio import (
    PAPER_WHITE,
    UNIT,
    bend_light,
    frame_of,
    front_of,
    furnish,
    print_on,
    sheet_of,
    sheet_step,
)

FILTER = 1.5  # pixels; width of Cycles' own filter (Blackman-Harris), its default


def photo(scene: SceneSpec, page: np.ndarray, size: tuple[int, int], samples: int) -> np.ndarray:
    """Linear RGBA of a sheet with `page` (linear RGB, rows from the top) on it: `size` is (width, height) in pixels."""
    with tempfile.TemporaryDirectory(prefix="pageloom-direct-") as folder, Stage(scene.seed, Path(folder)) as stage:
        sheet = sheet_of(scene, 0.0, 0.0, sheet_step(scene), folded=True)
        front = front_of(scene)
        frame = frame_of(scene, front.points)
        furnish(stage, scene, float(front.points[..., 2].min()))
        upright = np.stack([sheet.uv[..., 0], 1 - sheet.uv[..., 1]], -1)  # Blender's v runs upwards
        stage.grid("sheet", Sheet(sheet.points, upright)).data.materials.append(print_on(stage, page))
        finer = 3 if frame.barrel else 1  # a distorted picture is taken finer and distorted afterwards
        stage.look(frame, size)
        stage.refine(finer)
        if scene.params.get("aperture"):
            stage.open_aperture(scene.params["aperture"] / UNIT, scene.params["focus"] / UNIT)
        seen = stage.render(max(1, samples // finer**2), FILTER * finer)
    return bend_light(frame, seen, finer, cv2.INTER_LINEAR)[1:-1, 1:-1]


def direct(scene: SceneSpec, entry: SceneEntry, page: np.ndarray, size: tuple[int, int], samples: int) -> np.ndarray:
    """A page (rows x columns x BGR, uint8) photographed by Cycles alone, exposed as `entry` was: uint8 BGR.

    Paper has no fibre, the desk no grain, and there is no sensor. Takes minutes at full size.
    """
    seen = photo(scene, PAPER_WHITE * (page[..., ::-1] / 255) ** GAMMA, size, samples)[..., 2::-1]
    gains = np.array(entry.gains) / 65535
    light = np.power(np.maximum(seen.astype(np.float64), 0) / entry.exposure, 1 / GAMMA)
    return np.clip(np.round(light * scene.params["white"] * gains * 255), 0, 255).astype(np.uint8)
