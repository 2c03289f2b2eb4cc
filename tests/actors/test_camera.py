from __future__ import annotations

from itertools import pairwise

import pytest

from actors.baker import Baker
from actors.camera import Camera
from schemas.errors import EnvironmentMismatch
from synth.degrade.bank import digest
from synth.degrade.scenes import plan_scenes, scene_for
from tests.synth.degrade.pages import content, printed, spec

RECIPE = content(types=["form"], degradation={"scenes": {"flat_scan": 1}, "per_split": 2})


@pytest.fixture(scope="module")
def bank() -> dict[str, bytes]:
    """Entries of the recipe's scenes, by scene id, baked as the engine does it."""
    baker = Baker()
    assert baker.ready() == baker.versions()
    data = {scene.id: baker.bake(scene) for scene in plan_scenes(RECIPE)}
    assert baker.rss_mb() > 50
    return data


def test_photographs_with_fetched_scenes_and_keeps_them(bank: dict[str, bytes]) -> None:
    by_digest = {digest(data): data for data in bank.values()}
    fetched: list[str] = []

    def fetch(key: str) -> bytes:
        fetched.append(key)
        return by_digest[key]

    camera = Camera(RECIPE, {scene: digest(data) for scene, data in bank.items()}, fetch)
    assert "pymupdf" in camera.ready()
    for number in range(6):
        shot = camera.photograph(printed(105, 148), spec(number))
        assert shot.pictures[0].scene == scene_for(spec(number), 1.41, RECIPE)
        assert shot.document.pages[0].width == shot.pictures[0].width
    assert sorted(fetched) == sorted(by_digest)
    assert camera.rss_mb() > 50


def test_a_small_cache_forgets_the_oldest(bank: dict[str, bytes]) -> None:
    by_digest = {digest(data): data for data in bank.values()}
    fetched: list[str] = []

    def fetch(key: str) -> bytes:
        fetched.append(key)
        return by_digest[key]

    camera = Camera(RECIPE, {scene: digest(data) for scene, data in bank.items()}, fetch, cache_bytes=1)
    scenes = [camera.photograph(printed(50, 70), spec(number)).pictures[0].scene for number in range(4)]
    changes = 1 + sum(a != b for a, b in pairwise(scenes))
    assert len(fetched) == changes


def test_a_scene_with_other_bytes_is_refused(bank: dict[str, bytes]) -> None:
    pins = {scene: digest(data) for scene, data in bank.items()}
    camera = Camera(RECIPE, pins, lambda key: b"PLSC1\n something else")
    with pytest.raises(
        EnvironmentMismatch, match=r"the lock pins .* bake a new bank: `pageloom run RECIPE --out ANOTHER`"
    ):
        camera.photograph(printed(50, 70), spec())


def test_a_scene_under_anothers_name_is_refused(bank: dict[str, bytes]) -> None:
    (one, two), by_digest = sorted(bank), {digest(data): data for data in bank.values()}
    swapped = {one: digest(bank[two]), two: digest(bank[one])}
    with pytest.raises(EnvironmentMismatch, match="the entry is of scene"):
        Camera(RECIPE, swapped, by_digest.__getitem__).photograph(printed(50, 70), spec())


def test_a_scene_that_is_not_pinned_is_refused() -> None:
    with pytest.raises(EnvironmentMismatch, match="pins no such scene"):
        Camera(RECIPE, {}, lambda key: b"").photograph(printed(50, 70), spec())
