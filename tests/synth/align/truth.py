"""What the chain knows of a print, for lines that an extractor read from it: the truth the aligner is held against."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from schemas.document import Document
from schemas.geometry import Box
from synth.align.html import read_html
from synth.align.model import Alignment, HtmlBlock, PdfLine, PdfPage
from synth.align.pdf import read_pdf
from synth.metrics.reading_order import micro
from synth.render.chromium import Chromium
from synth.truth.labels import label
from tests.synth.align.newspaper import Newspaper

EQUAL = 0.9  # two blocks with nearly as many letters in a merged line are both right

Rects = tuple[tuple[int, Box], ...]
Edge = tuple[int, int]


@dataclass(frozen=True)
class Known:
    """A printed word: its place on the page, and where its letters stand in which block of the HTML."""

    page: int
    x: float
    y: float
    x0: float
    x1: float
    block: int
    offset: int
    letters: int


@dataclass(frozen=True)
class Pair:
    """A PDF's lines and an HTML's blocks, with what the chain knows of them.

    `rects` say from which places of the print a line comes (none for what was mixed in). `chains` gives each block the
    number of its article.
    """

    name: str
    pages: tuple[PdfPage, ...]
    lines: tuple[PdfLine, ...]
    rects: tuple[Rects, ...]
    blocks: tuple[HtmlBlock, ...]
    chains: tuple[int, ...]
    words: tuple[Known, ...]
    pdf: bytes

    def with_lines(self, lines: Sequence[PdfLine], rects: Sequence[Rects]) -> Pair:
        return replace(self, lines=tuple(replace(x, id=i) for i, x in enumerate(lines)), rects=tuple(rects))


@dataclass(frozen=True)
class Truth:
    """For each line the blocks that have most of its letters (none: unmatched), and the successor edges."""

    blocks: tuple[frozenset[int], ...]
    edges: frozenset[Edge]


def _squeezed(text: str) -> str:
    text = re.sub("[\u00ad\u200b\u2060\ufeff\\s]", "", text)
    return unicodedata.normalize("NFC", text).casefold()


def pair_of_newspaper(chromium: Chromium, paper: Newspaper, name: str) -> Pair:
    blocks = read_html(paper.site)
    assert [_squeezed(b.text) for b in blocks] == [_squeezed(b.text) for b in paper.blocks]
    raw = chromium.print(paper.document)
    chains = [block.chain for block in paper.blocks]
    return _pair(name, raw.pdf, label(raw, paper.document), blocks, paper.printed, chains)


def pair_of_document(pdf: bytes, document: Document, html: str, name: str) -> Pair:
    """A document of Pageloom's own; the HTML that was printed is the one to align with."""
    blocks = read_html(html)
    return _pair(name, pdf, document, blocks, range(len(blocks)), [block.group for block in blocks])


def _pair(
    name: str, pdf: bytes, document: Document, blocks: list[HtmlBlock], printed: Sequence[int], chains: Sequence[int]
) -> Pair:
    pages, lines = read_pdf(pdf)
    dom = [(number, offset) for number in printed for offset in range(len(_squeezed(blocks[number].text)))]
    text = "".join(_squeezed(blocks[number].text) for number in printed)
    in_dom = sorted(document.words, key=lambda word: (document.blocks[word.block].logical, word.id))
    assert text == "".join(_squeezed(word.text) for word in in_dom), f"{name}: the chain has another text"
    words: list[Known] = []
    at = 0
    for word in in_dom:
        size = len(_squeezed(word.text))
        block, offset = dom[at] if size else (-1, 0)
        at += size
        x, y = (word.ink.x0 + word.ink.x1) / 2, (word.box.y0 + word.box.y1) / 2
        letters = sum(unicodedata.category(c)[0] in "LN" for c in word.text)
        words.append(Known(word.page, x, y, word.box.x0, word.box.x1, block, offset, letters))
    rects = [((line.page, line.box),) for line in lines]
    return Pair(name, tuple(pages), tuple(lines), tuple(rects), tuple(blocks), tuple(chains), tuple(words), pdf)


def truth_of(pair: Pair) -> Truth:
    """Every word is given to the lines that show it, by place alone."""
    by_page: dict[int, list[tuple[Box, int]]] = defaultdict(list)
    for line, rects in enumerate(pair.rects):
        for page, box in rects:
            by_page[page].append((box, line))
    counts: list[Counter[int]] = [Counter() for _ in pair.lines]
    ordered: list[tuple[int, float, int]] = []
    for word in pair.words:
        if word.block < 0:
            continue
        for line, offset in _owners(word, by_page[word.page]):
            counts[line][word.block] += max(1, word.letters)
            ordered.append((word.block, offset, line))
    ordered.sort()
    edges: set[Edge] = set()
    for chain in set(pair.chains):
        lines = [line for block, _, line in ordered if pair.chains[block] == chain]
        edges.update((a, b) for a, b in pairwise(lines) if a != b)
    most = [frozenset(b for b, n in count.items() if n >= EQUAL * max(count.values())) for count in counts]
    return Truth(tuple(most), frozenset(edges))


def _owners(word: Known, boxes: list[tuple[Box, int]]) -> list[tuple[int, float]]:
    """Lines that show a word, with the place in the block where each goes on: extractors cut within words, too."""
    level = [(box, line) for box, line in boxes if box.y0 <= word.y <= box.y1]
    inside = [(abs(word.y - (b.y0 + b.y1) / 2), at) for at, (b, _) in enumerate(level) if b.x0 <= word.x <= b.x1]
    found = {level[min(inside)[1]][1]: float(word.offset)} if inside else {}
    for box, line in level:
        middle, height = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        if line not in found and word.x0 < middle < word.x1 and abs(word.y - height) < (box.y1 - box.y0) / 4:
            found[line] = word.offset + (middle - word.x) / (word.x1 - word.x0)
    return list(found.items())


@dataclass(frozen=True)
class Score:
    """Share of lines with the right block (or rightly none), and F1 of the successor edges."""

    lines: int
    right: int
    edges: tuple[int, int, int]  # common, predicted, true

    @property
    def accuracy(self) -> float:
        return self.right / self.lines if self.lines else 1.0

    @property
    def f1(self) -> float:
        return micro(*self.edges)[2]

    def __add__(self, other: Score) -> Score:
        edges = tuple(a + b for a, b in zip(self.edges, other.edges, strict=True))
        return Score(self.lines + other.lines, self.right + other.right, (edges[0], edges[1], edges[2]))


def score(found: Alignment, truth: Truth) -> Score:
    right = sum(
        match.block in blocks if blocks else match.block is None
        for match, blocks in zip(found.matches, truth.blocks, strict=True)
    )
    predicted = set(found.line_edges)
    edges = (len(predicted & truth.edges), len(predicted), len(truth.edges))
    return Score(len(truth.blocks), right, edges)
