"""Words placed all at once stand where each alone would be placed, to the last bit."""

from __future__ import annotations

import random
from itertools import combinations

import pymupdf
import pytest

from schemas.geometry import Box
from synth.render.chromium import Chromium
from synth.render.matched import matched
from synth.render.outlines import Outlines
from synth.render.trace import trace
from synth.truth import place as one_by_one
from synth.truth.ink import Paint
from synth.truth.labels import MAX_OVERLAP, overlapping
from synth.truth.whole import whole_words
from tests.synth.render.printing import PAGES, document, page_of

MIXED = """<style>body{font:12pt 'Noto Serif';margin:15mm}</style>
<p style="width:50mm">plain, over-the-line <i>slanted</i>
<b style="font-family:Carlito">bold</b> <span style="display:inline-block;transform:rotate(20deg)">turned</span>
off&shy;ice <u>underlined</u> <span style="-webkit-text-stroke:1px red">outlined</span></p><p dir="rtl">12 (3) a</p>"""
ALONE = {"office", "turned"}  # in two pieces; not upright


@pytest.mark.parametrize("kind", [*PAGES, "mixed"])
def test_words_at_once_are_as_each_alone(chromium: Chromium, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = chromium.print(document(MIXED) if kind == "mixed" else page_of(kind))
    with (
        pymupdf.open(stream=raw.pdf, filetype="pdf") as plain,
        pymupdf.open(stream=raw.probe_pdf, filetype="pdf") as probe,
    ):
        pages, lonely = matched(trace(plain, tagged=True), raw.probe)
        paints = [Paint(probe[n], page.area) for n, page in enumerate(pages)]
        given = raw.snapshot, pages, Outlines(plain), paints
        at_once = whole_words(*given)
        monkeypatch.setattr(one_by_one, "whole_words", lambda *_: {})
        alone = one_by_one.place(*given)
    assert not lonely
    rest = {word.text for n, word in enumerate(raw.snapshot.words) if n not in at_once}
    if kind == "mixed":
        assert rest == ALONE
    else:
        assert len(rest) < 0.2 * len(raw.snapshot.words)
    by_word = {id(fragment.word): fragment for fragment in alone}
    assert [by_word[id(raw.snapshot.words[n])] for n in at_once] == list(at_once.values())


def test_the_first_two_boxes_that_overlap_are_found() -> None:
    rng = random.Random(4)
    for _ in range(200):
        corners = [(rng.uniform(0, 60), rng.uniform(0, 60)) for _ in range(rng.randint(2, 12))]
        boxes = [Box(x, y, x + rng.uniform(1, 30), y + rng.uniform(1, 9)) for x, y in corners]
        joined = [rng.random() < 0.3 for _ in boxes]
        pairs = (
            (a, b)
            for a, b in combinations(range(len(boxes)), 2)
            if boxes[a].intersect(boxes[b]).area > MAX_OVERLAP * min(boxes[a].area, boxes[b].area)
            and not (joined[a] and b == a + 1)
        )
        assert overlapping(boxes, joined) == next(pairs, None)
