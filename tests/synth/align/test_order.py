from __future__ import annotations

from dataclasses import replace

from schemas.geometry import Box
from synth.align.align import align
from synth.align.html import read_html
from synth.align.model import PdfLine, PdfPage
from synth.align.order import filtered, implausible, reading_order
from synth.align.pdf import read_pdf
from tests.synth.align.pdfs import HTML, written

PAGE = {0: PdfPage(0, 400, 600, 0, "text")}


def line(number: int, x: float, y: float) -> PdfLine:
    return PdfLine(number, 0, 0, "text", Box(x - 10, y - 5, x + 10, y + 5), 10)


def test_a_link_is_implausible_if_it_is_long_and_flat() -> None:
    lines = [line(0, 10, 10), line(1, 390, 30), line(2, 390, 200), line(3, 200, 590), line(4, 10, 22)]
    assert [implausible((0, to), lines, PAGE) for to in (1, 2, 3, 4)] == [False, True, False, False]
    elsewhere = [lines[0], *(replace(one, page=1) for one in lines[1:])]
    assert not implausible((0, 2), elsewhere, PAGE)


def test_a_page_with_more_than_five_implausible_links_loses_its_order() -> None:
    lines = [line(at, 10 if at % 2 else 395, 10 + 150 * (at % 4 > 1) + at) for at in range(24)]
    flat = [(at, at + 1) for at in range(23) if implausible((at, at + 1), lines, PAGE)]
    steep = [(0, 4), (4, 8)]
    assert len(flat) > 5
    kept, dropped, bad = filtered(flat[:5] + steep, lines, PAGE)
    assert (kept, dropped, bad) == (steep, flat[:5], set())
    kept, dropped, bad = filtered(flat[:6] + steep, lines, PAGE)
    assert (kept, dropped, bad) == ([], flat[:6], {0})


def test_an_implausible_page_is_named_in_the_result() -> None:
    # The HTML jumps to and fro between the left and the right end of a very wide page.
    words = [f"word{chr(97 + at)}{at * 7919} stands here alone" for at in range(16)]
    lines = [
        replace(line(at, 30 if at % 2 else 900, 50 + 40 * at), text=word, box=Box(x, y, x + 90, y + 10))
        for at, word in enumerate(words)
        for x, y in [(30 if at % 2 else 700, 50 + 300 * (at // 2 % 2))]
    ]
    page = PdfPage(0, 600, 600, 0, "text")
    found = align([page], lines, read_html("".join(f"<p>{word}</p>" for word in words)))
    assert found.pages[0].outcome == "implausible_order" and found.pages[0].dropped > 5 and found.line_edges == ()
    assert [match.block for match in found.matches] == list(range(16))


def test_no_successor_leads_from_one_article_to_another() -> None:
    pages, lines = read_pdf(written())
    whole = align(pages, lines, read_html(HTML))
    parts = HTML.replace("<p>Nobody", "</article><article><p>Nobody")
    found = align(pages, lines, read_html(f"<article>{parts}</article>"))
    assert set(whole.line_edges) - set(found.line_edges) == {
        (a, b) for a, b in whole.line_edges if found.matches[a].block == 1 and found.matches[b].block == 2
    }
    assert found.block_edges == ((0, 1), (2, 3))


def test_a_title_precedes_its_article_and_a_caption_ends_its_figure() -> None:
    blocks = read_html(
        "<article><p>Kicker<h1>Title</h1><p>Text</article><figure><figcaption>Cap</figcaption>Label</figure><p>End"
    )
    assert [blocks[at].text for at in reading_order(blocks)] == ["Title", "Kicker", "Text", "Label", "Cap", "End"]


def test_an_empty_document_has_no_edges() -> None:
    found = align([PdfPage(0, 100, 100, 0, "empty")], [], read_html("<p>text"))
    assert (found.matches, found.line_edges, found.pages[0].outcome) == ((), (), "empty")
