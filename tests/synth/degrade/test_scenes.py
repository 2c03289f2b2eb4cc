from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from synth.degrade.families import FAMILIES
from synth.degrade.scenes import ROLL_BUCKETS, buckets_of, nearest, plan_scenes, scene_for, scene_spec
from tests.synth.degrade.pages import content, spec


def test_every_dealt_scene_is_planned() -> None:
    recipe = content(splits={"train": 40, "test": 10}, degradation={"per_split": 3})
    planned = {scene.id for scene in plan_scenes(recipe)}
    for split in recipe.splits:
        for number in range(60):
            for aspect in (0.4, 1.0, 1.29, 1.414, 2.0, 5.0, 40.0):
                for page in range(3):
                    assert scene_for(spec(number, split, number % 4), aspect, recipe, page) in planned


def test_splits_share_no_scene_and_no_parameters() -> None:
    scenes = plan_scenes(content(splits={"train": 4, "test": 4}, degradation={"per_split": 2}))
    assert len({scene.id for scene in scenes}) == len(scenes)
    drawn = [tuple(sorted(scene.params.items())) for scene in scenes]
    assert len(set(drawn)) == len(drawn)
    assert {scene.split for scene in scenes} == {"train", "test"}


def test_more_variants_move_none_that_were_there() -> None:
    few = plan_scenes(content(degradation={"per_split": 1}))
    many = plan_scenes(content(degradation={"per_split": 4}))
    assert {scene.id for scene in few} < {scene.id for scene in many}


def test_families_are_dealt_by_exact_weights() -> None:
    recipe = content(
        degradation={"scenes": {"flat_scan": 5, "soft_curl": 3, "one_crease": 1, "none": 1}, "per_split": 2}
    )
    counts: Counter[str] = Counter()
    for number in range(200):
        counts[scene_for(spec(number), 1.414, recipe).split("-")[0]] += 1
        for family, weight in recipe.degradation.scenes.items():
            # Two prefixes of a deal are each within one of their share, so a window of it is within two.
            assert abs(counts[family] - (number + 1) * weight / 10) <= 2
    assert counts == {"flat_scan": 100, "soft_curl": 60, "one_crease": 20, "none": 20}


def test_a_new_try_keeps_the_family_and_changes_the_variant() -> None:
    recipe = content(degradation={"per_split": 4})
    for number in range(12):
        tries = [scene_for(spec(number, attempt=attempt), 1.414, recipe) for attempt in range(4)]
        assert len({scene.split("-")[0] for scene in tries}) == 1
        assert len(set(tries)) > 1


def test_cells_start_at_different_places_of_the_deal() -> None:
    recipe = content()
    firsts = {
        scene_for(replace(spec(), type=kind, language=language), 1.414, recipe).split("-")[0]
        for kind in ("receipt", "form", "invoice", "contract")
        for language in ("en", "zh", "bn")
    }
    assert firsts == {"flat_scan", "soft_curl", "one_crease"}


def test_a_family_of_weight_zero_is_neither_planned_nor_dealt() -> None:
    recipe = content(degradation={"scenes": {"flat_scan": 1, "one_crease": 0}})
    assert {scene.family for scene in plan_scenes(recipe)} == {"flat_scan"}
    assert all(scene_for(spec(n), 1.4, recipe).startswith("flat_scan") for n in range(9))


def test_buckets_follow_paper_and_rolls() -> None:
    assert buckets_of(content(types=["form"])) == (1.414,)
    assert buckets_of(content(types=["form"], page_sizes=["A4", "A5", "Letter"])) == (1.2, 1.414)
    assert buckets_of(content(types=["receipt"])) == (1.414, *ROLL_BUCKETS)


@pytest.mark.parametrize(("aspect", "bucket"), [(1.414, 1.414), (0.1, 1.414), (1.6, 1.75), (3.0, 3.15), (99.0, 5.6)])
def test_nearest_bucket(aspect: float, bucket: float) -> None:
    assert nearest(aspect, buckets_of(content())) == bucket


def test_a_seed_changes_every_scene() -> None:
    one, two = (scene_spec(seed, "test", "train", "soft_curl", 0, 1.414) for seed in (0, 1))
    assert one.params != two.params
    assert one == scene_spec(0, "test", "train", "soft_curl", 0, 1.414)


def test_a_revision_changes_the_scenes_of_its_family_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [scene_spec(0, "test", "train", family, 0, 1.414) for family in ("soft_curl", "flat_scan")]
    monkeypatch.setitem(FAMILIES, "soft_curl", replace(FAMILIES["soft_curl"], revision=7))
    scene_spec.cache_clear()
    curl, scan = (scene_spec(0, "test", "train", family, 0, 1.414) for family in ("soft_curl", "flat_scan"))
    scene_spec.cache_clear()
    assert curl.id != before[0].id
    assert curl.code == before[0].code + 7
    assert scan == before[1]


def test_an_unknown_family_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"unknown scene family .hologram.; known: flat_scan, .*none"):
        content(degradation={"scenes": {"flat_scan": 1, "hologram": 1}})
