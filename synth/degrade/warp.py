"""One map: bends of the sheet composed with its scene before anything is sampled.

A scene's map says which sheet point each cell of the picture sees. A bend says which page point is seen where the flat
sheet shows a point. Together they are a map of the same kind, made cell by cell, so pixels and labels go through one
`PageMap` as they do without bends, and nothing is sampled twice. Waves are lit, too. Floats are used elementwise and
rounded to whole numbers, which gives the same ones on every CPU.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from synth.degrade.bank import UV_SPAN, UV_ZERO, SceneEntry
from synth.degrade.faults.contract import Bend, Setting
from synth.degrade.ground import on_ground

CELL_MM = 0.7  # of a flat sheet's map
DIP, DARKEST = 0.05, 0.45  # light that is lost: in the mean at amount 1, and at most
GROUND = 250  # what is seen beside a bent sheet that lies in no scene: a scanner's white lid


def flat(width_mm: float, height_mm: float) -> SceneEntry:
    """A map that shows the sheet alone, filling the picture, in even light; for pages that have no scene."""
    across, down = (max(8, round(mm / CELL_MM)) for mm in (width_mm, height_mm))
    codes = [
        np.rint((np.arange(cells + 2) - 0.5) / cells * UV_SPAN + UV_ZERO).astype(np.uint16) for cells in (across, down)
    ]
    shape = (down + 2, across + 2)
    return SceneEntry(
        scene="none",
        digest="",
        frame_x=1_000_000,
        frame_y=1_000_000,
        gains=(65535, 65535, 65535),
        exposure=1.0,
        u=np.broadcast_to(codes[0][None], shape).copy(),
        v=np.broadcast_to(codes[1][:, None], shape).copy(),
        shade=np.full(shape, 65535, np.uint16),
        desk=np.full((*shape, 3), GROUND, np.uint8),
        spec={},
        blender="",
    )


def bent(entry: SceneEntry, bends: Sequence[tuple[Bend, float, Setting]], size: tuple[float, float]) -> SceneEntry:
    """The scene with the sheet bent: `bends` are faults, amounts and settings, the one nearest to the paper first.

    `size`: width and height of the page in millimetres. The entry has no digest, since no bank holds it.
    """
    u, v = ((plane.astype(np.float64) - UV_ZERO) / UV_SPAN for plane in (entry.u, entry.v))
    shade, cell = entry.shade, _cell(entry, size)
    for fault, amount, setting in reversed(bends):
        was = (u, v)
        u, v = fault.bend(u, v, amount, setting, size)
        if fault.relief:
            moved = [(after - before) * mm for after, before, mm in zip((u, v), was, size, strict=True)]
            angle = math.pi / 4 + setting.rng.randrange(4) * math.pi / 2 + setting.rng.uniform(-0.35, 0.35)
            shade = _shaded(shade, _strain(moved[0], moved[1], cell, angle) * fault.relief, DIP * amount)
    codes = [np.clip(np.rint(at * UV_SPAN + UV_ZERO), 0, 65535).astype(np.uint16) for at in (u, v)]
    desk = on_ground(entry, codes[0], codes[1], cell)
    return replace(entry, digest="", u=codes[0], v=codes[1], shade=shade, desk=desk)


def _cell(entry: SceneEntry, size: tuple[float, float]) -> float:
    """Millimetres across a cell of the map, on the sheet."""
    middle = entry.u[len(entry.u) // 2].astype(np.int64)
    return abs(int(middle[-1] - middle[0])) / UV_SPAN * size[0] / (len(middle) - 1)


def _strain(x: np.ndarray, y: np.ndarray, cell: float, angle: float) -> np.ndarray:
    """How much points that are moved by x, y (millimetres, at cells `cell` apart) draw apart along a direction.

    A wave that stands up moves what is on it sideways, in a picture, as its height; so this is its slope towards a
    lamp in that direction, but for a factor.
    """
    c, s = math.cos(angle), math.sin(angle)
    along = x * c + y * s
    down, across = (np.zeros_like(along) for _ in range(2))
    down[1:-1] = (along[2:] - along[:-2]) / (2 * cell)
    across[:, 1:-1] = (along[:, 2:] - along[:, :-2]) / (2 * cell)
    return across * c + down * s


def _shaded(shade: np.ndarray, slope: np.ndarray, dip: float) -> np.ndarray:
    """Light on a sheet with these slopes towards its lamp: paper is brightest where it is now, `dip` above level."""
    lost = np.rint(np.clip(slope + dip, 0.0, DARKEST) * 65536).astype(np.int64)
    rows, columns = shade.shape
    if lost.shape != shade.shape:  # light may have cells of its own (see planes.at_cells)
        at_y, at_x = (
            np.clip((np.arange(n) + 0.5 - n / 2) * ((m - 2) / (n - 2)) + m / 2 - 0.5, 0, m - 1)
            for n, m in ((rows, lost.shape[0]), (columns, lost.shape[1]))
        )
        lost = _between(_between(lost, at_y).T, at_x).T
    kept: np.ndarray = shade.astype(np.int64) * (65536 - lost) >> 16
    return kept.astype(np.uint16)


def _between(plane: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Rows at positions between rows, linear, in whole numbers."""
    first = np.minimum(at.astype(np.intp), plane.shape[0] - 2)
    part = np.rint((at - first) * 256).astype(np.int64)[:, None]
    return plane[first] * (256 - part) + plane[first + 1] * part >> 8
