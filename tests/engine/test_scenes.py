"""The scene bank as the engine fills it: Blenders that crash and hang, files that are not what they are called."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

import engine.scenes
from engine.kinds import scene_key
from engine.scenes import bake_all, cached_scene
from engine.store import open_store
from schemas.errors import UserError
from schemas.execution import ActorPool, Actors, Execution
from schemas.release import sha256
from synth.degrade.scenes import SceneSpec, scene_spec
from tests.engine.faults import FaultyBaker

SCENES = [scene_spec(0, "test", "train", "flat_scan", variant, 1.414) for variant in range(4)]
QUICK = Execution(actors=Actors(baker=ActorPool(count=1, num_cpus=0.1, deadline_s=4, ready_s=240)))


def bake(folder: Path, scenes: list[SceneSpec] = SCENES) -> list[str]:
    """Digests of the entries, which are then in the store."""
    store = open_store(folder / "out")
    locks = bake_all(scenes, "4", QUICK, store, folder / "cache", lambda *_: None)
    assert [sha256(store.get(scene_key(lock.sha256))) for lock in locks] == [lock.sha256 for lock in locks]
    return [lock.sha256 for lock in locks]


def test_a_blender_that_crashes_or_hangs_costs_its_scene_one_retry(
    local_ray: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faulty = partial(FaultyBaker, str(tmp_path), crash=SCENES[1].id, hang=SCENES[2].id)
    monkeypatch.setattr(engine.scenes.builders, "baker", faulty)
    assert len(bake(tmp_path)) == 4
    tries = [len((tmp_path / scene.id).read_text().split()) for scene in SCENES]
    assert tries == [1, 2, 2, 1]
    assert len(bake(tmp_path)) == 4  # out of the cache
    assert [len((tmp_path / scene.id).read_text().split()) for scene in SCENES] == tries


def test_a_scene_that_no_blender_bakes_is_named(
    local_ray: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faulty = partial(FaultyBaker, str(tmp_path), crash="", hang="", never=SCENES[1].id)
    monkeypatch.setattr(engine.scenes.builders, "baker", faulty)
    with pytest.raises(UserError, match=f"scene {SCENES[1].id}: Blender did not bake it in 3 tries") as caught:
        bake(tmp_path, SCENES[:2])
    assert "\n" not in str(caught.value)


def test_a_cached_file_that_is_not_its_scenes_is_refused(tmp_path: Path) -> None:
    entry = FaultyBaker(str(tmp_path), crash="", hang="").bake(SCENES[0])
    for data, what in ((entry[:-3], "not a readable scene"), (entry, "not the entry of scene")):
        path = cached_scene(tmp_path / "cache", SCENES[1], "4")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        with pytest.raises(UserError, match=what) as caught:
            bake(tmp_path, [SCENES[1]])
        assert str(path) in str(caught.value)
