"""Every script: the words of the DOM, boxes that end where the ink ends, lines that go the right way."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import numpy as np
import pytest

from schemas.document import Document
from synth.render.chromium import Chromium
from synth.render.font_list import ALLOWED
from synth.render.fonts import font_set
from synth.render.raw import RawPrint
from synth.truth.labels import label
from tests.synth.render.printing import Ink, document
from tests.synth.truth.scripts import SCRIPTS, Script

NAMES = [f"{s.language} {s.direction} {s.font}" for s in SCRIPTS]
APART = "word-spacing:1.5em;letter-spacing:0;line-height:3.2"


@pytest.fixture(scope="module")
def polyglot() -> Iterator[Chromium]:
    with Chromium(font_set(sorted({s.language for s in SCRIPTS}))) as browser:
        yield browser


def printed(browser: Chromium, html: str, language: str) -> tuple[RawPrint, Document]:
    doc = document(html, language=language)
    raw = browser.print(doc)
    return raw, label(raw, doc)


@pytest.mark.parametrize("script", SCRIPTS, ids=NAMES)
def test_words_are_those_of_the_dom_in_reading_order(polyglot: Chromium, script: Script) -> None:
    _, doc = printed(polyglot, script.html(), script.language)
    assert [unicodedata.normalize("NFC", w.text) for w in doc.words] == [
        unicodedata.normalize("NFC", word) for word in script.expected
    ]
    assert {line.direction for line in doc.lines} == {script.direction}
    assert [w for line in doc.lines for w in line.words] == list(range(len(doc.words)))


@pytest.mark.parametrize("script", SCRIPTS, ids=NAMES)
def test_ink_boxes_end_where_the_ink_ends(polyglot: Chromium, script: Script) -> None:
    """Words far apart, so that a word's ink is all the dark there is around it. In pixels of 150 dpi, seen eight times
    finer: coarser rasters follow the hints of some fonts and move an edge by a pixel."""
    raw, doc = printed(polyglot, script.html(APART, apart=True), script.language)
    assert len(doc.words) == len(script.expected)
    ink = Ink(raw.pdf, dpi=1200, below=128)
    offs = []
    for word in doc.words:
        seen = ink.extent(0, word.ink, 6.0)
        assert seen is not None, word.text
        offs += [abs(a - b) * 150 / 72 for a, b in zip(word.ink, seen, strict=True)]
    assert max(offs) <= 0.5, dict(zip(script.expected, np.reshape(offs, (-1, 4)).round(2).tolist(), strict=True))


@pytest.mark.parametrize("script", [s for s in SCRIPTS if s.direction == "rtl"], ids=lambda s: s.language)
def test_right_to_left_words_go_left_and_lines_are_whole(polyglot: Chromium, script: Script) -> None:
    _, doc = printed(polyglot, script.html(), script.language)
    first = [doc.words[i] for i in doc.lines[0].words]
    places = [w.box.x0 for w in first if unicodedata.bidirectional(w.text[0]) in ("R", "AL")]
    assert len(places) > 4 and places == sorted(places, reverse=True)
    assert len({round(w.box.y0) for line in doc.lines for w in doc.words_of(line.words)}) >= len(doc.lines)
    assert len(doc.lines) <= 2


def test_latin_in_arabic_and_hebrew_in_english_are_one_line(polyglot: Chromium) -> None:
    html = "<html lang=he dir=rtl><p style='font:12pt Noto Serif Hebrew,Noto Serif'>שלום ACME Trading Ltd 12 34 סוף</p>"
    _, doc = printed(polyglot, html, "he")
    assert [(line.text, line.direction) for line in doc.lines] == [("שלום ACME Trading Ltd 12 34 סוף", "rtl")]
    xs = {w.text: w.box.x0 for w in doc.words}
    assert xs["שלום"] > xs["Ltd"] > xs["Trading"] > xs["ACME"] > xs["סוף"]
    html = "<html lang=en><p style='font:12pt Noto Serif,Noto Serif Hebrew'>Dear שלום עולם friend</p>"
    _, doc = printed(polyglot, html, "he")
    assert [(line.text, line.direction) for line in doc.lines] == [("Dear שלום עולם friend", "ltr")]


def test_right_to_left_columns_are_not_one_line(polyglot: Chromium) -> None:
    apart = "<span style='padding-right:60mm'>ريال</span>"
    html = f"<html lang=ar dir=rtl><p style='font:12pt Noto Naskh Arabic'>المبلغ{apart}</p>"
    _, doc = printed(polyglot, html, "ar")
    assert [line.text for line in doc.lines] == ["المبلغ", "ريال"]


def test_vertical_columns_go_left_and_hold_latin(polyglot: Chromium) -> None:
    script = next(s for s in SCRIPTS if s.direction == "ttb")
    _, doc = printed(polyglot, script.html("height:40mm!important"), "zh")
    columns = [line.box for line in doc.lines]
    assert len(columns) > 2 and [c.x0 for c in columns] == sorted((c.x0 for c in columns), reverse=True)
    assert all(c.height > c.width for c in columns[:-1])
    assert {w.text for w in doc.words} >= {"12"}


def test_every_language_with_fonts_has_a_golden_sentence() -> None:
    assert {f.language for f in ALLOWED} - {"*"} == {s.language for s in SCRIPTS}


def test_faces_whose_names_begin_alike_have_their_own_outlines(polyglot: Chromium) -> None:
    """MuPDF cuts long names: of LiberationSansNarrow-Bold and -BoldItalic it makes one."""
    face = "font:20pt 'Liberation Sans Narrow'"
    html = f'<p style="{face};{APART}">fjord <b>Quay</b> <i>fjord</i> <b><i>fjord</i></b></p>'
    raw, doc = printed(polyglot, html, "en")
    ink = Ink(raw.pdf, dpi=1200, below=128)
    for word in doc.words:
        seen = ink.extent(0, word.ink, 6.0)
        assert seen is not None and max(abs(a - b) for a, b in zip(word.ink, seen, strict=True)) * 150 / 72 <= 0.5


def test_synthetic_bold_is_wider_than_its_outlines(polyglot: Chromium) -> None:
    html = f"<p style=\"font:bold 40pt 'Noto Serif Grantha';{APART}\">𑌨𑌮𑌃 𑌶𑌿𑌵𑌾𑌯</p>"
    raw, doc = printed(polyglot, html, "sa-Gran")
    ink = Ink(raw.pdf, dpi=1200, below=128)
    for word in doc.words:
        seen = ink.extent(0, word.ink, 6.0)
        assert seen is not None and max(abs(a - b) for a, b in zip(word.ink, seen, strict=True)) * 150 / 72 <= 0.6
