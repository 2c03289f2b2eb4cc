"""What is seen where a bent sheet no longer lies."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import cast

import cv2
import numpy as np
import pytest

from synth.degrade.bank import UV_ONE, UV_ZERO, SceneEntry
from synth.degrade.faults.contract import Bend, Setting
from synth.degrade.faults.registry import FAULTS
from synth.degrade.warp import bent, flat

SIZE = (210.0, 297.0)


def leaning(entry: SceneEntry, name: str = "perspective", amount: float = 0.5) -> SceneEntry:
    return bent(entry, [(cast(Bend, FAULTS[name]), amount, Setting(random.Random(4), 150))], SIZE)


def on_sheet(entry: SceneEntry) -> np.ndarray:
    """Which cells of the desk lie under the sheet, as many rows and columns as the desk has."""
    inside = (np.minimum(entry.u, entry.v) > UV_ZERO) & (np.maximum(entry.u, entry.v) < UV_ONE)
    size = entry.desk.shape[1::-1]
    return cv2.resize(inside.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) > 0


def stained() -> SceneEntry:
    """A sheet with a margin of an eighth on a striped desk, with the dark line and the soft shadow of its outline."""
    rows, columns = 340, 240
    codes = [
        np.rint((np.arange(n) / (n - 1) - 0.125) / 0.75 * (UV_ONE - UV_ZERO) + UV_ZERO).clip(0, 65535).astype(np.uint16)
        for n in (columns, rows)
    ]
    entry = replace(
        flat(*SIZE),
        u=np.broadcast_to(codes[0][None], (rows, columns)).copy(),
        v=np.broadcast_to(codes[1][:, None], (rows, columns)).copy(),
        shade=np.full((rows, columns), 65535, np.uint16),
        desk=np.zeros((2 * rows, 2 * columns, 3), np.uint8),
    )
    under = on_sheet(entry)
    stripes = np.where(np.arange(2 * columns) % 4 < 2, 110, 130)[None, :, None].repeat(2 * rows, 0).repeat(3, 2)
    edge = cv2.morphologyEx(under.astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    shadow = 1 - 0.5 * cv2.GaussianBlur(edge.astype(float), (0, 0), 4)[..., None] * 4
    shadow = np.where(cv2.dilate(edge, np.ones((2, 2), np.uint8))[..., None] > 0, 0.1, shadow.clip(0.3, 1))
    return replace(entry, desk=np.rint(stripes * shadow).astype(np.uint8))


def test_the_shadow_of_the_old_place_is_gone_and_the_pattern_stays() -> None:
    before = stained()
    after = leaning(before)
    was, now = on_sheet(before), on_sheet(after)
    bare = was & ~cv2.dilate(now.astype(np.uint8), np.ones((45, 45), np.uint8)).astype(bool)
    assert bare.mean() > 0.02
    assert before.desk[bare].min() < 20
    seen = after.desk[bare][:, 0].astype(int)
    assert seen.min() > 85
    assert seen.max() < 160
    assert abs(float(seen.mean()) - 120) < 6
    middle = after.desk[:, :, 0][bare & ~cv2.dilate((~was).astype(np.uint8), np.ones((31, 31), np.uint8)).astype(bool)]
    assert set(np.unique(middle)) >= {110, 130}


def test_the_sheet_has_a_shadow_where_it_lies_now() -> None:
    entry = stained()
    after = leaning(replace(entry, desk=np.full_like(entry.desk, 120)))
    now = on_sheet(after).astype(np.uint8)
    near = (cv2.dilate(now, np.ones((5, 5), np.uint8)) - now).astype(bool)
    far = cv2.dilate(now, np.ones((61, 61), np.uint8)) == 0
    assert after.desk[near].mean() < 110
    assert np.abs(after.desk[far].astype(int) - 120).max() <= 2


def test_waves_lay_nothing_bare() -> None:
    entry = stained()
    assert leaning(entry, "elastic", 0.4).desk is entry.desk


@pytest.mark.parametrize("name", ["flat_scan", "soft_curl"])
def test_the_desk_under_a_sheet_is_lit_as_around_it(entries: dict[str, SceneEntry], name: str) -> None:
    """It is baked in the sheet's own shadow, and would be black."""
    entry = entries[name]
    under = on_sheet(entry).astype(np.uint8)
    inner = cv2.erode(under, np.ones((41, 41), np.uint8), borderValue=(0,)) > 0
    outer = cv2.dilate(under, np.ones((5, 5), np.uint8)) == 0
    levels = [float(np.median(entry.desk[part])) for part in (inner, outer)]
    assert 0.75 < levels[0] / levels[1] < 1.35, levels
