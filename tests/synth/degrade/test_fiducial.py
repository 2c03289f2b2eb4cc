"""Labels against what Cycles sees of a page of unique colours, for every scene family; the map is not asked.

The picture is rendered anew from the textured sheet with its own mesh, without the map, light or the composing code.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from synth.degrade.bake import bake
from synth.degrade.bank import SceneEntry, load
from synth.degrade.families import FAMILIES
from synth.degrade.labels import map_document
from synth.degrade.lens import lens_of
from synth.degrade.mapping import PageMap
from synth.degrade.outlines import Shot
from synth.degrade.scenes import SceneSpec, scene_spec
from tests.synth.degrade.fiducial import Errors, compare, fiducial, seen_by_cycles

MEDIAN, NEARLY_ALL, VISIBLE = 0.5, 1.5, 0.02  # pixels at 150 dpi, and share of a word
ROLL = 3.15


def errors(scene: SceneSpec, entry: SceneEntry, dpi: int, fine: int, columns: int, row_mm: float) -> Errors:
    page = fiducial(scene.width_mm, scene.height_mm, dpi, columns, row_mm)
    rows, across = page.texture.shape[:2]
    map_ = PageMap.of(entry, across, rows)
    document = map_document(page.printed.document, [Shot(map_.picture, map_.width, map_.height, lens_of(map_).hidden)])
    seen = seen_by_cycles(scene, page.texture, (map_.width, map_.height), fine)
    return compare(document.words, page.boxes, seen, fine)


def check(name: str, found: Errors) -> None:
    print(f"\n{name}: {found}")
    assert found.off(50) <= MEDIAN
    assert found.off(99.9) <= NEARLY_ALL
    assert found.unseen <= VISIBLE


def cropped(scene: SceneSpec) -> SceneSpec:
    """The camera nearer than the sheet is large: the picture's edges cut words on all four sides."""
    return replace(scene, id=f"{scene.id}-cropped", params=scene.params | {"margin_x": -9.0, "margin_y": -1.5})


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


@pytest.mark.slow
@pytest.mark.parametrize("aspect", [1.414, ROLL])
@pytest.mark.parametrize("family", list(FAMILIES))
def test_quads_lie_around_the_colours_cycles_sees_at_full_size(family: str, aspect: float) -> None:
    scene = scene_spec(0, "fiducial", "train", family, 0, aspect)
    columns = 12 if aspect < ROLL else 5
    check(f"{family} {aspect}", errors(scene, load(bake(scene)), 150, 3, columns, 4.5))
    scene = cropped(scene)
    check(f"{family} {aspect} cropped", errors(scene, load(bake(scene)), 150, 3, columns, 4.5))
