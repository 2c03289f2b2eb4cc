"""Rubber stamps: round seals and boxes with a word and a date, in uneven ink over whatever is printed."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import pymupdf

from synth.degrade.faults.arithmetic import blend, clouds
from synth.degrade.faults.contract import Lay, Setting, Stage, Thing
from synth.degrade.faults.objects import Window, turned

INKS = ((40, 40, 200), (150, 60, 30), (120, 40, 110), (60, 110, 30))
"""BGR: red, blue, violet, green."""
MONTHS = ("JAN", "MAR", "APR", "JUN", "SEP", "NOV")
MOST = 9.99  # stamps at amount 1 besides the first
PALE = 0.45  # how dense a stamp's ink begins
WORDS = {
    "zh": ("已付款", "已审核", "作废", "收讫", "原件核对无误"),
    "en": ("PAID", "RECEIVED", "APPROVED", "COPY", "CHECKED", "ENTERED", "VOID", "CONFIDENTIAL"),
}
HOUSES = {
    "zh": ("财务专用章", "合同专用章", "发票专用章", "业务专用章"),  # below the star
    "en": ("REGISTRAR OFFICE", "ACCOUNTS DEPARTMENT", "CENTRAL RECORDS", "CUSTOMER SERVICE"),
}

FIRMS = ("东湖贸易有限公司", "启明科技有限公司", "长宁商贸有限公司", "瑞安物流服务有限公司")
"""Along the ring of a Chinese seal."""


def _font(language: str) -> tuple[str, Any]:
    """A font that MuPDF itself carries, with its name."""
    name = "china-s" if language == "zh" else "hebo"
    return name, pymupdf.Font(name)


def _turned_text(page: Any, at: pymupdf.Point, text: str, size: float, name: str, angle: float) -> None:
    page.insert_text(at, text, fontsize=size, fontname=name, morph=(at, pymupdf.Matrix(math.degrees(-angle))))


@dataclass(frozen=True)
class _Desk:
    """What one office has to stamp a page with: its words, its names, two ink pads, the month and its firm."""

    words: tuple[str, ...]
    houses: tuple[str, ...]
    pads: tuple[tuple[int, int, int], ...]
    month: str
    firm: str

    @classmethod
    def draw(cls, rng: random.Random, language: str) -> _Desk:
        words, houses = (tuple(rng.sample(texts[language], len(texts[language]))) for texts in (WORDS, HOUSES))
        pads = INKS[:1] if language == "zh" else tuple(rng.sample(INKS, 2))
        return cls(words, houses, pads, f"{rng.choice(MONTHS)} {rng.randint(2009, 2025)}", rng.choice(FIRMS))


def _seal(page: Any, side: float, rng: random.Random, language: str, desk: _Desk, house: str) -> None:
    """A ring with a name along it, in the middle a date, or a star and below it what the seal is for."""
    name, font = _font(language)
    middle, radius = pymupdf.Point(side / 2, side / 2), side * 0.47
    page.draw_circle(middle, radius, color=(0,), width=side * 0.022)
    if language != "zh":
        page.draw_circle(middle, radius * 0.64, color=(0,), width=side * 0.012)
    text = desk.firm if language == "zh" else house
    size = side * (0.115 if language == "zh" else 0.105)
    around = radius * 0.74
    arc = math.radians(230 if language == "zh" else 300)
    lengths = [font.text_length(c, size) for c in text]
    gap = (arc * around - sum(lengths)) / max(1, len(text))
    along = -arc / 2
    for character, length in zip(text, lengths, strict=True):
        angle = along + (length + gap) / 2 / around
        x = middle.x + around * math.sin(angle) - length / 2 * math.cos(angle)
        y = middle.y - around * math.cos(angle) - length / 2 * math.sin(angle)
        _turned_text(page, pymupdf.Point(x, y), character, size, name, angle)
        along += (length + gap) / around
    if language == "zh":
        star = [
            middle
            + pymupdf.Point(math.sin(k * math.pi / 5), -math.cos(k * math.pi / 5))
            * (side * (0.16 if k % 2 == 0 else 0.061))
            for k in range(10)
        ]
        page.draw_polyline(star, color=None, fill=(0,), closePath=True)
        length = font.text_length(house, side * 0.1)
        page.insert_text(middle + pymupdf.Point(-length / 2, side * 0.3), house, fontsize=side * 0.1, fontname=name)
    else:
        date = f"{rng.randint(1, 28):02d} {desk.month}"
        length = font.text_length(date, side * 0.085)
        page.insert_text(middle + pymupdf.Point(-length / 2, side * 0.03), date, fontsize=side * 0.085, fontname=name)


def _box(page: Any, width: float, height: float, rng: random.Random, language: str, word: str) -> None:
    """A word within one or two frames."""
    name, font = _font(language)
    line = height * 0.05
    page.draw_rect(pymupdf.Rect(line, line, width - line, height - line), color=(0,), width=line * 1.4)
    if rng.random() < 0.5:
        inner = line * 3
        page.draw_rect(pymupdf.Rect(inner, inner, width - inner, height - inner), color=(0,), width=line * 0.6)
    size = min(height * 0.55, 0.82 * width / font.text_length(word, 1))
    length = font.text_length(word, size)
    page.insert_text(pymupdf.Point((width - length) / 2, height / 2 + size * 0.34), word, fontsize=size, fontname=name)


def _print(
    width: float, height: float, round_: bool, rng: random.Random, language: str, desk: _Desk, number: int
) -> np.ndarray:
    """The rubber of the `number`-th stamp as ink, 255 where it prints; `width` x `height` pixels, straight."""
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=width, height=height)
        if round_:
            _seal(page, width, rng, language, desk, desk.houses[number % len(desk.houses)])
        else:
            _box(page, width, height, rng, language, desk.words[number % len(desk.words)])
        pixels = page.get_pixmap(colorspace=pymupdf.csGRAY, alpha=False)
        grey = np.frombuffer(pixels.samples_mv, np.uint8).reshape(pixels.height, pixels.stride)[:, : pixels.width]
        return cv2.bitwise_not(np.ascontiguousarray(grey))


def _laid(rubber: np.ndarray, x: float, y: float, angle: float, window: Window) -> np.ndarray:
    """The rubber's ink on a window of the page, turned about x, y; bilinear in fixed point."""
    height, width = rubber.shape
    c, s = round(math.cos(angle) * 65536), round(math.sin(angle) * 65536)
    dx = (np.arange(window.left, window.right, dtype=np.int64) * 32 + 16 - round(x * 32))[None]
    dy = (np.arange(window.top, window.bottom, dtype=np.int64) * 32 + 16 - round(y * 32))[:, None]
    # In 1/32 pixel of the rubber, a border of one empty pixel around it.
    a = np.clip((dx * c + dy * s >> 16) + (width + 2) * 16 - 16, 0, (width + 1) * 32)
    b = np.clip((dy * c - dx * s >> 16) + (height + 2) * 16 - 16, 0, (height + 1) * 32)
    framed = cv2.copyMakeBorder(rubber, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=(0,))
    whole = np.stack([a >> 5, b >> 5], -1).astype(np.int16)
    part = ((b & 31) * 32 + (a & 31)).astype(np.uint16)
    return cv2.remap(framed, whole, part, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def _stamps(image: np.ndarray, amount: float, setting: Setting) -> tuple[np.ndarray, tuple[Thing, ...]]:
    """The first stamp lies anywhere, most of the others over print. Each begins pale and grows as dense as its pad."""
    image = image.copy()
    rng, (rows, columns) = setting.rng, image.shape[:2]
    language = "zh" if setting.language == "zh" else "en"
    desk = _Desk.draw(rng, language)
    found: list[Thing] = []
    dry = 256 - round(110 * amount * amount)  # a wet pad prints dark: what is under it goes with it
    for number in range(1 + int(amount * MOST)):
        dense = min(1.0, PALE + 5 * (amount - number / MOST))
        colour = rng.choice(desk.pads)
        round_ = rng.random() < 0.4
        width = setting.pixels(rng.uniform(34, 44) if round_ else rng.uniform(38, 66))
        height = width if round_ else width * rng.uniform(0.3, 0.4)
        x, y = rng.uniform(0.1, 0.9) * columns, rng.uniform(0.06, 0.94) * rows
        along, aside = rng.random(), rng.gauss(0, 2)
        if number and setting.lines and rng.random() < 0.8:
            box = rng.choice(setting.lines)
            x = box.x0 + along * box.width + setting.pixels(aside)
            y = box.y0 + along * box.height + setting.pixels(aside)
        angle = math.radians(rng.gauss(0, 9))
        quad = turned(x, y, width, height, angle)
        window = Window.around(quad, 1, image.shape)
        rubber = _print(width, height, round_, rng, language, desk, number)
        strength = round((rng.randint(190, 255) + round(40 * amount)) * dense)
        solid = rng.random()
        if window.empty:
            continue
        uneven = clouds(setting.noise(), *window.size, setting.pixels(6)).astype(np.int64)
        fine = clouds(setting.noise(), *window.size, setting.pixels(0.3)).astype(np.int64)
        wet = np.clip(strength - (uneven * 70 >> 8) - np.where(fine > 225, fine, 0), 0, 255)
        if not round_ and solid < 0.4:  # letters cut into the rubber instead of out of it
            rubber = 255 - rubber
        cover = (_laid(rubber, x, y, angle, window) * wet // 255).astype(np.uint8)
        part = window.of(image)
        ink = np.empty_like(part)
        ink[:] = [c * dry >> 8 for c in colour]
        part[:] = blend(part, cv2.min(part, ink), cover)
        found.append(Thing("stamp", quad, window.left, window.top, cover))
    return image, tuple(found)


STAMPS = Lay("stamp", Stage.SHEET, "rubber stamps over the print, in uneven ink", _stamps)
