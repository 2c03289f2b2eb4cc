"""What a fault is: when it acts, what it is given, and the three forms it may have.

An `amount` is a number from 0, which changes nothing, to 1, by when next to nothing can be read; what amounts mean to
an OCR engine is measured (see severity.py). All arithmetic that decides pixels is in integers, or in floats that are
exact whatever the order, so that every CPU gives the same bytes.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from schemas.geometry import Box, Quad

MM_PER_INCH = 25.4


class Stage(IntEnum):
    """When a fault acts, in the order of nature. Faults of one stage act in the order of the registry."""

    INK = 1  # black ink on white paper, before anything lies on it
    SHEET = 2  # what shows through the sheet, is stuck on it or cut out of it
    SHAPE = 3  # where the sheet's points are seen
    LENS = 4
    SENSOR = 5
    FILE = 6


@dataclass(frozen=True)
class Setting:
    """What a fault may ask for besides the pixels. `rng` is the fault's own on this page; `dpi` the sheet's resolution;
    `behind` the raster of another page of the document, as large as this one, where there is one; `lines` the boxes of
    the text lines in pixels; `language` of the document; `ground`: BGR of what the sheet lies on, beside white paper,
    where a scene says it."""

    rng: random.Random
    dpi: int
    behind: np.ndarray | None = None
    lines: tuple[Box, ...] = ()
    language: str = "en"
    ground: tuple[int, int, int] | None = None

    def pixels(self, mm: float) -> float:
        """Millimetres of the sheet in pixels."""
        return mm * self.dpi / MM_PER_INCH

    @property
    def mm(self) -> float:
        """Millimetres in a pixel."""
        return MM_PER_INCH / self.dpi

    def noise(self) -> np.random.Generator:
        """A fresh generator, whose bytes are the same on every CPU."""
        return np.random.Generator(np.random.PCG64(self.rng.getrandbits(64)))


@dataclass(frozen=True)
class Thing:
    """An object on the sheet. `role`: its role as a block; `quad` in pixels of the page's raster.

    `left`, `top` and `cover` (uint8): how much of each pixel of the page it hides, 255 is all, from that corner on.
    """

    role: str
    quad: Quad
    left: int
    top: int
    cover: np.ndarray


@dataclass(frozen=True)
class Pixels:
    """A fault of colours: `apply(image, amount, setting)` gives a new image of the same shape (rows x columns x BGR,
    uint8) and leaves the given one as it is."""

    name: str
    stage: Stage
    about: str
    apply: Callable[[np.ndarray, float, Setting], np.ndarray]


@dataclass(frozen=True)
class Bend:
    """A fault of geometry: `bend(u, v, amount, setting, size)` says which points of the page (0..1, float64) are seen
    where the flat sheet shows u, v. `size`: the sheet's width and height in millimetres. `relief`: how much light
    paper loses where the bend stretches or squeezes it, as a share of the strain: waves are seen by their shadows."""

    name: str
    stage: Stage
    about: str
    bend: Callable[[np.ndarray, np.ndarray, float, Setting, tuple[float, float]], tuple[np.ndarray, np.ndarray]]
    relief: float = 0.0


@dataclass(frozen=True)
class Lay:
    """A fault that lays labelled objects on the sheet: `lay(image, amount, setting)` gives the new image and them."""

    name: str
    stage: Stage
    about: str
    lay: Callable[[np.ndarray, float, Setting], tuple[np.ndarray, tuple[Thing, ...]]]


Fault = Pixels | Bend | Lay
