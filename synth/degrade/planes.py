"""Planes of cells as they are baked: with one cell of their own more than the picture on every side."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from scipy.ndimage import binary_opening, distance_transform_edt


def fill(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Cells that are not known take the value of the nearest known one."""
    if known.all():
        return values
    nearest: Any = distance_transform_edt(~known, return_distances=False, return_indices=True)
    return values[nearest[0], nearest[1]]


def at_cells(plane: np.ndarray, shape: tuple[int, ...], method: int = cv2.INTER_LINEAR) -> np.ndarray:
    """The plane in as many rows and columns as `shape` begins with, `method` (OpenCV's) between its cells.

    Not `cv2.resize`: the cell around the picture is as large as the plane's cells are, so planes of different cells do
    not end at the same place.
    """
    (rows, columns), (down, across) = plane.shape[:2], shape[:2]
    x, y = (columns - 2) / (across - 2), (rows - 2) / (down - 2)
    there = np.array([[x, 0, (1 - x) / 2], [0, y, (1 - y) / 2]])
    flags = method | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(plane, there, (across, down), flags=flags, borderMode=cv2.BORDER_REPLICATE)


def within(uv: np.ndarray) -> np.ndarray:
    """Which cells see the page."""
    return ((uv > 0) & (uv < 1)).all(-1)


def cover(uv: np.ndarray, front: np.ndarray) -> np.ndarray:
    """Signed distance, in cells, to the edge of what hides the sheet, positive where it is hidden: one value a cell.

    `uv`: sheet point of each cell; `front`: whether the sheet's front is seen, in cells cut in parts. The edge is
    looked for on the sheet only, two parts away from its edges, and carried on beyond them, so that its own edges stay
    as sharp as the map makes them.
    """
    page = cv2.erode(within(at_cells(uv, front.shape)).astype(np.uint8), np.ones((5, 5), np.uint8)).astype(bool)
    hidden: np.ndarray = fill(np.logical_not(front), page)
    hidden = binary_opening(hidden, np.ones((3, 3)))
    inner: Any = distance_transform_edt(hidden)
    outer: Any = distance_transform_edt(np.logical_not(hidden))
    parts = (front.shape[1] - 2) / (uv.shape[1] - 2)
    return at_cells(np.where(hidden, inner - 0.5, 0.5 - outer) / parts, uv.shape)
