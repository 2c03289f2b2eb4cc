"""One Blender scene at a time: grids, materials, a camera, and renders as arrays. Knows nothing of paper."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


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
    barrel: float = 0.0  # radial distortion of the lens (see studio.lens_places)


class Sheet(NamedTuple):
    """Vertices (rows x columns x 3, in Blender units) and their u, v."""

    points: np.ndarray
    uv: np.ndarray


class Window(NamedTuple):
    """A part of a picture, in pixels from its top left corner."""

    left: int
    top: int
    width: int
    height: int


class Stage:
    """One Blender scene; removes all its data at the end, so that memory does not grow from bake to bake."""

    def __init__(self, seed: int, folder: Path) -> None:
        import bpy

        self.bpy: Any = bpy  # its attributes are made at run time
        self.folder = folder
        self.bpy.ops.wm.read_factory_settings(use_empty=True)
        self.scene: Any = self.bpy.context.scene
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
        cycles.denoiser, cycles.denoising_prefilter = "OPENIMAGEDENOISE", "NONE"

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.bpy.ops.wm.read_factory_settings(use_empty=True)

    def grid(self, name: str, sheet: Sheet) -> Any:
        """A smooth grid of quads over the points, with its u, v as the mesh's UV layer."""
        mesh = self.bpy.data.meshes.new(name)
        rows, columns = sheet.points.shape[:2]
        corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)[None, :]).ravel()
        # Seen from above, rows run downwards: this order turns the faces to the camera.
        faces = np.stack([corner, corner + columns, corner + columns + 1, corner + 1], 1).astype(np.int32)
        mesh.vertices.add(rows * columns)
        mesh.vertices.foreach_set("co", np.ascontiguousarray(sheet.points, np.float32).ravel())
        mesh.loops.add(faces.size)
        mesh.loops.foreach_set("vertex_index", faces.ravel())
        mesh.polygons.add(len(faces))
        mesh.polygons.foreach_set("loop_start", np.arange(0, faces.size, 4, dtype=np.int32))
        layer = mesh.uv_layers.new(name="UV")
        layer.data.foreach_set("uv", sheet.uv.reshape(-1, 2)[faces.ravel()].astype(np.float32).ravel())
        mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), bool))
        mesh.update(calc_edges=True)
        thing = self.bpy.data.objects.new(name, mesh)
        self.scene.collection.objects.link(thing)
        return thing

    def image(self, colours: np.ndarray) -> Any:
        """A picture of linear colours (rows from the top x columns x RGB) for a texture."""
        rows, columns = colours.shape[:2]
        image = self.bpy.data.images.new("page", columns, rows, float_buffer=True, is_data=True)
        flipped = np.concatenate([colours[::-1], np.ones((rows, columns, 1))], 2).astype(np.float32)
        image.pixels.foreach_set(np.ascontiguousarray(flipped).ravel())
        return image

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
        render = self.scene.render
        render.resolution_x, render.resolution_y = across + 2, down + 2
        # A picture of whole pixels is not quite as slender as the frame: its pixels are not quite square.
        slender = frame.size[1] / down / (frame.size[0] / across)
        render.pixel_aspect_x, render.pixel_aspect_y = max(1.0, 1 / slender), max(1.0, slender)

    def refine(self, parts: int) -> None:
        """Cut every pixel of the picture in `parts` along each side."""
        self.scene.render.resolution_x *= parts
        self.scene.render.resolution_y *= parts

    def crop(self, window: Window) -> None:
        """Render this part of the picture only: the same pixels as in the whole."""
        render = self.scene.render
        across, down = render.resolution_x, render.resolution_y
        render.use_border = render.use_crop_to_border = True
        # Blender cuts the products to whole pixels, from the bottom upwards: a quarter keeps them off the edge.
        render.border_min_x = (window.left + 0.25) / across
        render.border_max_x = (window.left + window.width + 0.25) / across
        render.border_min_y = (down - window.top - window.height + 0.25) / down
        render.border_max_y = (down - window.top + 0.25) / down

    def open_aperture(self, radius: float, focus: float) -> None:
        """A lens of this radius, sharp at this distance along its axis, instead of a pinhole (Blender units)."""
        camera = self.scene.camera.data
        camera.dof.use_dof = True
        camera.dof.focus_distance = focus
        camera.dof.aperture_fstop = camera.lens * 1e-3 / (2 * radius)

    def reseed(self, seed: int) -> None:
        """Other noise from here on."""
        self.scene.cycles.seed = seed

    def render(self, samples: int, filter_width: float, denoise: bool = False, guided: bool = False) -> np.ndarray:
        """Linear RGBA float32, rows from the top. `guided`: the denoiser sees the normals, which keeps folds sharp."""
        import OpenEXR

        self.scene.cycles.samples = samples
        self.scene.cycles.filter_width = filter_width
        self.scene.cycles.use_denoising = denoise
        self.scene.cycles.denoising_input_passes = "RGB_ALBEDO_NORMAL" if guided else "RGB"
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
