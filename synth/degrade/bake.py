"""Bake a scene with Blender (Cycles on the CPU): where each cell looks on the sheet, the light there, and the desk.

The light is rendered on white paper, so one bake serves every page. Determinism: fixed seed and samples, no adaptive
sampling; the entry is nevertheless pinned by digest, since Cycles' floats depend on the CPU's instruction set.
"""

from __future__ import annotations

import math
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from scipy.ndimage import distance_transform_edt, map_coordinates

from synth.degrade.bank import PLANES, UV_SPAN, UV_ZERO, SceneEntry, encode
from synth.degrade.families import FAMILIES
from synth.degrade.scenes import SceneSpec
from synth.degrade.stage import Frame, Sheet, Stage
from synth.degrade.versions import blender_version

MAP_CELLS = 132_000
"""Cells of the sheet map inside the picture; about 1.5 samples a millimetre of A4."""
EDGE = 0.25
"""How far the mapped sheet runs beyond each edge, in sheet widths and heights (see bank.UV_ZERO)."""
LIGHT_SAMPLES, SHARP_SAMPLES, DESK_SAMPLES = 20, 8, 8


GAMMA = 2.2
PAPER_WHITE = 0.82  # what the page's white stands for
UNIT = 100.0  # millimetres in one Blender unit


def _rotation(tilt_x: float, tilt_y: float, turn: float) -> np.ndarray:
    cx, sx, cy, sy, cz, sz = (f(a) for a in (tilt_x, tilt_y, turn) for f in (math.cos, math.sin))
    rx = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    ry = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    rz = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return rz @ ry @ rx  # Blender's XYZ Euler order


def sheet_of(scene: SceneSpec, edge_x: float, edge_y: float, step_mm: float) -> Sheet:
    """The bent sheet, longer by `edge` of its width and height on every side, as a grid of about `step_mm`."""
    columns = max(24, round(scene.width_mm * (1 + 2 * edge_x) / step_mm)) + 1
    rows = max(24, round(scene.height_mm * (1 + 2 * edge_y) / step_mm)) + 1
    u, v = np.meshgrid(np.linspace(-edge_x, 1 + edge_x, columns), np.linspace(-edge_y, 1 + edge_y, rows))
    x, y, z = FAMILIES[scene.family].shape(scene.params, scene.width_mm, scene.height_mm, u, v)
    return Sheet(np.stack([x, y, z], -1) / UNIT, np.stack([u, v], -1))


def frame_of(scene: SceneSpec, points: np.ndarray) -> Frame:
    """Point the camera so that the bent sheet and its margins fill the picture."""
    p, perspective = scene.params, FAMILIES[scene.family].perspective
    tilt_x, tilt_y, turned = (math.radians(p.get(name, 0.0)) for name in ("tilt_x", "tilt_y", "turn"))
    turn = _rotation(tilt_x, tilt_y, turned)
    away = p.get("distance", 500.0) / UNIT
    location = turn @ np.array([0.0, 0.0, away])
    seen = (points - location) @ turn  # camera axes: x right, y up, -z forward
    depth = -seen[..., 2] if perspective else np.ones(seen.shape[:2])
    plane = seen[..., :2] / depth[..., None]
    low, high = plane.min((0, 1)), plane.max((0, 1))
    rows, columns = points.shape[0] // 2, points.shape[1] // 2
    wide = float(np.hypot(*(plane[rows, -1] - plane[rows, 0]))) / scene.width_mm
    tall = float(np.hypot(*(plane[-1, columns] - plane[0, columns]))) / scene.height_mm
    scale = max(wide, tall)  # picture units in a millimetre of the sheet
    margin = np.array([p["margin_x"], p["margin_y"]]) * scale
    size = high - low + 2 * margin
    across = 2 * round(math.sqrt(MAP_CELLS * size[0] / size[1]) / 2)
    down = 2 * round(across * size[1] / size[0] / 2)
    size[1] = size[0] * down / across
    return Frame(
        (float(location[0]), float(location[1]), float(location[2])),
        (tilt_x, tilt_y, turned),
        perspective,
        (float(low[0] + high[0]) / 2, float(low[1] + high[1]) / 2),
        (float(size[0]), float(size[1])),
        (size[0] / (scale * scene.width_mm), size[1] / (scale * scene.height_mm)),
        (across, down),
    )


def _add_light(stage: Stage, scene: SceneSpec) -> None:
    p, reach = scene.params, max(scene.width_mm, scene.height_mm) / UNIT
    azimuth, elevation = math.radians(p["light_azimuth"]), math.radians(p["light_elevation"])
    away = p["light_distance"] * reach
    at = (
        away * math.cos(elevation) * math.cos(azimuth),
        away * math.cos(elevation) * math.sin(azimuth),
        away * math.sin(elevation),
    )
    lamp = stage.bpy.data.lights.new("lamp", "AREA")
    lamp.shape, lamp.size = "DISK", p["light_size"] * reach
    lamp.energy = 45.0 * away * away
    thing = stage.bpy.data.objects.new("lamp", lamp)
    thing.location = at
    thing.rotation_euler = (0.0, math.pi / 2 - elevation, azimuth)  # its -z axis towards the origin
    stage.scene.collection.objects.link(thing)
    world = stage.bpy.data.worlds.new("world")
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (1, 1, 1, 1)
    background.inputs["Strength"].default_value = 2.2 * p["ambient"]
    stage.scene.world = world


def _paper(stage: Stage, page: np.ndarray | None = None) -> Any:
    """White paper, or paper with a printed page (rows x columns x BGR, uint8) on it."""
    material, tree, output = stage.material("paper")
    shader = tree.nodes.new("ShaderNodeBsdfDiffuse")
    shader.inputs["Color"].default_value = (*[PAPER_WHITE] * 3, 1)
    if page is not None:
        texture = tree.nodes.new("ShaderNodeTexImage")
        texture.image, texture.extension = stage.image(PAPER_WHITE * (page[..., ::-1] / 255) ** GAMMA), "EXTEND"
        tree.links.new(texture.outputs["Color"], shader.inputs["Color"])
    tree.links.new(shader.outputs[0], output.inputs["Surface"])
    return material


def _desk(stage: Stage, scene: SceneSpec, height: float) -> Any:
    """A plain plane under the sheet, as bright as the desk in the mean; its grain is painted on afterwards."""
    material, tree, output = stage.material("desk")
    shader = tree.nodes.new("ShaderNodeBsdfDiffuse")
    shader.inputs["Color"].default_value = (*[_desk_grey(scene.params)] * 3, 1)
    tree.links.new(shader.outputs[0], output.inputs["Surface"])
    reach = 6 * max(scene.width_mm, scene.height_mm) / UNIT
    corners = np.array([[[x, y, height] for x in (-reach, reach)] for y in (reach, -reach)])
    thing = stage.grid("desk", Sheet(corners, np.zeros((2, 2, 2))))
    thing.data.materials.append(material)
    return thing


def _desk_grey(params: dict[str, float]) -> float:
    return (params["desk_r"] + params["desk_g"] + params["desk_b"]) / 3


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


def _fill(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Cells that are not known take the value of the nearest known one."""
    nearest: Any = distance_transform_edt(~known, return_distances=False, return_indices=True)
    return values[nearest[0], nearest[1]]


def bake(scene: SceneSpec) -> bytes:
    """Bytes of the scene's bank entry (see bank.py). Three to six seconds of CPU time; needs the package bpy."""
    fine = FAMILIES[scene.family].fine
    with tempfile.TemporaryDirectory(prefix="pageloom-bake-") as folder, Stage(scene.seed, Path(folder)) as stage:
        page = sheet_of(scene, 0.0, 0.0, 1.2 if fine else 1.8)
        frame = frame_of(scene, page.points)
        half = (frame.cells[0] // 2, frame.cells[1] // 2)
        desk = _desk(stage, scene, float(page.points[..., 2].min()) - 0.2 / UNIT)
        _add_light(stage, scene)

        # What lies beside the sheet, with the sheet's shadow on it.
        sheet = stage.grid("sheet", page)
        sheet.data.materials.append(_paper(stage))
        sheet.visible_camera = False
        stage.look(frame, half)
        below = stage.render(DESK_SAMPLES, 1.0, denoise=True)
        stage.bpy.data.objects.remove(sheet)

        # Light on the white sheet, a little larger than the page so that its own edge stays out of the map.
        desk.visible_camera = False
        cells = frame.cells if fine else half
        spare = 2.5 * frame.scale[0] / cells[0]
        grown = stage.grid(
            "sheet", sheet_of(scene, spare, spare * scene.width_mm / scene.height_mm, 1.0 if fine else 1.8)
        )
        grown.data.materials.append(_paper(stage))
        stage.look(frame, cells)
        light = stage.render(SHARP_SAMPLES if fine else LIGHT_SAMPLES, 1.0, denoise=True, guided=fine)
        stage.bpy.data.objects.remove(grown)
        stage.bpy.data.objects.remove(desk)

        stage.grid("sheet", sheet_of(scene, EDGE, EDGE, 1.2 if fine else 1.8)).data.materials.append(_glow_uv(stage))
        stage.look(frame, frame.cells)
        where = stage.render(1, 0.01)
    return _entry(scene, frame, where, light, below)


def direct(scene: SceneSpec, entry: SceneEntry, page: np.ndarray, size: tuple[int, int], samples: int) -> np.ndarray:
    """The reference: the printed sheet rendered by Cycles as a whole, `size` (width, height) pixels, uint8 BGR.

    Exposed as `entry` was; lens and sensor are left out. The desk has no grain. Takes minutes at full size.
    """
    with tempfile.TemporaryDirectory(prefix="pageloom-direct-") as folder, Stage(scene.seed, Path(folder)) as stage:
        sheet = sheet_of(scene, 0.0, 0.0, 1.2 if FAMILIES[scene.family].fine else 1.8)
        frame = frame_of(scene, sheet.points)
        _desk(stage, scene, float(sheet.points[..., 2].min()) - 0.2 / UNIT)
        _add_light(stage, scene)
        upright = np.stack([sheet.uv[..., 0], 1 - sheet.uv[..., 1]], -1)  # Blender's v runs upwards
        stage.grid("sheet", Sheet(sheet.points, upright)).data.materials.append(_paper(stage, page))
        stage.look(frame, size)
        seen = stage.render(samples, 1.5)[1:-1, 1:-1, 2::-1]
    gains = np.array(entry.gains) / 65535
    light = np.power(np.maximum(seen.astype(np.float64), 0) / entry.exposure, 1 / GAMMA)
    return np.clip(np.round(light * scene.params["white"] * gains * 255), 0, 255).astype(np.uint8)


def _grain(scene: SceneSpec, frame: Frame) -> np.ndarray:
    """Streaks of the desk at the map's cells, around 1, ten times as long as wide: rows x columns x 1."""
    across, down = frame.cells
    per_cell = frame.scale[0] * scene.width_mm / across
    x, y = np.meshgrid(np.arange(across + 2) * per_cell, np.arange(down + 2) * per_cell)
    angle = math.radians(scene.seed % 90 - 45)
    along, side = x * math.cos(angle) + y * math.sin(angle), y * math.cos(angle) - x * math.sin(angle)
    lattice = np.random.Generator(np.random.PCG64(scene.seed)).standard_normal((64, 64))
    total, weight = np.zeros_like(x), 0.0
    for width_mm, strength in ((22.0, 1.0), (7.0, 0.8), (2.4, 0.6)):
        total += strength * map_coordinates(
            lattice, [side / width_mm, along / (10 * width_mm)], order=3, mode="grid-wrap"
        )
        weight += strength
    return np.clip(1 + 0.7 * scene.params["desk_grain"] * total / weight, 0.2, 1.8)[..., None]


def _entry(scene: SceneSpec, frame: Frame, where: np.ndarray, light: np.ndarray, below: np.ndarray) -> bytes:
    if where[..., 3].min() < 1:
        raise ValueError(f"scene {scene.id}: the picture reaches beyond the mapped sheet")
    codes = np.clip(np.round(where[..., :2].astype(np.float64) * UV_SPAN + UV_ZERO - EDGE * UV_SPAN), 0, 65535)
    seen = light[..., 3] > 0.999
    grey = light[..., :3].astype(np.float64).mean(-1)
    full = float(np.percentile(grey[seen], 92))
    p = scene.params
    shade = p["white"] * np.power(np.maximum(_fill(grey, seen), 0) / full, 1 / GAMMA)
    gains = np.array([p["tint_b"], p["tint_g"], p["tint_r"]])
    lit = cv2.resize(below[..., :3].mean(-1) / (full * _desk_grey(p)), (codes.shape[1], codes.shape[0]))
    colour = np.array([p["desk_b"], p["desk_g"], p["desk_r"]]) * _grain(scene, frame)
    desk = np.power(np.maximum(lit[..., None] * colour, 0), 1 / GAMMA) * p["white"] * gains
    planes = {
        "u": codes[..., 0],
        "v": codes[..., 1],
        "shade": np.clip(np.round(shade * 65535), 0, 65535),
        "desk": np.clip(np.round(desk * 255), 0, 255),
    }
    head = {
        "scene": scene.id,
        "frame_x": round(frame.scale[0] * 1e6),
        "frame_y": round(frame.scale[1] * 1e6),
        "gains": [round(float(g) * 65535) for g in gains],
        "exposure": full,
        "spec": asdict(scene),
        "blender": blender_version(),
    }
    return encode(head, {name: planes[name].astype(kind) for name, (kind, _) in PLANES.items()})
