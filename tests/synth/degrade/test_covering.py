from __future__ import annotations

import numpy as np
import pytest

from schemas.geometry import Box, quad_of
from synth.degrade.covering import with_things
from synth.degrade.faults.contract import Thing
from tests.synth.degrade.pages import printed


def thing(box: Box, cover: int = 255) -> Thing:
    size = (round(box.y1 - box.y0), round(box.x1 - box.x0))
    return Thing("sticky_note", quad_of(box), round(box.x0), round(box.y0), np.full(size, cover, np.uint8))


def test_what_is_hidden_is_counted_and_the_thing_is_a_block() -> None:
    page = printed(200 / 72 * 25.4, 200 / 72 * 25.4, columns=2, boxes=[Box(10, 10, 30, 20), Box(50, 10, 70, 20)])
    # The raster has two pixels a point: the note hides the right half of the first word, and more to its right.
    document = with_things(page.document, 0, [thing(Box(40, 10, 90, 60))], (400, 400))
    assert document.words[0].visible == pytest.approx(0.5, abs=0.02)
    assert document.words[1].visible == 1
    assert 0 < document.lines[0].visible < 1
    assert 0 < document.fields[0].visible < 1
    added = document.blocks[-1]
    assert (added.role, added.id, added.lines) == ("sticky_note", 1, ())
    assert added.box == pytest.approx((20, 5, 45, 30))
    assert added.logical == 1
    assert document.blocks[0].visible < 1


def test_ink_that_lets_through_counts_in_part_and_two_things_do_not_count_twice() -> None:
    page = printed(200 / 72 * 25.4, 200 / 72 * 25.4, columns=1, boxes=[Box(10, 10, 30, 20)])
    pale = thing(Box(0, 0, 100, 100), 102)
    document = with_things(page.document, 0, [pale, pale], (400, 400))
    assert document.words[0].visible == pytest.approx(0.6, abs=0.01)


def test_nothing_changes_without_things_and_on_other_pages() -> None:
    page = printed(100, 140, pages=2)
    assert with_things(page.document, 0, [], (394, 551)) is page.document
    document = with_things(page.document, 1, [thing(Box(0, 0, 394, 551))], (394, 551))
    assert {w.visible for w in document.words if w.page == 0} == {1.0}
    assert max(w.visible for w in document.words if w.page == 1) < 0.05
