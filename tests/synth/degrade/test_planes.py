"""Planes of different cells have to agree on where in the picture a thing is, up to the picture's corners."""

from __future__ import annotations

import numpy as np
import pytest

from synth.degrade.planes import at_cells, cover, fill

ACROSS, DOWN = 60, 84  # cells inside the picture


def middles(parts: float) -> tuple[np.ndarray, np.ndarray]:
    """Where in the picture, in cells, the middles of cells cut in `parts` lie; one more of them on every side."""
    x, y = ((np.arange(round(cells * parts) + 2) + 0.5 - 1) / parts for cells in (ACROSS, DOWN))
    grid = np.meshgrid(x, y)
    return grid[0], grid[1]


@pytest.mark.parametrize("to", [0.5, 1, 2, 4])
@pytest.mark.parametrize("parts", [0.5, 1, 2, 4])
def test_a_plane_at_other_cells_lies_where_it_lay(parts: float, to: float) -> None:
    x, y = middles(parts)
    plane = at_cells(2 * x - 3 * y, middles(to)[0].shape)
    x, y = middles(to)
    inner = (slice(4, -4), slice(4, -4))  # beyond the outermost cells nothing is known
    assert plane[inner] == pytest.approx((2 * x - 3 * y)[inner], abs=1e-3)


@pytest.mark.parametrize("slope", [-0.6, 0.0, 0.3, 2.0])
@pytest.mark.parametrize("corner", [(0.2, 0.25), (0.85, 0.8), (0.5, 0.5)])
def test_the_edge_of_what_hides_is_where_it_is_seen(slope: float, corner: tuple[float, float]) -> None:
    """In every part of the picture: an edge that is right in the midst may be a cell off at the corners."""
    size = np.hypot(1, slope)

    def beyond(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return (x - corner[0] * ACROSS + slope * (y - corner[1] * DOWN)) / size

    x, y = middles(1)
    uv = np.stack([x / ACROSS * 1.1 - 0.05, y / DOWN * 1.1 - 0.05], -1)
    found, true = cover(uv, beyond(*middles(4)) < 0), beyond(x, y)
    near = (np.abs(true) < 1) & (uv > 0.06).all(-1) & (uv < 0.94).all(-1)
    assert near.sum() > 10
    assert np.abs(found - true)[near].max() < 0.2


def test_an_edge_beyond_the_sheet_is_carried_on_from_the_sheet() -> None:
    x, y = middles(1)
    uv = np.stack([x / ACROSS * 1.2 - 0.1, y / DOWN], -1)
    fine_x, _ = middles(4)
    hides = (fine_x > ACROSS / 2) & (fine_x / ACROSS * 1.2 - 0.1 < 1)  # beyond the sheet the desk is seen
    found = cover(uv, ~hides)
    assert (found[:, x[0] > ACROSS / 2 + 1] > 0).all()
    assert (found[:, x[0] < ACROSS / 2 - 1] < 0).all()


def test_unknown_cells_take_the_nearest_value() -> None:
    values, known = np.arange(12.0).reshape(3, 4), np.zeros((3, 4), bool)
    known[0, 0] = known[2, 3] = True
    filled = fill(values, known)
    assert filled[0, 1] == filled[1, 0] == 0
    assert filled[1, 3] == filled[2, 2] == 11
    assert fill(values, np.ones((3, 4), bool)) is values
