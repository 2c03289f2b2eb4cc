"""What the browser hands to the labels: two PDFs and a snapshot of the DOM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from synth.render.trace import PrintedPage


class Unit(NamedTuple):
    """A piece of a word that the probe print paints in a colour of its own (0xRRGGBB)."""

    text: str
    colour: int


class Spot(NamedTuple):
    """What HTML and CSS say of where a text node stands in reading (order.js).

    `rank`: its place in the document order, flex and grid items by their `order`; `part`: the article, aside, figure, …
    it belongs to; `loose`: the innermost element out of the flow, or -1; `items`: (container, item) of the flex and
    grid containers around it whose items the author placed, the outermost first.
    """

    rank: int
    part: int
    loose: int
    items: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class DomPart:
    """What is read for itself. `continues`: the part that this one goes on with (`data-continues`), or -1."""

    tag: str
    continues: int


class DomWord(NamedTuple):
    """A word of the DOM, in its order. Indices are -1 where there is none.

    `container` numbers the nearest block-level element, so words of one line share it. `font_px` is the computed size.
    `repeats`: printed on every page (a table's head or foot, a fixed element). `flow`: "ltr", "rtl" or "ttb", the
    direction of the text around it; letters of the other direction within it go the other way. `node` numbers its text
    node.
    """

    units: tuple[Unit, ...]
    space_after: bool
    block: int
    container: int
    cell: int
    field: int
    key: int
    repeats: bool
    font_px: float
    flow: str
    spot: Spot
    node: int = -1

    @property
    def text(self) -> str:
        return "".join(unit.text for unit in self.units)


@dataclass(frozen=True)
class DomBlock:
    role: str
    tag: str


@dataclass(frozen=True)
class DomCell:
    """A table cell; its background is painted in `colour` in the probe print. `block` is its table's block."""

    block: int
    row: int
    col: int
    rowspan: int
    colspan: int
    header: bool
    colour: int


@dataclass(frozen=True)
class SharedPaint:
    """Words of one element that the probe print paints in one colour. Each is one unit with a colour of its own, which
    is on no page until synth/truth/shared.py parts the glyphs."""

    painted: int
    units: tuple[Unit, ...]


@dataclass(frozen=True)
class Snapshot:
    """The DOM as printed. `fields` and `keys` hold the paths of the data-field and data-key elements in DOM order."""

    words: tuple[DomWord, ...]
    blocks: tuple[DomBlock, ...]
    cells: tuple[DomCell, ...]
    fields: tuple[str, ...]
    keys: tuple[str, ...]
    parts: tuple[DomPart, ...]
    shared: tuple[SharedPaint, ...] = ()


@dataclass(frozen=True)
class Clusters:
    """A probe print in which every grapheme cluster has a colour: its snapshot (words as ever, finer units), glyphs."""

    snapshot: Snapshot
    probe: tuple[PrintedPage, ...]


@dataclass(frozen=True)
class RawPrint:
    """One document as printed: the PDF to release (dates and ids scrubbed), the probe print and its glyphs, the DOM.

    `fonts`: the families that its text is drawn with. `clusters`: where the document wants its characters labelled.
    """

    pdf: bytes
    probe_pdf: bytes
    probe: tuple[PrintedPage, ...]
    snapshot: Snapshot
    fonts: tuple[str, ...] = ()
    clusters: Clusters | None = None
