"""Pages for camera tests: dark patches whose place is known, with labels drawn up by hand, not by our printer."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pymupdf

from schemas.document import Block, Cell, Document, Field, Line, PageInfo, Printed, Word
from schemas.geometry import Box, quad_of, union
from schemas.recipe import Content
from schemas.sample import SampleSpec

POINTS = 72 / 25.4


def content(**changes: object) -> Content:
    given = {
        "name": "test",
        "version": "1.0.0",
        "splits": {"train": 4},
        "shard_size": 4,
        "types": ["form", "receipt"],
        "languages": ["en"],
        "dpi": {"min": 150, "max": 150},
        "degradation": {"per_split": 1},
    }
    return Content.model_validate(given | changes)


def spec(number: int = 0, split: str = "train", attempt: int = 0) -> SampleSpec:
    return SampleSpec(0, "test", split, number, attempt, "form", "en", number)


def patch_boxes(width: float, height: float, columns: int = 6, rows: int = 14) -> list[Box]:
    """Patches in a grid over a page of `width` x `height` points, from near one edge to near the other."""
    left, top = 0.05 * width, 0.05 * height
    step_x, step_y = (width - 2 * left) / columns, (height - 2 * top) / rows
    return [
        Box(left + (c + 0.1) * step_x, top + (r + 0.2) * step_y, left + (c + 0.9) * step_x, top + (r + 0.7) * step_y)
        for r in range(rows)
        for c in range(columns)
    ]


def printed(
    width_mm: float, height_mm: float, pages: int = 1, columns: int = 6, boxes: Sequence[Box] | None = None
) -> Printed:
    """Black patches as words; a line and a table row for each row of them, one block a page, a field for each pair."""
    width, height = width_mm * POINTS, height_mm * POINTS
    patches = list(boxes) if boxes is not None else patch_boxes(width, height, columns)
    words: list[Word] = []
    lines: list[Line] = []
    blocks: list[Block] = []
    cells: list[Cell] = []
    fields: list[Field] = []
    with pymupdf.open() as pdf:
        for page in range(pages):
            sheet = pdf.new_page(width=width, height=height)
            for box in patches:
                sheet.draw_rect(pymupdf.Rect(*box), color=None, fill=(0, 0, 0), width=0)
            first_line = len(lines)
            for start in range(0, len(patches), columns):
                ids: list[int] = []
                for column, box in enumerate(patches[start : start + columns]):
                    n = len(words)
                    ids.append(n)
                    quad = quad_of(box)
                    words.append(Word(n, page, f"w{n}", box, box, quad, len(lines), page, n, 10.0, True))
                    cells.append(
                        Cell(
                            len(cells),
                            page,
                            page,
                            start // columns,
                            column,
                            1,
                            1,
                            False,
                            (n,),
                            f"w{n}",
                            box,
                            quad_of(box),
                        )
                    )
                around = union(words[i].box for i in ids)
                text = " ".join(words[i].text for i in ids)
                lines.append(Line(len(lines), page, page, tuple(ids), text, around, quad_of(around)))
                pair = union(words[i].box for i in ids[:2])
                fields.append(
                    Field(len(fields), page, f"f{len(fields)}", "x", tuple(ids[:2]), "", (), pair, quad_of(pair))
                )
            own = tuple(range(first_line, len(lines)))
            around = union(lines[i].box for i in own)
            blocks.append(Block(page, page, "table", own, "", around, quad_of(around), page))
        data = pdf.tobytes(no_new_id=True)
    info = PageInfo(width, height)
    document = Document((info,) * pages, tuple(words), tuple(lines), tuple(blocks), tuple(cells), tuple(fields), ())
    return Printed.of(data, document)


def patches(width: int, height: int) -> np.ndarray:
    """A page of `width` x `height` pixels with dark, blue and red patches: rows x columns x BGR."""
    page = np.full((height, width, 3), 255, np.uint8)
    for k, box in enumerate(patch_boxes(width, height, 5, 9)):
        colour = ((20, 20, 20), (160, 60, 30), (40, 40, 170))[k % 3]
        cv2.rectangle(page, (round(box.x0), round(box.y0)), (round(box.x1), round(box.y1)), colour, -1)
    return page
