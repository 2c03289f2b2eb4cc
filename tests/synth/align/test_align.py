"""Against the chain's truth, the chain withheld. The whole table: `python -m benchmarks.align --table`."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pymupdf
import pytest

from benchmarks.align import own_documents
from schemas.geometry import Box
from synth.align.align import align
from synth.align.html import read_html
from synth.align.model import PdfLine, PdfPage
from synth.align.pdf import read_pdf
from synth.render.chromium import Chromium
from tests.synth.align.damage import DAMAGES
from tests.synth.align.newspaper import newspaper
from tests.synth.align.pdfs import HTML, TEXT, written
from tests.synth.align.plain import plain_align
from tests.synth.align.truth import Pair, Score, pair_of_newspaper, score, truth_of

Papers = Callable[[str, bool, bool], Pair]
SEED = {"en": 1, "zh": 1, "bn": 1}
SLOW_ZH = ["en", "bn", pytest.param("zh", marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def papers(chromium: Chromium) -> Papers:
    known: dict[tuple[str, bool, bool], Pair] = {}

    def paper(language: str, twins: bool, hyphens: bool) -> Pair:
        key = (language, twins, hyphens)
        if key not in known:
            made = newspaper(SEED[language], language, 2, twins, hyphens)
            known[key] = pair_of_newspaper(chromium, made, language)
        return known[key]

    return paper


def damaged(papers: Papers, name: str, language: str, draw: int = 0) -> Pair:
    damage, twins, hyphens = DAMAGES[name]
    pair = papers(language, twins, hyphens)
    return damage(pair, random.Random(f"{draw}/{name}")) if damage else pair


def scored(pair: Pair) -> Score:
    return score(align(pair.pages, pair.lines, pair.blocks), truth_of(pair))


def plainly(pair: Pair) -> Score:
    return score(plain_align(pair.lines, pair.blocks), truth_of(pair))


@pytest.mark.parametrize("language", SLOW_ZH)
def test_clean_newspaper_pages_are_aligned_without_an_error(papers: Papers, language: str) -> None:
    pair = damaged(papers, "clean", language)
    truth = truth_of(pair)
    assert len(pair.lines) > 700 and len(truth.edges) > 600 and all(truth.blocks)
    ours, plain = scored(pair), plainly(pair)
    assert (ours.accuracy, ours.f1) == (1.0, 1.0)
    assert plain.accuracy < 1.0 and plain.f1 < 1.0


@pytest.mark.parametrize("language", SLOW_ZH)
@pytest.mark.parametrize(
    ("name", "accuracy", "f1"),
    [
        ("5% of characters lost or changed", 0.995, 0.995),
        ("ligatures broken", 0.99, 0.99),
        ("merged lines", 0.99, 0.98),
        ("split lines", 0.99, 0.99),
        ("running heads mixed in", 0.99, 0.99),
        ("blocks missing from the HTML", 0.99, 0.99),
        ("two pages swapped", 1.0, 1.0),
        ("all together", 0.97, 0.97),
    ],
)
def test_damaged_pages_keep_their_blocks_and_order(
    papers: Papers, language: str, name: str, accuracy: float, f1: float
) -> None:
    pairs = [damaged(papers, name, language, draw) for draw in range(2)]
    ours = scored(pairs[0]) + scored(pairs[1])
    assert ours.accuracy >= accuracy and ours.f1 >= f1, (ours.accuracy, ours.f1)
    if name == "all together":
        plain = plainly(pairs[0])
        assert ours.accuracy > plain.accuracy + 0.05 and ours.f1 > plain.f1 + 0.1


def test_missing_blocks_are_a_class_of_their_own(papers: Papers) -> None:
    pair = damaged(papers, "blocks missing from the HTML", "en")
    truth = truth_of(pair)
    unmatched = [line for line, blocks in enumerate(truth.blocks) if not blocks]
    assert len(unmatched) > 20
    found = align(pair.pages, pair.lines, pair.blocks)
    assert sum(found.matches[line].block is None for line in unmatched) >= 0.98 * len(unmatched)
    assert all(found.matches[a].block is not None for edge in found.line_edges for a in edge)


def test_documents_of_our_own_are_aligned_without_an_error(chromium: Chromium) -> None:
    pairs = list(own_documents(chromium, 3))
    assert len(pairs) == 3
    for pair in pairs:
        ours = scored(pair)
        assert (ours.accuracy, ours.f1) == (1.0, 1.0), pair.name


def test_twins_go_to_the_places_their_neighbours_point_to() -> None:
    twin = "The minutes of the last meeting were read and approved by all who were present there."
    html = f"<h1>First</h1><p>Alpha begins here.</p><p>{twin}</p><h1>Second</h1><p>Omega ends it.</p><p>{twin}</p>"
    texts = ["Second", "Omega ends it.", twin[:45], twin[45:], "First", "Alpha begins here.", twin[:45], twin[45:]]
    lines = [PdfLine(n, 0, n, text, Box(10, 12.0 * n, 200, 12.0 * n + 10), 9) for n, text in enumerate(texts)]
    found = align([PdfPage(0, 300, 400, 0, "text")], lines, read_html(html))
    assert [match.block for match in found.matches] == [3, 4, 5, 5, 0, 1, 2, 2]


def test_a_merged_line_has_both_its_blocks() -> None:
    pages, lines = read_pdf(written())
    both = replace(lines[1], text=f"{lines[1].text} {lines[-2].text}")
    found = align(pages, [lines[0], both, *lines[2:-2], lines[-1]], read_html(HTML))
    assert {span.block for span in found.matches[1].spans} == {1, 3}


def test_heads_and_feet_of_many_pages_belong_to_no_block() -> None:
    with pymupdf.open(stream=written(pages=4), filetype="pdf") as made:
        for page in made.pages():
            page.insert_text((40, 18), "Bridge", fontsize=8)
            page.insert_text((140, 392), str(int(page.number or 0) + 1), fontsize=8)
        pages, lines = read_pdf(made.tobytes())
    html = "<h1>Bridge</h1>" + "".join(f"<p>{text} Part {n}.</p>" for n in range(4) for text in TEXT)
    found = align(pages, lines, read_html(html))
    running = [lines[match.line].text for match in found.matches if match.reason == "running"]
    assert sorted(running) == ["1", "2", "3", "4", *["Bridge"] * 4]
    assert all(match.block is not None for match in found.matches if match.reason != "running")


ARABIC = "اجتمع المجلس في القاعة القديمة وسمع تقرير أمين الصندوق عن الجسر", "لم يتوقع أحد أن ترتفع التكاليف بهذا القدر"


def test_arabic_is_found_in_visual_order_too() -> None:
    html = "".join(f"<p dir=rtl>{text}</p>" for text in ARABIC)
    halves = [part for text in ARABIC for part in (text[:30], text[30:])]
    for way in (1, -1):
        lines = [PdfLine(n, 0, n, t[::way], Box(10, 12.0 * n, 200, 12.0 * n + 10), 9) for n, t in enumerate(halves)]
        found = align([PdfPage(0, 300, 400, 0, "text")], lines, read_html(html))
        assert [match.block for match in found.matches] == [0, 0, 1, 1]


def test_arabic_of_a_real_pdf_is_found() -> None:
    html = "".join(f"<p dir=rtl>{text}</p>" for text in ARABIC)
    with pymupdf.open() as made:
        made.new_page().insert_htmlbox(pymupdf.Rect(50, 50, 250, 400), html)
        pages, lines = read_pdf(made.tobytes())
    found = align(pages, lines, read_html(html))
    blocks = [match.block for match in found.matches]
    assert len(blocks) >= 3 and blocks == sorted(block for block in blocks if block is not None)


def test_the_same_input_gives_the_same_result(papers: Papers) -> None:
    pair = damaged(papers, "all together", "en")
    assert align(pair.pages, pair.lines, pair.blocks) == align(pair.pages, pair.lines, pair.blocks)


def test_html_of_another_document_leaves_the_page_unmatched() -> None:
    pages, lines = read_pdf(written())
    found = align(pages, lines, read_html("<p>Quarterly zinc exports by volume, wharf tonnage, xylophone makers"))
    assert found.pages[0].outcome == "unmatched" and not found.line_edges
