"""Boxes of characters in every script: which there are, where they are, and whose parts ligatures are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, pairwise

import pytest

from schemas.document import Character, Document
from synth.render.chromium import Chromium
from synth.render.fonts import font_set
from synth.truth.labels import label
from tests.synth.render.printing import Ink, document
from tests.synth.truth.scripts import SCRIPTS, Script

SPREAD = "letter-spacing:12px;word-spacing:20px;line-height:3"


@pytest.fixture(scope="module")
def polyglot() -> Iterator[Chromium]:
    with Chromium(font_set(sorted({s.language for s in SCRIPTS}))) as browser:
        yield browser


def labelled(browser: Chromium, html: str, language: str) -> tuple[bytes, Document]:
    doc = replace(document(html, language=language), label_characters=True)
    raw = browser.print(doc)
    return raw.pdf, label(raw, doc)


def texts(doc: Document) -> list[list[str]]:
    """Characters by word."""
    return [[c.text for c in own] for _, own in groupby(doc.characters, key=lambda c: c.word)]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: f"{s.language} {s.direction} {s.font}")
def test_characters_spell_their_words_and_lie_in_them(polyglot: Chromium, script: Script) -> None:
    _, doc = labelled(polyglot, script.html(), script.language)
    assert ["".join(own) for own in texts(doc)] == [w.text for w in doc.words]
    assert [c.id for c in doc.characters] == list(range(len(doc.characters)))
    for one in doc.characters:
        word = doc.words[one.word]
        assert one.page == word.page and word.box.contains(one.box, 0.01) and word.ink.contains(one.ink, 0.01), one
        assert one.box.width > 0 and one.box.height > 0


@pytest.mark.parametrize(
    ("language", "font", "text", "expected"),
    [
        (
            "bn",
            "Noto Sans Bengali",
            "র‍্যাব কর্ম বিজ্ঞপ্তি কোণ",
            [["র‍্যা", "ব"], ["ক", "র্ম"], ["বি", "জ্ঞ", "প্তি"], ["কো", "ণ"]],
        ),
        ("hi", "Noto Sans Devanagari", "क्षत्रिय हिन्दी", [["क्ष", "त्रि", "य"], ["हि", "न्दी"]]),
        ("ta", "Noto Sans Tamil", "கொள்கை க்ஷ ஸ்ரீ", [["கொ", "ள்", "கை"], ["க்ஷ"], ["ஸ்ரீ"]]),
        ("kn", "Noto Sans Kannada", "ರಾಷ್ಟ್ರೀಯ ಕ್ಷೇತ್ರ", [["ರಾ", "ಷ್ಟ್ರೀ", "ಯ"], ["ಕ್ಷೇ", "ತ್ರ"]]),
        ("km", "Noto Sans Khmer", "ស្ត្រី", [["ស្ត្រី"]]),
        ("ban", "Noto Sans Balinese", "ᬅᬓ᭄ᬱᬭ", [["ᬅ", "ᬓ᭄ᬱ", "ᬭ"]]),
        ("sa-Gran", "Noto Sans Grantha", "𑌕𑍍𑌷𑌤𑍍𑌰", [["𑌕𑍍𑌷", "𑌤𑍍𑌰"]]),
        ("en", "Carlito", "office e\u0301", [["o", "f", "f", "i", "c", "e"], ["e\u0301"]]),
    ],
    ids=["bn", "hi", "ta", "kn", "km", "ban", "sa-Gran", "en"],
)
def test_a_conjunct_with_its_signs_is_one_character(
    polyglot: Chromium, language: str, font: str, text: str, expected: list[list[str]]
) -> None:
    html = f"<html lang={language}><p style=\"font:20px '{font}'\">{text}"
    _, doc = labelled(polyglot, html, language)
    if language == "km":
        assert [c for own in texts(doc) for c in own] == expected[0]
    else:
        assert texts(doc) == expected


def test_letters_stand_where_their_ink_is(polyglot: Chromium) -> None:
    pdf, doc = labelled(polyglot, f"<p style='font:24px Carlito;{SPREAD}'>Quick brown 12,5", "en")
    ink = Ink(pdf, dpi=1200, below=128)
    for one in doc.characters:
        seen = ink.extent(0, one.ink, 3.0)
        assert seen is not None and max(abs(a - b) for a, b in zip(seen, one.ink, strict=True)) * 150 / 72 <= 0.5, one


def test_ligatures_are_divided_evenly_in_the_direction_of_the_text(polyglot: Chromium) -> None:
    _, doc = labelled(polyglot, "<p style='font:24px Carlito'>office", "en")
    f, second, i = doc.characters[1:4]
    assert [c.ligature for c in doc.characters] == [1, 3, 3, 3, 1, 1]
    assert f.box.width == pytest.approx(second.box.width) == pytest.approx(i.box.width)
    assert f.box.x1 == pytest.approx(second.box.x0) and second.box.x1 == pytest.approx(i.box.x0)
    _, doc = labelled(polyglot, "<html lang=ar dir=rtl><p style=\"font:24px 'Noto Naskh Arabic'\">السلام", "ar")
    lam, alef = doc.characters[3:5]
    assert (lam.text, alef.text, lam.ligature) == ("ل", "ا", 2) and lam.box.x0 == pytest.approx(alef.box.x1)


def test_turned_broken_repeated_and_generated_words(polyglot: Chromium) -> None:
    html = (
        "<style>p::before{content:'No. '}</style><div style='position:fixed;bottom:0'>foot</div><p>x</p>"
        "<div style='margin:60px'><span style='display:inline-block;transform:rotate(30deg)'>turned</span></div>"
        "<p style='width:70px;font:20px Carlito'>extra&shy;ordinary</p><p style='break-before:page'>y"
    )
    _, doc = labelled(polyglot, html, "en")
    assert ["".join(own) for own in texts(doc)] == [w.text for w in doc.words]
    for one in doc.characters:
        assert one.page == doc.words[one.word].page and doc.words[one.word].box.contains(one.box, 0.05), one
    turned = [c for c in doc.characters if doc.words[c.word].text == "turned"]
    assert [round(b.quad[0].y - a.quad[0].y, 1) > 0 for a, b in pairwise(turned)] == [True] * 5


def test_nobody_pays_who_does_not_ask(polyglot: Chromium) -> None:
    doc = document("<p>office")
    raw = polyglot.print(doc)
    assert raw.clusters is None and label(raw, doc).characters == ()


def test_characters_travel_between_processes(polyglot: Chromium) -> None:
    _, doc = labelled(polyglot, "<p>office", "en")
    assert isinstance(doc.characters[0], Character) and Document.unpacked(doc.packed()) == doc
