"""Slim Type 3 fonts: the same page, fewer prepared glyphs."""

from __future__ import annotations

import pymupdf
import pytest

from synth.render.chromium import Chromium
from synth.render.slim import slim
from tests.synth.render.printing import page_of

FULL = b"<< /Differences [0 /g0 /g0 /g0 /g36 /g37 /g0 /g41] >>"
SHORT = b"<< /Differences [3 /g36 /g37 6 /g41              ] >>"


def test_unused_codes_go_in_place() -> None:
    assert slim(FULL) == SHORT
    assert len(FULL) == len(SHORT)
    assert slim(SHORT) == SHORT


def test_other_encodings_stay() -> None:
    for other in (b"<< /Differences [0 /g0] >>", b"<< /Differences [65 /A /B] >>", b"(/Differences [x]) Tj"):
        assert slim(other) == other


def test_chinese_print_is_the_same_page(chromium: Chromium, monkeypatch: pytest.MonkeyPatch) -> None:
    html = page_of("zh")
    light = chromium.print(html).pdf
    monkeypatch.setattr("synth.render.chromium.slim", lambda pdf: pdf)
    heavy = chromium.print(html).pdf
    with pymupdf.open(stream=light, filetype="pdf") as a, pymupdf.open(stream=heavy, filetype="pdf") as b:
        assert a[0].get_pixmap(dpi=150).samples == b[0].get_pixmap(dpi=150).samples
        assert a[0].get_text() == b[0].get_text()
        assert codes(a) < codes(b) / 10


def codes(pdf: pymupdf.Document) -> int:
    """Named codes in all encodings of a PDF."""
    return sum(pdf.xref_get_key(font[0], "Encoding/Differences")[1].count("/") for font in pdf.get_page_fonts(0))
