from __future__ import annotations

import random

from schemas.geometry import Box
from synth.truth.cuts import by_columns, by_rows, first_fault

HEAD, LEFT, RIGHT, FOOT = Box(0, 0, 20, 2), Box(0, 3, 9, 9), Box(11, 3, 20, 12), Box(0, 13, 20, 15)


def test_columns_under_a_head() -> None:
    assert first_fault([HEAD, LEFT, RIGHT, FOOT]) is None
    assert by_rows([FOOT, RIGHT, HEAD, LEFT]) == by_columns([FOOT, RIGHT, HEAD, LEFT]) == [2, 3, 1, 0]


def test_every_other_order_has_its_fault() -> None:
    assert first_fault([HEAD, RIGHT, LEFT, FOOT]) is not None
    assert first_fault([LEFT, HEAD, RIGHT, FOOT]) == 1
    assert first_fault([HEAD, LEFT, FOOT, RIGHT]) is not None


def test_rows_and_columns_may_both_be_read() -> None:
    grid = [Box(x, y, x + 8, y + 2) for y in (0, 5) for x in (0, 10)]
    assert first_fault(grid) is None
    assert first_fault([grid[k] for k in (0, 2, 1, 3)]) is None
    assert first_fault([grid[k] for k in (0, 3, 1, 2)]) is not None
    assert by_columns(grid) == [0, 2, 1, 3]
    assert by_rows(grid) == [0, 1, 2, 3]


def test_no_cut_parts_a_pinwheel() -> None:
    pinwheel = [Box(0, 0, 6, 3), Box(7, 0, 10, 6), Box(4, 7, 10, 10), Box(0, 4, 3, 10)]
    assert first_fault(pinwheel) is not None
    assert sorted(by_rows(pinwheel)) == sorted(by_columns(pinwheel)) == [0, 1, 2, 3]


def test_what_cuts_give_can_be_read_by_cuts() -> None:
    """Random pages cut into random parts, in shuffled order: the order found is one that can be read."""

    def cut(box: Box, depth: int) -> list[Box]:
        if not depth or min(box.width, box.height) < 6:
            return [box]
        if rng.random() < 0.5:
            at = rng.uniform(0.3, 0.7) * box.width + box.x0
            return cut(Box(box.x0, box.y0, at - 1, box.y1), depth - 1) + cut(
                Box(at + 1, box.y0, box.x1, box.y1), depth - 1
            )
        at = rng.uniform(0.3, 0.7) * box.height + box.y0
        return cut(Box(box.x0, box.y0, box.x1, at - 1), depth - 1) + cut(Box(box.x0, at + 1, box.x1, box.y1), depth - 1)

    for seed in range(60):
        rng = random.Random(seed)
        boxes = cut(Box(0, 0, 100, 140), 4)
        assert first_fault(boxes) is None
        rng.shuffle(boxes)
        for way in (by_rows, by_columns):
            assert first_fault([boxes[k] for k in way(boxes)]) is None
