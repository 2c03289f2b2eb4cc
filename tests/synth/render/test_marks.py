"""A mark set apart from the letter it is drawn with stays in the PDF's text."""

from __future__ import annotations

import pytest

from schemas.document import Document
from schemas.errors import SampleError
from synth.audit.document import audit
from synth.render.chromium import Chromium
from synth.render.raw import RawPrint
from synth.truth.labels import label
from tests.synth.render.printing import document


def printed(chromium: Chromium, body: str) -> tuple[RawPrint, Document]:
    html = (
        f"<html lang='bn'><style>body{{font:14pt 'Noto Serif Bengali'}}i{{font:9pt 'Noto Sans Bengali'}}</style>{body}"
    )
    doc = document(html, language="bn")
    raw = chromium.print(doc)
    return raw, label(raw, doc)


@pytest.mark.parametrize(
    "body",
    [
        "<p><span data-key='n'>নাম</span>ঃ <b>রহিম</b></p>",
        "<p><span>ফোন</span><span>ঃ</span> <b>রহিম</b></p>",
        "<p>ক<span></span>ি</p>",
    ],
)
def test_the_mark_is_said_with_its_letter(chromium: Chromium, body: str) -> None:
    raw, doc = printed(chromium, body)
    found = audit(raw, doc)
    assert (found.words_with_other_text, found.words_without_ink) == (0, 0)
    assert found.words_within_1 == found.words == len(doc.words)


def test_the_words_are_those_of_the_author(chromium: Chromium) -> None:
    _, doc = printed(chromium, "<p><span data-key='n'>নাম</span>ঃ <b>রহিম</b></p>")
    assert [w.text for w in doc.words] == ["নামঃ", "রহিম"]


@pytest.mark.parametrize("mark", ["<br>ঃ", "<div></div>ঃ", "</p><p>ঃ", "<i>ঃ</i>"])
def test_a_mark_that_is_drawn_alone_is_not_moved_but_refused(chromium: Chromium, mark: str) -> None:
    with pytest.raises(SampleError) as caught:
        printed(chromium, f"<p>নাম{mark}</p>")
    assert caught.value.reason == "broken_cluster"
