"""Bake a scene with Blender (Cycles on the CPU): where each cell looks on the sheet, the light there, and the desk.

The light is rendered on white paper, so one bake serves every page. Determinism: fixed seed and samples, no adaptive
sampling; the entry is nevertheless pinned by digest, since Cycles' floats depend on the CPU's instruction set.
"""

from __future__ import annotations

import math
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from synth.degrade.bank import PLANES, UV_SPAN, UV_ZERO, encode
from synth.degrade.families import FAMILIES
from synth.degrade.scenes import SceneSpec
from synth.degrade.versions import blender_version

MAP_CELLS = 132_000
"""Cells of the sheet map inside the picture; about 1.5 samples a millimetre of A4."""
EDGE = 0.25
"""How far the mapped sheet runs beyond each edge, in sheet widths and heights (see bank.UV_ZERO)."""
LIGHT_SAMPLES, DESK_SAMPLES = 24, 16
GAMMA = 2.2
UNIT = 100.0  # millimetres in one Blender unit


@dataclass(frozen=True)
class Frame:
    """The camera of a scene: where it stands, and the window it sees (at distance 1, or in units if orthographic)."""

    location: tuple[float, float, float]
    rotation: tuple[float, float, float]
    perspective: bool
    centre: tuple[float, float]
    size: tuple[float, float]
    scale: tuple[float, float]  # picture extent in sheet widths and heights
    cells: tuple[int, int]  # of the map inside the picture, both even


def _rotation(tilt_x: float, tilt_y: float, turn: float) -> np.ndarray:
    cx, sx, cy, sy, cz, sz = (f(a) for a in (tilt_x, tilt_y, turn) for f in (math.cos, math.sin))
    rx = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    ry = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    rz = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return rz @ ry @ rx  # Blender's XYZ Euler order


def _sheet(scene: SceneSpec, edge_x: float, edge_y: float, step_mm: float) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Vertices (rows x columns x 3, in units) and their u, v for a sheet that is longer by `edge` of itself all round."""
    columns = max(24, round(scene.width_mm * (1 + 2 * edge_x) / step_mm)) + 1
    rows = max(24, round(scene.height_mm * (1 + 2 * edge_y) / step_mm)) + 1
    u, v = np.meshgrid(np.linspace(-edge_x, 1 + edge_x, columns), np.linspace(-edge_y, 1 + edge_y, rows))
    x, y, z = FAMILIES[scene.family].shape(scene.params, scene.width_mm, scene.height_mm, u, v)
    return np.stack([x, y, z], -1) / UNIT, np.stack([u, v], -1), rows, columns


def _frame(scene: SceneSpec, points: np.ndarray) -> Frame:
    """Point the camera so that the bent sheet and its margins fill the picture."""
    p, perspective = scene.params, FAMILIES[scene.family].perspective
    angles = tuple(math.radians(p.get(name, 0.0)) for name in ("tilt_x", "tilt_y", "turn"))
    turn = _rotation(*angles)
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
        tuple(location),
        angles,
        perspective,
        tuple((low + high) / 2),
        tuple(size),
        (size[0] / (scale * scene.width_mm), size[1] / (scale * scene.height_mm)),
        (across, down),
    )


class _Stage:
    """One Blender scene; removes all its data at the end, so that memory does not grow from bake to bake."""

    def __init__(self, seed: int, folder: Path) -> None:
        import bpy

        self.bpy, self.folder = bpy, folder
        bpy.ops.wm.read_factory_settings(use_empty=True)
        self.scene: Any = bpy.context.scene
        render = self.scene.render
        render.engine = "CYCLES"
        render.resolution_percentage = 100
        render.film_transparent = True
        render.use_persistent_data = False
        render.image_settings.file_format = "OPEN_EXR"
        render.image_settings.color_depth = "32"
        render.image_settings.color_mode = "RGBA"
        render.image_settings.exr_codec = "NONE"
        render.threads_mode = "AUTO"
        cycles = self.scene.cycles
        cycles.device = "CPU"
        cycles.seed = seed
        cycles.use_animated_seed = False
        cycles.use_adaptive_sampling = False
        cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = 3, 2, 1
        cycles.caustics_reflective = cycles.caustics_refractive = False
        cycles.denoiser = "OPENIMAGEDENOISE"

    def __enter__(self) -> _Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.bpy.ops.wm.read_factory_settings(use_empty=True)
        self.bpy.ops.outliner.orphans_purge(do_recursive=True)

    def mesh(self, name: str, points: np.ndarray, uv: np.ndarray, rows: int, columns: int) -> Any:
        """A grid of quads over the points, smooth, with its u, v as the mesh's UV layer."""
        mesh = self.bpy.data.meshes.new(name)
        corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)[None, :]).ravel()
        # Seen from above, rows run downwards: this order turns the faces to the camera.
        faces = np.stack([corner, corner + columns, corner + columns + 1, corner + 1], 1).astype(np.int32)
        mesh.vertices.add(rows * columns)
        mesh.vertices.foreach_set("co", np.ascontiguousarray(points, np.float32).ravel())
        mesh.loops.add(faces.size)
        mesh.loops.foreach_set("vertex_index", faces.ravel())
        mesh.polygons.add(len(faces))
        mesh.polygons.foreach_set("loop_start", np.arange(0, faces.size, 4, dtype=np.int32))
        layer = mesh.uv_layers.new(name="UV")
        layer.data.foreach_set("uv", uv.reshape(-1, 2)[faces.ravel()].astype(np.float32).ravel())
        mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), bool))
        mesh.update(calc_edges=True)
        thing = self.bpy.data.objects.new(name, mesh)
        self.scene.collection.objects.link(thing)
        return thing

    def material(self, name: str) -> tuple[Any, Any, Any]:
        material = self.bpy.data.materials.new(name)
        material.use_nodes = True
        material.node_tree.nodes.clear()
        output = material.node_tree.nodes.new("ShaderNodeOutputMaterial")
        return material, material.node_tree, output

    def look(self, frame: Frame, cells: tuple[int, int]) -> None:
        """Set the camera so that `cells` fill the frame and one more cell is seen on every side."""
        across, down = cells
        width = frame.size[0] * (across + 2) / across
        camera = self.bpy.data.cameras.new("camera")
        camera.sensor_fit = "HORIZONTAL"
        camera.clip_start, camera.clip_end = 0.01, 1000
        if frame.perspective:
            camera.type, camera.angle_x = "PERSP", 2 * math.atan(width / 2)
        else:
            camera.type, camera.ortho_scale = "ORTHO", width
        camera.shift_x, camera.shift_y = frame.centre[0] / width, frame.centre[1] / width
        thing = self.bpy.data.objects.new("camera", camera)
        thing.location, thing.rotation_euler = frame.location, frame.rotation
        self.scene.collection.objects.link(thing)
        self.scene.camera = thing
        self.scene.render.resolution_x, self.scene.render.resolution_y = across + 2, down + 2

    def render(self, samples: int, filter_width: float, denoise: bool) -> np.ndarray:
        """Linear RGBA float32, rows from the top."""
        import OpenEXR

        self.scene.cycles.samples = samples
        self.scene.cycles.filter_width = filter_width
        self.scene.cycles.use_denoising = denoise
        path = self.folder / "render.exr"
        self.scene.render.filepath = str(path)
        _quietly(self.bpy.ops.render.render)
        with OpenEXR.File(str(path)) as image:
            return np.array(image.channels()["RGBA"].pixels, np.float32)


def _quietly(render: Any) -> None:
    """Blender writes its progress to file descriptor 1, past Python."""
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        render(write_still=True)
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def _add_light(stage: _Stage, scene: SceneSpec) -> None:
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


def _paper(stage: _Stage, image: Any = None) -> Any:
    material, tree, output = stage.material("paper")
    shader = tree.nodes.new("ShaderNodeBsdfDiffuse")
    shader.inputs["Color"].default_value = (0.82, 0.82, 0.82, 1)
    if image is not None:
        texture = tree.nodes.new("ShaderNodeTexImage")
        texture.image, texture.extension = image, "EXTEND"
        tree.links.new(texture.outputs["Color"], shader.inputs["Color"])
    tree.links.new(shader.outputs[0], output.inputs["Surface"])
    return material


def _desk(stage: _Stage, scene: SceneSpec, height: float) -> Any:
    """A plane under the sheet with streaky grain, a fine one for wood and hardly any for a scanner's lid."""
    p = scene.params
    material, tree, output = stage.material("desk")
    new, link = tree.nodes.new, tree.links.new
    where, stretch, noise = new("ShaderNodeTexCoord"), new("ShaderNodeMapping"), new("ShaderNodeTexNoise")
    turn = (scene.seed % 360) * math.pi / 180
    stretch.inputs["Rotation"].default_value = (0, 0, turn)
    stretch.inputs["Scale"].default_value = (0.5, 7.0, 1.0)
    noise.inputs["Scale"].default_value, noise.inputs["Detail"].default_value = 1.6, 6.0
    ramp, shader = new("ShaderNodeMix"), new("ShaderNodeBsdfDiffuse")
    ramp.data_type = "RGBA"
    base = (p["desk_r"], p["desk_g"], p["desk_b"])
    ramp.inputs["A"].default_value = (*(c * (1 - p["desk_grain"]) for c in base), 1)
    ramp.inputs["B"].default_value = (*(min(0.9, c * (1 + p["desk_grain"])) for c in base), 1)
    # Socket names repeat over data types: 6 and 7 are the colours A and B, output 2 the colour.
    ramp.inputs[6].default_value = (
        ramp.inputs["A"].default_value if False else (*(c * (1 - p["desk_grain"]) for c in base), 1)
    )
    ramp.inputs[7].default_value = (*(min(0.9, c * (1 + p["desk_grain"])) for c in base), 1)
    link(where.outputs["Object"], stretch.inputs["Vector"])
    link(stretch.outputs["Vector"], noise.inputs["Vector"])
    link(noise.outputs["Fac"], ramp.inputs["Factor"])
    link(ramp.outputs[2], shader.inputs["Color"])
    link(shader.outputs[0], output.inputs["Surface"])
    reach = 6 * max(scene.width_mm, scene.height_mm) / UNIT
    corners = np.array(
        [[[-reach, reach, height], [reach, reach, height]], [[-reach, -reach, height], [reach, -reach, height]]]
    )
    thing = stage.mesh("desk", corners, np.zeros((2, 2, 2)), 2, 2)
    thing.data.materials.append(material)
    return thing


def _glow_uv(stage: _Stage) -> Any:
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
    from scipy.ndimage import distance_transform_edt

    nearest = distance_transform_edt(~known, return_distances=False, return_indices=True)
    return values[tuple(nearest)]


def bake(scene: SceneSpec) -> bytes:
    """Bytes of the scene's bank entry (see bank.py). About a second on two cores; needs the package bpy."""
    with tempfile.TemporaryDirectory(prefix="pageloom-bake-") as folder, _Stage(scene.seed, Path(folder)) as stage:
        points, uv, rows, columns = _sheet(scene, 0.0, 0.0, 1.2)
        frame = _frame(scene, points)
        lowest = float(points[..., 2].min()) - 0.3 / UNIT

        # Light on the white sheet, a little larger than the page so that its own edge stays out of the map.
        fine = scene.family == "one_crease"
        cells = frame.cells if fine else (frame.cells[0] // 2, frame.cells[1] // 2)
        spare = 2.5 * frame.scale[0] / cells[0]
        grown, grown_uv, grown_rows, grown_columns = _sheet(scene, spare, spare * scene.width_mm / scene.height_mm, 1.0)
        sheet = stage.mesh("sheet", grown, grown_uv, grown_rows, grown_columns)
        sheet.data.materials.append(_paper(stage))
        desk = _desk(stage, scene, lowest)
        _add_light(stage, scene)
        stage.look(frame, cells)
        desk.visible_camera = False
        light = stage.render(LIGHT_SAMPLES, 1.0, denoise=True)

        desk.visible_camera, sheet.visible_camera = True, False
        stage.look(frame, frame.cells)
        below = stage.render(DESK_SAMPLES, 1.0, denoise=True)

        stage.bpy.data.objects.remove(sheet)
        stage.bpy.data.objects.remove(desk)
        far, far_uv, far_rows, far_columns = _sheet(scene, EDGE, EDGE, 1.2)
        stage.mesh("map", far, far_uv, far_rows, far_columns).data.materials.append(_glow_uv(stage))
        where = stage.render(1, 0.01, denoise=False)
    return _entry(scene, frame, where, light, below)


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
    # The desk in the same exposure; 0.82 is the paper's own whiteness, which the page's white stands for.
    desk = np.power(np.maximum(below[..., 2::-1].astype(np.float64), 0) / full, 1 / GAMMA) * p["white"] * gains
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
        "spec": asdict(scene),
        "blender": blender_version(),
    }
    return encode(head, {name: planes[name].astype(kind) for name, (kind, _) in PLANES.items()})
