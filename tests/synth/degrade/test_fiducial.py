"""Labels against what Cycles sees of a page of unique colours, for every scene family; the map is not asked.

The picture is rendered anew from the textured sheet with its own mesh, without the map, light or the composing code.
"""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from synth.degrade.bake import bake
from synth.degrade.bank import SceneEntry, load
from synth.degrade.families import FAMILIES
from synth.degrade.faults.contract import Bend, Setting
from synth.degrade.faults.registry import FAULTS
from synth.degrade.labels import map_document
from synth.degrade.lens import lens_of
from synth.degrade.mapping import PageMap
from synth.degrade.outlines import Shot
from synth.degrade.scenes import SceneSpec, scene_spec
from synth.degrade.warp import bent
from tests.synth.degrade.fiducial import Errors, compare, fiducial, seen_by_cycles

MEDIAN, NEARLY_ALL, VISIBLE = 0.5, 1.5, 0.02  # pixels at 150 dpi, and share of a word
ROLL = 3.15
AMOUNT = 0.45  # of a warp
BENDS = [fault for fault in FAULTS.values() if isinstance(fault, Bend)]


def errors(
    scene: SceneSpec, entry: SceneEntry, dpi: int, fine: int, columns: int, row_mm: float, bend: Bend | None = None
) -> Errors:
    page = fiducial(scene.width_mm, scene.height_mm, dpi, columns, row_mm)
    rows, across = page.texture.shape[:2]
    size = (scene.width_mm, scene.height_mm)

    def setting() -> Setting:
        return Setting(random.Random(5), dpi)

    def warp(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert bend is not None
        return bend.bend(u, v, AMOUNT, setting(), size)

    map_ = PageMap.of(bent(entry, [(bend, AMOUNT, setting())], size) if bend else entry, across, rows)
    shot = Shot(map_.picture, map_.width, map_.height, lens_of(map_).hidden, map_.forward)
    document = map_document(page.printed.document, [shot])
    seen = seen_by_cycles(scene, page.texture, (map_.width, map_.height), fine, warp if bend else None)
    return compare(document.words, page.boxes, seen, fine)


def check(name: str, found: Errors) -> None:
    print(f"\n{name}: {found}")
    assert found.off(50) <= MEDIAN
    assert found.off(99.9) <= NEARLY_ALL
    assert found.unseen <= VISIBLE


def cropped(scene: SceneSpec) -> SceneSpec:
    """The camera nearer than the sheet is large: the picture cuts words on all sides, and leaves a part of each."""
    return replace(scene, id=f"{scene.id}-cropped", params=scene.params | {"margin_x": -6.5, "margin_y": -1.5})


@pytest.mark.parametrize("name", ["soft_curl", "one_crease"])
def test_quads_lie_around_the_colours_cycles_sees(
    scenes: dict[str, SceneSpec], entries: dict[str, SceneEntry], name: str
) -> None:
    """Small: 75 dpi, so that a pixel is two of the full test's, and words as large in pixels."""
    check(name, errors(scenes[name], entries[name], 75, 2, 7, 9.0))


def test_words_that_the_picture_cuts(scenes: dict[str, SceneSpec]) -> None:
    scene = cropped(scenes["soft_curl"])
    found = errors(scene, load(bake(scene)), 75, 2, 7, 9.0)
    check(scene.family, found)
    assert (found.seen < 0.95).sum() > 20


@pytest.mark.parametrize("bend", BENDS, ids=lambda bend: bend.name)
def test_quads_through_every_warp(scenes: dict[str, SceneSpec], entries: dict[str, SceneEntry], bend: Bend) -> None:
    check(bend.name, errors(scenes["soft_curl"], entries["soft_curl"], 50, 3, 7, 13.0, bend))


@pytest.mark.slow
@pytest.mark.parametrize("bend", BENDS, ids=lambda bend: bend.name)
@pytest.mark.parametrize("family", ["flat_scan", "soft_curl", "one_crease"])
def test_quads_through_every_warp_at_full_size(family: str, bend: Bend) -> None:
    scene = scene_spec(0, "fiducial", "train", family, 0, 1.414)
    check(f"{family} {bend.name}", errors(scene, load(bake(scene)), 150, 3, 12, 4.5, bend))


@pytest.mark.slow
@pytest.mark.parametrize("aspect", [1.414, ROLL])
@pytest.mark.parametrize("family", list(FAMILIES))
def test_quads_lie_around_the_colours_cycles_sees_at_full_size(family: str, aspect: float) -> None:
    scene = scene_spec(0, "fiducial", "train", family, 0, aspect)
    columns = 12 if aspect < ROLL else 5
    check(f"{family} {aspect}", errors(scene, load(bake(scene)), 150, 3, columns, 4.5))
    scene = cropped(scene)
    check(f"{family} {aspect} cropped", errors(scene, load(bake(scene)), 150, 3, columns, 4.5))
