"""Answers copied from an OCR engine's lines: labels of the schema are looked for on the page, values beside them.

What a system can do that reads, and knows nothing but that a value stands to the right of its label or below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rapidfuzz import fuzz

from schemas.sample import OcrLine
from synth.score.truth import Box, table_html

ALIKE = 80.0  # how like a label a piece of text has to be, 0 to 100
_COLON = re.compile(r"\s*[:：ঃ]\s*")
_QUOTED = re.compile(r"“([^”]+)”|「([^」]+)」")
_ENDS = " .:：ঃ*-–|।、，,"


@dataclass(frozen=True)
class Piece:
    """What the engine saw as one line, with its upright box in pixels."""

    text: str
    box: Box

    @property
    def height(self) -> float:
        return self.box[3] - self.box[1]

    @property
    def middle(self) -> float:
        return (self.box[1] + self.box[3]) / 2


def pieces_of(lines: Sequence[OcrLine]) -> list[Piece]:
    """Lines of one page as pieces, row by row from the top, each row from left to right."""
    pieces = [
        Piece(line.text.strip(), (min(line.quad[::2]), min(line.quad[1::2]), max(line.quad[::2]), max(line.quad[1::2])))
        for line in lines
        if line.text.strip()
    ]
    return [piece for row in rows_of(pieces) for piece in row]


def rows_of(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Pieces in rows: one joins a row when its middle lies within the row's first piece, or the other way round."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda one: (one.middle, one.box[0])):
        first = rows[-1][0] if rows else None
        if first and (first.box[1] <= piece.middle <= first.box[3] or piece.box[1] <= first.middle <= piece.box[3]):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [sorted(row, key=lambda one: one.box[0]) for row in rows]


def values(schema: dict[str, Any], pages: Sequence[Sequence[Piece]]) -> Any:
    """An instance of the schema: the first value beside each label; of a table the rows under its heads."""
    return _filled(schema, "", pages)


def text(pieces: Sequence[Piece]) -> str:
    return "\n".join(" ".join(piece.text for piece in row) for row in rows_of(pieces))


def blocks(pieces: Sequence[Piece]) -> list[tuple[str, Box, str]]:
    """(role, box, text) of paragraphs: rows that follow each other closely and overlap; grids of pieces are tables."""
    grids = list(_grids(pieces))
    found = [("table", _around([piece for row in grid for piece in row]), _joined(grid)) for grid in grids]
    taken = {id(piece) for grid in grids for row in grid for piece in row}
    left = [piece for piece in pieces if id(piece) not in taken]
    size = median([piece.height for piece in left]) if left else 0.0
    groups: list[list[Piece]] = []
    for piece in left:
        near = next((group for group in reversed(groups) if _continues(group, piece)), None)
        if near is None:
            groups.append([piece])
        else:
            near.append(piece)
    for group in groups:
        role = "title" if max(piece.height for piece in group) > 1.6 * size else "text"
        found.append((role, _around(group), _joined(rows_of(group))))
    return sorted(found, key=lambda block: (block[1][1], block[1][0]))


def tables(pieces: Sequence[Piece]) -> list[str]:
    """HTML of every grid of pieces: columns are those of the row with the most pieces, the first row is heads."""
    return [_html(grid) for grid in _grids(pieces)]


def answer(question: str, pieces: Sequence[Piece]) -> list[str]:
    """What stands beside the labels that a question quotes, or where the row of one crosses the column of another.

    Without a quoted label on the page it is what follows the colon of the line most like the question.
    """
    quoted = [label for pair in _QUOTED.findall(question) for label in pair if label]
    found = [(label, piece) for label in quoted if (piece := _best(label, pieces)) is not None]
    crossed = [
        cell.text
        for _, row in found
        for _, head in found
        if row is not head and head.middle < row.middle
        for cell in pieces
        if cell is not row and _one_row(cell, row) and _overlap(cell.box, head.box, 0) > 0
    ]
    beside = [said for label, _ in found if (said := _beside(label, pieces))]
    if crossed or beside:
        return list(dict.fromkeys(crossed or beside))
    best = max(pieces, key=lambda piece: fuzz.token_set_ratio(question.casefold(), piece.text.casefold()), default=None)
    return [_COLON.split(best.text, maxsplit=1)[-1]] if best else []


def _best(label: str, pieces: Sequence[Piece]) -> Piece | None:
    wanted = _bare(label)
    best = max(pieces, key=lambda piece: _likeness(wanted, piece.text), default=None)
    return best if best is not None and _likeness(wanted, best.text) >= ALIKE else None


def _filled(schema: dict[str, Any], name: str, pages: Sequence[Sequence[Piece]]) -> Any:
    if schema.get("type") == "object":
        filled = {key: _filled(child, key, pages) for key, child in schema.get("properties", {}).items()}
        return {key: value for key, value in filled.items() if value not in (None, "", {}, [])}
    if schema.get("type") == "array":
        return [row for page in pages for row in _table_rows(schema.get("items", {}), page)]
    label = schema.get("title") or name.replace("_", " ")
    return next((value for page in pages if (value := _beside(label, page))), "")


def _bare(label: str) -> str:
    return " ".join(label.casefold().strip(_ENDS).split())


def _beside(label: str, page: Sequence[Piece]) -> str:
    """The value of a label: what follows it in its own piece, else the piece to its right, else the one below."""
    wanted = _bare(label)
    if not wanted:
        return ""
    scored = [(score, at) for at, piece in enumerate(page) if (score := _likeness(wanted, piece.text)) >= ALIKE]
    for _, at in sorted(scored, key=lambda item: (-item[0], item[1])):
        piece = page[at]
        rest = _rest(wanted, piece.text)
        if rest:
            return rest
        other = _right_of(piece, page) or _below(piece, page)
        if other is not None:
            return other.text
    return ""


def _likeness(wanted: str, said: str) -> float:
    head = _COLON.split(said, maxsplit=1)[0]
    return max(fuzz.ratio(wanted, _bare(head)), fuzz.ratio(wanted, _bare(said[: len(wanted)])) - 1)


def _rest(wanted: str, said: str) -> str:
    """What follows a label within its piece."""
    parts = _COLON.split(said, maxsplit=1)
    if len(parts) == 2 and fuzz.ratio(wanted, _bare(parts[0])) >= ALIKE:
        return parts[1].strip()
    if fuzz.ratio(wanted, _bare(said)) >= ALIKE:
        return ""
    return said[len(wanted) :].strip(_ENDS)


def _right_of(piece: Piece, page: Sequence[Piece]) -> Piece | None:
    same = [
        one
        for one in page
        if one is not piece and _one_row(one, piece) and one.box[0] >= piece.box[2] - piece.height / 2
    ]
    return min(same, key=lambda one: one.box[0], default=None)


def _below(piece: Piece, page: Sequence[Piece]) -> Piece | None:
    under = [
        one
        for one in page
        if 0 <= one.middle - piece.box[3] <= 3 * piece.height and _overlap(one.box, piece.box, 0) > 0
    ]
    return min(under, key=lambda one: (one.box[1], one.box[0]), default=None)


def _one_row(one: Piece, two: Piece) -> bool:
    return _overlap(one.box, two.box, 1) >= 0.5 * min(one.height, two.height)


def _overlap(one: Box, two: Box, axis: int) -> float:
    return min(one[axis + 2], two[axis + 2]) - max(one[axis], two[axis])


def _table_rows(schema: dict[str, Any], page: Sequence[Piece]) -> Iterator[dict[str, str]]:
    """Rows of a table by the heads of its columns. The column with the most pieces below its head parts the rows."""
    heads: dict[str, Piece] = {}
    for name, child in schema.get("properties", {}).items():
        label = _bare(child.get("title") or name.replace("_", " "))
        best = max(page, key=lambda piece: fuzz.ratio(label, _bare(piece.text)), default=None)
        if best is not None and fuzz.ratio(label, _bare(best.text)) >= ALIKE:
            heads[name] = best
    if not heads:
        return
    top = max(head.box[3] for head in heads.values())
    columns = {name: _column(head, top, page) for name, head in heads.items()}
    for anchor in max(columns.values(), key=len):
        row = {name: " ".join(one.text for one in pieces if _one_row(one, anchor)) for name, pieces in columns.items()}
        yield {name: said for name, said in row.items() if said}


def _column(head: Piece, top: float, page: Sequence[Piece]) -> list[Piece]:
    """Pieces under a head, until a gap of three and a half lines."""
    under = sorted(
        (one for one in page if one.middle > top and _overlap(one.box, head.box, 0) > 0), key=lambda one: one.middle
    )
    kept: list[Piece] = []
    last = head.box[3]
    for one in under:
        if one.box[1] - last > 3.5 * head.height:
            break
        kept.append(one)
        last = one.box[3]
    return kept


def _grids(pieces: Sequence[Piece]) -> Iterator[list[list[Piece]]]:
    """Runs of at least three rows of at least three pieces, or two of the same number."""
    run: list[list[Piece]] = []
    for row in [*rows_of(pieces), []]:
        if len(row) >= 3 and (not run or row[0].box[1] - run[-1][0].box[3] < 2.5 * row[0].height):
            run.append(row)
            continue
        if len(run) >= 3 or (len(run) == 2 and len(run[0]) == len(run[1])):
            yield run
        run = [row] if len(row) >= 3 else []


def _html(grid: Sequence[Sequence[Piece]]) -> str:
    widest = max(grid, key=len)
    centres = [(piece.box[0] + piece.box[2]) / 2 for piece in widest]
    cells: list[tuple[int, int, int, int, bool, str]] = []
    for at, row in enumerate(grid):
        said = [""] * len(centres)
        for piece in row:
            centre = (piece.box[0] + piece.box[2]) / 2
            column = min(range(len(centres)), key=lambda k: abs(centres[k] - centre))
            said[column] = f"{said[column]} {piece.text}".strip()
        cells += [(at, column, 1, 1, at == 0, words) for column, words in enumerate(said)]
    return table_html(cells)


def _continues(group: Sequence[Piece], piece: Piece) -> bool:
    last = group[-1]
    if _one_row(last, piece):
        return 0 <= piece.box[0] - last.box[2] < 1.5 * piece.height
    gap = piece.box[1] - last.box[3]
    return (
        gap < 0.7 * piece.height
        and _overlap(_around(group), piece.box, 0) > 0
        and abs(last.height - piece.height) < 0.4 * last.height
    )


def _around(pieces: Sequence[Piece]) -> Box:
    boxes = [piece.box for piece in pieces]
    return (*(min(box[k] for box in boxes) for k in (0, 1)), *(max(box[k] for box in boxes) for k in (2, 3)))


def _joined(rows: Sequence[Sequence[Piece]]) -> str:
    return " ".join(piece.text for row in rows for piece in row)
