from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from synth.degrade.bank import COVER_EDGE, COVER_STEPS, SceneEntry
from synth.degrade.compose import Acquisition, develop, encoded, expose
from synth.degrade.focus import defocus
from synth.degrade.lens import SHADE_ONE, lens_of
from synth.degrade.light import ENCODED, GAMMA, LINEAR, LINEAR_ONE
from synth.degrade.mapping import PageMap
from synth.degrade.warp import flat

CLEAN = Acquisition(ink=(0, 0, 0), paper=(255, 255, 255), blur=0, noise=0, seed=3)


def covered() -> SceneEntry:
    """A flat sheet of 70 x 100 mm in even light; whatever is right of its middle is hidden by something grey."""
    entry = flat(70.0, 100.0)
    rows, columns = entry.u.shape
    away = np.arange(columns) + 0.5 - columns / 2  # cells right of the middle
    code = np.clip(np.round(COVER_EDGE + away * COVER_STEPS), 0, 255).astype(np.uint8)
    desk = np.full((rows, columns, 3), 90, np.uint8)
    return replace(entry, desk=desk, cover=np.broadcast_to(code, (rows, columns)).copy())


def test_no_level_hangs_on_the_last_bit_of_a_power() -> None:
    """The tables are floats rounded: none is so near to a half that another CPU's library could round it otherwise."""
    for exact in (
        [(k / 255) ** GAMMA * LINEAR_ONE for k in range(256)],
        [(k / LINEAR_ONE) ** (1 / GAMMA) * 255 for k in range(LINEAR_ONE + 1)],
    ):
        assert min(abs(x % 1 - 0.5) for x in exact) > 1e-9


def test_every_level_comes_back_from_light_to_within_its_neighbour() -> None:
    assert np.abs(ENCODED[LINEAR].astype(int) - np.arange(256)).max() <= 6  # the darkest share their light
    assert (ENCODED[LINEAR].astype(int) == np.arange(256))[24:].all()


def test_the_pixel_filter_is_the_renderers() -> None:
    light = np.zeros((9, 9, 3), np.uint16)
    light[4, 4] = LINEAR_ONE
    row = encoded(light.copy())[4, :, 0]
    spread = [round((w / 64) ** (1 / GAMMA) * 255) for w in (0, 6, 36, 6, 0)]
    assert np.abs(row[2:7].astype(int) - spread).max() <= 1
    checks = ((np.indices((40, 40)).sum(0) % 2)[..., None] * np.ones(3) * LINEAR_ONE).astype(np.uint16)
    inner = encoded(checks)[2:-2, 2:-2]  # no sum of neighbours runs over
    assert inner.min() > 150
    assert (encoded(np.full((40, 40, 3), LINEAR_ONE, np.uint16)) == 255).all()


@pytest.mark.parametrize("shade", [0, 1, 500, 1023, SHADE_ONE])
def test_light_times_shade_is_exact(shade: int) -> None:
    light = np.arange(LINEAR_ONE + 1, dtype=np.uint16)[None]
    found = cv2.multiply(light, np.full_like(light, shade), scale=1 / SHADE_ONE)
    halves = light.astype(np.int64) * shade
    up = (halves + SHADE_ONE // 2) // SHADE_ONE
    tie = (halves % SHADE_ONE == SHADE_ONE // 2) & (up % 2 == 1)  # to even
    assert (found == up - tie).all()


def test_blur_keeps_light_and_follows_its_radius() -> None:
    light = np.zeros((60, 120, 3), np.uint16)
    light[:, ::20] = LINEAR_ONE
    assert (defocus(light, np.zeros((60, 120), np.uint16)) == light).all()
    radius = np.broadcast_to(np.where(np.arange(120) < 60, 0, 60).astype(np.uint16), (60, 120))
    soft = defocus(light, radius)
    assert (soft[:, :50] == light[:, :50]).all()
    even = cv2.GaussianBlur(light, (0, 0), 60 / 32)
    assert np.abs(soft[:, 70:].astype(int) - even[:, 70:]).max() < 0.002 * LINEAR_ONE
    assert soft[:, 70:].mean() == pytest.approx(light[:, 70:].mean(), rel=0.1)


def test_what_hides_the_sheet_has_a_sharp_edge_at_any_size() -> None:
    for width in (100, 413, 1240):
        page = np.full((round(width / 0.7), width, 3), 255, np.uint8)
        map_ = PageMap.of(covered(), width, len(page))
        row = expose(page, map_)[len(page) // 2, :, 0].astype(int)
        assert (row[: width // 2 - 2] == 255).all()
        assert (row[width // 2 + 3 : -2] == 90).all()
        hidden = lens_of(map_).hidden
        assert hidden is not None
        assert abs(int(hidden[len(page) // 2].sum()) - width / 2) <= 1


def test_fibre_is_faint_and_even_in_the_mean() -> None:
    page = np.full((800, 600, 3), 230, np.uint8)
    plain, paper = (expose(page, PageMap.of(replace(flat(70.0, 100.0), fibre=f), 600, 800)) for f in (0, 100))
    middle = paper[100:-100, 100:-100].astype(float)
    assert plain[100:-100, 100:-100].std() == 0
    assert 0.3 < middle.std() < 4
    assert abs(middle.mean() - plain[400, 300, 0]) < 1


def test_grain_is_as_strong_as_asked_and_the_same_again() -> None:
    light = np.full((200, 300, 3), 128, np.uint8)
    noisy = develop(light, CLEAN, grain=400)
    assert (noisy == develop(light, CLEAN, grain=400)).all()
    assert 4 < noisy.astype(float).std() < 7
    assert abs(noisy.mean() - 128) < 0.5
    assert (develop(light, CLEAN) == light).all()
