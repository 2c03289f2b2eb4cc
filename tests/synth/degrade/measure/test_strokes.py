from __future__ import annotations

import numpy as np
import pytest

from synth.degrade.measure.sheets import sheet
from synth.degrade.measure.shots import take
from synth.degrade.measure.strokes import stroke_loss


@pytest.mark.parametrize("fault", ["gaussian_blur", "broken_ink", "elastic"])
def test_the_loss_rises_with_the_amount(fault: str) -> None:
    made = sheet("ban", 0, 1)
    clean, quads = take(made, fault, 0.0, "x", made.image)
    losses = []
    for amount in (0.0, 0.35, 1.0):
        image, seen = take(made, fault, amount, "x", made.image)
        losses.append(np.mean([stroke_loss(clean, a, image, b) for a, b in zip(quads, seen, strict=True)]))
    assert losses[0] == 0
    assert losses[0] < losses[1] < losses[2] <= 1


def test_an_empty_line_has_lost_all() -> None:
    made = sheet("su", 0, 1)
    clean, quads = take(made, "stamp", 0.0, "x", made.image)
    assert stroke_loss(clean, quads[2], np.full_like(clean, 255), quads[2]) > 0.95
    assert stroke_loss(clean, quads[2], clean, quads[2][[0, 0, 0, 0]]) == 1
