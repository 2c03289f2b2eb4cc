from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schemas.errors import SampleError
from synth.degrade.bank import UV_SPAN, UV_ZERO, SceneEntry
from synth.degrade.mapping import PageMap
from synth.degrade.warp import flat

NAMES = ("flat_scan", "soft_curl", "one_crease", "roll")


def page_map(entry: SceneEntry, name: str) -> PageMap:
    return PageMap.of(entry, 472, 1488) if name == "roll" else PageMap.of(entry, 1240, 1754)


@pytest.mark.parametrize("name", NAMES)
def test_points_come_back_to_where_they_were(entries: dict[str, SceneEntry], name: str) -> None:
    map_ = page_map(entries[name], name)
    u, v = (a.ravel() for a in np.meshgrid(np.linspace(0.01, 0.99, 60), np.linspace(0.01, 0.99, 80)))
    x, y = map_.picture(u, v)
    back_u, back_v, *_ = map_.forward(x, y)
    assert np.abs(back_u - u).max() * map_.page_width < 1e-3
    assert np.abs(back_v - v).max() * map_.page_height < 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_labels_and_pixels_see_the_same_map(entries: dict[str, SceneEntry], name: str) -> None:
    map_ = page_map(entries[name], name)
    rows, columns = np.meshgrid(np.arange(20, map_.height - 20, 7), np.arange(20, map_.width - 20, 7), indexing="ij")
    u, v, *_ = map_.forward(columns.ravel() + 0.5, rows.ravel() + 0.5)
    for plane, at in ((entries[name].u, u), (entries[name].v, v)):
        pixel = map_.enlarge(plane)[rows.ravel(), columns.ravel()].astype(float)
        # Only the rounding of the enlarged codes is between them: 1.5 codes are 0.04 pixel of a 1240-pixel page.
        assert np.abs((pixel - UV_ZERO) / UV_SPAN - at).max() * UV_SPAN < 1.5


def test_the_whole_sheet_is_in_a_photograph(entries: dict[str, SceneEntry]) -> None:
    for name in ("soft_curl", "one_crease", "roll"):
        map_ = page_map(entries[name], name)
        x, y = map_.picture(np.array([0.0, 1.0, 1.0, 0.0, 0.5]), np.array([0.0, 0.0, 1.0, 1.0, 0.0]))
        assert x.min() > 0
        assert y.min() > 0
        assert x.max() < map_.width
        assert y.max() < map_.height


def test_the_page_keeps_its_size(entries: dict[str, SceneEntry]) -> None:
    for name in NAMES:
        map_ = page_map(entries[name], name)
        x, _ = map_.picture(np.array([0.0, 1.0]), np.array([0.5, 0.5]))
        assert x[1] - x[0] == pytest.approx(map_.page_width, rel=0.06)


def test_points_far_beyond_the_picture_are_said_to_be_there() -> None:
    """The last cells of a map are too unsteady to run on from: a code more or less is many pixels far from them."""
    sheet = flat(80, 252)
    rough_u, rough_v = np.random.default_rng(3).integers(-9, 10, (2, *sheet.u.shape))
    u_codes = (sheet.u.astype(int) - UV_ZERO) * 0.8 + UV_ZERO + 0.1 * UV_SPAN  # a tenth is cut on either side
    codes = [np.clip(plane, 0, 65535).astype(np.uint16) for plane in (u_codes + rough_u, sheet.v + rough_v)]
    map_ = PageMap.of(replace(sheet, u=codes[0], v=codes[1]), 472, 1488)
    v = np.linspace(0, 1, 4000)
    for u, side in ((0.0, -1), (1.0, 1)):
        x, y = map_.picture(np.full_like(v, u), v)
        assert np.abs(x - map_.width / 2 - side * 0.625 * map_.width).max() < 2
        assert np.abs(y - v * map_.height).max() < 2


@pytest.mark.parametrize(("width", "height"), [(1, 1), (17_000, 300), (12_000, 12_000)])
def test_impossible_sizes_are_rejected(entries: dict[str, SceneEntry], width: int, height: int) -> None:
    with pytest.raises(SampleError, match="picture_size"):
        PageMap.of(entries["flat_scan"], width, height)
