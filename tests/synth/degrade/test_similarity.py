from __future__ import annotations

import numpy as np
import pytest

from synth.degrade.bank import SceneEntry
from synth.degrade.mapping import PageMap
from synth.degrade.similarity import inside, least, ssim, windows_of
from tests.synth.degrade.pages import patches


def test_noise_that_is_known_is_no_difference() -> None:
    page = patches(150, 212)
    draws = np.random.Generator(np.random.PCG64(0))
    one, two = (page + draws.normal(0, 4, (*page.shape[:2], 1)) for _ in range(2))
    noise = ((one - two) / 2)[..., 0] ** 2
    assert ssim(page, page).min() == pytest.approx(1)
    assert ssim(page, (one + two) / 2).mean() < 0.975
    assert ssim(page, (one + two) / 2, noise).mean() == pytest.approx(1, abs=0.004)


def test_a_real_difference_stays_one() -> None:
    page = patches(150, 212)
    moved = np.roll(page, 1, 1)
    assert ssim(page, moved, np.zeros(page.shape[:2])).mean() == ssim(page, moved).mean() < 0.95


def test_windows_lie_on_the_page_and_apart(entries: dict[str, SceneEntry]) -> None:
    for name, entry in entries.items():
        map_ = PageMap.of(entry, 300, 424)
        seen, taken = inside(map_), np.zeros((map_.height, map_.width), int)
        windows = windows_of(map_, 3, 40)
        assert windows == windows_of(map_, 3, 40)
        for left, top, width, height in windows:
            taken[top : top + height, left : left + width] += 1
        assert (len(windows), taken.sum(), taken.max()) == (4, 4 * 40 * 40, 1), name
        assert seen[taken > 0].all()


def test_a_window_lies_over_the_fold(entries: dict[str, SceneEntry]) -> None:
    """The second window has the steepest light of all four."""
    map_ = PageMap.of(entries["one_crease"], 300, 424)
    light = np.log(map_.enlarge(map_.entry.shade).astype(float) + 1)
    steep = np.hypot(*np.gradient(light))
    found = [steep[top : top + h, left : left + w].sum() for left, top, w, h in windows_of(map_, 3, 40)]
    assert max(found) == found[1] > 2 * min(found)


def test_shallow_focus_has_a_limit_of_its_own() -> None:
    assert least("shallow_focus") < least("soft_curl")
