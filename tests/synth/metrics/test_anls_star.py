"""The fast ANLS* against its authors' package, on values made to have ties, gaps and surplus."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from anls_star import anls_score

from synth.metrics.anls_star import anls_star

WORDS = ["", "a", "ab", "Ab ", "abc", "xyz", "12", "5.00", "total", "Total due", "你好", 1, 1.5, True, None]


def value(rng: random.Random, depth: int, gold: bool) -> Any:
    kind = rng.random()
    if depth == 0 or kind < 0.35:
        return rng.choice(WORDS)
    if kind < 0.6:
        return {key: value(rng, depth - 1, gold) for key in rng.sample("abcd", rng.randint(0, 3))}
    if kind < 0.95 or not gold:
        return [value(rng, depth - 1, gold) for _ in range(rng.randint(0, 4))]
    return tuple(value(rng, depth - 1, gold) for _ in range(rng.randint(1, 3)))


def spoilt(rng: random.Random, whole: Any) -> Any:
    """The value with a few leaves changed, keys lost and lists shuffled; of a tuple one of its values."""
    if isinstance(whole, dict):
        return {key: spoilt(rng, child) for key, child in whole.items() if rng.random() < 0.9}
    if isinstance(whole, tuple):
        return spoilt(rng, rng.choice(whole))
    if isinstance(whole, list):
        kept = [spoilt(rng, child) for child in whole if rng.random() < 0.9]
        return rng.sample(kept, len(kept))
    return whole if rng.random() < 0.7 else rng.choice(WORDS)


def outcome(score: Callable[..., Any], gold: Any, pred: Any) -> float:
    """The score, or -1 where the values are refused (a text against an empty list)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return float(score(gold, pred))
        except ValueError:
            return -1.0


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_package_in_all_but_time(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(150):
        gold = value(rng, 3, gold=True)
        for pred in (spoilt(rng, gold), value(rng, 3, gold=False)):
            assert outcome(anls_star, gold, pred) == pytest.approx(outcome(anls_score, gold, pred)), (gold, pred)


def test_rows_of_a_table_that_are_alike() -> None:
    rng = random.Random(1)
    for _ in range(40):
        rows = [{key: rng.choice(["1", "2", "22"]) for key in "abc"} for _ in range(rng.randint(1, 6))]
        pred = spoilt(rng, rows)
        wanted: Any = anls_score(rows, pred)
        assert anls_star(rows, pred) == pytest.approx(float(wanted), abs=1e-9), (rows, pred)


def test_lists_of_texts() -> None:
    rng = random.Random(2)
    for _ in range(300):
        gold, pred = ([str(rng.choice(WORDS)) for _ in range(rng.randint(0, 5))] for _ in range(2))
        assert outcome(anls_star, gold, pred) == pytest.approx(outcome(anls_score, gold, pred)), (gold, pred)


def test_what_is_no_json_is_refused() -> None:
    for gold, pred in (({"a": {1}}, {}), ({}, {"a": ("x",)}), ((), "a"), (b"x", "x")):
        with pytest.raises(ValueError):
            anls_star(gold, pred)


def test_long_lists_take_seconds_at_most() -> None:
    rows = [{"a": str(n % 7), "b": [str(n % 3)] * (n % 4)} for n in range(120)]
    assert anls_star(rows, rows[::-1]) == pytest.approx(1.0)
