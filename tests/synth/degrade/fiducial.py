"""A page whose words are rectangles of unique colours, and what Cycles sees of it when the map is not asked.

Red is the word, green and blue count its texels: the extent of a word's red is where the word is, and how many of its
texels are seen says what is in sight of it, whatever crops, covers or folds it.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from schemas.document import Printed, Word
from schemas.geometry import Box
from synth.degrade.families import FAMILIES
from synth.degrade.scenes import SceneSpec
from synth.degrade.stage import Sheet, Stage
from synth.degrade.studio import frame_of, front_of, furnish, glow, sheet_of, sides
from tests.synth.degrade.pages import printed

LEVELS = 2048  # half floats are exact up to here
MM = 25.4
NEAR = (13, 13)  # texels around one that tell how often it would be met


@dataclass(frozen=True)
class Fiducial:
    """`boxes`: words in whole texels (x0, y0, x1, y1); `texture`: rows x columns x 3, whole numbers, 0 is paper."""

    printed: Printed
    boxes: np.ndarray
    texture: np.ndarray


def fiducial(width_mm: float, height_mm: float, dpi: int, columns: int, row_mm: float) -> Fiducial:
    """Rectangles as words of many lengths, the outermost up to the page's edges, a row each `row_mm`."""
    width, height = round(width_mm / MM * dpi), round(height_mm / MM * dpi)
    rng = random.Random(7)
    rows = int(height_mm / row_mm)
    cuts_x = [round(width * k / columns) for k in range(columns + 1)]
    cuts_y = [round(height * k / rows) for k in range(rows + 1)]
    tall = round(0.58 * row_mm / MM * dpi)
    boxes: list[tuple[int, int, int, int]] = []
    for row in range(rows):
        for column in range(columns):
            left, right = cuts_x[column], cuts_x[column + 1]
            x0 = left + (rng.randint(1, 4) if column else 0)
            x1 = right - (rng.randint(2, (right - left) // 2) if column < columns - 1 else 0)
            y0 = cuts_y[row + 1] - tall if row == rows - 1 else cuts_y[row]
            boxes.append((x0, y0, x1, y0 + tall))
    texture = np.zeros((height, width, 3), np.float32)
    for number, (x0, y0, x1, y1) in enumerate(boxes):
        texture[y0:y1, x0:x1, 0] = number + 1
        texture[y0:y1, x0:x1, 1] = np.arange(1, x1 - x0 + 1)[None, :]
        texture[y0:y1, x0:x1, 2] = np.arange(1, y1 - y0 + 1)[:, None]
    assert texture.max() < LEVELS
    points = 72 / MM
    scale = np.array([width_mm * points / width, height_mm * points / height] * 2)
    page = printed(width_mm, height_mm, columns=columns, boxes=[Box(*(np.array(b) * scale).tolist()) for b in boxes])
    return Fiducial(page, np.array(boxes), texture)


Warp = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Which page point is seen where the flat sheet shows u, v."""


def seen_by_cycles(
    scene: SceneSpec, texture: np.ndarray, size: tuple[int, int], fine: int, warp: Warp | None = None
) -> np.ndarray:
    """The sheet of a scene shining in the texture's colours, `size` (width, height) pixels, each in fine x fine parts.

    One ray through the middle of each part, nearest texel, no light; what lies over the sheet and the sheet's back are
    black. The mesh ends at the paper's edge, that of the bake runs on: they have no vertex in common. With a `warp` the
    texture is laid on the mesh warped, and the mesh runs on, since the warp may move the page's edge outwards.
    """
    edge = 0.25 if warp else 0.0
    with tempfile.TemporaryDirectory(prefix="pageloom-fiducial-") as folder, Stage(scene.seed, Path(folder)) as stage:
        step = 0.5 if FAMILIES[scene.family].folded else 1.2
        front, sheet = front_of(scene), sheet_of(scene, edge, edge, step, folded=True)
        frame = frame_of(scene, front.points)
        things = furnish(stage, scene, float(front.points[..., 2].min()))
        for thing in (things.desk, *things.beside):
            thing.visible_camera = False
        for thing in things.over:
            thing.data.materials[0] = glow(stage, (0.0, 0.0, 0.0))
        u, v = warp(sheet.uv[..., 0], sheet.uv[..., 1]) if warp else (sheet.uv[..., 0], sheet.uv[..., 1])
        upright = np.stack([u, 1 - v], -1)  # Blender's v runs upwards
        stage.grid("sheet", Sheet(sheet.points, upright)).data.materials.append(_shining(stage, texture))
        stage.look(frame, size)
        stage.refine(fine)
        seen = _through_lens(stage.render(1, 0.01)[..., :3], frame.barrel, fine)
    return np.round(seen[fine:-fine, fine:-fine] * LEVELS).astype(np.int32)


def _through_lens(straight: np.ndarray, barrel: float, fine: int) -> np.ndarray:
    """Barrel distortion (Brown, 1966): where a point looks in the straight picture, whose corners stay in place.

    There is a pixel, of `fine` parts, more around the picture."""
    if not barrel:
        return straight
    rows, columns = straight.shape[:2]
    y, x = np.mgrid[0:rows, 0:columns] + 0.5 - np.array([rows, columns])[:, None, None] / 2
    corner = ((rows / 2 - fine) ** 2 + (columns / 2 - fine) ** 2) ** 0.5
    pull = (1 + barrel * (x * x + y * y) / corner**2) / (1 + barrel)
    return straight[(y * pull + rows / 2).astype(np.intp), (x * pull + columns / 2).astype(np.intp)]


def _shining(stage: Stage, texture: np.ndarray) -> Any:
    """Emission of the nearest texel; black beyond the page and on the back."""
    material, tree, output = stage.material("fiducial")
    image, shine = (tree.nodes.new(name) for name in ("ShaderNodeTexImage", "ShaderNodeEmission"))
    image.image, image.extension, image.interpolation = stage.image(texture / LEVELS), "CLIP", "Closest"
    tree.links.new(image.outputs["Color"], shine.inputs["Color"])
    tree.links.new(sides(tree, shine, (0.0, 0.0, 0.0), "ShaderNodeEmission").outputs[0], output.inputs["Surface"])
    return material


@dataclass(frozen=True)
class Errors:
    """`sides`: distance in pixels of each side of a word's quad and upright box from the extent of its colour;
    `seen`: the share of each word's texels that are seen; `visible`: what the label says of it, less that."""

    sides: np.ndarray
    seen: np.ndarray
    visible: np.ndarray

    def off(self, percent: float) -> float:
        """The distance, in pixels, that so many per cent of the sides keep."""
        return float(np.percentile(np.abs(self.sides), percent))

    @property
    def unseen(self) -> float:
        return float(np.abs(self.visible).max())

    def __str__(self) -> str:
        parts = ", ".join(f"{share}% {self.off(share):.2f}" for share in (50, 99, 99.9, 100))
        return f"{len(self.visible)} words, {len(self.sides)} sides: {parts} px; visible {self.unseen:.3f}"


def compare(words: Sequence[Word], boxes: np.ndarray, seen: np.ndarray, fine: int) -> Errors:
    """Hold the words' quads and boxes, in pixels, against the colours `seen` (rows x columns x 3, fine parts)."""
    rows, columns = np.nonzero(seen[..., 0])
    number = seen[rows, columns, 0] - 1
    order = np.argsort(number, kind="stable")
    ends = np.searchsorted(number[order], np.arange(len(words) + 1))
    sides: list[float] = []
    shares: list[float] = []
    for word, box in zip(words, boxes, strict=True):
        own = order[ends[word.id] : ends[word.id + 1]]
        texel = seen[rows[own], columns[own], 2] - 1, seen[rows[own], columns[own], 1] - 1
        met = np.zeros((box[3] - box[1], box[2] - box[0]), int)
        np.add.at(met, texel, 1)
        shares.append(_share(met, _cut(rows[own], columns[own], seen.shape), fine))
        if own.size:
            middles = (np.stack([columns[own], rows[own]], 1) + 0.5) / fine
            sides += _sides(np.array(word.quad), middles, fine)
            upright = np.array([(word.box[a], word.box[b]) for a, b in ((0, 1), (2, 1), (2, 3), (0, 3))])
            sides += _sides(upright, middles, fine)
    share = np.array(shares)
    return Errors(np.array(sides), share, np.array([word.visible for word in words]) - share)


def _cut(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Which ends of a word (first and last row, first and last column) the picture cuts, given where it is seen."""
    ends = [(rows == 0), (rows == shape[0] - 1), (columns == 0), (columns == shape[1] - 1)]
    return np.array([end.any() for end in ends]).reshape(2, 2)


def _share(met: np.ndarray, cut: np.ndarray, fine: int) -> float:
    """Share of a word's texels that are seen: rays that met each over what they would be if it were `met` as often as
    those around it in the midst of what is seen, since the camera sees some parts of a word larger than others. At an
    end that the picture has `cut`, a texel may be there in part only."""
    around = np.ones((met.shape[0] + 2, met.shape[1] + 2), bool)
    around[1:-1, 1:-1] = met > 0
    (around[0], around[-1]), (around[:, 0], around[:, -1]) = ~cut
    midst = around[1:-1, :-2] & around[1:-1, 2:] & around[:-2, 1:-1] & around[2:, 1:-1] & (met > 0)
    if midst.sum() <= 8:
        return float(met.sum() / (fine * fine * met.size))
    inside = midst.astype(np.float64)
    rays, texels = (
        cv2.boxFilter(plane, -1, NEAR, normalize=False, borderType=cv2.BORDER_CONSTANT)
        for plane in (met * inside, inside)
    )
    each = np.where(texels > 8, rays / np.maximum(texels, 1), met[midst].mean())
    return float((met / each).sum() / met.size)


def _sides(corners: np.ndarray, middles: np.ndarray, fine: int) -> list[float]:
    """How far each side of a polygon lies beyond the furthest point of its colour: four numbers, in pixels."""
    found: list[float] = []
    centre = corners.mean(0)
    for a, b in zip(corners, np.roll(corners, -1, 0), strict=True):
        normal = np.array([b[1] - a[1], a[0] - b[0]]) / max(1e-9, float(np.hypot(*(b - a))))
        if (a - centre) @ normal < 0:
            normal = -normal
        reach = 0.25 / fine  # the colour ends between its furthest middle and half a part beyond
        found.append(float(a @ normal - (middles @ normal).max() - reach))
    return found
