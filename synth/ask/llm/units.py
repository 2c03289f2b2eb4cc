"""A document as a questioner reads it: units of text, tables and charts, in numbered pieces.

A piece is what an answer is located in: a sentence of prose, a line of anything else, a row of a table. Its words are
known, so a number that a model names is a place on the page.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from schemas.document import Block, Document, Line

MOST_CHARACTERS = 1200
"""A unit of running text ends before this; a table or chart is one unit whatever its size."""
MOST_PIECES = 60
_PROSE = frozenset({"text", "list_item", "caption"})
_ALONE = {"table": "table", "figure": "chart"}
_SENTENCE_END = re.compile(r"[.!?。！？।][\"'”’)）]*$")
_NUMBER = re.compile(r"^\W*\d{1,2}\.$")
_NOT_AN_END = re.compile(r"^.*\b(?:no|nos|mr|mrs|ms|dr|st|co|ltd|inc|tk|art|p|vol|etc)\.$", re.IGNORECASE)


@dataclass(frozen=True)
class Piece:
    """A run of words. `parts` are the cells of a table's row, or the piece alone."""

    words: tuple[int, ...]
    text: str
    parts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Unit:
    """A part that questions are asked about. `kind` is text, table or chart; `roles` are those of its blocks."""

    kind: str
    roles: tuple[str, ...]
    pieces: tuple[Piece, ...]

    @property
    def numbered(self) -> str:
        """Its pieces, each with its number from 1."""
        return "\n".join(f"[{number}] {piece.text}" for number, piece in enumerate(self.pieces, 1))

    @property
    def words(self) -> tuple[int, ...]:
        return tuple(word for piece in self.pieces for word in piece.words)


def units_of(document: Document) -> tuple[Unit, ...]:
    """Units in reading order. Blocks of text are joined while they are short; a figure without words is none."""
    found: list[Unit] = []
    waiting: list[tuple[str, Piece]] = []

    def close() -> None:
        if waiting:
            roles = tuple(dict.fromkeys(role for role, _ in waiting))
            found.append(Unit("text", roles, tuple(piece for _, piece in waiting)))
            waiting.clear()

    done: set[int] = set()
    for block in _in_order(document):
        kind = _ALONE.get(block.role, "text")
        if kind == "table":
            if block.logical not in done:  # a table that goes on over pages is one
                done.add(block.logical)
                close()
                pieces = tuple(_rows(document, block.logical)) or tuple(_lines(document, block))
                found.append(Unit("table", (block.role,), pieces[:MOST_PIECES]))
            continue
        if kind == "chart":
            pieces = tuple(_piece(document, document.lines[i].words) for i in block.lines if document.lines[i].words)
            if len(pieces) > 1:
                close()
                found.append(Unit("chart", (block.role,), pieces[:MOST_PIECES]))
            continue
        pieces = tuple(_sentences(document, block) if block.role in _PROSE else _lines(document, block))
        length = sum(len(piece.text) for _, piece in waiting) + sum(len(piece.text) for piece in pieces)
        if length > MOST_CHARACTERS or len(waiting) + len(pieces) > MOST_PIECES:
            close()
        waiting += [(block.role, piece) for piece in pieces]
    close()
    return tuple(unit for unit in found if unit.pieces)


def text_of(document: Document, most: int) -> str:
    """All text in reading order, a line of the page a line; of a long document the first `most` characters."""
    lines = [document.lines[i].text for block in _in_order(document) for i in block.lines]
    text = "\n".join(lines)
    return text if len(text) <= most else text[:most].rsplit("\n", 1)[0]


def _in_order(document: Document) -> list[Block]:
    """Blocks by the reading position of their first word."""
    first: dict[int, int] = {}
    for word in document.words:
        first[word.block] = min(first.get(word.block, word.order), word.order)
    return sorted((b for b in document.blocks if b.id in first), key=lambda b: first[b.id])


def _piece(document: Document, words: Sequence[int]) -> Piece:
    return Piece(tuple(words), document.text_of(tuple(words)), (tuple(words),))


def _lines(document: Document, block: Block) -> Iterator[Piece]:
    """Lines; those that follow each other side by side are one, as a label and its value or the boxes of a number."""
    run: list[int] = []
    last: Line | None = None
    for number in block.lines:
        line = document.lines[number]
        if not line.words:
            continue
        if last is not None and not _side_by_side(last, line):
            yield _piece(document, run)
            run = []
        run += line.words
        last = line
    if run:
        yield _piece(document, run)


def _side_by_side(a: Line, b: Line) -> bool:
    if a.page != b.page or a.direction == "ttb" or b.direction == "ttb":
        return False
    shared = min(a.box.y1, b.box.y1) - max(a.box.y0, b.box.y0)
    return shared > 0.5 * min(a.box.y1 - a.box.y0, b.box.y1 - b.box.y0)


def _sentences(document: Document, block: Block) -> Iterator[Piece]:
    words = [word for number in block.lines for word in document.lines[number].words]
    run: list[int] = []
    for word in words:
        run.append(word)
        text = document.words[word].text
        numbers_it = len(run) == 1 and _NUMBER.match(text)
        if _SENTENCE_END.search(text) and not numbers_it and not _NOT_AN_END.match(text):
            yield _piece(document, run)
            run = []
    if run:
        yield _piece(document, run)


def _rows(document: Document, table: int) -> Iterator[Piece]:
    """Rows with their cells parted by bars; a cell over several rows stands in its first."""
    by_row: dict[int, list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
    for cell in document.cells:
        if cell.table == table:
            by_row[cell.row].append((cell.col, cell.words))
    for _, cells in sorted(by_row.items()):
        parts = tuple(words for _, words in sorted(cells))
        full = tuple(part for part in parts if part)
        if full:
            text = " | ".join(document.text_of(part) for part in parts)
            yield Piece(tuple(word for part in full for word in part), text, full)
