"""Answers derived again from a release's rows by a way of its own: tables from their cells, not from paths.

Shares no code with the maker of the questions, so that a fault there shows here. Used by the tests and by `verify`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Row = Mapping[str, Any]
_DIGITS = {ord("০") + i: str(i) for i in range(10)}
_PATH = re.compile(r"^(\w+)\[(\d+)\]\.(\w+)$")


class Underivable(Exception):
    """The labels do not say what the program asks for."""


def rederive(program: Mapping[str, Any], kie: Sequence[Row], cells: Sequence[Row]) -> list[str]:
    """The answers to a question, from rows of the configs `kie` and `cells` of its document.

    Printed values come as printed; computed ones as a plain number. Raises Underivable.
    """
    operation = program["op"]
    if operation == "values":
        return [_mention(kie, path) for path in program["paths"]]
    if operation == "less":
        first, second = (_amount(_mention(kie, path)) for path in program["paths"])
        return [_plain(first - second)]
    grid = _Grid(program["list"], kie, cells)
    return _OPERATIONS[operation](grid, program)


def spelled(words: Sequence[Row], ids: Sequence[int]) -> str:
    """Text of words by id, without white space."""
    by_id = {row["word_id"]: row["text"] for row in words}
    return tight("".join(by_id[i] for i in ids))


def tight(text: str) -> str:
    return "".join(unicodedata.normalize("NFC", text).split())


def _mention(kie: Sequence[Row], path: str) -> str:
    values = {row["value"] for row in kie if row["path"] == path}
    if len(values) != 1:
        raise Underivable(f"{path}: {len(values)} values")
    return values.pop()


def _amount(text: str) -> Fraction:
    bare = re.sub(r"[^0-9.\-−–]", "", unicodedata.normalize("NFC", text).translate(_DIGITS).replace(",", ""))
    negative = bare[:1] in "-−–" and bare != ""
    try:
        value = Fraction(bare.lstrip("-−–"))
    except (ValueError, ZeroDivisionError):
        raise Underivable(f"{text!r} is no number") from None
    return -value if negative else value


def _plain(value: Fraction) -> str:
    text = f"{float(value):.4f}".rstrip("0").rstrip(".")
    return text


class _Grid:
    """One list of a document as columns of texts. A column is a column of the table its fields lie in."""

    def __init__(self, name: str, kie: Sequence[Row], cells: Sequence[Row]) -> None:
        fields = [(match, row) for row in kie if (match := _PATH.match(row["path"])) and match[1] == name]
        if not fields:
            raise Underivable(f"no list {name}")
        place = {word: cell for cell in cells for word in cell["word_ids"]}
        self.rows: dict[Any, dict[str, str]] = {}
        for match, row in fields:
            cell = place.get(row["word_ids"][0])
            key: Any = (
                ("cell", cell["table_id"], cell["row"]) if cell and not cell["header"] else ("path", int(match[2]))
            )
            text = row["value"]
            if cell and not cell["header"] and set(cell["word_ids"]) == set(row["word_ids"]):
                text = cell["text"]
            self.rows.setdefault(key, {})[match[3]] = text
        if len({key[0] for key in self.rows}) != 1:  # partly outside of any table: by paths then
            self.rows = {}
            for match, row in fields:
                self.rows.setdefault(int(match[2]), {})[match[3]] = row["value"]

    def column(self, leaf: str) -> list[str]:
        found = [row.get(leaf, "") for _, row in sorted(self.rows.items())]
        if not any(found):
            raise Underivable(f"no column {leaf}")
        return found

    def numbers(self, leaf: str) -> list[Fraction]:
        return [_amount(text) for text in self.column(leaf)]

    def row_of(self, leaf: str, text: str) -> int:
        places = [i for i, value in enumerate(self.column(leaf)) if tight(value) == tight(text)]
        if len(places) != 1:
            raise Underivable(f"{len(places)} rows with {leaf} {text!r}")
        return places[0]


def _cell(grid: _Grid, program: Mapping[str, Any]) -> list[str]:
    row = grid.row_of(program["by"], program["is"])
    return [grid.column(leaf)[row] for leaf in program["leaves"]]


def _only(numbers: Sequence[Fraction], wanted: Fraction) -> int:
    if numbers.count(wanted) != 1:
        raise Underivable("the extreme is shared")
    return numbers.index(wanted)


def _extreme(grid: _Grid, program: Mapping[str, Any]) -> list[str]:
    numbers = grid.numbers(program["by"])
    wanted = max(numbers) if program["side"] == "highest" else min(numbers)
    return [grid.column(program["leaf"])[_only(numbers, wanted)]]


def _ends(grid: _Grid, program: Mapping[str, Any]) -> list[str]:
    numbers, names = grid.numbers(program["by"]), grid.column(program["leaf"])
    return [names[_only(numbers, max(numbers))], names[_only(numbers, min(numbers))]]


def _filter(grid: _Grid, program: Mapping[str, Any]) -> list[str]:
    limit = Fraction(program["than"])
    keep: Callable[[Fraction], bool] = (lambda v: v > limit) if program["side"] == "above" else (lambda v: v < limit)
    pairs = zip(grid.column(program["leaf"]), grid.numbers(program["by"]), strict=True)
    return [name for name, value in pairs if keep(value)]


def _pair(grid: _Grid, program: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    numbers = grid.numbers(program["by"])
    first, second = (numbers[grid.row_of(program["name"], text)] for text in program["rows"])
    return first, second


_OPERATIONS: dict[str, Callable[[_Grid, Mapping[str, Any]], list[str]]] = {
    "cell": _cell,
    "column": lambda grid, program: [text for text in grid.column(program["leaf"]) if text],
    "extreme": _extreme,
    "ends": _ends,
    "filter": _filter,
    "count": lambda grid, program: [str(len(_filter(grid, program)))],
    "sum": lambda grid, program: [_plain(sum(_pair(grid, program), Fraction(0)))],
    "difference": lambda grid, program: [_plain(_pair(grid, program)[0] - _pair(grid, program)[1])],
    "spread": lambda grid, program: [_plain(max(grid.numbers(program["by"])) - min(grid.numbers(program["by"])))],
}
