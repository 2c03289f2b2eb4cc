"""Things on the sheet that hide what is printed: sticky notes and bars that black out text."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from itertools import pairwise

import cv2
import numpy as np

from schemas.geometry import Point, Quad
from synth.degrade.faults.arithmetic import blend, darken
from synth.degrade.faults.contract import Lay, Setting, Stage, Thing

SHIFT = 4  # fractional bits of OpenCV's drawing coordinates
NOTES = ((120, 240, 252), (125, 205, 255), (180, 150, 255), (150, 235, 190), (235, 205, 140))
"""BGR of sticky notes: yellow twice as light as ink would be, orange, pink, green, blue."""
NOTE_MM = ((76, 76), (76, 51), (51, 38), (44, 12))


def turned(x: float, y: float, width: float, height: float, angle: float) -> Quad:
    """A rectangle about x, y, turned by `angle` (radians)."""
    c, s = math.cos(angle), math.sin(angle)
    half = ((-width / 2, -height / 2), (width / 2, -height / 2), (width / 2, height / 2), (-width / 2, height / 2))
    return Quad(*(Point(x + a * c - b * s, y + a * s + b * c) for a, b in half))


def moved(quad: Quad, right: float, down: float) -> Quad:
    return Quad(*(Point(p.x + right, p.y + down) for p in quad))


@dataclass(frozen=True)
class Window:
    """The part of a page, in whole pixels, that a quad and `margin` pixels around it lie in."""

    left: int
    top: int
    right: int
    bottom: int

    @classmethod
    def around(cls, quad: Quad, margin: float, shape: tuple[int, ...]) -> Window:
        box, (rows, columns) = quad.box, shape[:2]
        left, top = max(0, math.floor(box.x0 - margin)), max(0, math.floor(box.y0 - margin))
        right, bottom = min(columns, math.ceil(box.x1 + margin)), min(rows, math.ceil(box.y1 + margin))
        return cls(min(left, columns), min(top, rows), max(min(left, columns), right), max(min(top, rows), bottom))

    @property
    def size(self) -> tuple[int, int]:
        return self.bottom - self.top, self.right - self.left

    @property
    def empty(self) -> bool:
        return not all(self.size)

    def of(self, image: np.ndarray) -> np.ndarray:
        """That part of the image, not a copy."""
        return image[self.top : self.bottom, self.left : self.right]


def fill(window: Window, quad: Quad) -> np.ndarray:
    """What a quad (in pixels of the page) covers of a window, 255 inside, with smooth edges."""
    mask = np.zeros(window.size, np.uint8)
    corners = [[round(c * (1 << SHIFT)) for c in point] for point in moved(quad, -window.left - 0.5, -window.top - 0.5)]
    return cv2.fillConvexPoly(mask, np.array(corners, np.int32), (255,), cv2.LINE_AA, SHIFT)


def shifted(mask: np.ndarray, down: int, right: int) -> np.ndarray:
    """The mask moved by whole pixels; empty where nothing comes from."""
    out = np.zeros_like(mask)
    rows, columns = mask.shape
    if down < rows and right < columns:
        out[down:, right:] = mask[: rows - down, : columns - right]
    return out


def _notes(image: np.ndarray, amount: float, setting: Setting) -> tuple[np.ndarray, tuple[Thing, ...]]:
    """Sticky notes with a few lines of a hand on them; their lower edge lifts and throws a shadow."""
    image = image.copy()
    rng, (rows, columns) = setting.rng, image.shape[:2]
    lift = max(1, round(setting.pixels(0.9)))
    found: list[Thing] = []
    for _ in range(1 + int(amount * 5.99)):
        across, down = rng.choice(NOTE_MM)
        width, height = (setting.pixels(mm * (0.3 + 0.7 * amount)) for mm in (across, down))
        x, y = rng.uniform(0.12, 0.88) * columns, rng.uniform(0.08, 0.92) * rows
        quad = turned(x, y, width, height, math.radians(rng.uniform(-9, 9)))
        window = Window.around(quad, 4 * lift, image.shape)
        if window.empty:
            continue
        note, part = fill(window, quad), window.of(image)
        shadow = shifted(cv2.GaussianBlur(note, (0, 0), lift), lift, lift // 2)
        sheet = np.empty_like(part)
        sheet[:] = rng.choice(NOTES)
        hand = replace(setting, rng=random.Random(rng.getrandbits(64)))
        _scribble(sheet, moved(quad, -window.left, -window.top), hand)
        part[:] = blend(darken(part, 255 - shadow // 3), sheet, note)
        found.append(Thing("sticky_note", quad, window.left, window.top, note))
    return image, tuple(found)


def _scribble(sheet: np.ndarray, quad: Quad, setting: Setting) -> None:
    """Rows of loops that look like a hand's words from afar; drawn into `sheet`."""
    rng = setting.rng
    pen = rng.choice(((140, 60, 30), (50, 45, 45), (40, 40, 170)))
    width = math.dist(quad.tl, quad.tr)
    height = math.dist(quad.tl, quad.bl)
    step = setting.pixels(8.5)
    for row in range(1, int(height / step)):
        along, end = 0.1 * width, rng.uniform(0.45, 0.9) * width
        points: list[tuple[int, int]] = []
        while along < end:
            if rng.random() < 0.13:  # a gap between words
                _stroke(sheet, points, pen, setting)
                points = []
                along += setting.pixels(2.2)
            rise = rng.choice((0.25, 0.3, 0.34, 0.62)) * step * (1 if len(points) % 2 else -0.12)
            s, t = along / width, (row * step - rise) / height
            x = (1 - t) * ((1 - s) * quad.tl.x + s * quad.tr.x) + t * ((1 - s) * quad.bl.x + s * quad.br.x)
            y = (1 - t) * ((1 - s) * quad.tl.y + s * quad.tr.y) + t * ((1 - s) * quad.bl.y + s * quad.br.y)
            points.append((round(x * (1 << SHIFT)), round(y * (1 << SHIFT))))
            along += setting.pixels(rng.uniform(0.8, 1.5))
        _stroke(sheet, points, pen, setting)


def _stroke(sheet: np.ndarray, points: list[tuple[int, int]], pen: tuple[int, int, int], setting: Setting) -> None:
    if len(points) > 2:
        smooth = [points[0]]
        for a, b in pairwise(points):  # corners cut twice, so that loops are round
            smooth += [
                ((3 * a[0] + b[0]) // 4, (3 * a[1] + b[1]) // 4),
                ((a[0] + 3 * b[0]) // 4, (a[1] + 3 * b[1]) // 4),
            ]
        line = np.array(smooth, np.int32)[:, None]
        cv2.polylines(sheet, [line], False, pen, max(1, round(setting.pixels(0.3))), cv2.LINE_AA, SHIFT)


def _bars(image: np.ndarray, amount: float, setting: Setting) -> tuple[np.ndarray, tuple[Thing, ...]]:
    """Black bars over parts of text lines, a little larger than the line, as a marker or an editor draws them."""
    image = image.copy()
    rng = setting.rng
    found: list[Thing] = []
    drawn = rng.random() < 0.5  # by hand, so a little askew and not quite black
    for box in setting.lines:
        chosen, share, start, tilt, level = (rng.random() for _ in range(5))
        share = 0.25 + 0.65 * share
        if chosen >= amount * 0.9:
            continue
        over = 0.08 * min(box.width, box.height)
        if box.height > box.width:
            length = share * box.height
            first = box.y0 + start * (box.height - length)
            x, y, wide, tall = (box.x0 + box.x1) / 2, first + length / 2, box.width + 2 * over, length
        else:
            length = share * box.width
            first = box.x0 + start * (box.width - length)
            x, y, wide, tall = first + length / 2, (box.y0 + box.y1) / 2, length, box.height + 2 * over
        angle = math.radians(1.4 * tilt - 0.7) if drawn else 0.0
        quad = turned(x, y, wide, tall, angle)
        window = Window.around(quad, 1, image.shape)
        if window.empty:
            continue
        bar, part = fill(window, quad), window.of(image)
        part[:] = blend(part, np.full_like(part, 14 + int(20 * level) if drawn else 0), bar)
        found.append(Thing("redaction", quad, window.left, window.top, bar))
    return image, tuple(found)


NOTES_ON = Lay("sticky_note", Stage.SHEET, "sticky notes with a hand's lines on them", _notes)
BARS = Lay("redaction", Stage.SHEET, "black bars over parts of lines", _bars)
