"""Glyph boxes are those of the curves, not of their control points."""

from __future__ import annotations

import pytest

from synth.render.procedures import procedure_box


@pytest.mark.parametrize(
    ("outline", "box"),
    [
        (b"0 0 m\n0 100 100 100 100 0 c\nh\nf\n", (0, 0, 100, 75)),  # y(t) = 300 t (1 - t), at most 75
        (b"0 0 m\n90 120 100 0 v\n", (0, 0, 100, 160 / 3)),  # first control point at the start
        (b"0 0 m\n-60 120 60 0 y\nh\nf\n", (-16.8, 0, 60, 160 / 3)),  # second control point at the end; x(0.2)
        (b"0 0 m\n0 40 40 80 80 80 c\n100 100 l\nh\nf\n", (0, 0, 100, 100)),  # reaches what it declares
        (b"20 20 60 60 re\nf\n", (0, 0, 100, 100)),  # a rectangle declares what it is
    ],
)
def test_curves_reach_less_far_than_their_control_points(outline: bytes, box: tuple[float, ...]) -> None:
    declared = {75: (0, 0, 100, 100), 160 / 3: (-60, 0, 100, 120)}.get(box[3], (0, 0, 100, 100))
    stream = b"1000 0 %d %d %d %d d1\n" % declared + outline
    assert procedure_box(stream, 1.0) == pytest.approx(box)


def test_what_declares_no_box_has_none() -> None:
    assert procedure_box(b"1000 0 d0\n0 0 m\n50 50 l\nf\n", 1.0) is None


def test_a_slanted_glyph_has_the_box_of_its_slanted_outline() -> None:
    # Corners (0, 0), (0, 100), (100, 0): their box slanted would reach 125, the triangle slanted reaches 100.
    stream = b"1000 0 0 0 100 100 d1\n0 0 m\n0 100 l\n100 0 l\nh\nf\n"
    assert procedure_box(stream, 1.0, 0.25) == pytest.approx((0, 0, 100, 100))
    assert procedure_box(stream, 1.0, -0.5) == pytest.approx((-50, 0, 100, 100))
