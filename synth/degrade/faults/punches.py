"""Holes of offices: for filing, for binding, and those that make a paper void."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from schemas.geometry import Quad
from synth.degrade.faults.arithmetic import blend, darken
from synth.degrade.faults.contract import Lay, Setting, Stage, Thing
from synth.degrade.faults.objects import SHIFT, Window, fill, shifted, turned

TIMES = 9  # how often a sheet is punched after the first time, at amount 1
FILING_MM, WIRE_MM, COMB_MM = 80.0, 8.467, 14.286  # from hole to hole: ISO 838, wire 3:1, plastic comb


@dataclass(frozen=True)
class _Hole:
    """Middle, extent along the row and across it, and the row's turn (radians), in millimetres of the sheet."""

    x: float
    y: float
    along: float
    across: float
    turn: float
    round: bool


@dataclass(frozen=True)
class _Row:
    """Where holes stand in line: the row's middle and length (mm) and its turn (radians)."""

    x: float
    y: float
    length: float
    turn: float

    @classmethod
    def at_edge(cls, edge: str, inset: float, width: float, height: float, rng: random.Random) -> _Row:
        """Along an edge of the sheet, a little askew."""
        turn, slip = math.radians(rng.gauss(0, 0.5)), rng.gauss(0, 4)
        if edge in ("top", "bottom"):
            return cls(width / 2 + slip, inset if edge == "top" else height - inset, width, turn)
        return cls(inset if edge == "left" else width - inset, height / 2 + slip, height, turn + math.pi / 2)

    def holes(self, number: int, pitch: float, along: float, across: float, round_: bool) -> Iterator[_Hole]:
        c, s = math.cos(self.turn), math.sin(self.turn)
        for k in range(number):
            t = (k - (number - 1) / 2) * pitch
            yield _Hole(self.x + t * c, self.y + t * s, along, across, self.turn, round_)


def _filed(rng: random.Random, edge: str, careless: float, width: float, height: float) -> Iterator[_Hole]:
    """Two or four round holes 12 mm from an edge, farther in where nobody looked."""
    row = _Row.at_edge(edge, 12 + rng.uniform(-2, 2) + careless * rng.uniform(4, 26), width, height, rng)
    size = rng.uniform(5.2, 6.4)
    return row.holes(4 if rng.random() < 0.5 and row.length > 3.4 * FILING_MM else 2, FILING_MM, size, size, True)


def _bound(rng: random.Random, edge: str, width: float, height: float) -> Iterator[_Hole]:
    """A whole edge of square or round holes for a wire, or of slots for a comb."""
    row = _Row.at_edge(edge, 5.5 + rng.uniform(0, 17), width, height, rng)
    comb, round_ = rng.random() < 0.4, rng.random() < 0.4
    pitch, along, across = (COMB_MM, 8.0, 2.9) if comb else (WIRE_MM, 4.2, 4.2)
    return row.holes(int((row.length - 2) / pitch), pitch, along, across, round_ and not comb)


def _cancelled(rng: random.Random, size: float, setting: Setting, width: float, height: float) -> Iterator[_Hole]:
    """A few large holes along a line of text, as a bank or a registry punches what is no longer valid."""
    x, y, turn = rng.uniform(0.15, 0.85) * width, rng.uniform(0.1, 0.9) * height, 0.0
    if setting.lines:
        box = rng.choice(setting.lines)
        share = rng.uniform(0.2, 0.8)
        x, y = (box.x0 + share * box.width) * setting.mm, (box.y0 + share * box.height) * setting.mm
        turn = math.pi / 2 if box.height > box.width else 0.0
    turn += math.radians(rng.gauss(0, 4))
    return _Row(x, y, 0.0, turn).holes(rng.randint(3, 5), size * rng.uniform(1.2, 1.7), size, size, True)


def _all(amount: float, setting: Setting, width: float, height: float) -> Iterator[_Hole]:
    """Filed, filed again, bound and made void, in an order that is drawn. Each time has its own numbers: more of the
    fault leaves the holes there are where they are."""
    rng = setting.rng
    size = rng.uniform(9, 13) * min(1.0, width / 150)  # of the large holes, which one machine makes
    edges, later = ["left", "right", "top"], ["filed", "bound", "bound"]
    rng.shuffle(edges)
    kinds = [*later[: rng.randint(1, 3)], *["cancelled"] * TIMES][:TIMES]
    rng.shuffle(kinds)
    yield from _filed(random.Random(rng.getrandbits(64)), "left", 0.0, width, height)
    for kind in kinds[: int(amount * (TIMES + 0.999))]:
        own = random.Random(rng.getrandbits(64))
        if kind == "cancelled":
            yield from _cancelled(own, size, setting, width, height)
        elif kind == "filed":
            yield from _filed(own, edges[0], 1.0, width, height)
        else:
            yield from _bound(own, edges.pop(), width, height)


def _mask(hole: _Hole, quad: Quad, window: Window, setting: Setting) -> np.ndarray:
    """What a hole takes of a window, 255 inside, with smooth edges."""
    if not hole.round:
        return fill(window, quad)
    mask = np.zeros(window.size, np.uint8)
    x, y = setting.pixels(hole.x) - window.left - 0.5, setting.pixels(hole.y) - window.top - 0.5
    at = (round(x * (1 << SHIFT)), round(y * (1 << SHIFT)))
    return cv2.circle(mask, at, round(setting.pixels(hole.along / 2) * (1 << SHIFT)), (255,), -1, cv2.LINE_AA, SHIFT)


def _punched(image: np.ndarray, amount: float, setting: Setting) -> tuple[np.ndarray, tuple[Thing, ...]]:
    """Holes with the ground below in them, in the shadow of the paper's edge."""
    image = image.copy()
    rows, columns = image.shape[:2]
    grey = setting.rng.choice((46, 70, 190, 214))
    ground = setting.ground or (grey, grey, grey)
    depth = max(1, round(setting.pixels(0.5)))
    found: list[Thing] = []
    for hole in _all(amount, setting, columns * setting.mm, rows * setting.mm):
        x, y, along, across = (setting.pixels(mm) for mm in (hole.x, hole.y, hole.along, hole.across))
        quad = turned(x, y, along, across, 0.0 if hole.round else hole.turn)
        window = Window.around(quad, 2, image.shape)
        if window.empty:
            continue
        mask, part = _mask(hole, quad, window, setting), window.of(image)
        rim = cv2.subtract(mask, shifted(cv2.GaussianBlur(mask, (0, 0), depth), depth, depth))
        floor = darken(np.full_like(part, ground), 255 - rim // 2)
        part[:] = blend(part, floor, mask)
        found.append(Thing("hole_punch", quad, window.left, window.top, mask))
    return image, tuple(found)


HOLES = Lay("hole_punch", Stage.SHEET, "holes for filing and binding, and those that make a paper void", _punched)
