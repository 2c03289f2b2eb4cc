"""Ratios of sums, their intervals and paired tests, against what can be counted by hand or by brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from synth.score.bootstrap import Group, intervals, paired, resampled
from synth.score.metric import Metric, f1_of, mean_of, values

COLUMNS = ("hits", "said", "true")
F1, RECALL = f1_of("f1", "hits", "said", "true"), mean_of("recall", "hits", "true")


def sums(documents: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    said, true = rng.integers(1, 20, (2, documents))
    return np.stack([rng.integers(0, np.minimum(said, true) + 1), said, true], axis=1).astype(float)


def test_values_of_pooled_counts() -> None:
    found = values([F1, RECALL], COLUMNS, np.array([3.0, 4.0, 5.0]))
    assert found == pytest.approx([6 / 9, 3 / 5])


def test_nothing_over_nothing_is_undefined_unless_there_is_an_epsilon() -> None:
    odd = Metric("odd", {"hits": 1.0}, {"true": 1.0}, 1e-6)
    found = values([RECALL, odd], COLUMNS, np.zeros(3))
    assert np.isnan(found[0]) and found[1] == 0.0


def test_draws_are_with_replacement_and_by_seed() -> None:
    drawn = np.concatenate(list(resampled(50, 200, 7)))
    assert drawn.shape == (200, 50) and (drawn.sum(axis=1) == 50).all()
    assert (drawn == 0).mean() == pytest.approx(np.exp(-1), abs=0.03)
    assert (drawn == np.concatenate(list(resampled(50, 200, 7)))).all()
    assert (drawn != np.concatenate(list(resampled(50, 200, 8)))).any()


def test_an_interval_is_as_wide_as_the_spread_of_means() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(0.5, 0.1, 400)
    group = Group(np.arange(400), np.stack([scores, np.ones(400), np.ones(400)], axis=1))
    [[found]] = intervals([group], 400, [RECALL], COLUMNS, 2000)
    assert found is not None
    assert found[1] - found[0] == pytest.approx(2 * 1.96 * 0.1 / 20, rel=0.12)
    assert found[0] < scores.mean() < found[1]


def test_one_document_has_no_interval_and_equal_ones_have_no_width() -> None:
    one = Group(np.array([3]), sums(1))
    same = Group(np.arange(5), np.tile([2.0, 4.0, 4.0], (5, 1)))
    found = intervals([one, same], 9, [F1], COLUMNS, 300)
    assert found[0] == [None]
    assert found[1][0] == pytest.approx((0.5, 0.5))


def test_p_is_the_share_of_all_exchanges_that_differ_as_much() -> None:
    a, b = sums(8), sums(8, 1)
    differences = []
    for swap in product([False, True], repeat=8):
        chosen = np.array(swap)[:, None]
        one, two = np.where(chosen, b, a).sum(axis=0), np.where(chosen, a, b).sum(axis=0)
        differences.append(values([F1], COLUMNS, two)[0] - values([F1], COLUMNS, one)[0])
    exact = np.mean(np.abs(differences) >= abs(differences[0]) - 1e-12)
    [found] = paired(a, b, [F1], COLUMNS, 20_000)
    assert found is not None
    assert found.p == pytest.approx(exact, abs=0.015)
    assert found.difference == pytest.approx(differences[0])


def test_a_system_against_itself_and_against_a_better_one() -> None:
    a = sums(60)
    [same] = paired(a, a, [F1], COLUMNS, 500)
    assert same is not None and same.p == 1.0 and same.difference == 0.0
    better = a.copy()
    better[:, 0] = np.minimum(better[:, 1:].min(axis=1), better[:, 0] + 2)
    [there], [back] = paired(a, better, [F1], COLUMNS, 500), paired(better, a, [F1], COLUMNS, 500)
    assert there is not None and back is not None
    assert there.p == back.p == pytest.approx(1 / 501)
    assert there.difference == pytest.approx(-back.difference) and there.difference > 0
    assert there.interval is not None and there.interval[0] > 0


def test_what_is_undefined_is_not_compared() -> None:
    assert paired(np.zeros((3, 3)), np.zeros((3, 3)), [RECALL], COLUMNS, 100) == [None]


def test_under_no_difference_p_is_spread_evenly() -> None:
    rng = np.random.default_rng(5)
    ps = []
    for seed in range(120):
        a, b = rng.normal(0, 1, (2, 25))
        one, two = (np.stack([x, np.ones(25), np.ones(25)], axis=1) for x in (a, b))
        [found] = paired(one, two, [RECALL], COLUMNS, 200, seed)
        ps.append(found.p if found else 1.0)
    assert np.mean(np.array(ps) < 0.05) < 0.12
    assert 0.4 < np.mean(ps) < 0.6
