"""What goes into an alignment and what comes out. Points, origin top left, of the page turned so that it reads."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.geometry import Box

# Why a line has no block.
REASONS = ("no_letters", "not_found", "too_different", "taken", "running")


@dataclass(frozen=True)
class PdfLine:
    """A line as the extractor gives it. `block` is the extractor's paragraph, unique in the document; `size` in points.

    Ids are positions in reading order of the content stream.
    """

    id: int
    page: int
    block: int
    text: str
    box: Box
    size: float


@dataclass(frozen=True)
class PdfPage:
    """A page: extent in points as read, degrees it was turned by for that, and what it holds.

    `state` is "text", "empty", "image_only" or "broken_fonts"; only pages with "text" give lines.
    """

    number: int
    width: float
    height: float
    turn: int
    state: str


@dataclass(frozen=True)
class HtmlBlock:
    """A run of text of one block-level element, in the order of the HTML; `id` is its position there.

    `level` is 1 to 6 for headings, else 0. `group` numbers the article, aside, figure or page header it belongs to: no
    successor leads from one group to another.
    """

    id: int
    text: str
    tag: str
    role: str
    level: int
    group: int


@dataclass(frozen=True)
class Span:
    """Part of a block that a line shows; `start` and `end` count characters of the cleaned text (`text.clean`)."""

    block: int
    start: int
    end: int


@dataclass(frozen=True)
class Match:
    """Where a line belongs: block id, or None with one of REASONS. `spans` are all parts, several if lines were merged.

    `score` is the share of the line's letters found there, 0 to 1.
    """

    line: int
    block: int | None
    reason: str
    score: float
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class PageResult:
    """Outcome of a page: "aligned", "unmatched", "implausible_order", or why it has no text. `dropped` counts links."""

    page: int
    outcome: str
    lines: int
    matched: int
    dropped: int


@dataclass(frozen=True)
class Alignment:
    """One Match a line, successor edges between lines and between blocks, links the filter dropped, pages."""

    matches: tuple[Match, ...]
    line_edges: tuple[tuple[int, int], ...]
    block_edges: tuple[tuple[int, int], ...]
    dropped: tuple[tuple[int, int], ...]
    pages: tuple[PageResult, ...]
