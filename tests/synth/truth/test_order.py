"""Reading order against what a page generator wrote down before it made HTML."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from schemas.document import Document
from schemas.errors import SampleError
from synth.metrics.reading_order import micro
from synth.render.chromium import Chromium
from synth.truth.labels import label
from tests.synth.render.printing import document
from tests.synth.truth.broadsheet import Broadsheet, broadsheet

Edges = set[tuple[int, int]]


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


def tiled(text: str, lines: dict[int, str]) -> list[int]:
    """The lines (by id) in the order in which they make up a text, whatever order the labels give them."""
    order: list[int] = []
    while text:
        fits = [number for number, line in lines.items() if number not in order and text.startswith(line)]
        assert fits, text[:40]
        order.append(max(fits, key=lambda number: len(lines[number])))
        text = text[len(lines[order[-1]]) :]
    return order


def edges_of(paper: Broadsheet, labels: Document) -> tuple[Edges, Edges, Edges, Edges]:
    """True edges of lines and of paragraphs, from the generator's chains; and those of the labels."""
    numbers = {squeezed(text): number for number, text in enumerate(paper.texts)}
    assert len(numbers) == len(paper.texts), "two paragraphs are alike"
    texts: dict[int, str] = {}
    lines: dict[int, dict[int, str]] = {}
    for block in labels.blocks:
        texts[block.logical] = texts.get(block.logical, "") + squeezed(block.text)
    paragraph = {logical: numbers[text] for logical, text in texts.items()}
    for line in labels.lines:
        own = lines.setdefault(paragraph[labels.blocks[line.block].logical], {})
        own[line.id] = squeezed(line.text)
    true_lines: Edges = set()
    for chain in paper.chains:
        true_lines.update(pairwise(k for number in chain for k in tiled(squeezed(paper.texts[number]), lines[number])))
    true_paragraphs = {pair for chain in paper.chains for pair in pairwise(chain)}
    of = {block.id: paragraph[block.logical] for block in labels.blocks}
    said = {(of[b.id], of[b.next]) for b in labels.blocks if b.next >= 0 and of[b.id] != of[b.next]}
    return true_lines, true_paragraphs, {(k.id, k.next) for k in labels.lines if k.next >= 0}, said


def f1(said: Edges, true: Edges) -> float:
    return micro(len(said & true), len(said), len(true))[2]


def check(chromium: Chromium, seed: int, language: str, columns: int) -> tuple[float, float]:
    """Assert that all edges are right; F1 of the DOM's order of lines and of that from top to bottom."""
    paper = broadsheet(seed, language, columns)
    assert paper.document is not None
    raw = chromium.print(paper.document)
    labels = label(raw, paper.document)
    true_lines, true_paragraphs, lines, paragraphs = edges_of(paper, labels)
    assert f1(lines, true_lines) == 1.0, (seed, sorted(lines ^ true_lines)[:6])
    assert f1(paragraphs, true_paragraphs) == 1.0, (seed, sorted(paragraphs ^ true_paragraphs)[:6])
    assert len(true_lines) > 100
    dom = sorted(labels.lines, key=lambda line: (labels.blocks[line.block].logical, line.id))
    down = sorted(labels.lines, key=lambda line: (line.page, line.box.y0, line.box.x0))
    plain, naive = (f1({(a.id, b.id) for a, b in pairwise(order)}, true_lines) for order in (dom, down))
    return plain, naive


@pytest.mark.parametrize(("language", "columns"), [("en", 3), ("zh", 5), ("bn", 6)])
def test_order_of_shuffled_newspapers(chromium: Chromium, language: str, columns: int) -> None:
    dom, down = check(chromium, 0, language, columns)
    assert dom < 0.95, "the DOM's order is not hidden"
    assert down < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh", "bn"])
@pytest.mark.parametrize("columns", [3, 4, 5, 6])
def test_order_of_many_shuffled_newspapers(chromium: Chromium, language: str, columns: int) -> None:
    for seed in range(1, 9):
        check(chromium, seed, language, columns)


def chains(chromium: Chromium, html: str) -> list[list[str]]:
    """Texts of the blocks of a page, chain by chain."""
    doc = document(f"<html><style>body{{font:11pt 'Noto Serif';margin:15mm}}p{{margin:4pt}}</style>{html}")
    labels = label(chromium.print(doc), doc)
    for line in labels.lines:
        assert line.next in (-1, line.id + 1)
    after = {block.next for block in labels.blocks}
    found: list[list[str]] = []
    for block in labels.blocks:
        if block.id not in after:
            found.append([block.text])
            while block.next >= 0:
                block = labels.blocks[block.next]
                found[-1].append(block.text)
    return found


def test_what_the_html_does_not_say_is_refused(chromium: Chromium) -> None:
    with pytest.raises(SampleError, match="reading_order") as caught:
        chains(
            chromium, "<p style='position:relative;top:60pt'>Second</p><p style='position:relative;top:-20pt'>First</p>"
        )
    assert caught.value.stage == "truth" and "'First'" in caught.value.detail


def test_parts_are_read_for_themselves(chromium: Chromium) -> None:
    html = """<header>Paper</header><article><p>Kicker</p><h1>Title</h1><p>One</p><aside>Quote</aside><p>Two</p>
    <figure><figcaption>Caption</figcaption><p>Chart</p></figure></article><article><h1>Other</h1><p>End</p></article>
    <footer>Page</footer>"""
    assert chains(chromium, html) == [
        ["Paper"], ["Kicker", "Title", "One", "Two"], ["Quote"], ["Chart", "Caption"], ["Other", "End"], ["Page"],
    ]  # fmt: skip


def test_the_title_precedes_its_article(chromium: Chromium) -> None:
    """By columns alone what jumped to the upper right could come first: nothing but the title says it does not."""
    html = """<article style="display:grid;grid-template-columns:1fr 1fr 1fr"><p style="grid-area:1/3">Jumped</p>
    <h1 style="grid-area:2/1/auto/span 2">Title</h1><p style="grid-area:3/2">Two</p><p style="grid-area:3/1">One</p>"""
    assert chains(chromium, html) == [["Title", "One", "Two", "Jumped"]]


def test_columns_go_where_the_text_goes(chromium: Chromium) -> None:
    html = """<div dir={} style="display:grid;grid-template-columns:1fr 1fr"><p style="grid-area:1/2">Second</p>
    <p style="grid-area:1/1">First</p></div>"""
    for direction in ("ltr", "rtl"):
        assert chains(chromium, html.format(direction)) == [["First", "Second"]]


def test_vertical_columns_go_down(chromium: Chromium) -> None:
    html = """<div style="writing-mode:vertical-rl;display:grid;grid-template-columns:1fr 1fr;height:60mm">
    <p style="grid-area:1/2">Second</p><p style="grid-area:1/1">First</p></div>"""
    assert chains(chromium, html) == [["First", "Second"]]


def test_reversed_items_are_read_as_they_stand(chromium: Chromium) -> None:
    html = "<div style='display:flex;flex-direction:row-reverse'><p>Right</p><p>Left</p></div><p>Below</p>"
    assert chains(chromium, html) == [["Left", "Right", "Below"]]


def test_pairs_in_rows_and_tables_keep_their_order(chromium: Chromium) -> None:
    html = """<div style="display:grid;grid-template-columns:1fr 1fr"><p>Key<p>Value<p>Key 2<p>Value 2</div>
    <table><tr><td>a<br>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"""
    assert chains(chromium, html) == [["Key", "Value", "Key 2", "Value 2", "a a b c d"]]


def test_what_leaves_the_flow_is_a_chain_of_its_own(chromium: Chromium) -> None:
    text = "Words that fill more than one line of the page. " * 6
    html = f"<div style='float:right;width:40mm'>Beside</div><p>{text}</p><p>After</p>"
    assert chains(chromium, html) == [["Beside"], [text.strip(), "After"]]
