"""Bends and scenes as one map: labels found by what is dark in the picture, not by asking the map."""

from __future__ import annotations

import random
from typing import cast

import cv2
import numpy as np
import pytest

from schemas.geometry import Box
from synth.degrade.bank import SceneEntry
from synth.degrade.camera import photograph
from synth.degrade.faults.contract import Bend, Setting
from synth.degrade.faults.registry import FAULTS
from synth.degrade.mapping import PageMap
from synth.degrade.warp import bent, flat
from tests.synth.degrade.pages import POINTS, content, printed, spec
from tests.synth.degrade.test_camera import patch_extent, pixels

BENDS = ("elastic", "perspective")


def bend(name: str) -> Bend:
    return cast(Bend, FAULTS[name])


def test_a_flat_map_is_the_page_itself() -> None:
    map_ = PageMap.of(flat(210, 297), 1240, 1754)
    assert (map_.width, map_.height) == (1240, 1754)
    u, v = np.array([0.0, 0.31, 1.0]), np.array([0.0, 0.77, 1.0])
    x, y = map_.picture(u, v)
    assert np.abs(x - u * 1240).max() < 0.03
    assert np.abs(y - v * 1754).max() < 0.03


@pytest.mark.parametrize("name", BENDS)
@pytest.mark.parametrize("seed", range(4))
def test_bends_stay_one_to_one_at_the_most(name: str, seed: int) -> None:
    """No fold: every small step to the right stays one to the right-hand side of every small step down."""
    setting = Setting(random.Random(seed), 150)
    entry = bent(flat(105, 148), [(bend(name), 1.0, setting)], (105, 148))
    u, v = entry.u.astype(float), entry.v.astype(float)
    inside = ((u > 9000) & (u < 56000) & (v > 9000) & (v < 56000))[:-1, :-1]
    ux, uy, vx, vy = (np.diff(p, axis=a)[: u.shape[0] - 1, : u.shape[1] - 1] for p in (u, v) for a in (1, 0))
    assert (ux * vy - uy * vx)[inside].min() > 0


@pytest.mark.parametrize("scene", ["none", "soft_curl"])
@pytest.mark.parametrize("name", BENDS)
def test_patches_lie_where_their_labels_say(entries: dict[str, SceneEntry], name: str, scene: str) -> None:
    """Small patches, so that a straight quad fits a bent one."""
    side, step = 9.0, 40.0
    boxes = [Box(x, y, x + side, y + side) for y in range(40, 780, int(step)) for x in range(40, 540, int(step))]
    given = content(
        degradation={"scenes": [scene], "per_split": 1, "faults": [name], "severity": 3}, picture={"format": "png"}
    )
    page = printed(210, 297, columns=13, boxes=boxes)
    assert page.document.pages[0].width == pytest.approx(210 * POINTS)
    pictures, document = photograph(page, spec(), given, lambda _: entries["soft_curl"])
    grey = cv2.cvtColor(pixels(pictures[0]), cv2.COLOR_BGR2GRAY)
    off = [np.linalg.norm(patch_extent(grey, w)[1] - np.array(w.quad).mean(0)) for w in document.words]
    print(f"\n{name} over {scene}: centres median {np.median(off):.2f} max {np.max(off):.2f} px")
    assert np.median(off) <= 0.25
    assert np.max(off) <= 0.8
    flat_at = np.array([[(w.quad.tl.x + w.quad.br.x) / 2, (w.quad.tl.y + w.quad.br.y) / 2] for w in document.words])
    straight = np.array([[(b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2] for b in boxes]) * 150 / 72
    assert np.abs(flat_at - straight).max() > 3  # something was bent


@pytest.mark.parametrize("scene", ["none", "one_crease"])
def test_waves_are_seen_by_their_shadows_and_a_leaning_camera_is_not(
    entries: dict[str, SceneEntry], scene: str
) -> None:
    """Also where light has finer cells than the map, as on a crease."""
    entry = flat(210, 297) if scene == "none" else entries[scene]
    given = [(bend(name), 0.5, Setting(random.Random(3), 150)) for name in BENDS]
    waves, lean = (bent(entry, [one], (210, 297)).shade.astype(float) / np.maximum(entry.shade, 1) for one in given)
    assert (lean == 1).all()
    assert waves.shape == entry.shade.shape
    assert 0.01 < waves.std() < 0.1
    assert 0.5 < waves.min() < 0.9 < waves.max() <= 1
    assert np.abs(np.diff(waves, axis=1)).max() < 0.2  # soft, even in the coarse cells of the tests


def test_shadows_lie_where_the_waves_are() -> None:
    """One bump: dark on the side away from the lamp, light on the other, nothing far from it."""
    size, shape = (70.0, 70.0), flat(70, 70).u.shape

    def bump(u: np.ndarray, v: np.ndarray, amount: float, *_: object) -> tuple[np.ndarray, np.ndarray]:
        rise = amount * np.exp(-((u - 0.5) ** 2 + (v - 0.5) ** 2) / 0.005)
        return u + rise, v + rise

    fault = Bend("bump", FAULTS["elastic"].stage, "one wave", bump, 1.0)
    light = bent(flat(*size), [(fault, 0.02, Setting(random.Random(0), 150))], size).shade.astype(float)
    middle = shape[0] // 2
    level = light[3, 3]
    near = light[middle - 20 : middle + 20, middle - 20 : middle + 20]
    darkest = np.array(np.unravel_index(near.argmin(), near.shape)) - 20
    assert np.linalg.norm(darkest) > 2
    assert near.min() < level * 0.97
    assert light[middle - darkest[0], middle - darkest[1]] >= level  # the other side
    assert np.ptp(light[1:6, 1:6]) < level * 0.002
