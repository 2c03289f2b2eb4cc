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
from synth.degrade.faults.lettering import ABOVE, inked, lettering, letters
from synth.degrade.faults.objects import Window, turned

INKS = ((40, 40, 200), (150, 60, 30), (120, 40, 110), (60, 110, 30))
"""BGR: red, blue, violet, green."""
MONTHS = {
    "bn": ("জানুয়ারি", "মার্চ", "এপ্রিল", "জুন", "সেপ্টেম্বর", "নভেম্বর"),
    "en": ("JAN", "MAR", "APR", "JUN", "SEP", "NOV"),
}
MOST = 9.99  # stamps at amount 1 besides the first
PALE = 0.45  # how dense a stamp's ink begins
WORDS = {
    "zh": ("已付款", "已审核", "作废", "收讫", "原件核对无误"),
    "bn": ("পরিশোধিত", "গৃহীত", "অনুমোদিত", "অনুলিপি", "যাচাইকৃত", "বাতিল", "গোপনীয়"),
    "en": ("PAID", "RECEIVED", "APPROVED", "COPY", "CHECKED", "ENTERED", "VOID", "CONFIDENTIAL"),
}
HOUSES = {
    "zh": ("财务专用章", "合同专用章", "发票专用章", "业务专用章"),  # below the star
    "bn": ("রেজিস্ট্রার কার্যালয়", "হিসাব ও অর্থ বিভাগ", "কেন্দ্রীয় নথি শাখা", "গ্রাহক সেবা কেন্দ্র"),
    "en": ("REGISTRAR OFFICE", "ACCOUNTS DEPARTMENT", "CENTRAL RECORDS", "CUSTOMER SERVICE"),
}

BENGALI = str.maketrans("0123456789", "০১২৩৪৫৬৭৮৯")
FIRMS = ("东湖贸易有限公司", "启明科技有限公司", "长宁商贸有限公司", "瑞安物流服务有限公司")
"""Along the ring of a Chinese seal."""


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
        month = f"{rng.choice(MONTHS.get(language, MONTHS['en']))} {rng.randint(2009, 2025)}"
        return cls(words, houses, pads, _digits(month, language), rng.choice(FIRMS))


def _digits(text: str, language: str) -> str:
    return text.translate(BENGALI) if language == "bn" else text


def _put(rubber: np.ndarray, text: str, size: float, language: str, x: float, y: float, angle: float = 0.0) -> None:
    """Text into the rubber, in place: the middle of its baseline at x, y, turned about it."""
    ink = lettering(language).ink(text, size)
    # The mask's own middle lies above the baseline.
    up = ink.shape[0] / 2 - ABOVE * size
    x, y = x - up * math.sin(angle), y + up * math.cos(angle)
    quad = turned(x, y, ink.shape[1], ink.shape[0], angle)
    window = Window.around(quad, 1, rubber.shape)
    if not window.empty:
        part = window.of(rubber)
        part[:] = np.maximum(part, _laid(ink, x, y, angle, window))


def _seal(side: float, rng: random.Random, language: str, desk: _Desk, house: str) -> np.ndarray:
    """A ring with a name along it, in the middle a date, or a star and below it what the seal is for."""
    chinese, middle, radius = language == "zh", side / 2, side * 0.47
    centre = pymupdf.Point(middle, middle)

    def lines(page: Any) -> None:
        page.draw_circle(centre, radius, color=(0,), width=side * 0.022)
        if chinese:
            reach = (side * 0.16, side * 0.061)
            turns = [k * math.pi / 5 for k in range(10)]
            star = [centre + pymupdf.Point(math.sin(a), -math.cos(a)) * reach[k % 2] for k, a in enumerate(turns)]
            page.draw_polyline(star, color=None, fill=(0,), closePath=True)
        else:
            page.draw_circle(centre, radius * 0.64, color=(0,), width=side * 0.012)

    rubber = inked(side, side, lines)
    set_ = lettering(language)
    text = letters(desk.firm if chinese else house)
    arc, around = math.radians(230 if chinese else 300), radius * 0.74
    size = side * (0.115 if chinese else 0.105)
    size = min(size, 0.92 * arc * around / sum(set_.length(c) for c in text))
    lengths = [set_.length(c) * size for c in text]
    gap = (arc * around - sum(lengths)) / len(text)
    along = -arc / 2
    for character, length in zip(text, lengths, strict=True):
        angle = along + (length + gap) / 2 / around
        x, y = middle + around * math.sin(angle), middle - around * math.cos(angle)
        _put(rubber, character, size, language, x, y, angle)
        along += (length + gap) / around
    if chinese:
        _put(rubber, house, side * 0.1, language, middle, middle + side * 0.3)
    else:
        date = _digits(f"{rng.randint(1, 28):02d} {desk.month}", language)
        size = min(side * 0.085, 1.1 * radius / set_.length(date))
        _put(rubber, date, size, language, middle, middle + side * 0.03)
    return rubber


def _box(width: float, height: float, rng: random.Random, language: str, word: str) -> np.ndarray:
    """A word within one or two frames."""
    line, double = height * 0.05, rng.random() < 0.5

    def lines(page: Any) -> None:
        page.draw_rect(pymupdf.Rect(line, line, width - line, height - line), color=(0,), width=line * 1.4)
        if double:
            inner = line * 3
            page.draw_rect(pymupdf.Rect(inner, inner, width - inner, height - inner), color=(0,), width=line * 0.6)

    rubber = inked(width, height, lines)
    size = min(height * 0.55, 0.82 * width / lettering(language).length(word))
    _put(rubber, word, size, language, width / 2, height / 2 + size * (0.28 if language == "bn" else 0.34))
    return rubber


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
    language = setting.language if setting.language in WORDS else "en"
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
        if round_:
            rubber = _seal(width, rng, language, desk, desk.houses[number % len(desk.houses)])
        else:
            rubber = _box(width, height, rng, language, desk.words[number % len(desk.words)])
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
