from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.aim import NEAR, TRIES, Aim


def search(target: float, rate: Callable[[float], float]) -> tuple[Aim, float]:
    """Tries until the end, and the rate of the nearest."""
    aim, kept = Aim(target), -1.0
    while (turn := aim.next()) is not None:
        assert 0 <= turn < 2
        if aim.tell(turn, rate(turn)):
            kept = rate(turn)
    return aim, kept


@pytest.mark.parametrize(
    "rate",
    [
        lambda turn: 0.05 * turn,  # the calibration was right
        lambda turn: min(1.0, 0.9 * turn**4),  # it was far too severe
        lambda turn: 0.001 + 0.2 * max(0.0, turn - 1) ** 3,  # far too mild
        lambda turn: 1 / (1 + 2.718 ** (-40 * (turn - 1.2))),  # a cliff
    ],
)
def test_a_rate_that_rises_is_met(rate: Callable[[float], float]) -> None:
    aim, found = search(0.05, rate)
    assert abs(found - 0.05) <= NEAR * 0.05
    assert len(aim.tries) <= TRIES


def test_a_jump_over_the_target_ends_at_its_nearer_side() -> None:
    aim, found = search(0.05, lambda turn: 0.02 if turn < 0.7 else 0.12)
    assert len(aim.tries) == TRIES
    assert found == 0.02
    assert {turn < 0.7 for turn, _ in aim.tries} == {True, False}


def test_what_never_reaches_the_target_is_turned_up_to_the_end() -> None:
    aim, found = search(0.05, lambda turn: 0.01 * turn)
    turns = [turn for turn, _ in aim.tries]
    assert turns == sorted(turns)
    assert turns[-1] > 1.9
    assert found == max(rate for _, rate in aim.tries)


def test_a_document_that_is_worse_by_itself_goes_without_faults() -> None:
    aim, found = search(0.05, lambda turn: 0.07 + 0.1 * turn)
    assert [turn for turn, _ in aim.tries] == [1, 0]
    assert found == 0.07
