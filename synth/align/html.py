"""Blocks of text of any HTML, parsed by lxml."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree
from lxml import html as lxml_html

from schemas.document import ROLES
from schemas.errors import SampleError
from synth.align.model import HtmlBlock
from synth.align.text import clean

MAX_BYTES = 100_000_000
ROLE_OF_TAG = {
    **{"h1": "title", "h2": "section_header", "h3": "section_header", "h4": "section_header", "h5": "section_header"},
    **{"h6": "section_header", "legend": "section_header", "li": "list_item", "caption": "caption"},
    **{"figcaption": "caption", "figure": "figure", "dl": "key_value", "dt": "key_value", "dd": "key_value"},
    **{"header": "page_header", "footer": "page_footer", "table": "table"},
}
BLOCK_TAGS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table tbody "
    "td tfoot th thead tr ul".split()
)
TABLE_PARTS = frozenset(("thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col"))
UNSEEN = frozenset("audio canvas datalist embed head iframe noscript object option script style template video".split())
GROUPS = frozenset("article aside figure nav header footer".split())
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BLOCKY = re.compile(r"display\s*:\s*(block|flex|grid|table|list-item)\b", re.IGNORECASE)
_SPACE = re.compile(r"\s+")


@dataclass
class _Walk:
    """Text gathered so far, and the element it belongs to."""

    blocks: list[HtmlBlock] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    owner: tuple[str, str, int] = ("body", "text", 0)
    groups: int = 0

    def flush(self) -> None:
        text = _SPACE.sub(" ", "".join(self.pieces)).strip()
        self.pieces.clear()
        if clean(text):
            tag, role, group = self.owner
            level = int(tag[1]) if re.fullmatch("h[1-6]", tag) else 0
            self.blocks.append(HtmlBlock(len(self.blocks), text, tag, role, level, group))


def read_html(*sources: bytes | str) -> list[HtmlBlock]:
    """Blocks of one document, or of the files of one document in their order.

    A block is the text of a block-level element (or with a `data-role`, or an inline style that makes it one) between
    its block-level children; a table whose cells hold no blocks is one block. Elements that are hidden by themselves
    (not by a style sheet) are left out. SampleError of stage "align": "bad_html", "html_without_text".
    """
    walk = _Walk()
    for source in sources:
        if len(source) > MAX_BYTES:
            raise SampleError("bad_html", "align", f"larger than {MAX_BYTES // 1_000_000} MB")
        _visit(_parse(source), walk, ("body", "text", 0), False)
        walk.flush()
    if not walk.blocks:
        raise SampleError("html_without_text", "align", "no element of it holds a letter")
    return walk.blocks


def _parse(source: bytes | str) -> lxml_html.HtmlElement:
    data = source.encode() if isinstance(source, str) else source
    declared = re.search(rb"charset\s*=\s*[\"']?([\w-]+)|encoding\s*=\s*[\"']([\w-]+)", data[:2048])
    encoding = (declared[1] or declared[2]).decode() if declared and not isinstance(source, str) else "utf-8"
    try:
        parser = lxml_html.HTMLParser(encoding=encoding, huge_tree=True, remove_comments=True, remove_pis=True)
        return lxml_html.document_fromstring(data, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError):
        raise SampleError("html_without_text", "align", "no element at all") from None
    except LookupError:
        raise SampleError("bad_html", "align", f"unknown encoding {encoding!r}") from None


def _visit(root: lxml_html.HtmlElement, walk: _Walk, owner: tuple[str, str, int], fixed: bool) -> None:
    """Depth first with a stack of its own, since HTML may be nested deeper than Python's recursion goes."""
    stack: list[tuple[str, lxml_html.HtmlElement, tuple[str, str, int], bool]] = [("open", root, owner, fixed)]
    while stack:
        step, element, owner, fixed = stack.pop()
        if step == "text":
            walk.owner = owner
            walk.pieces.append(element.tail or "")
            continue
        if step == "close":
            walk.flush()
            continue
        if not isinstance(element.tag, str) or _unseen(element):
            continue
        tag, inner, inner_fixed = element.tag, owner, fixed
        if tag == "br":
            walk.pieces.append("\n")
        blocky = not (fixed and tag in BLOCK_TAGS and owner[0] == "table") and _blocky(element)
        if blocky:
            walk.flush()
            if _opens_group(tag, owner):
                walk.groups += 1
            inner, inner_fixed = _owner(element, owner, fixed, walk.groups)
            stack.append(("close", element, owner, fixed))
        elif tag in TABLE_PARTS or tag in BLOCK_TAGS:
            walk.pieces.append(" ")
        walk.owner = inner
        walk.pieces.append(element.text or "")
        for child in reversed(element):
            stack.append(("text", child, inner, inner_fixed))
            stack.append(("open", child, inner, inner_fixed))


def _opens_group(tag: str, owner: tuple[str, str, int]) -> bool:
    """The head of an article is part of it, that of the page is not."""
    return tag in GROUPS and (tag not in ("header", "footer") or not owner[2])


def _unseen(element: lxml_html.HtmlElement) -> bool:
    return element.tag in UNSEEN or element.get("hidden") is not None or bool(_HIDDEN.search(element.get("style", "")))


def _blocky(element: lxml_html.HtmlElement) -> bool:
    return element.tag in BLOCK_TAGS or "data-role" in element.attrib or bool(_BLOCKY.search(element.get("style", "")))


def _owner(
    element: lxml_html.HtmlElement, owner: tuple[str, str, int], fixed: bool, groups: int
) -> tuple[tuple[str, str, int], bool]:
    """Tag, role and group of a block-level element, and whether its children keep them."""
    tag = element.tag
    group = groups if _opens_group(tag, owner) else owner[2]
    named = element.get("data-role")
    if named in ROLES:
        return (tag, named, group), True
    if tag == "table":
        whole = element.get("role") != "presentation" and not element.xpath(
            ".//td//*[self::p or self::div or self::pre or self::ul or self::ol or self::dl or self::table or self::h3]"
        )
        return (tag, "table" if whole else owner[1], group), whole
    if fixed:
        return (tag, owner[1], group), True
    role = ROLE_OF_TAG.get(tag, owner[1])
    if role in ("page_header", "page_footer") and owner[2]:
        role = "text"
    return (tag, role, group), tag == "caption"
