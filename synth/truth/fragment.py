"""The part of a word that stands on one line."""

from __future__ import annotations

from typing import NamedTuple

from schemas.geometry import Box, Quad
from synth.render.raw import DomWord

CLIPPED = 0.3  # ems of a word that may be missing in the raster before it counts as cut: slanted parts that hang over


class Fragment(NamedTuple):
    """The part of a word that stands on one line of one page; nearly always the whole word."""

    word: DomWord
    page: int
    text: str
    last: bool  # the word ends here
    box: Box
    quad: Quad
    ink: Box
    size: float
    cos: float
    sin: float

    @property
    def upright(self) -> bool:
        return self.cos > 0.9999
