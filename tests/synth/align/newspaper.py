"""Newspaper-like pages: articles first, then two HTMLs of them, one to print and one as the paper's web site has it.

In print the articles lie in a grid of six columns, heads and bodies as siblings in shuffled order, a long article jumps
to the next page; on the site each article is whole. Text is a Markov chain over the package's own prose.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib.resources import files

import yaml

from schemas.sample import HtmlDocument, PageSize

PAPER = PageSize("tabloid", 280.0, 400.0)
FONTS = {"en": "Noto Serif", "zh": "Noto Serif CJK SC", "bn": "Noto Serif Bengali"}
LETTERS = {"en": 560, "zh": 280, "bn": 600}  # that fill one column of one row
STOP = {"en": ".", "zh": "。", "bn": "।"}
ROWS = ((4, 2), (2, 2, 2), (3, 3))


@dataclass(frozen=True)
class Piece:
    """A block of the site: tag, text, and the chain it belongs to (its article, or a number of its own)."""

    tag: str
    text: str
    chain: int


@dataclass(frozen=True)
class Newspaper:
    """`blocks` in the order of the site; `printed` their numbers in the order of the printed DOM."""

    blocks: tuple[Piece, ...]
    site: str
    printed: tuple[int, ...]
    document: HtmlDocument


@lru_cache
def _chain(language: str) -> dict[str, list[str]]:
    """Word (Chinese: two characters) to what follows it in the package's prose."""
    following: dict[str, list[str]] = defaultdict(list)
    for kind in ("contract", "form"):
        source = files("synth.content") / "prose" / kind / f"{language}.yaml"
        for text in _texts(yaml.safe_load(source.read_text(encoding="utf-8"))):
            text = re.sub(r"\{[^}]*\}|[.。।;；:：]", " ", text)
            words = re.sub(r"\s", "", text) if language == "zh" else text.split()
            for at in range(len(words) - 2):
                here = words[at : at + 2] if language == "zh" else words[at]
                following[str(here)].append(words[at + 2] if language == "zh" else words[at + 1])
    return dict(sorted(following.items()))


def _texts(node: object) -> list[str]:
    if isinstance(node, dict):
        return [text for child in node.values() for text in _texts(child)]
    if isinstance(node, list):
        return [text for child in node for text in _texts(child)]
    return [node] if isinstance(node, str) and len(node) > 12 else []


def sentence(rng: random.Random, language: str, letters: int) -> str:
    chain = _chain(language)
    keys = list(chain)
    text, here = "", ""
    while len(text) < letters:
        if here not in chain:
            here = rng.choice(keys)
            text += here if language == "zh" else f" {here}"
        step = rng.choice(chain[here])
        text += step if language == "zh" else f" {step}"
        here = (here + step)[-2:] if language == "zh" else step
    if rng.random() < 0.3:
        text += f" {rng.randint(2, 99)},{rng.randint(100, 999)}"
    text = text.strip(" ,")
    return text[:1].upper() + text[1:]


def paragraph(rng: random.Random, language: str, letters: int) -> str:
    gap, text = "" if language == "zh" else " ", ""
    while len(text) < letters:
        text += (
            (gap if text else "") + sentence(rng, language, rng.randint(letters // 6, letters // 3)) + STOP[language]
        )
    return text


def newspaper(seed: int, language: str, pages: int = 2, twins: bool = False, hyphens: bool = False) -> Newspaper:
    """`twins`: an article holds a paragraph twice, and another article has it too. `hyphens`: words may be broken."""
    rng = random.Random(f"{seed}/{language}")
    spans = [span for _ in range(pages) for row in ROWS for span in row]
    articles = [_article(rng, language, number, span) for number, span in enumerate(spans)]
    if twins:
        _make_twins(articles)
    chains = iter(range(1000, 9999))
    blocks: list[Piece] = []
    site: list[str] = []
    numbers: list[list[int]] = []
    for number, article in enumerate(articles):
        own: list[int] = []
        html = []
        for tag, text in article:
            own.append(len(blocks))
            blocks.append(Piece(tag, text, next(chains) if tag in ("aside", "figcaption") else number))
            html.append(_element(tag, text, False))
        numbers.append(own)
        site.append(f"<article>{''.join(html)}</article>")
    printed, html = _print(rng, language, spans, numbers, blocks, hyphens)
    return Newspaper(
        tuple(blocks),
        f"<html lang={language}><title>News</title><nav><a href=x></a></nav><main>{''.join(site)}</main></html>",
        tuple(printed),
        HtmlDocument(html, PAPER, "form", language, "form/test", (), "nobody", {}, {}),
    )


def _article(rng: random.Random, language: str, number: int, span: int) -> list[tuple[str, str]]:
    size = LETTERS[language]
    head = sentence(rng, language, size // 30)
    article = [("h1", head), ("p", sentence(rng, language, size // 40))]
    left = span * size
    while left > 0:
        letters = min(left + 20, rng.randint(size // 4, size * 2 // 3))
        article.append(("p", paragraph(rng, language, letters)))
        left -= letters
        if rng.random() < 0.2:
            article.append(("h2", sentence(rng, language, size // 40)))
    if article[-1][0] == "h2":
        article.pop()
    if number % 3 == 0:  # a pull quote says a sentence of the article again
        body = [text for tag, text in article if tag == "p"]
        quote = re.split(f"(?<={STOP[language]})", body[-1])[0].strip()
        article.insert(4, ("aside", quote))
    if number % 4 == 1:
        article.insert(3, ("figcaption", sentence(rng, language, size // 16)))
    if number % 5 == 2:
        rows = [(sentence(rng, language, 8), str(rng.randint(1, 99)), str(rng.randint(1, 9) * 10)) for _ in range(4)]
        article.append(("table", "\n".join("\t".join(row) for row in rows)))
    return article


def _make_twins(articles: list[list[tuple[str, str]]]) -> None:
    twin = next(text for tag, text in articles[0][2:] if tag == "p")
    articles[0].append(("p", twin))
    articles[2].insert(3, ("p", twin))


def _print(
    rng: random.Random, language: str, spans: list[int], numbers: list[list[int]], blocks: list[Piece], hyphens: bool
) -> tuple[list[int], str]:
    """The order of the blocks in the printed DOM, and its HTML."""
    pages: list[str] = []
    order: list[int] = []
    article, carried = 0, []
    per_page = sum(len(row) for row in ROWS)
    for page in range(len(spans) // per_page):
        items: list[tuple[list[int], str]] = []
        for number, row in enumerate(ROWS):
            column = 1
            for span in row:
                head, *body = numbers[article]
                if carried:  # what jumped here from the page before
                    body, carried = [*body, -1, *carried], []
                if article == page * per_page and (page + 1) * per_page < len(spans):
                    body, carried = body[:-2], body[-2:]
                at = f"grid-column:{column}/span {span}"
                items.append(([head], f"grid-row:{2 * number + 1};{at}"))
                items.append((body, f"grid-row:{2 * number + 2};{at};columns:{span};column-gap:9pt"))
                column, article = column + span, article + 1
        rng.shuffle(items)
        html = ""
        for own, style in items:
            inner = "".join(
                "<hr>" if n < 0 else _element(blocks[n].tag, _broken(blocks[n].text, language, hyphens), True)
                for n in own
            )
            html += f'<div style="{style}">{inner}</div>'
            order += [n for n in own if n >= 0]
        pages.append(f"<section>{html}</section>")
    style = (
        f"@page{{margin:0}}body{{margin:0;font:7.5pt/1.3 '{FONTS[language]}'}}"
        "section{box-sizing:border-box;width:280mm;height:399mm;padding:8mm;break-after:page;display:grid;"
        "grid-template-columns:repeat(6,1fr);column-gap:9pt;align-content:start;overflow:hidden}"
        "section:last-child{break-after:auto}div{min-width:0}p{margin:0 0 3pt;text-align:justify}"
        "h1{font-size:17pt;margin:6pt 0;line-height:1.2}h2{font-size:8pt;margin:4pt 0 2pt}td{padding:0 2pt}"
        "aside{font-size:10pt;margin:4pt;border-top:1pt solid}figure{margin:0 0 4pt}figure i{display:block;height:30pt;"
        "background:#ddd}figcaption{font-size:6.5pt}table{border-collapse:collapse;font-size:7pt}hr{margin:2pt}"
    )
    return order, f"<html lang={language}><style>{style}</style><body>{''.join(pages)}</body></html>"


def _element(tag: str, text: str, printed: bool) -> str:
    if tag == "table":
        rows = [[f"<td>{escape(cell)}</td>" for cell in row.split("\t")] for row in text.split("\n")]
        return f"<table>{''.join(f'<tr>{chr(10).join(row)}</tr>' for row in rows)}</table>"
    if tag == "figcaption":
        return f"<figure><i></i><figcaption>{escape(text)}</figcaption></figure>"
    return f"<{tag}>{escape(text)}</{tag}>"


def _broken(text: str, language: str, hyphens: bool) -> str:
    """Soft hyphens where a word may be broken; Chinese needs none."""
    if not hyphens or language == "zh":
        return text
    if language == "en":
        return re.sub(r"([a-z]{3})(?=[a-z]{3})", "\\1\u00ad", text)
    return re.sub(
        r"([\u0995-\u09b9][\u09be-\u09cc]?)(?=[\u0995-\u09b9][\u0995-\u09b9\u09be-\u09c8])", "\\1\u00ad", text
    )
