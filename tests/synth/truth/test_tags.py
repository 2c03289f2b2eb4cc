"""The PDF's tags agree with the probe print, speak where it is silent, and say what each word is."""

from __future__ import annotations

from dataclasses import replace

import pymupdf
import pytest

from schemas.checks import LabelChecks
from schemas.document import Document
from schemas.errors import SampleError
from synth.render.chromium import Chromium
from synth.render.matched import matched
from synth.render.raw import RawPrint
from synth.render.trace import UNTAGGED, TracedPage, trace
from synth.truth.labels import labelled
from synth.truth.tags import bound, compared
from tests.synth.render.printing import PAGES, document, page_of

STYLE = "<style>body{font:15pt 'Noto Serif'}</style>"


def bindings(raw: RawPrint) -> tuple[TracedPage, ...]:
    with pymupdf.open(stream=raw.pdf, filetype="pdf") as plain:
        return matched(trace(plain, tagged=True), raw.probe)[0]


def checked(chromium: Chromium, body: str) -> tuple[Document, LabelChecks]:
    doc = document(STYLE + body)
    return labelled(chromium.print(doc), doc)


@pytest.mark.parametrize("language", PAGES)
def test_every_glyph_is_tagged_and_every_word_agrees(chromium: Chromium, language: str) -> None:
    doc = page_of(language)
    raw = chromium.print(doc)
    assert not [g for page in bindings(raw) for g in page.glyphs if g.tag is UNTAGGED]
    labels, checks = labelled(raw, doc)
    assert checks == LabelChecks(words=len(labels.words), tags_agree=len(labels.words))


def test_see_through_text_keeps_its_tags(chromium: Chromium) -> None:
    labels, checks = checked(chromium, "<p>One</p><p style='opacity:.5'>two <b>three</b></p><p>four</p>")
    assert [w.text for w in labels.words] == ["One", "two", "three", "four"]
    assert checks.tags_agree == 4


def test_what_readers_do_not_hear_has_no_tag(chromium: Chromium) -> None:
    assert checked(chromium, "<p>seen</p><p aria-hidden=true>not said</p>")[1].tags_silent == 2


@pytest.mark.parametrize("text", ["of&shy;fice", "off&shy;ice", "an of&shy;fice here"])
def test_a_ligature_over_a_soft_hyphen_is_its_words(chromium: Chromium, text: str) -> None:
    labels, checks = checked(chromium, f"<p>{text}</p>")
    plain, _ = checked(chromium, f"<p>{text.replace('&shy;', '')}</p>")
    assert [w.ink for w in labels.words] == [w.ink for w in plain.words] and checks.other_text == 0


def test_words_that_the_probe_leaves_unpainted_are_placed_by_the_tags(chromium: Chromium) -> None:
    # The colour of ::first-line wins over the highlights of what is in elements of the line.
    body = "<p>Hello <b>world</b> again <b>and</b> again</p><p>See <b>world</b></p>"
    plain, _ = checked(chromium, body)
    styled, checks = checked(chromium, "<style>p::first-line{color:#600}</style>" + body)
    assert checks.tags_only == 3 and checks.tags_agree == 4
    assert styled.words == plain.words and styled.lines == plain.lines


def test_a_word_bound_to_the_glyphs_of_another_node_is_counted(chromium: Chromium) -> None:
    raw = chromium.print(document(STYLE + "<p>same</p><p>same word</p>"))
    first, second, third = raw.snapshot.words
    swapped = first._replace(units=second.units), second._replace(units=first.units), third
    checks, misread = compared(replace(raw.snapshot, words=swapped), bindings(raw))
    # The second piece of marked content now has a word of either node: one of them must be wrong.
    assert checks.tags_disagree == 1 and not misread


def test_a_word_that_reads_otherwise_refuses_the_document(chromium: Chromium) -> None:
    doc = document(STYLE + "<p>plain words</p>")
    raw = chromium.print(doc)
    first, second = raw.snapshot.words
    other = first._replace(units=(first.units[0]._replace(text="plane"),))
    with pytest.raises(SampleError) as caught:
        labelled(replace(raw, snapshot=replace(raw.snapshot, words=(other, second))), doc)
    assert (caught.value.stage, caught.value.reason) == ("truth", "other_text")


def test_contents_that_cannot_be_told_apart_are_left_alone(chromium: Chromium) -> None:
    raw = chromium.print(document(STYLE + "<p>one <b>two</b> <b>two</b></p>"))
    _, second, third = raw.snapshot.words
    unpainted = {unit.colour: 0 for word in (second, third) for unit in word.units}
    pages = tuple(
        replace(page, glyphs=tuple(g._replace(colour=unpainted.get(g.colour, g.colour)) for g in page.glyphs))
        for page in bindings(raw)
    )
    both = [g.paint for page in bound(raw.snapshot, pages) for g in page.glyphs if g.text in "two"]
    assert both == [-1, 0, 0, 0, 0, 0, 0]  # the o of "one", then both words in their order
    alone = replace(raw.snapshot, words=raw.snapshot.words[:2])
    assert all(g.paint < 0 for page in bound(alone, pages) for g in page.glyphs)
