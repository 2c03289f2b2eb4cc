"""Bad input for the labels, each with a clear outcome; that of `pageloom align` is in tests/synth/align/test_pdf.py."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from schemas.errors import SampleError
from synth.render.chromium import Chromium
from synth.render.fonts import font_set
from synth.truth.labels import label
from tests.synth.render.printing import document

DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="

CASES = {
    "no text": ("<main><script>'only code'</script></main>", "no_words"),
    "pictures only": (f"<img src='{DOT}' width=300 height=300>", "no_words"),
    "500 pages": ("<p style='break-after:page'>page</p>" * 500, "too_many_pages"),
    "an empty page": ("<p style='break-after:page'>a<div style='break-after:page;height:9px'></div><p>b", "empty_page"),
    "a page turned by 90 degrees": ("<style>@page{page-orientation:rotate-right}</style><p>turned", "page_size"),
    "wider than the paper": ("<table><tr><td><pre>" + "wide " * 200 + "</pre></table>", "untraced_word"),
    "a character of no font": ("<p>\ue123", "missing_glyphs"),
    "half an emoji": ("<p>a \ud83d b", "missing_glyphs"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_document_that_cannot_be_labelled_says_why(chromium: Chromium, name: str) -> None:
    html, reason = CASES[name]
    with pytest.raises(SampleError) as caught:
        label(chromium.print(document(html)), document(html))
    assert caught.value.reason == reason and caught.value.detail


@pytest.mark.slow
def test_a_font_without_outlines_is_refused_by_its_text(chromium: Chromium, tmp_path: Path) -> None:
    """A file that names its characters and draws none of them: the page would be blank where the labels have words."""
    source = next(f.path for f in chromium.fonts.files if f.path.name == "Carlito-Regular.ttf")
    font = TTFont(shutil.copy(source, tmp_path / "hollow.ttf"))
    glyphs = font["glyf"]
    for name in font.getGlyphOrder():
        glyphs[name] = type(glyphs[name])()
        font["hmtx"][name] = (font["hmtx"][name][0], 0)
    for record in font["name"].names:
        if record.nameID in (1, 4, 16):
            record.string = b"Hollow"
    font.save(tmp_path / "hollow.ttf")
    with Chromium(font_set(["en"], [tmp_path])) as browser, pytest.raises(SampleError) as caught:
        doc = document("<p style='font-family:Hollow'>nothing to see</p>")
        label(browser.print(doc), doc)
    assert caught.value.reason in ("untraced_word", "unpainted_word")
