"""Bake a scene with Blender (Cycles on the CPU): where each cell looks on the sheet, the light there, what is beside.

The light is rendered on white paper, so one bake serves every page. Determinism: fixed seed and samples, no adaptive
sampling; the entry is nevertheless pinned by digest, since Cycles' floats depend on the CPU's instruction set.
"""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from synth.degrade.bank import COVER_EDGE, COVER_STEPS, FOCUS_UNIT, UV_SPAN, UV_ZERO, encode
from synth.degrade.families import FAMILIES
from synth.degrade.planes import at_cells, cover, fill, within
from synth.degrade.scenes import SceneSpec
from synth.degrade.stage import Frame, Stage
from synth.degrade.studio import (
    PAPER_WHITE,
    UNIT,
    Things,
    bend_light,
    depth_of,
    desk_grey,
    frame_of,
    front_of,
    furnish,
    glow,
    matte,
    on_plane,
    sheet_of,
    sheet_step,
)
from synth.degrade.surfaces import desk_albedo
from synth.degrade.versions import blender_version

EDGE = 0.25
"""How far the mapped sheet runs beyond each edge, in sheet widths and heights (see bank.UV_ZERO)."""
LIGHT_SAMPLES, SHARP_SAMPLES, DESK_SAMPLES, OVER_SAMPLES = 20, 8, 8, 6
SMOOTH = 0.06  # of the picture's width: light under the sheet is that on it, blurred as much
FINE = 4  # parts of a cell, along each side, in which what hides the sheet is sought
GAMMA = 2.2
WHITE = (PAPER_WHITE, PAPER_WHITE, PAPER_WHITE)


@dataclass(frozen=True)
class _Set:
    """A furnished scene that is being baked."""

    stage: Stage
    scene: SceneSpec
    frame: Frame
    things: Things

    def shoot(self, cells: tuple[int, int], samples: int, width: float, denoise: bool = False, guided: bool = False):
        """Linear RGBA of all that the camera may see, through the scene's lens."""
        self.stage.look(self.frame, cells)
        return bend_light(self.frame, self.stage.render(samples, width, denoise, guided))

    def show(self, desk: bool, beside: bool, over: bool) -> None:
        """What the camera sees; the light falls on all of it anyway."""
        self.things.desk.visible_camera = desk
        for thing in self.things.beside:
            thing.visible_camera = beside
        for thing in self.things.over:
            thing.visible_camera = over


def _glow_uv(stage: Stage) -> Any:
    """A material that shines with the colour (u + EDGE, v + EDGE, 1)."""
    material, tree, output = stage.material("uv")
    uv, add, shine = (tree.nodes.new(n) for n in ("ShaderNodeUVMap", "ShaderNodeVectorMath", "ShaderNodeEmission"))
    add.operation = "ADD"
    add.inputs[1].default_value = (EDGE, EDGE, 1.0)
    tree.links.new(uv.outputs["UV"], add.inputs[0])
    tree.links.new(add.outputs[0], shine.inputs["Color"])
    tree.links.new(shine.outputs[0], output.inputs["Surface"])
    return material


def bake(scene: SceneSpec) -> bytes:
    """Bytes of the scene's bank entry (see bank.py). Three to fifteen seconds of CPU time; needs the package bpy."""
    family, step = FAMILIES[scene.family], sheet_step(scene)
    with tempfile.TemporaryDirectory(prefix="pageloom-bake-") as folder, Stage(scene.seed, Path(folder)) as stage:
        page = front_of(scene)
        frame = frame_of(scene, page.points)
        things = furnish(stage, scene, float(page.points[..., 2].min()))
        set_ = _Set(stage, scene, frame, things)
        hides = bool(family.folded or things.over)
        sheet = stage.grid("sheet", sheet_of(scene, 0.0, 0.0, step, folded=True))
        sheet.data.materials.append(matte(stage, WHITE))
        beside = _beside(set_, sheet)
        over, front = (_over(set_, sheet), _front(set_, sheet)) if hides else (None, None)
        stage.bpy.data.objects.remove(sheet)
        light = _light(set_, family.fine)
        for thing in (things.desk, *things.beside, *things.over):
            stage.bpy.data.objects.remove(thing)

        stage.grid("sheet", front_of(scene, EDGE, EDGE)).data.materials.append(_glow_uv(stage))
        stage.look(frame, frame.cells)
        where = stage.render(1, 0.01)
        # The camera may see past the mapped sheet; those cells are outside of the page in any case.
        uv = bend_light(frame, fill(where[..., :2], where[..., 3] > 0)).astype(np.float64) - EDGE
    return _entry(set_, uv, light, beside, over, front)


def _beside(set_: _Set, sheet: Any) -> tuple[np.ndarray, np.ndarray]:
    """What lies beside the sheet: light on it, at half the map's cells, and its albedo (BGR), at twice as many."""
    scene, frame, stage = set_.scene, set_.frame, set_.stage
    sheet.visible_camera = False
    set_.show(desk=True, beside=True, over=False)
    half = (frame.cells[0] // 2, frame.cells[1] // 2)
    lit = set_.shoot(half, DESK_SAMPLES, 1.0, denoise=True)[..., :3].mean(-1) / desk_grey(scene.params)
    sheet.visible_camera = True
    double = (2 * frame.cells[0], 2 * frame.cells[1])
    x, y = on_plane(frame, double, set_.things.desk_height)
    albedo = bend_light(frame, desk_albedo(scene.params, scene.seed, x, y).astype(np.float32))
    if set_.things.beside:
        props = FAMILIES[scene.family].props(scene.params, scene.width_mm, scene.height_mm)
        colours = [prop.colour for prop in props if prop.seen == "beside"]
        for thing, colour in zip(set_.things.beside, colours, strict=True):
            thing.data.materials[0] = glow(stage, colour)
        set_.show(desk=False, beside=True, over=False)
        sheet.visible_camera = False
        seen = set_.shoot(double, 4, 1.0)
        sheet.visible_camera = True
        grey = desk_grey(scene.params)
        for thing in set_.things.beside:
            thing.data.materials[0] = matte(stage, (grey, grey, grey))
        albedo = albedo * (1 - seen[..., 3:]) + seen[..., 2::-1]
    return lit, albedo


def _over(set_: _Set, sheet: Any) -> tuple[np.ndarray, np.ndarray]:
    """What hides the sheet, at twice the map's cells: its radiance (BGR), and its share of what is seen there besides
    the sheet's front (0 to 1), carried on over the front, so that no desk shines through its edge."""
    double = (2 * set_.frame.cells[0], 2 * set_.frame.cells[1])
    set_.show(desk=False, beside=False, over=True)
    lit = set_.shoot(set_.frame.cells, OVER_SAMPLES, 1.0, denoise=True)[..., 2::-1]
    seen = _told_apart(set_, sheet, double, 4)
    there, front = seen[..., 3] - seen[..., 0], np.clip(seen[..., 0], 0, 1)
    own = at_cells(there, lit.shape) > 0.9
    share = fill(there / np.maximum(1 - front, 0.05), front < 0.9)
    return at_cells(fill(lit, own) if own.any() else lit, there.shape), share


def _front(set_: _Set, sheet: Any) -> np.ndarray:
    """Whether the sheet's front is seen, in `FINE` x `FINE` parts of each cell."""
    set_.show(desk=False, beside=False, over=True)
    return _told_apart(set_, sheet, (FINE * set_.frame.cells[0], FINE * set_.frame.cells[1]), 1)[..., 0] > 0.5


def _told_apart(set_: _Set, sheet: Any, cells: tuple[int, int], samples: int) -> np.ndarray:
    """RGBA in which the sheet's front is white, its back and what lies on it black, and all else transparent."""
    stage = set_.stage
    kept = [thing.data.materials[0] for thing in (sheet, *set_.things.over)]
    sheet.data.materials[0] = glow(stage, (1.0, 1.0, 1.0), back=(0.0, 0.0, 0.0))
    for thing in set_.things.over:
        thing.data.materials[0] = glow(stage, (0.0, 0.0, 0.0))
    seen = set_.shoot(cells, samples, 1.0 if samples > 1 else 0.01)
    for thing, material in zip((sheet, *set_.things.over), kept, strict=True):
        thing.data.materials[0] = material
    return seen


def _light(set_: _Set, fine: bool) -> np.ndarray:
    """Linear RGBA of the white sheet, a little larger than the page so that its own edge stays out of the map.

    Not where a part is turned over, which would lie larger on the front than it is, and not at the sides of a bound
    page, which would run on below the page that faces it, into the dark.
    """
    scene, frame, stage, family = set_.scene, set_.frame, set_.stage, FAMILIES[set_.scene.family]
    set_.show(desk=False, beside=False, over=False)
    cells = frame.cells if fine else (frame.cells[0] // 2, frame.cells[1] // 2)
    spare = 0.0 if family.folded else 2.5 * frame.scale[0] / cells[0]
    edge_x, edge_y = 0.0 if family.bound else spare, spare * scene.width_mm / scene.height_mm
    step = min(1.0, sheet_step(scene)) if fine else 1.8
    grown = stage.grid("sheet", sheet_of(scene, edge_x, edge_y, step, folded=True))
    grown.data.materials.append(matte(stage, WHITE))
    light = set_.shoot(cells, SHARP_SAMPLES if fine else LIGHT_SAMPLES, 1.0, denoise=True, guided=fine)
    stage.bpy.data.objects.remove(grown)
    return light


def _focus(set_: _Set, uv: np.ndarray) -> np.ndarray | None:
    """Radius of the blur disk of each cell, in `FOCUS_UNIT`s of the picture's width (thin lens; Potmesil, 1981)."""
    p, scene, frame = set_.scene.params, set_.scene, set_.frame
    if not p.get("aperture"):
        return None
    shape = FAMILIES[scene.family].shape
    x, y, z = shape(p, scene.width_mm, scene.height_mm, np.clip(uv[..., 0], 0, 1), np.clip(uv[..., 1], 0, 1))
    depth = depth_of(frame, np.stack([x, y, z], -1) / UNIT)
    radius = p["aperture"] / UNIT * np.abs(1 / depth - UNIT / p["focus"]) / frame.size[0]
    return np.clip(np.round(radius / FOCUS_UNIT), 0, 255).astype(np.uint8)


def _seen_beside(
    uv: np.ndarray,
    hiding: np.ndarray | None,
    beside: tuple[np.ndarray, np.ndarray],
    over: tuple[np.ndarray, np.ndarray] | None,
    full: float,
    on_sheet: np.ndarray,
) -> np.ndarray:
    """Light from where the sheet is not, BGR, in units of white paper in `full` light, at twice the map's cells.

    Under the sheet, where only a page that is bent further shows it, the light is what falls `on_sheet`, without its
    folds, and details are coarse, which keeps entries small.
    """
    radiance, albedo = beside
    under = np.array(cv2.erode(within(uv).astype(np.uint8), np.ones((5, 5), np.uint8)))
    if hiding is not None:  # something else is seen there
        under[hiding > COVER_EDGE - 2 * COVER_STEPS] = 0
    smooth = cv2.GaussianBlur(at_cells(on_sheet / PAPER_WHITE, radiance.shape), (0, 0), SMOOTH * radiance.shape[1])
    lit = at_cells(np.where(at_cells(under, radiance.shape) > 0, smooth, radiance), albedo.shape)
    seen = lit[..., None] * albedo / full
    if over is not None:
        colour, there = over
        seen = seen + np.clip(there, 0, 1)[..., None] * (colour / full - seen)
    coarse = cv2.resize(seen, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    below = at_cells(under, albedo.shape, cv2.INTER_NEAREST)[..., None] > 0
    return np.where(below, cv2.resize(coarse, albedo.shape[1::-1]), seen)


def _entry(
    set_: _Set,
    uv: np.ndarray,
    light: np.ndarray,
    beside: tuple[np.ndarray, np.ndarray],
    over: tuple[np.ndarray, np.ndarray] | None,
    front: np.ndarray | None,
) -> bytes:
    p, frame = set_.scene.params, set_.frame
    codes = np.clip(np.round(uv * UV_SPAN + UV_ZERO), 0, 65535)
    lit = light[..., 3] > 0.999
    planes: dict[str, np.ndarray] = {}
    if front is not None:
        away = cover(uv, front)
        planes["cover"] = np.clip(np.round(COVER_EDGE + away * COVER_STEPS), 0, 255).astype(np.uint8)
        lit &= at_cells(away, lit.shape) < -0.75
    grey = light[..., :3].astype(np.float64).mean(-1)
    full = float(np.percentile(grey[lit], 92))
    white = p["white"] ** GAMMA
    on_sheet = np.maximum(fill(grey, lit), 0)
    shade = white * on_sheet / full
    gains = np.array([p["tint_b"], p["tint_g"], p["tint_r"]])
    beyond = white * _seen_beside(uv, planes.get("cover"), beside, over, full, on_sheet)
    desk = np.power(np.clip(beyond, 0, 1), 1 / GAMMA) * gains
    planes |= {
        "u": codes[..., 0].astype(np.uint16),
        "v": codes[..., 1].astype(np.uint16),
        "shade": np.clip(np.round(shade * 65535), 0, 65535).astype(np.uint16),
        "desk": np.clip(np.round(desk * 255), 0, 255).astype(np.uint8),
    }
    focus = _focus(set_, uv)
    if focus is not None:
        planes["focus"] = focus
    head = {
        "scene": set_.scene.id,
        "frame_x": round(frame.scale[0] * 1e6),
        "frame_y": round(frame.scale[1] * 1e6),
        "gains": [round(float(g) * 65535) for g in gains],
        "fibre": round(p.get("fibre", 0.0)),
        "grain": round(p.get("grain", 0.0)),
        "exposure": full,
        "spec": asdict(set_.scene),
        "blender": blender_version(),
    }
    return encode(head, planes)
