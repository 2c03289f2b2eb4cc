"""Tree-edit-distance similarity of HTML tables (TEDS)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from apted import APTED, Config
from lxml import html
from rapidfuzz.distance import Levenshtein

NodeCount = Literal["elements", "tree"]


@dataclass
class Cell:
    """A node of the compared tree: a tag, and for <td> its spans and the characters and tags inside it."""

    tag: str
    spans: tuple[int, int] | None = None
    content: list[str] = field(default_factory=list)
    children: list[Cell] = field(default_factory=list)

    def size(self) -> int:
        """Nodes of this tree, itself included."""
        return 1 + sum(child.size() for child in self.children)


class _Costs(Config):
    """Insert and delete cost 1; a cell of the same spans costs the normalized edit distance of its content."""

    def rename(self, node1: Cell, node2: Cell) -> float:
        if node1.tag != node2.tag or node1.spans != node2.spans:
            return 1.0
        return Levenshtein.normalized_distance(node1.content, node2.content)


def _tokens(element: Any) -> list[str]:
    """Characters and tags in an element, its own tags included; text after a nested <td> is lost, as in PubTabNet."""
    found = [f"<{element.tag}>", *(element.text or "")]
    for child in element:
        found += _tokens(child)
    if element.tag != "unk":
        found.append(f"</{element.tag}>")
    return found if element.tag == "td" else [*found, *(element.tail or "")]


def _tree(element: Any, structure_only: bool) -> Cell:
    if element.tag == "td":
        spans = int(element.get("colspan", "1")), int(element.get("rowspan", "1"))
        return Cell("td", spans, [] if structure_only else _tokens(element)[1:-1])
    return Cell(element.tag, None, [], [_tree(child, structure_only) for child in element])


def teds(pred: str, gold: str, structure_only: bool = False, nodes: NodeCount = "elements") -> float:
    """1 - tree edit distance / size of the larger table, of the first tables directly in <body>; 0.0 without one.

    `nodes` is what counts as size: `elements` under <table>, tags inside cells included and <table> not (PubTabNet,
    OmniDocBench: two empty tables raise ZeroDivisionError), or the `tree` that is compared (table_recognition_metric).
    Only <td> cells have content: the text of <th> is never compared. Spans that are no integers raise ValueError.
    Source: Zhong et al., arXiv 1911.10683, section 5, and the code named above.
    """
    if not pred or not gold:
        return 0.0
    parser = html.HTMLParser(remove_comments=True, encoding="utf-8")
    tables = [html.fromstring(text, parser=parser).xpath("body/table") for text in (pred, gold)]
    if not all(tables):
        return 0.0
    found, truth = tables[0][0], tables[1][0]
    trees = _tree(found, structure_only), _tree(truth, structure_only)
    if nodes == "elements":
        size = max(len(found.xpath(".//*")), len(truth.xpath(".//*")))
    else:
        size = max(trees[0].size(), trees[1].size())
    return 1.0 - float(APTED(*trees, _Costs()).compute_edit_distance()) / size


def strict_teds(pred: str, gold: str, structure_only: bool = False) -> float | None:
    """TEDS by the paper's formula, 1 - distance / max(|T1|, |T2|) with |T| the nodes of the compared trees.

    <th> is a cell like <td>, an HTML fragment will do, blanks around a cell's text do not count; None for two texts
    without a table, 0.0 for one. Source: Zhong et al., arXiv 1911.10683, section 5.
    """
    parser = html.HTMLParser(remove_comments=True, encoding="utf-8")
    trees = []
    for text in (pred, gold):
        tables = html.document_fromstring(text, parser=parser).xpath("//table") if text.strip() else []
        trees.append(_plain_tree(tables[0], structure_only) if tables else None)
    found, truth = trees
    if found is None or truth is None:
        return None if found is truth else 0.0
    size = max(found.size(), truth.size())
    return 1.0 - float(APTED(found, truth, _Costs()).compute_edit_distance()) / size


def _plain_tree(element: Any, structure_only: bool) -> Cell:
    if element.tag in ("td", "th"):
        spans = _span(element, "colspan"), _span(element, "rowspan")
        text = "".join(element.itertext()).strip()
        return Cell("td", spans, [] if structure_only else list(text))
    return Cell(element.tag, None, [], [_plain_tree(child, structure_only) for child in element])


def _span(element: Any, name: str) -> int:
    """The span as HTML reads it: what is no positive integer counts 1."""
    text = element.get(name, "1").strip()
    return max(1, int(text)) if text.isascii() and text.isdigit() else 1
