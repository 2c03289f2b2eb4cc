"""One map: bends of the sheet composed with its scene before anything is sampled.

A scene's map says which sheet point each cell of the picture sees. A bend says which page point is seen where the flat
sheet shows a point. Together they are a map of the same kind, made cell by cell, so pixels and labels go through one
`PageMap` as they do without bends, and nothing is sampled twice. Floats are used elementwise and rounded to the map's
codes, which gives the same codes on every CPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from synth.degrade.bank import UV_SPAN, UV_ZERO, SceneEntry
from synth.degrade.faults.contract import Bend, Setting

CELL_MM = 0.7  # of a flat sheet's map
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
    for fault, amount, setting in reversed(bends):
        u, v = fault.bend(u, v, amount, setting, size)
    codes = [np.clip(np.rint(at * UV_SPAN + UV_ZERO), 0, 65535).astype(np.uint16) for at in (u, v)]
    return replace(entry, digest="", u=codes[0], v=codes[1])
