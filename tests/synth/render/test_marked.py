"""What content streams say of glyphs: marked content, ActualText, slant."""

from __future__ import annotations

import pymupdf
import pytest

from synth.audit.document import audit
from synth.render.chromium import Chromium
from synth.render.marked import shown
from synth.render.trace import Glyph, trace
from synth.truth.labels import label
from tests.synth.render.printing import document


def glyphs(chromium: Chromium, body: str, language: str) -> list[Glyph]:
    raw = chromium.print(document(body, language=language))
    with pymupdf.open(stream=raw.pdf, filetype="pdf") as opened:
        (page,) = trace(opened, tagged=True)
    return list(page.glyphs)


def test_a_cluster_is_said_by_its_actual_text(chromium: Chromium) -> None:
    found = glyphs(chromium, "<p style=\"font:14pt 'Noto Serif Bengali'\">ক শ্রী <b>কি</b></p>", "bn")
    said = {glyph.tag.span: glyph.tag.said for glyph in found if glyph.tag.span}
    assert list(said.values()) == ["শ্রী", "কি"]
    assert [glyph.text for glyph in found if not glyph.tag.span] == ["ক", " ", " "]
    assert sorted({glyph.tag.content for glyph in found}) == [0, 1]


@pytest.mark.parametrize(
    ("language", "font", "text"),
    [
        ("bn", "Noto Serif Bengali", "শ্রী ফি"),
        ("zh", "Noto Serif CJK SC", "工资项目"),
        ("en", "Dancing Script", "fly high"),
    ],
)
def test_ink_of_slanted_text_is_that_of_the_slanted_outlines(
    chromium: Chromium, language: str, font: str, text: str
) -> None:
    body = f"<p style=\"margin:10mm;font:italic 14pt '{font}'\">{text}</p>"
    assert {glyph.tag.lean for glyph in glyphs(chromium, body, language)} == {0.25}
    doc = document(body, language=language)
    raw = chromium.print(doc)
    found = audit(raw, label(raw, doc))
    assert found.words == found.words_within_1 > 0 and found.worst_edge < 0.5


@pytest.mark.parametrize("stream", [b"EMC", b"BT\n(literal) Tj\nET"])
def test_a_stream_of_another_hand_is_not_read(stream: bytes) -> None:
    with pymupdf.open() as opened:
        page = opened.new_page()
        page.insert_text((72, 72), "x")
        opened.update_stream(page.get_contents()[0], stream)
        assert shown(opened, opened[0]) is None
