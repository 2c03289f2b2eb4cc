from __future__ import annotations

from schemas.geometry import Box
from synth.render.columns import floats


def test_rows_become_an_array_of_their_width() -> None:
    boxes = [Box(0.0, 1.0, 2.0, 3.5), Box(4.0, 5.0, 6.0, 7.0)]
    assert floats(iter(boxes), 4).tolist() == [list(box) for box in boxes]
    assert floats((), 2).shape == (0, 2)
