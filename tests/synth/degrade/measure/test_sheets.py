from __future__ import annotations

import numpy as np
import pytest

from synth.degrade.measure.sheets import SIZES, prose, sheet
from synth.degrade.severity import SCRIPTS
from synth.read.legibility import normal


@pytest.mark.parametrize("language", list(SCRIPTS))
def test_every_line_stands_where_it_is_said_to(language: str) -> None:
    made = sheet(language, 0, 2)
    assert [line.size for line in made.lines] == [*SIZES] * 2
    ink = made.image.min(2) < 160
    for line in made.lines:
        x0, y0, x1, y1 = (round(c) for c in line.box)
        assert ink[y0:y1, x0:x1].any()
        ink[y0:y1, x0:x1] = False
        assert y1 - y0 < 2.8 * line.size
        assert len(normal(line.text)) >= 12
    assert not ink.any()


def test_sheets_differ_and_stay_the_same() -> None:
    first, again, other = (sheet("en", number, 1) for number in (0, 0, 1))
    assert (first.image == again.image).all()
    assert first.lines == again.lines
    assert first.lines != other.lines
    assert np.ndim(first.image) == 3


def test_prose_is_whole_text() -> None:
    assert len(prose("bn")) > 200
    assert not any("{" in text for text in prose("zh"))
