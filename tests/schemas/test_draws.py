"""Dealing is exact in every prefix, partitions are disjoint and stable."""

from __future__ import annotations

from fractions import Fraction

import pytest

from schemas.draws import MAX_PERIOD, Dealer, deal_item, partition, whole_weights


@pytest.mark.parametrize("weights", [[1], [1, 1, 1], [1, 2, 3.5], [5, 0, 1], [0.1, 0.7, 0.2, 13], [1] * 12])
def test_every_prefix_holds_every_share_to_within_one(weights: list[float]) -> None:
    dealer, total = Dealer(weights), sum(Fraction(str(w)) for w in weights)
    seen = [0] * len(weights)
    for index in range(1000):
        kind = dealer.kind(index)
        assert dealer.number(index) == seen[kind]
        seen[kind] += 1
        assert dealer.counts(index + 1) == seen
        for k, weight in enumerate(weights):
            assert abs(seen[k] - Fraction(str(weight)) * (index + 1) / total) < 1


def test_weights_become_small_integers() -> None:
    assert whole_weights([0.5, 1.5]) == (1, 3)
    assert whole_weights([100, 300]) == (1, 3)


@pytest.mark.parametrize("weights", [[0, 0], [-1, 2], [], [1, MAX_PERIOD + 1]])
def test_impossible_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError):
        whole_weights(weights)


def test_partition_is_disjoint_whole_and_near_the_shares() -> None:
    items = [f"item{i}" for i in range(60)]
    parts = partition(items, {"train": 4, "val": 1, "test": 1}, "salt")
    assert sorted(i for part in parts.values() for i in part) == sorted(items)
    assert {name: len(part) for name, part in parts.items()} == {"train": 40, "val": 10, "test": 10}
    assert parts == partition(list(reversed(items)), {"train": 4, "val": 1, "test": 1}, "salt")


def test_every_split_gets_at_least_one_or_it_is_an_error() -> None:
    assert all(partition(["a", "b", "c"], {"train": 100, "val": 1, "test": 1}, "").values())
    with pytest.raises(ValueError, match="2 items"):
        partition(["a", "b"], {"train": 1, "val": 1, "test": 1}, "")


def test_dealt_items_are_used_equally() -> None:
    items = list("abcdef")
    dealt = [deal_item(items, n, 0) for n in range(60)]
    assert all(dealt.count(i) == 10 for i in items)
    assert dealt != [deal_item(items, n, 1) for n in range(60)]
