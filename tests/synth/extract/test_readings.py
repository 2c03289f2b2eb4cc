"""What extractors read out of a page, told apart by script."""

from __future__ import annotations

import pymupdf
import pytest

from schemas.document import Document, Word
from schemas.geometry import Box, quad_of
from synth.extract.engines import EXTRACTORS
from synth.extract.readings import SHARED, Reading, by_script, readings, summed


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("Total: 12,50 €", {"Latin": "Total", SHARED: ":12,50€"}),
        ("মোট: ১২৩ kg", {"Bengali": "মোট১২৩", SHARED: ":", "Latin": "kg"}),
        ("合计 ABC", {"Han": "合计", "Latin": "ABC"}),
        ("e\u0308x \u0301", {"Latin": "ëx\u0301"}),  # a mark of all scripts goes with its letter
        ("", {}),
    ],
)
def test_characters_are_told_apart_by_script(text: str, scripts: dict[str, str]) -> None:
    assert by_script(text) == scripts


def document(pages: list[list[str]]) -> tuple[bytes, Document]:
    with pymupdf.open() as made:
        for lines in pages:
            page = made.new_page()
            for at, line in enumerate(lines):
                page.insert_text((72, 72 + 20 * at), line)
        pdf = made.tobytes()
    box = Box(0, 0, 1, 1)
    words = [(number, word) for number, lines in enumerate(pages) for line in lines for word in line.split()]
    labels = tuple(
        Word(k, page, word, box, box, quad_of(box), line=0, block=0, order=k, font_size=9.0, space_after=True)
        for k, (page, word) in enumerate(words)
    )
    return pdf, Document((), labels, (), (), (), (), ())


def test_first_pages_are_read_by_every_extractor_and_summed() -> None:
    pdf, labels = document([["Total 12", "net"], ["second page"]])
    found = readings(pdf, labels)
    assert found == {
        (script, name): reading
        for name in EXTRACTORS
        for script, reading in (("Latin", Reading(1, 1, 8)), (SHARED, Reading(1, 1, 2)))
    }
    less = readings(document([["Total", "net it"]])[0], labels)
    assert less["Latin", "pdfium"] == Reading(1, 0, 8, 2, 0, 2)
    assert less[SHARED, "pdfium"] == Reading(1, 0, 2, 2, 2, 0)
    assert summed(found, less)["Latin", "pdfium"] == Reading(2, 1, 16, 2, 0, 2)
    assert summed({}, found) == found
