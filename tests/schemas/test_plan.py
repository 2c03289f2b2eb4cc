"""Plans are exact, lazy and prefix-stable."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from schemas.errors import UserError
from schemas.plan import Plan
from schemas.recipe import Recipe

BASE: dict[str, Any] = {
    "name": "demo",
    "version": "1.0.0",
    "shard_size": 10,
    "types": {"receipt": 2, "form": 1},
    "languages": ["en", "zh", "bn"],
}


def plan(**splits: int) -> Plan:
    return Plan(Recipe.model_validate({"content": {**BASE, "splits": splits}}).content)


def test_counts_are_what_the_specs_are() -> None:
    p = plan(train=25, test=7)
    assert (len(p), p.samples) == (4, 32)
    for split, size in (("train", 25), ("test", 7)):
        specs = [p.spec(split, i) for i in range(size)]
        for cell, count in p.counts()[split].items():
            assert count == sum(f"{s.type}/{s.language}" == cell for s in specs)
    assert p.short_tails == ["train", "test"]


def test_shards_cover_every_index_once() -> None:
    p = plan(train=25, test=7)
    assert [(s.name, s.start, s.stop) for s in p] == [
        ("train-00000", 0, 10),
        ("train-00001", 10, 20),
        ("train-00002", 20, 25),
        ("test-00000", 0, 7),
    ]


def test_a_longer_recipe_has_the_same_beginning() -> None:
    short, long = plan(train=20, test=10), plan(train=40, test=20)
    for split, size in (("train", 20), ("test", 10)):
        assert [short.spec(split, i) for i in range(size)] == [long.spec(split, i) for i in range(size)]


def test_splits_have_their_own_draws() -> None:
    p = plan(train=20, test=20)
    assert p.spec("train", 3).seed_for("content") != p.spec("test", 3).seed_for("content")
    assert p.spec("train", 3).seed_for("content") != p.spec("train", 3).next_try().seed_for("content")


def test_selection_by_number_range_and_name() -> None:
    p = plan(train=25, test=7)
    assert list(p.select(None)) == [0, 1, 2, 3]
    assert p.select("0-1,3") == [0, 1, 3]
    assert p.select("test-00000") == [3]
    for bad in ("4", "2-9", "3-1", "val-00000", "x", ""):
        with pytest.raises(UserError, match="no shard"):
            p.select(bad)


def test_ten_million_samples_take_no_time_and_no_memory() -> None:
    code = (
        "import time; start = time.process_time()\n"
        "from schemas.recipe import Recipe; from schemas.plan import Plan\n"
        f"base = {BASE!r}; base['splits'] = {{'train': 9_000_000, 'test': 1_000_000}}\n"
        "p = Plan(Recipe.model_validate({'content': base}).content)\n"
        "p.counts(); p.shard(len(p) - 1); p.spec('train', 8_999_999); p.select('5-7')\n"
        # Not ru_maxrss: that of a child begins at its parent's.
        "status = dict(line.split(':', 1) for line in open('/proc/self/status'))\n"
        "assert int(status['VmHWM'].split()[0]) < 200_000, status['VmHWM']\n"
        "assert time.process_time() - start < 2\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_order_of_types_and_languages_decides_nothing() -> None:
    one = plan(train=20)
    turned = {**BASE, "types": {"form": 1, "receipt": 2}, "languages": ["bn", "en", "zh"], "splits": {"train": 20}}
    two = Plan(Recipe.model_validate({"content": turned}).content)
    assert [one.spec("train", i) for i in range(20)] == [two.spec("train", i) for i in range(20)]
