"""The audit finds nothing on true labels in any script, and finds what is planted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.document import Document
from schemas.geometry import Box
from synth.audit.document import audit
from synth.render.chromium import Chromium
from synth.render.raw import RawPrint
from synth.truth.structure import structure
from tests.synth.truth.scripts import SCRIPTS, Script
from tests.synth.truth.test_scripts import NAMES, printed


@pytest.mark.parametrize("script", SCRIPTS, ids=NAMES)
def test_true_labels_pass_in_every_script(polyglot: Chromium, script: Script) -> None:
    raw, doc = printed(polyglot, script.html(), script.language)
    found = audit(raw, doc)
    assert found.words == found.words_within_1 == len(script.expected) and found.words_not_alone == 0
    assert found.worst_edge <= 0.5
    assert (found.words_without_ink, found.words_with_other_text, found.pages_with_stray_ink) == (0, 0, 0)
    assert (found.uncontained, found.bad_extents, found.out_of_order) == (0, 0, 0)


@pytest.fixture(scope="module")
def english(polyglot: Chromium) -> tuple[RawPrint, Document]:
    return printed(polyglot, "<p style='font:15pt Noto Serif'>Affixed <b>fixtures</b> cost $1,200.50</p>", "en")


def test_a_shifted_ink_box_is_found(english: tuple[RawPrint, Document]) -> None:
    raw, doc = english
    x0, y0, x1, y1 = doc.words[1].ink
    words = (doc.words[0], replace(doc.words[1], ink=Box(x0, y0, x1 + 2.0, y1)), *doc.words[2:])
    found = audit(raw, replace(doc, words=words))
    assert (found.words_within_2, found.edges_within_2) == (len(words) - 1, 4 * len(words) - 1)
    assert 3.5 < found.worst_edge < 4.8


def test_another_text_in_the_pdf_is_found(english: tuple[RawPrint, Document]) -> None:
    raw, doc = english
    first, second, *rest = raw.snapshot.words
    swapped = replace(
        raw.snapshot, words=(first._replace(units=second.units), second._replace(units=first.units), *rest)
    )
    words = (
        replace(doc.words[0], text=doc.words[1].text),
        replace(doc.words[1], text=doc.words[0].text),
        *doc.words[2:],
    )
    assert audit(replace(raw, snapshot=swapped), replace(doc, words=words)).words_with_other_text == 0
    other = first._replace(units=(first.units[0]._replace(text="Affixen"), *first.units[1:]))
    wrong = replace(raw, snapshot=replace(raw.snapshot, words=(other, second, *rest)))
    relabelled = replace(doc, words=(replace(doc.words[0], text=other.text), *doc.words[1:]))
    assert audit(wrong, relabelled).words_with_other_text == 1


def test_faults_of_structure_are_found(english: tuple[RawPrint, Document]) -> None:
    _, doc = english
    line = doc.lines[0]
    small = replace(line, box=Box(line.box.x0, line.box.y0, line.box.x0 + 5, line.box.y1))
    assert structure(replace(doc, lines=(small,))).uncontained >= len(doc.words)
    flat = replace(doc.words[0], ink=Box(10, 10, 10, 12))
    assert structure(replace(doc, words=(flat, *doc.words[1:]))).bad_extents == 1
    turned = replace(line, words=line.words[:-1])
    assert structure(replace(doc, lines=(turned,))).out_of_order == 1


def test_generated_text_has_words_too(polyglot: Chromium) -> None:
    raw, doc = printed(polyglot, "<style>p::before{content:'a note '}</style><ol><li><p>text</p></ol>", "en")
    found = audit(raw, doc)
    assert (found.words, found.pages_with_stray_ink, found.words_within_1) == (4, 0, 4)


def test_see_through_and_covered_words_are_painted_in_full(polyglot: Chromium) -> None:
    stamp = (
        "position:absolute;left:20mm;top:21mm;color:#b00;opacity:.6;mix-blend-mode:multiply;transform:rotate(-12deg)"
    )
    body = (
        "<style>body{font:15pt 'Noto Serif';margin:18mm}</style>"
        "<p><span style='opacity:.7'>Account <b>number</b></span> <u>underlined</u> "
        "<b style='-webkit-text-stroke:1px red'>gypsy</b></p>"
        f"<div data-role='stamp' style='{stamp}'>PAID IN FULL</div>"
    )
    raw, doc = printed(polyglot, body, "en")
    found = audit(raw, doc)
    assert found.words == found.words_within_1 == 7
    assert (found.words_without_ink, found.words_with_other_text, found.pages_with_stray_ink) == (0, 0, 0)
    assert found.uncontained == 0


def test_strings_of_several_glyphs_are_cut_into_words(polyglot: Chromium) -> None:
    raw, doc = printed(polyglot, "<p style='font:20px Noto Sans CJK SC'>本单一式三联，双方签字有效。</p>", "zh")
    found = audit(raw, doc)
    assert found.words == found.words_within_1 == len(doc.words) > 4 and found.words_not_alone == 0


def test_words_in_another_order_than_the_dom_are_found_again(polyglot: Chromium) -> None:
    body = (
        "<style>body{font:12pt 'Noto Serif';margin:20mm}main{display:grid;width:30mm}h1{order:-1}</style>"
        "<main><p>the same words the same widths extraordinari&shy;ly</p><h1>the title</h1></main>"
    )
    raw, doc = printed(polyglot, body, "en")
    assert [w.text for w in doc.words[:2]] == ["the", "title"] != [w.text for w in raw.snapshot.words[:2]]
    found = audit(raw, doc)
    assert found.words == found.words_within_1 == len(raw.snapshot.words)
    assert (found.words_without_ink, found.words_with_other_text) == (0, 0)
