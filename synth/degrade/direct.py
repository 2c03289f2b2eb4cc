"""The reference: a printed sheet rendered by Cycles as a whole, which composed pictures are held against."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from synth.degrade.bake import GAMMA
from synth.degrade.bank import SceneEntry
from synth.degrade.scenes import SceneSpec
from synth.degrade.stage import Sheet, Stage
from synth.degrade.studio import PAPER_WHITE, UNIT, bend_light, frame_of, furnish, glow, print_on, sheet_of, sheet_step

FILTER = 1.5  # pixels; width of Cycles' own filter (Blackman-Harris), its default


def photo(
    scene: SceneSpec, page: np.ndarray, size: tuple[int, int], samples: int, shining: bool = False, finer: int = 1
) -> np.ndarray:
    """Linear RGBA of a sheet with `page` (linear RGB, rows from the top) on it: `size` is (width, height) in pixels.

    `shining`: pixels are the page's own values, without light, and all that hides it is black; `finer` then gives so
    many pixels along each side of one, each a single point. What lies beside the sheet is not seen when it shines.
    """
    with tempfile.TemporaryDirectory(prefix="pageloom-direct-") as folder, Stage(scene.seed, Path(folder)) as stage:
        sheet = sheet_of(scene, 0.0, 0.0, sheet_step(scene), folded=True)
        front = sheet_of(scene, 0.0, 0.0, sheet_step(scene))
        frame = frame_of(scene, front.points)
        things = furnish(stage, scene, float(front.points[..., 2].min()))
        if shining:
            things.desk.visible_camera = False
            for thing in things.beside:
                thing.visible_camera = False
            for thing in things.over:
                thing.data.materials[0] = glow(stage, (0.0, 0.0, 0.0))
        upright = np.stack([sheet.uv[..., 0], 1 - sheet.uv[..., 1]], -1)  # Blender's v runs upwards
        stage.grid("sheet", Sheet(sheet.points, upright)).data.materials.append(print_on(stage, page, shining))
        sub = 3 if frame.barrel and not shining else finer  # a bent picture is taken finer and bent afterwards
        stage.look(frame, size)
        stage.refine(sub)
        if scene.params.get("aperture") and not shining:
            stage.open_aperture(scene.params["aperture"] / UNIT, scene.params["focus"] / UNIT)
        seen = stage.render(max(1, samples // (1 if shining else sub * sub)), 0.01 if shining else FILTER * sub)
        if shining:
            return seen[finer:-finer, finer:-finer]
        return bend_light(frame, seen, sub)[1:-1, 1:-1]


def direct(scene: SceneSpec, entry: SceneEntry, page: np.ndarray, size: tuple[int, int], samples: int) -> np.ndarray:
    """A page (rows x columns x BGR, uint8) photographed by Cycles alone, exposed as `entry` was: uint8 BGR.

    Paper has no fibre, the desk no grain, and there is no sensor. Takes minutes at full size.
    """
    seen = photo(scene, PAPER_WHITE * (page[..., ::-1] / 255) ** GAMMA, size, samples)[..., 2::-1]
    gains = np.array(entry.gains) / 65535
    light = np.power(np.maximum(seen.astype(np.float64), 0) / entry.exposure, 1 / GAMMA)
    return np.clip(np.round(light * scene.params["white"] * gains * 255), 0, 255).astype(np.uint8)
