"""Cutting strings of glyphs changes nothing that is painted or read."""

from __future__ import annotations

import io

import pikepdf
import pymupdf

from synth.audit.single import one_glyph_each
from synth.render.trace import trace


def shown(pdf: bytes) -> list[int]:
    """Bytes of each string that the pages show."""
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        return [
            len(bytes(operands[0]))
            for page in opened.pages
            for operands, operator in pikepdf.parse_content_stream(page)
            if str(operator) == "Tj"
        ]


def test_long_strings_are_cut_and_the_page_stays_the_same() -> None:
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 100), "Whole advances", fontname="helv", fontsize=14)
        document[0].insert_font(fontname="F0", fontbuffer=pymupdf.Font("cjk").buffer)
        document[0].insert_text((72, 140), "三联单据", fontname="F0", fontsize=14)
        raw = document[0].read_contents().replace(b"[<", b"<").replace(b">]TJ", b">Tj")
        document.update_stream(document[0].get_contents()[0], raw)
        pdf = document.tobytes()
    cut = one_glyph_each(pdf)
    assert max(shown(pdf)) >= 14 and set(shown(cut)) == {1, 2} and len(shown(cut)) == 18
    with pymupdf.open(stream=pdf) as before, pymupdf.open(stream=cut) as after:
        assert trace(before) == trace(after)
        assert before[0].get_pixmap(dpi=100).samples == after[0].get_pixmap(dpi=100).samples
