from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from synth.export.rows import Release, pixels, spelled
from tests.synth.export.made import block, page, word

SIZE = st.integers(1, 3000)
NUMBER = st.floats(-50, 3050, width=32)


@given(NUMBER, NUMBER, NUMBER, NUMBER, SIZE, SIZE)
def test_whole_pixels_lie_in_the_picture_and_around_the_box(a: float, b: float, c: float, d: float, w: int, h: int):
    x0, x1, y0, y1 = min(a, c), max(a, c), min(b, d), max(b, d)
    left, top, right, bottom = pixels([x0, y0, x1, y1], (w, h))
    assert 0 <= left < right <= w and 0 <= top < bottom <= h
    for low, high, near, far, most in ((x0, x1, left, right, w), (y0, y1, top, bottom, h)):
        if low >= 0 and high <= most:
            # The release holds hundredths of a pixel, so no more than half of one may be lost.
            assert near <= low + 0.0051 and far >= high - 0.0051
            assert near > low - 1.0051 and far < max(high, near + 1) + 1.0051


def test_float_noise_does_not_cost_a_pixel() -> None:
    noisy = 123.0 + 7.6e-6  # what float32 makes of 123.0 at worst, seen from float64
    assert pixels([noisy, 5.0, 200.00001, 9.0], (500, 500)) == [123, 5, 200, 9]


def test_blocks_come_in_reading_order_not_by_id() -> None:
    words = [word(0, "second", block=0, order=7), word(1, "first", block=1, order=3)]
    made = page(words=words, layout=[block(0, "text"), block(1, "text"), block(2, "figure")])
    assert [b["block_id"] for b in made.blocks] == [1, 0, 2]


def test_words_are_joined_as_the_page_has_them() -> None:
    assert spelled([word(0, "中", space_after=False), word(1, "国"), word(2, "A")]) == "中国 A"


def test_slug() -> None:
    assert Release("my-set.v2", "1.0.0", "x", "d").slug == "my_set_v2"
