"""Table cells as printed: the rectangles of their probe background."""

from __future__ import annotations

import pymupdf

from schemas.geometry import Box, union


def cell_boxes(pages: list[pymupdf.Page], colours: set[int]) -> dict[int, dict[int, Box]]:
    """Box by page number by colour, in points, of every filled shape that has one of the colours."""
    found: dict[int, dict[int, Box]] = {}
    if not colours:
        return found
    for number, page in enumerate(pages):
        for shape in page.get_cdrawings() or ():
            fill = shape.get("fill")
            if not fill or len(fill) != 3:
                continue
            red, green, blue = (round(c * 255) for c in fill)
            colour = red << 16 | green << 8 | blue
            if colour in colours:
                box = Box(*shape["rect"])
                places = found.setdefault(colour, {})
                places[number] = union([box, places[number]]) if number in places else box
    return found
