"""Blocks of text of any HTML, parsed as browsers do (Lexbor)."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from schemas.document import ROLES
from schemas.errors import SampleError
from synth.align.model import HtmlBlock
from synth.align.text import clean


def _tags(names: str) -> frozenset[str]:
    return frozenset(names.split())


MAX_BYTES = 100_000_000
ROLE_OF_TAG = {
    **{"h1": "title", "h2": "section_header", "h3": "section_header", "h4": "section_header", "h5": "section_header"},
    **{"h6": "section_header", "legend": "section_header", "li": "list_item", "caption": "caption"},
    **{"figcaption": "caption", "figure": "figure", "dl": "key_value", "dt": "key_value", "dd": "key_value"},
    **{"header": "page_header", "footer": "page_footer", "table": "table"},
}
BLOCK_TAGS = _tags(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table tbody "
    "td tfoot th thead tr ul"
)
UNSEEN = _tags("audio canvas datalist embed head iframe noscript object option script style template video")
GROUPS = _tags("article aside figure nav header footer")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BLOCKY = re.compile(r"display\s*:\s*(block|flex|grid|table|list-item)\b", re.IGNORECASE)
_SPACE = re.compile(r"\s+")


_BLOCKS_IN_CELLS = ", ".join(f"td {tag}" for tag in ("p", "div", "pre", "ul", "ol", "dl", "table", "h2", "h3", "h4"))

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))

Owner = tuple[str, str, int]  # tag, role, group
Attributes = dict[str, str | None]


@dataclass
class _Walk:
    """Text gathered so far, and the element it belongs to."""

    blocks: list[HtmlBlock] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    owner: Owner = ("body", "text", 0)
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
        root = LexborHTMLParser(_decoded(source)).root
        if root is not None:
            _visit(root, walk)
        walk.flush()
    if not walk.blocks:
        raise SampleError("html_without_text", "align", "no element of it holds a letter")
    return walk.blocks


def _decoded(source: bytes | str) -> str:
    """By the byte order mark, the charset that the file names, or as UTF-8."""
    if isinstance(source, str):
        return source
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if source.startswith(mark):
            return source.decode(name, "replace")
    named = re.search(rb"(?:charset|encoding)\s*=\s*[\"']?([\w.:-]+)", source[:2048])
    name = named[1].decode() if named else "utf-8"
    try:
        return source.decode("gb18030" if name.lower() in ("gb2312", "gbk") else name, "replace")
    except LookupError:
        raise SampleError("bad_html", "align", f"unknown encoding {name!r}") from None


def _visit(root: LexborNode, walk: _Walk) -> None:
    """Depth first with a stack of its own, since HTML may be nested deeper than Python's recursion goes."""
    stack: list[tuple[LexborNode | None, Owner, bool]] = [(root, ("body", "text", 0), False)]
    while stack:
        node, owner, fixed = stack.pop()
        if node is None:  # a block-level element ends
            walk.flush()
            continue
        if node.is_text_node:
            walk.owner = owner
            walk.pieces.append(node.text_content or "")
            continue
        tag, attributes = node.tag or "", node.attributes
        if not node.is_element_node or _unseen(tag, attributes):
            continue
        if tag == "br":
            walk.pieces.append("\n")
        if not (fixed and owner[0] == "table") and _blocky(tag, attributes):
            walk.flush()
            if _opens_group(tag, owner):
                walk.groups += 1
            owner, fixed = _owner(node, attributes, owner, fixed, walk.groups)
            stack.append((None, owner, fixed))
        elif tag in BLOCK_TAGS:
            walk.pieces.append(" ")
        child = node.last_child
        while child is not None:
            stack.append((child, owner, fixed))
            child = child.prev


def _opens_group(tag: str, owner: Owner) -> bool:
    """The head of an article is part of it, that of the page is not."""
    return tag in GROUPS and (tag not in ("header", "footer") or not owner[2])


def _unseen(tag: str, attributes: Attributes) -> bool:
    return tag in UNSEEN or "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))


def _blocky(tag: str, attributes: Attributes) -> bool:
    return tag in BLOCK_TAGS or "data-role" in attributes or bool(_BLOCKY.search(attributes.get("style") or ""))


def _owner(node: LexborNode, attributes: Attributes, owner: Owner, fixed: bool, groups: int) -> tuple[Owner, bool]:
    """Tag, role and group of a block-level element, and whether its children keep them."""
    tag = node.tag or ""
    group = groups if _opens_group(tag, owner) else owner[2]
    named = attributes.get("data-role")
    if named in ROLES:
        return (tag, named, group), True
    if tag == "table":
        whole = attributes.get("role") != "presentation" and not node.css_first(_BLOCKS_IN_CELLS)
        return (tag, "table" if whole else owner[1], group), whole
    if fixed:
        return (tag, owner[1], group), True
    role = ROLE_OF_TAG.get(tag, owner[1])
    if role in ("page_header", "page_footer") and owner[2]:
        role = "text"
    return (tag, role, group), tag == "caption"
