"""A labelled document. Boxes are in points of the printed page, and in pixels of the picture after the camera.

Origin top left in both. Ids are positions in the tuples of `Document`, so `doc.words[w.id] is w`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from schemas.checks import NOTHING_CHECKED, LabelChecks
from schemas.geometry import Box, Quad
from schemas.packing import pack, unpack

# Label ids of block roles are positions in this tuple; it is shipped with every release. Append only.
ROLES = (
    "title",
    "section_header",
    "text",
    "list_item",
    "table",
    "key_value",
    "caption",
    "figure",
    "page_header",
    "page_footer",
    "signature",
    "stamp",
    "hole_punch",
    "sticky_note",
    "redaction",
)

# Kinds of relation between elements; ids are positions. Append only.
RELATIONS = ("key_value", "column_header", "group")


@dataclass(frozen=True)
class Word:
    """Smallest labelled unit: a run between white space, or an ICU word in scripts without spaces.

    `box` is the advance box (pen advance x ascent/descent), `ink` the box of the painted pixels, `quad` the oriented
    advance box. `order` is the reading position in the whole document. `visible` is the share of the word in sight;
    lines, blocks, cells and fields have it as well.
    """

    id: int
    page: int
    text: str
    box: Box
    ink: Box
    quad: Quad
    line: int
    block: int
    order: int
    font_size: float
    space_after: bool  # white space follows in the DOM; joins words into text
    visible: float = 1.0


@dataclass(frozen=True)
class Character:
    """A grapheme cluster of a word, where the recipe asks for them; a conjunct with its vowel signs is one.

    Boxes as those of a word. `ligature`: among how many characters the box of one ligature was divided evenly, 1 for a
    character that is drawn alone.
    """

    id: int
    page: int
    word: int
    text: str
    box: Box
    ink: Box
    quad: Quad
    ligature: int
    visible: float = 1.0


@dataclass(frozen=True)
class Line:
    """Words that stand side by side, in reading order. `direction`: "ltr", "rtl" or "ttb" (a column, top to bottom).

    `next` is the line that is read after this one, on whatever page; -1 where nothing certainly is.
    """

    id: int
    page: int
    block: int
    words: tuple[int, ...]
    text: str
    box: Box
    quad: Quad
    direction: str = "ltr"
    visible: float = 1.0
    next: int = -1


@dataclass(frozen=True)
class Block:
    """A logical block on one page. A paragraph or table that continues has one Block a page, bound by `logical`.

    `next` is the block that is read after this one, the same paragraph's on the next page or another; -1 where none.
    """

    id: int
    page: int
    role: str
    lines: tuple[int, ...]
    text: str
    box: Box
    quad: Quad
    logical: int
    visible: float = 1.0
    next: int = -1


@dataclass(frozen=True)
class Cell:
    """A table cell. `table` is the `logical` number of its table's blocks; rows and columns count from 0."""

    id: int
    page: int
    table: int
    row: int
    col: int
    rowspan: int
    colspan: int
    header: bool
    words: tuple[int, ...]
    text: str
    box: Box
    quad: Quad
    visible: float = 1.0


@dataclass(frozen=True)
class Field:
    """One mention of one value of the extraction schema. `path` like `items[0].price`; `keys` are the label's words."""

    id: int
    page: int
    path: str
    value: str
    words: tuple[int, ...]
    key: str
    keys: tuple[int, ...]
    box: Box
    quad: Quad
    visible: float = 1.0


@dataclass(frozen=True)
class Relation:
    """A directed edge between two sets of words: from a key, head or group title to what it governs."""

    kind: str
    head: tuple[int, ...]
    tail: tuple[int, ...]


@dataclass(frozen=True)
class PageInfo:
    """Extent of a page: points in print space, pixels in a picture."""

    width: float
    height: float


@dataclass(frozen=True)
class Document:
    pages: tuple[PageInfo, ...]
    words: tuple[Word, ...]
    lines: tuple[Line, ...]
    blocks: tuple[Block, ...]
    cells: tuple[Cell, ...]
    fields: tuple[Field, ...]
    relations: tuple[Relation, ...]
    characters: tuple[Character, ...] = ()

    def words_of(self, ids: tuple[int, ...]) -> list[Word]:
        return [self.words[i] for i in ids]

    def text_of(self, ids: tuple[int, ...]) -> str:
        """Text of words in the given order, with the white space the DOM has between them."""
        return "".join(self.words[i].text + (" " if self.words[i].space_after else "") for i in ids).strip()

    def packed(self) -> bytes:
        """For another process of this run."""
        return pack([getattr(self, field.name) for field in fields(self)], _KINDS)

    @staticmethod
    def unpacked(data: bytes) -> Document:
        """What `packed` gave. The bytes must be our own: they are unpickled."""
        return Document(*unpack(data, _KINDS))

    def __reduce__(self) -> tuple[Any, ...]:
        return Document.unpacked, (self.packed(),)


_KINDS = (PageInfo, Word, Line, Block, Cell, Field, Relation, Character)  # in the order of the document's fields


@dataclass(frozen=True)
class Printed:
    """What the browser makes of a document: the released PDF (dates scrubbed), its labels in points, what they passed.

    The labels travel packed and are unpacked where they are asked for: who only hands them on need not. `fonts`: the
    families that the text is drawn with.
    """

    pdf: bytes
    packed: bytes
    checks: LabelChecks = NOTHING_CHECKED
    fonts: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, pdf: bytes, document: Document, checks: LabelChecks = NOTHING_CHECKED, fonts: tuple[str, ...] = ()
    ) -> Printed:
        made = cls(pdf, document.packed(), checks, fonts)
        made.__dict__["document"] = document  # what `cached_property` would find
        return made

    @cached_property
    def document(self) -> Document:
        return Document.unpacked(self.packed)

    def __reduce__(self) -> tuple[Any, ...]:
        return Printed, (self.pdf, self.packed, self.checks, self.fonts)
