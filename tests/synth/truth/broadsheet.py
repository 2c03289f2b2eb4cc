"""Newspaper pages whose reading order is written down first, and whose HTML then hides it.

An article is a chain of paragraphs; boxes, pull quotes and captions are chains of their own. Only after that the page
is laid out in three to six columns: every article is `display: contents` in one grid, its pieces (head, strips of
columns with figures, boxes and quotes, a strip somewhere else that it jumps to) are siblings in shuffled order among
shuffled articles, put in place by grid lines, or by these and `order`; within a strip paragraphs are shuffled, too, and
put in place by `order`. What jumps to the next page is an article that says which one it continues.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from html import escape

from schemas.sample import HtmlDocument
from tests.synth.align.newspaper import FONTS, LETTERS, PAPER, paragraph, sentence

Chain = list[int]


@dataclass
class Item:
    """A piece of an article in the page's grid: its blocks, the grid area (column, row, span), how it flows."""

    blocks: list[tuple[str, int]]  # tag and number of the paragraph
    column: int
    row: int
    span: int
    flowing: bool = False  # CSS columns with the blocks in their order; else a flex box with shuffled ones
    page: int = 0
    rows: int = 1


@dataclass
class Broadsheet:
    """`texts` of all paragraphs by number; `chains`: numbers in reading order; `document`: the print."""

    texts: list[str] = field(default_factory=list)
    chains: list[Chain] = field(default_factory=list)
    document: HtmlDocument | None = None

    def add(self, text: str) -> int:
        """No two are alike, since the test knows them by their texts: the second of a kind gets a number."""
        self.texts.append(f"{text} {len(self.texts)}" if text in self.texts else text)
        return len(self.texts) - 1


def broadsheet(seed: int, language: str, columns: int, pages: int = 2) -> Broadsheet:
    """A paper of `pages` pages in `columns` columns. The last article of a page jumps to the next page."""
    rng = random.Random(f"{seed}/{language}/{columns}")
    paper = Broadsheet()
    articles: list[tuple[list[Item], int]] = []  # items and the page where the article begins
    carried: tuple[int, list[tuple[str, int]]] | None = None
    for page in range(pages):
        goes_on = page + 1 < pages
        carried = _page(rng, paper, articles, language, columns, page, carried, goes_on)
    paper.document = HtmlDocument(
        _html(rng, paper, articles, language, columns, pages),
        PAPER,
        "form",
        language,
        "form/test",
        (),
        "nobody",
        {},
        {},
    )
    return paper


def _page(
    rng: random.Random,
    paper: Broadsheet,
    articles: list[tuple[list[Item], int]],
    language: str,
    columns: int,
    page: int,
    carried: tuple[int, list[tuple[str, int]]] | None,
    goes_on: bool,
) -> tuple[int, list[tuple[str, int]]] | None:
    """Three bands of articles; the lead of the first band jumps to the last column, what the page before left comes
    in the first column of the last band. Returns the article that goes on, and with what."""
    size = LETTERS[language] * 6 // columns
    jump = rng.random() < 0.7 and columns > 3
    left: tuple[int, list[tuple[str, int]]] | None = None
    for band in range(3):
        row, free = 2 * band + 1, columns
        column = 1
        if jump:
            free -= 1  # the last column belongs to what jumps there
        if band == 2 and carried:
            articles[carried[0]][0].append(Item(carried[1], 1, row, 1, page=page, rows=2))
            column, free = 2, free - 1
        while free:
            span = free if free <= 2 else rng.randint(1, min(3, free - 1))
            items = _article(rng, paper, language, size, column, row, span, page)
            chain = paper.chains[-1]
            articles.append((items, page))
            if jump and band == 0 and column == 1:  # leaves the articles between out
                more = [paper.add(paragraph(rng, language, size // 3)) for _ in range(rng.randint(2, 4))]
                chain += more
                items.append(Item([("p", n) for n in more], columns, 1 + 2 * rng.randint(0, 1), 1, page=page, rows=2))
            if goes_on and left is None and band == 1 and not (jump and column == 1 and band == 0):
                more = [paper.add(paragraph(rng, language, size // 3)) for _ in range(2)]
                chain += more
                left = (len(articles) - 1, [("p", n) for n in more])
            _sides(rng, paper, items, language, size)
            column, free = column + span, free - span
    return left


def _article(
    rng: random.Random, paper: Broadsheet, language: str, size: int, column: int, row: int, span: int, page: int
) -> list[Item]:
    """The article's chain, added to the paper, and where its pieces stand."""
    head = [("h1", paper.add(sentence(rng, language, size // 25)))]
    if rng.random() < 0.4:
        head.append(("p", paper.add(sentence(rng, language, size // 12))))
    if rng.random() < 0.3:  # a kicker stands over the title
        head.insert(0, ("b", paper.add(sentence(rng, language, size // 40))))
    items = [Item(head, column, row, span, page=page)]
    strips: list[list[tuple[str, int]]] = []
    for _ in range(span):
        strip: list[tuple[str, int]] = []
        for _ in range(rng.randint(1, 3)):
            strip.append(("p", paper.add(paragraph(rng, language, rng.randint(size // 5, size // 3)))))
            if rng.random() < 0.2:
                strip.append(("h2", paper.add(sentence(rng, language, size // 40))))
        if strip[-1][0] == "h2":
            strip.append(("p", paper.add(paragraph(rng, language, size // 5))))
        strips.append(strip)
    if rng.random() < 0.4:
        items.append(Item([b for strip in strips for b in strip], column, row + 1, span, flowing=True, page=page))
    else:
        items += [Item(strip, column + k, row + 1, 1, page=page) for k, strip in enumerate(strips)]
    paper.chains.append([n for item in items for _, n in item.blocks])
    return items


def _sides(rng: random.Random, paper: Broadsheet, items: list[Item], language: str, size: int) -> None:
    """Boxes, pull quotes and figures among an article's paragraphs, each a chain of its own."""
    body = [item for item in items[1:] if item.blocks]
    for kind in ("quote", "box", "figure"):
        if rng.random() > 0.4:
            continue
        item = rng.choice(body)
        number = {"quote": 1, "box": 3, "figure": 1}[kind]
        tags = {"quote": ["q"], "box": ["h3", "p", "p"], "figure": ["figcaption"]}[kind]
        own = [paper.add(sentence(rng, language, size // (20 if k == 0 else 8))) for k in range(number)]
        paper.chains.append(own)
        free = [k for k in range(1, len(item.blocks) + 1) if ":p" not in "".join(t for t, _ in item.blocks[k : k + 1])]
        at = rng.choice(free)  # not within a box
        item.blocks[at:at] = [(f"{kind}:{tag}", n) for tag, n in zip(tags, own, strict=True)]


def _html(
    rng: random.Random,
    paper: Broadsheet,
    articles: list[tuple[list[Item], int]],
    language: str,
    columns: int,
    pages: int,
) -> str:
    """The page generator's order is shuffled away here; nothing but CSS puts it back."""
    sections: list[list[str]] = [[] for _ in range(pages)]
    for number, (items, begins) in enumerate(articles):
        by_order = rng.random() < 0.5
        for page in sorted({item.page for item in items}):
            own = [(k, item) for k, item in enumerate(items) if item.page == page]
            rng.shuffle(own)
            inner = "".join(_item(rng, paper, item, k if by_order else None) for k, item in own)
            mark = f"id=a{number}" if page == begins else f'data-continues="a{number}"'
            sections[page].append(f"<article {mark}>{inner}</article>")
    for section in sections:
        rng.shuffle(section)
    style = (
        f"@page{{margin:0}}body{{margin:0;font:7pt/1.3 '{FONTS[language]}'}}"
        "section{box-sizing:border-box;width:280mm;height:399mm;padding:8mm;break-after:page;display:grid;"
        f"grid-template-columns:repeat({columns},minmax(0,1fr));column-gap:9pt;row-gap:4pt;align-content:start;overflow:hidden}}"
        "section:last-child{break-after:auto}article{display:contents}.s{display:flex;flex-direction:column}"
        "p{margin:0 0 3pt;text-align:justify}h1{font-size:15pt;margin:6pt 0 3pt;line-height:1.2}"
        "h2,h3{font-size:8pt;margin:4pt 0 2pt}"
        "aside{margin:4pt 0;border:1pt solid #777;padding:2pt}.quote{font-size:10pt;border:0;border-top:2pt solid}"
        "q{quotes:none;display:block}b{display:block;font-size:6.5pt}"
        "figure{margin:0 0 4pt}i{display:block;height:26pt;background:#ddd}figcaption{font-size:6.5pt}"
    )
    body = "".join(f"<section>{''.join(section)}</section>" for section in sections)
    return f"<html lang={language}><style>{style}</style><body>{body}</body></html>"


def _item(rng: random.Random, paper: Broadsheet, item: Item, order: int | None) -> str:
    pieces: list[str] = []
    for at, (tag, number) in enumerate(item.blocks):
        kind, _, inner = tag.rpartition(":")
        text = f"<{inner}>{escape(paper.texts[number])}</{inner}>"
        if kind and at and item.blocks[at - 1][0].startswith(f"{kind}:") and inner == "p":
            pieces[-1] = pieces[-1].replace("</aside>", f"{text}</aside>")
        elif kind == "figure":
            pieces.append(f"<figure><i></i>{text}</figure>")
        else:
            pieces.append(f'<aside class="{kind}">{text}</aside>' if kind else text)
    area = f"grid-area:{item.row}/{item.column}/span {item.rows}/span {item.span}"
    area += "" if order is None else f";order:{order}"
    if item.flowing:
        return f'<div style="{area};columns:{item.span};column-gap:9pt">{"".join(pieces)}</div>'
    placed = [f'<div style="order:{at + 1}">{piece}</div>' for at, piece in enumerate(pieces)]
    rng.shuffle(placed)
    return f'<div class=s style="{area}">{"".join(placed)}</div>'
