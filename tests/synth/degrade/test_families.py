from __future__ import annotations

import importlib
import random

import numpy as np
import pytest

from schemas.recipe import DEFAULT_SCENES, SCENE_FAMILIES
from synth.degrade.families import FAMILIES
from synth.degrade.surfaces import KINDS, desk_albedo

SIZES = ((210.0, 297.0), (80.0, 252.0), (80.0, 140.0))


def test_recipes_know_every_family_and_each_has_its_file() -> None:
    assert tuple(FAMILIES) == SCENE_FAMILIES
    assert set(DEFAULT_SCENES) < set(FAMILIES)
    for name, family in FAMILIES.items():
        assert importlib.import_module(f"synth.degrade.families.{name}").FAMILY is family


@pytest.mark.parametrize("name", list(FAMILIES))
def test_paper_is_bent_but_hardly_stretched(name: str) -> None:
    family = FAMILIES[name]
    for width, height in SIZES:
        for seed in range(2):
            params = family.draw(random.Random(seed), width, height)
            assert params == family.draw(random.Random(seed), width, height)
            u, v = np.meshgrid(np.linspace(-0.25, 1.25, 151), np.linspace(-0.25, 1.25, 151))
            for shape in (family.shape, family.folded or family.shape):
                points = np.stack(shape(params, width, height, u, v), -1)
                assert np.isfinite(points).all()
                for axis, length in ((1, width), (0, height)):
                    steps = np.linalg.norm(np.diff(points, axis=axis), axis=-1) / (length * 1.5 / 150)
                    assert abs(np.median(steps) - 1) < (0.03 if name == "crumple" else 0.01)
                    assert (np.abs(steps - 1) > 0.08).mean() < (
                        0.08 if name == "crumple" else 0.03
                    )  # folds, where a chord is not the arc


@pytest.mark.parametrize("name", list(FAMILIES))
def test_what_stands_in_a_scene_is_grids_of_points(name: str) -> None:
    family = FAMILIES[name]
    for seed in range(3):
        params = family.draw(random.Random(seed), 210.0, 297.0)
        for prop in family.props(params, 210.0, 297.0):
            assert prop.points.ndim == 3
            assert prop.points.shape[2] == 3
            assert np.isfinite(prop.points).all()
            assert prop.seen in ("beside", "over", "shadow")


@pytest.mark.parametrize("seed", range(12))
def test_a_book_hides_nothing_of_its_page(seed: int) -> None:
    """The facing page begins where the page ends, and below it; the leaves lie below it everywhere."""
    family = FAMILIES["book_curl"]
    params = family.draw(random.Random(seed), 210.0, 297.0)
    u, v = np.meshgrid(np.linspace(0, 1, 400), np.linspace(0, 1, 200))
    x, y, z = family.shape(params, 210.0, 297.0, u, v)
    facing, *leaves = (prop.points for prop in family.props(params, 210.0, 297.0))
    side = params["spine"]
    assert (side * facing[..., 0]).min() == pytest.approx((side * x).max(), abs=0.01)
    assert facing[..., 2].min() < z.min()
    for leaf in leaves:
        for row in leaf:
            nearest = np.abs(y[:, 0] - row[0, 1]).argmin()
            over = np.interp(row[:, 0], x[nearest], z[nearest], left=np.inf, right=np.inf)
            assert (over > row[:, 2]).all()


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_a_desk_is_no_flat_colour_and_keeps_its_mean(kind: int) -> None:
    x, y = np.meshgrid(np.arange(0, 200, 0.5), np.arange(0, 200, 0.5))
    colour = {"desk_kind": float(kind), "desk_r": 0.3, "desk_g": 0.25, "desk_b": 0.2}
    albedo = desk_albedo(colour, 7, x, y)
    assert albedo.shape == (400, 400, 3)
    assert albedo[..., 2].std() > 0.002
    assert albedo.mean((0, 1)) == pytest.approx([0.2, 0.25, 0.3], rel=0.15)
