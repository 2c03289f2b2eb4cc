"""The reference: a printed sheet rendered by Cycles as a whole, which composed pictures are held against."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from synth.degrade.bake import GAMMA
from synth.degrade.bank import SceneEntry
from synth.degrade.scenes import SceneSpec
from synth.degrade.stage import Sheet, Stage, Window
from synth.degrade.studio import (
    PAPER_WHITE,
    UNIT,
    frame_of,
    front_of,
    furnish,
    lens_places,
    print_on,
    sheet_of,
    sheet_step,
)

FILTER = 1.5  # pixels; width of Cycles' own filter (Blackman-Harris), its default
FINER = 3  # parts of a pixel, along each side, in which a picture is taken that a lens distorts afterwards


def photos(
    scene: SceneSpec, page: np.ndarray, size: tuple[int, int], samples: int, windows: Sequence[Window], takes: int = 1
) -> list[np.ndarray]:
    """Linear RGBA of a sheet with `page` (linear RGB, rows from the top) on it, in windows of the picture.

    `size` is (width, height) of the whole picture in pixels, `samples` are those of one pixel. Of each window takes x
    rows x columns x RGBA: the same picture with other noise, and each with its share of the samples.
    """
    with tempfile.TemporaryDirectory(prefix="pageloom-direct-") as folder, Stage(scene.seed, Path(folder)) as stage:
        sheet = sheet_of(scene, 0.0, 0.0, sheet_step(scene), folded=True)
        front = front_of(scene)
        frame = frame_of(scene, front.points)
        furnish(stage, scene, float(front.points[..., 2].min()))
        upright = np.stack([sheet.uv[..., 0], 1 - sheet.uv[..., 1]], -1)  # Blender's v runs upwards
        stage.grid("sheet", Sheet(sheet.points, upright)).data.materials.append(print_on(stage, page))
        finer = FINER if frame.barrel else 1
        stage.look(frame, size)
        stage.refine(finer)
        if scene.params.get("aperture"):
            stage.open_aperture(scene.params["aperture"] / UNIT, scene.params["focus"] / UNIT)
        at_x, at_y = (at * finer - 0.5 for at in lens_places(frame, size))
        taken: list[np.ndarray] = []
        for left, top, width, height in windows:
            own = slice(top + 1, top + height + 1), slice(left + 1, left + width + 1)  # a pixel lies around the picture
            x, y = at_x[own], at_y[own]
            x0, y0 = int(x.min()), int(y.min())
            stage.crop(Window(x0, y0, int(np.ceil(x.max())) + 1 - x0, int(np.ceil(y.max())) + 1 - y0))
            places = (x - x0).astype(np.float32), (y - y0).astype(np.float32)
            shots: list[np.ndarray] = []
            for take in range(takes):
                stage.reseed(scene.seed + take)
                seen = stage.render(max(1, samples // (takes * finer**2)), FILTER * finer)
                shots.append(cv2.remap(seen, *places, cv2.INTER_LINEAR))
            taken.append(np.stack(shots))
    return taken


def shown(scene: SceneSpec, entry: SceneEntry, light: np.ndarray) -> np.ndarray:
    """Linear RGBA of `photos`, exposed as `entry` was: BGR in levels, 0 to 255, not rounded."""
    encoded = np.power(np.maximum(light[..., 2::-1].astype(np.float64), 0) / entry.exposure, 1 / GAMMA)
    return np.clip(encoded * scene.params["white"] * np.array(entry.gains) / 65535 * 255, 0, 255)


def printed(page: np.ndarray) -> np.ndarray:
    """Albedo (linear RGB) of a page (rows x columns x BGR, uint8) on white paper."""
    return PAPER_WHITE * (page[..., ::-1] / 255) ** GAMMA


def direct(scene: SceneSpec, entry: SceneEntry, page: np.ndarray, size: tuple[int, int], samples: int) -> np.ndarray:
    """A page (rows x columns x BGR, uint8) photographed by Cycles alone, exposed as `entry` was: uint8 BGR.

    Paper has no fibre, the desk no grain, and there is no sensor. Takes minutes at full size.
    """
    whole = photos(scene, printed(page), size, samples, [Window(0, 0, *size)])[0][0]
    return np.round(shown(scene, entry, whole)).astype(np.uint8)
