from __future__ import annotations

import numpy as np
import pytest

from synth.degrade.direct import photos, printed
from synth.degrade.scenes import scene_spec
from synth.degrade.stage import Window
from tests.synth.degrade.pages import patches


@pytest.mark.parametrize("family", ["soft_curl", "lens_distortion"])
def test_a_window_is_that_part_of_the_whole_picture(family: str) -> None:
    scene, size = scene_spec(0, "test", "train", family, 0, 1.414), (66, 93)
    page, windows = printed(patches(60, 85)), [Window(0, 0, *size), Window(11, 7, 30, 40)]
    whole, part = (taken[0] for taken in photos(scene, page, size, 18, windows))
    assert whole.shape == (93, 66, 4)
    assert np.array_equal(whole[7:47, 11:41], part)


def test_takes_differ_in_noise_only() -> None:
    scene = scene_spec(0, "test", "train", "soft_curl", 0, 1.414)
    one, two = photos(scene, printed(patches(60, 85)), (66, 93), 64, [Window(11, 7, 30, 40)], takes=2)[0]
    assert np.abs(one - two).max() > 0
    assert np.abs((one - two).mean((0, 1))[:3]).max() < 0.02 * one.max()
