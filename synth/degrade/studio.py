"""A scene set up in Blender: the bent sheet and its paper, what stands around it, the lamp and the camera's frame.

The bake and the reference render both start here, so that they cannot show different scenes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from synth.degrade.families import FAMILIES
from synth.degrade.scenes import SceneSpec
from synth.degrade.stage import Frame, Sheet, Stage

MAP_CELLS = 132_000
"""Cells of the sheet map inside the picture; about 1.5 samples a millimetre of A4."""
PAPER_WHITE = 0.82  # what the page's white stands for
UNIT = 100.0  # millimetres in one Blender unit
BELOW = 0.2  # mm from the lowest point of the sheet to the desk


def _rotation(tilt_x: float, tilt_y: float, turn: float) -> np.ndarray:
    cx, sx, cy, sy, cz, sz = (f(a) for a in (tilt_x, tilt_y, turn) for f in (math.cos, math.sin))
    rx = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    ry = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    rz = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return rz @ ry @ rx  # Blender's XYZ Euler order


def sheet_step(scene: SceneSpec) -> float:
    """Millimetres between the points of the sheet's grid, which is finest where it is turned over in a narrow bend."""
    family = FAMILIES[scene.family]
    return 0.6 if family.folded else 1.2 if family.fine else 1.8


def sheet_of(scene: SceneSpec, edge_x: float, edge_y: float, step_mm: float, folded: bool = False) -> Sheet:
    """The bent sheet, longer by `edge` of its width and height on every side, as a grid of about `step_mm`.

    `folded`: the true sheet, with what is turned over; else its front as a smooth function (`front_of`).
    """
    family = FAMILIES[scene.family]
    shape = family.folded if folded and family.folded else family.shape
    columns = max(24, round(scene.width_mm * (1 + 2 * edge_x) / step_mm)) + 1
    rows = max(24, round(scene.height_mm * (1 + 2 * edge_y) / step_mm)) + 1
    u, v = np.meshgrid(np.linspace(-edge_x, 1 + edge_x, columns), np.linspace(-edge_y, 1 + edge_y, rows))
    x, y, z = shape(scene.params, scene.width_mm, scene.height_mm, u, v)
    return Sheet(np.stack([x, y, z], -1) / UNIT, np.stack([u, v], -1))


def front_of(scene: SceneSpec, edge_x: float = 0.0, edge_y: float = 0.0) -> Sheet:
    """The front of the sheet as a smooth function, which the map and the camera's frame are made from."""
    step = sheet_step(scene)
    return sheet_of(scene, edge_x, edge_y, step if FAMILIES[scene.family].folded else max(1.2, step))


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
        p.get("barrel", 0.0),
    )


def lens_places(frame: Frame, cells: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Where each cell of a picture, one more on every side, looks in the straight picture: x, y from its corner, in
    cells.

    Barrel distortion: Brown's radial model with one coefficient, scaled so that the corners of the picture stay where
    they are.
    """
    across, down = cells
    x, y = np.meshgrid(np.arange(across + 2) + 0.5 - (across + 2) / 2, np.arange(down + 2) + 0.5 - (down + 2) / 2)
    pull = (1 + frame.barrel * (x * x + y * y) / ((across / 2) ** 2 + (down / 2) ** 2)) / (1 + frame.barrel)
    return x * pull + (across + 2) / 2, y * pull + (down + 2) / 2


def bend_light(frame: Frame, image: np.ndarray) -> np.ndarray:
    """A straight picture (with one more cell on every side) as the scene's lens draws it."""
    if not frame.barrel:
        return image
    at_x, at_y = (at - 0.5 for at in lens_places(frame, (image.shape[1] - 2, image.shape[0] - 2)))
    return cv2.remap(
        image, at_x.astype(np.float32), at_y.astype(np.float32), cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )


def on_plane(frame: Frame, cells: tuple[int, int], height: float) -> tuple[np.ndarray, np.ndarray]:
    """Where on the plane z = `height` (Blender units) each cell looks, one more on every side: x, y in mm."""
    across, down = cells
    x = (np.arange(across + 2) + 0.5 - (across + 2) / 2) / across * frame.size[0] + frame.centre[0]
    y = (np.arange(down + 2) + 0.5 - (down + 2) / 2) / down * -frame.size[1] + frame.centre[1]
    x, y = np.meshgrid(x, y)
    turn, location = _rotation(*frame.rotation), np.array(frame.location)
    if frame.perspective:
        ray = np.stack([x, y, -np.ones_like(x)], -1) @ turn.T
        start = location
    else:
        ray = np.broadcast_to(turn @ np.array([0.0, 0.0, -1.0]), (*x.shape, 3))
        start = np.stack([x, y, np.zeros_like(x)], -1) @ turn.T + location
    hit = start + ray * ((height - start[..., 2]) / ray[..., 2])[..., None]
    return hit[..., 0] * UNIT, hit[..., 1] * UNIT


def depth_of(frame: Frame, points: np.ndarray) -> np.ndarray:
    """Distance of points (... x 3, Blender units) from the camera along its axis."""
    return -((points - np.array(frame.location)) @ _rotation(*frame.rotation))[..., 2]


def desk_grey(params: dict[str, float]) -> float:
    """Mean albedo of the desk."""
    return (params["desk_r"] + params["desk_g"] + params["desk_b"]) / 3


def matte(stage: Stage, colour: tuple[float, float, float], back: tuple[float, float, float] | None = None) -> Any:
    """A surface that scatters light evenly; `back` is the albedo of its other side."""
    material, tree, output = stage.material("matte")
    shader = tree.nodes.new("ShaderNodeBsdfDiffuse")
    shader.inputs["Color"].default_value = (*colour, 1)
    tree.links.new(
        (shader if back is None else sides(tree, shader, back, "ShaderNodeBsdfDiffuse")).outputs[0],
        output.inputs["Surface"],
    )
    return material


def sides(tree: Any, front: Any, back: tuple[float, float, float], kind: str) -> Any:
    """A node that shows the shader `front` on the front and another of this kind and colour on the back."""
    mix, where, behind = (tree.nodes.new(n) for n in ("ShaderNodeMixShader", "ShaderNodeNewGeometry", kind))
    behind.inputs["Color"].default_value = (*back, 1)
    tree.links.new(where.outputs["Backfacing"], mix.inputs[0])
    tree.links.new(front.outputs[0], mix.inputs[1])
    tree.links.new(behind.outputs[0], mix.inputs[2])
    return mix


def glow(stage: Stage, colour: tuple[float, float, float], back: tuple[float, float, float] | None = None) -> Any:
    """A surface that shines evenly and is lit by nothing, to tell things apart."""
    material, tree, output = stage.material("glow")
    shader = tree.nodes.new("ShaderNodeEmission")
    shader.inputs["Color"].default_value = (*colour, 1)
    tree.links.new(
        (shader if back is None else sides(tree, shader, back, "ShaderNodeEmission")).outputs[0],
        output.inputs["Surface"],
    )
    return material


def print_on(stage: Stage, page: np.ndarray) -> Any:
    """Paper with a picture of linear colours (rows from the top x columns x RGB) on its front, and a white back."""
    material, tree, output = stage.material("print")
    texture, front = (tree.nodes.new(name) for name in ("ShaderNodeTexImage", "ShaderNodeBsdfDiffuse"))
    texture.image, texture.extension = stage.image(page), "EXTEND"
    tree.links.new(texture.outputs["Color"], front.inputs["Color"])
    white = (PAPER_WHITE, PAPER_WHITE, PAPER_WHITE)
    tree.links.new(sides(tree, front, white, "ShaderNodeBsdfDiffuse").outputs[0], output.inputs["Surface"])
    return material


def add_lamp(stage: Stage, scene: SceneSpec) -> None:
    """The scene's lamp, and light from everywhere."""
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


@dataclass(frozen=True)
class Things:
    """Blender objects of one scene, by how they are seen (see `families.base.Prop`); the sheet is not among them."""

    desk: Any
    desk_height: float  # Blender units
    beside: tuple[Any, ...]
    over: tuple[Any, ...]


def furnish(stage: Stage, scene: SceneSpec, lowest: float) -> Things:
    """Desk, props and lamp. `lowest`: the sheet's lowest point, Blender units. The desk and what is beside are grey."""
    family, height = FAMILIES[scene.family], lowest - BELOW / UNIT
    props = family.props(scene.params, scene.width_mm, scene.height_mm)
    for prop in props:
        if prop.seen == "beside":
            height = min(height, float(prop.points[..., 2].min()) / UNIT - BELOW / UNIT)
    reach = 6 * max(scene.width_mm, scene.height_mm) / UNIT
    corners = np.array([[[x, y, height] for x in (-reach, reach)] for y in (reach, -reach)])
    desk = stage.grid("desk", Sheet(corners, np.zeros((2, 2, 2))))
    grey = desk_grey(scene.params)
    desk.data.materials.append(matte(stage, (grey, grey, grey)))
    things: dict[str, list[Any]] = {"beside": [], "over": [], "shadow": []}
    for prop in props:
        thing = stage.grid(prop.seen, Sheet(prop.points / UNIT, np.zeros((*prop.points.shape[:2], 2))))
        thing.data.materials.append(matte(stage, (grey, grey, grey) if prop.seen == "beside" else prop.colour))
        thing.visible_camera = prop.seen != "shadow"
        things[prop.seen].append(thing)
    add_lamp(stage, scene)
    return Things(desk, height, tuple(things["beside"]), tuple(things["over"]))
