"""How far apart two documents are as layouts: what stands where and how it is arranged, not what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import median

import numpy as np

from schemas.document import ROLES, Document
from schemas.geometry import Box

# Median distance that any two families of a type keep, and that documents of one family stay below; see docs/layout.md.
FAMILIES_APART = 0.40

COLUMNS, ROWS = 12, 17  # occupancy cells over a page's width and height
EDGES = 30  # bins over the width of a page
WEIGHTS = {"occupancy": 0.35, "edges": 0.2, "lengths": 0.1, "roles": 0.15, "pairs": 0.1, "tables": 0.1}
_KIND_OF_ROLE = {role: number for number, role in enumerate(ROLES)}


def layout_distance(a: Document, b: Document) -> float:
    """Distance of two labelled documents' layouts: 0 for the same, at most 1, symmetric. Units and texts do not matter.

    A weighted mean (`WEIGHTS`) of six differences, each 1 - sum(min)/sum(max) of two non-negative profiles (the
    Ruzicka distance, itself a metric with values 0 to 1, so the mean is one as well):
    `occupancy`: area of the words of each role in the cells of a 12 x 17 grid over each page, softened by its
    neighbours; what one document has a page more weighs less with the number of the page.
    `edges`: where lines begin and end, as shares of the width of the page. `lengths`: how wide lines are.
    `roles`: shares of the words' area by block role, in table cells, and in field values.
    `pairs`: where values stand from their labels: same line or below, and how far off in the width of the page.
    `tables`: rows and columns of tables, their place and the share of the page that they take.
    Boxes are divided by their page's width and height, so that points, pixels and paper sizes compare. Turned pages are
    compared by the upright boxes of their words.
    """
    first, second = profiles(a), profiles(b)
    return float(sum(weight * ruzicka(first[name], second[name]) for name, weight in WEIGHTS.items()))


def ruzicka(a: np.ndarray, b: np.ndarray) -> float:
    """1 - sum(min)/sum(max) of two non-negative arrays of one axis, the shorter padded with 0; 0 if both are empty."""
    size = max(a.size, b.size)
    x, y = np.zeros(size), np.zeros(size)
    x[: a.size], y[: b.size] = a, b
    most = float(np.maximum(x, y).sum())
    return 1.0 - float(np.minimum(x, y).sum()) / most if most > 0 else 0.0


def profiles(document: Document) -> dict[str, np.ndarray]:
    """The flat profiles that `layout_distance` compares, by name."""
    return {
        "occupancy": _occupancy(document),
        "edges": _edges(document),
        "lengths": _lengths(document),
        "roles": _roles(document),
        "pairs": _pairs(document),
        "tables": _tables(document),
    }


def family_distances(documents: Mapping[str, Sequence[Document]]) -> dict[tuple[str, str], float]:
    """Median distance of the documents of every two families, and of two documents of each family (key with itself).

    Families are taken in sorted order. A family with one document has no distance to itself.
    """
    found: dict[tuple[str, str], float] = {}
    names = sorted(documents)
    for name in names:
        own = [layout_distance(a, b) for a, b in combinations(documents[name], 2)]
        if own:
            found[name, name] = median(own)
    for one, other in combinations(names, 2):
        found[one, other] = median(layout_distance(a, b) for a in documents[one] for b in documents[other])
    return found


def _unit(document: Document, page: int, box: Box) -> Box:
    """A box as shares of its page, cut at its edges."""
    info = document.pages[page]
    clip = np.clip([box.x0 / info.width, box.y0 / info.height, box.x1 / info.width, box.y1 / info.height], 0, 1)
    return Box(*map(float, clip))


def _occupancy(document: Document) -> np.ndarray:
    """Covered shares of cells, by page, role, row and column; page n weighs 1/n."""
    grid = np.zeros((len(document.pages), len(ROLES), ROWS, COLUMNS))
    for word in document.words:
        box = _unit(document, word.page, word.box)
        role = _KIND_OF_ROLE[document.blocks[word.block].role]
        wide = np.clip(np.minimum(box.x1 * COLUMNS, _UPPER_X) - np.maximum(box.x0 * COLUMNS, _UPPER_X - 1), 0, None)
        high = np.clip(np.minimum(box.y1 * ROWS, _UPPER_Y) - np.maximum(box.y0 * ROWS, _UPPER_Y - 1), 0, None)
        grid[word.page, role] += high[:, None] * wide[None, :]
    soft = 0.5 * grid
    soft[:, :, 1:] += 0.125 * grid[:, :, :-1]
    soft[:, :, :-1] += 0.125 * grid[:, :, 1:]
    soft[:, :, :, 1:] += 0.125 * grid[:, :, :, :-1]
    soft[:, :, :, :-1] += 0.125 * grid[:, :, :, 1:]
    return (soft / np.arange(1, len(document.pages) + 1)[:, None, None, None]).ravel()


_UPPER_X = np.arange(1, COLUMNS + 1, dtype=float)
_UPPER_Y = np.arange(1, ROWS + 1, dtype=float)


def _bin(share: float, bins: int) -> int:
    return min(bins - 1, int(share * bins))


def _edges(document: Document) -> np.ndarray:
    """Shares of lines that begin, and that end, at each of `EDGES` places."""
    found = np.zeros((2, EDGES))
    for line in document.lines:
        box = _unit(document, line.page, line.box)
        found[0, _bin(box.x0, EDGES)] += 1
        found[1, _bin(box.x1, EDGES)] += 1
    return (found / max(1, len(document.lines))).ravel()


def _lengths(document: Document) -> np.ndarray:
    """Shares of lines by width, in tenths of the page."""
    found = np.zeros(10)
    for line in document.lines:
        found[_bin(_unit(document, line.page, line.box).width, 10)] += 1
    return found / max(1, len(document.lines))


def _roles(document: Document) -> np.ndarray:
    """Shares of the words' area by role, then the shares in table cells, in values and in labels."""
    in_cells = {word for cell in document.cells for word in cell.words}
    in_values = {word for field in document.fields for word in field.words}
    in_keys = {word for field in document.fields for word in field.keys}
    found = np.zeros(len(ROLES) + 3)
    total = 0.0
    for word in document.words:
        area = _unit(document, word.page, word.box).area
        total += area
        found[_KIND_OF_ROLE[document.blocks[word.block].role]] += area
        for place, words in enumerate((in_cells, in_values, in_keys), len(ROLES)):
            found[place] += area * (word.id in words)
    return found / total if total else found


def _pairs(document: Document) -> np.ndarray:
    """Shares of fields by line (that of their label, below, elsewhere, no label) and distance to the right of it."""
    found = np.zeros((4, 8))
    for field in document.fields:
        keys = [document.words[word] for word in field.keys]
        if not keys:
            found[3, 0] += 1
            continue
        value, key = _unit(document, field.page, field.box), _unit(document, keys[-1].page, keys[-1].box)
        middle = (value.y0 + value.y1) / 2
        line = 0 if key.y0 <= middle <= key.y1 else (1 if middle > key.y1 else 2)
        found[line, _bin(min(1.0, abs(value.x0 - key.x0)), 8)] += 1
    return (found / max(1, len(document.fields))).ravel()


def _tables(document: Document) -> np.ndarray:
    """Columns and rows (in a logarithmic scale), left edge and page share of the cells, over all tables."""
    found = np.zeros((4, 12))
    tables: dict[int, list[Box]] = {}
    for cell in document.cells:
        box = _unit(document, cell.page, cell.box)
        tables.setdefault(cell.table, []).append(box)
        found[2, _bin(box.x0, 12)] += box.area
        found[3, _bin(box.y0, 12)] += box.area
    for table in tables:
        mine = [cell for cell in document.cells if cell.table == table]
        columns = max(cell.col + cell.colspan for cell in mine)
        rows = max(cell.row + cell.rowspan for cell in mine)
        found[0, min(11, columns)] += 1
        found[1, min(11, int(2 * np.log2(1 + rows)))] += 1
    return found.ravel()
