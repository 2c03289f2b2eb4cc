"""One document's rows as every export format takes them, and the few ways they all look at them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from schemas.document import ROLES

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Release:
    """What every export says of its release."""

    name: str
    version: str
    license: str
    digest: str

    @property
    def slug(self) -> str:
        """Name of letters, digits and `_`, as task names and Python want it."""
        return "".join(c if c.isalnum() else "_" for c in self.name)


@dataclass(frozen=True)
class Page:
    """One page: its picture's bytes and size in pixels, and the rows that lie on it, each in the release's order."""

    row: Row
    words: Sequence[Row] = ()
    lines: Sequence[Row] = ()
    layout: Sequence[Row] = ()
    cells: Sequence[Row] = ()
    kie: Sequence[Row] = ()

    @property
    def id(self) -> str:
        return self.row["page_id"]

    @property
    def number(self) -> int:
        """Counts from 0 within the document."""
        return self.row["page"]

    @property
    def size(self) -> tuple[int, int]:
        return self.row["width"], self.row["height"]

    @property
    def picture(self) -> bytes:
        return self.row["image"]["bytes"]

    @property
    def suffix(self) -> str:
        """`.jpg`, `.png` or `.webp`: what the picture's bytes are."""
        return PurePosixPath(self.row["image"]["path"]).suffix

    @property
    def file(self) -> str:
        """Name of the picture's file."""
        return self.id + self.suffix

    @cached_property
    def blocks(self) -> list[Row]:
        """Blocks in reading order: by the first word of each; one without words comes last."""
        first: dict[int, int] = {}
        for word in self.words:
            block = word["block_id"]
            first[block] = min(word["order"], first.get(block, word["order"]))
        last = max(first.values(), default=0) + 1
        return sorted(self.layout, key=lambda b: (first.get(b["block_id"], last), b["block_id"]))


@dataclass(frozen=True)
class Sample:
    """One document of a release. `shard` is the name of the release's shard, like train-00003."""

    split: str
    shard: str
    row: Row
    pages: Sequence[Page]
    relations: Sequence[Row] = ()
    qa: Sequence[Row] | None = None
    """Rows of the release's questions; None where the release has none at all."""

    @property
    def id(self) -> str:
        return self.row["document_id"]

    @property
    def type(self) -> str:
        return self.row["type"]

    @property
    def language(self) -> str:
        return self.row["language"]

    @property
    def values(self) -> dict[str, Any]:
        return json.loads(self.row["values"])


def role(block: Row) -> str:
    return ROLES[block["role"]]


def floats(numbers: Sequence[float]) -> list[float]:
    """Coordinates as the release was made: float32 back to hundredths of a pixel."""
    return [round(float(n), 2) for n in numbers]


def pixels(box: Sequence[float], size: tuple[int, int]) -> list[int]:
    """The smallest box of whole pixels around `box`, within a picture of this size: x0, y0, x1, y1."""
    x0, y0, x1, y1 = (round(float(n), 2) for n in box)
    width, height = size
    left, top = (min(max(int(v // 1), 0), most - 1) for v, most in ((x0, width), (y0, height)))
    return [left, top, max(left + 1, min(int(-(-x1 // 1)), width)), max(top + 1, min(int(-(-y1 // 1)), height))]


def around(boxes: Sequence[Sequence[float]]) -> list[float]:
    """The box around boxes; ValueError for none."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return [min(x0), min(y0), max(x1), max(y1)]


def spelled(words: Sequence[Row]) -> str:
    """Text of words as given, with the white space that the page has between them."""
    return "".join(w["text"] + (" " if w["space_after"] else "") for w in words).strip()
