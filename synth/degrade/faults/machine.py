"""What a worn printer leaves: streaks along the paper's way, bands across it, toner where none belongs."""

from __future__ import annotations

import cv2
import numpy as np

from synth.degrade.faults.arithmetic import clouds, darken, lighten, random_bytes
from synth.degrade.faults.contract import Pixels, Setting, Stage

PAGE_MM = 210
WIDEST_DARK_MM, WIDEST_BARE_MM = 1.2, 5.0  # streaks at amount 1
MARKS, PALE = 18, 0.2  # marks of a drum at amount 1 besides the first, and how dense each begins
SPECKS = ((0.12, 0.16), (0.2, 0.11), (0.34, 0.09), (0.6, 0.06))
"""Millimetres across, and the share of the sheet that such specks cover at amount 1."""


def _streaks(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    """Lines down the page: half of them dark (a scratched drum), half without ink (a clogged nozzle, toner that ran
    out). They grow wider before they grow many: a page is not a bar code."""
    rows, columns = image.shape[:2]
    rng = setting.rng
    uneven = clouds(setting.noise(), rows, columns, setting.pixels(4), stretch=12).astype(np.int64)
    dark, bare = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
    wanted = (2 + 70 * amount) * amount * columns / setting.pixels(PAGE_MM)
    for _ in range(int(wanted) + (rng.random() < wanted - int(wanted))):
        left, thick, dense, empty = rng.randrange(columns), rng.random(), rng.random(), rng.random() < 0.5
        widest = WIDEST_BARE_MM if empty else WIDEST_DARK_MM
        width = setting.pixels(0.08 + 0.22 * thick + amount * widest * thick**3)
        strength = min(255, round(90 + 145 * dense + 90 * amount))
        line = bare if empty else dark
        whole = int(width)
        line[left : left + whole] = np.maximum(line[left : left + whole], strength)
        if left + whole < columns:
            line[left + whole] = max(int(line[left + whole]), round(strength * (width - whole)))
    fleeting = np.clip(uneven * 2 - 90, 0, 256)
    kept = 256 - (bare[None] * fleeting >> 8)
    return darken(lighten(image, kept), (255 - (dark[None] * fleeting >> 8)).astype(np.uint8))


def _bands(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    """Marks of a dirty drum: grainy smears across the page, each as wide as its dirt, that come back at every turn.

    The first is pale at first, others come once it is dense.
    """
    rows, columns = image.shape[:2]
    rng = setting.rng
    grain = random_bytes(setting.noise(), rows, columns).astype(np.int32)
    smear = clouds(setting.noise(), rows, columns, setting.pixels(14), stretch=0.06).astype(np.int32)
    turn = setting.pixels(rng.uniform(38, 95))
    soot = np.zeros((rows, columns), np.int32)
    line, place = np.arange(rows, dtype=np.int64), np.arange(columns, dtype=np.int64)
    for number in range(1 + int(amount * MARKS)):
        dense = min(1.0, PALE + 3 * (amount - number / MARKS))
        start, middle, share = rng.uniform(0, turn), rng.uniform(0, columns), rng.uniform(0.03, 0.4)
        if rng.random() < 0.5:  # all across
            share = 2.5
        tall, strength = setting.pixels(rng.uniform(0.5, 4.5) + 4 * amount), rng.randint(150, 255) + 160 * amount
        wide = max(1, round(share * columns))
        ends = np.clip(1024 - np.abs(place * 16 - round(middle * 16)) * 128 // wide, 0, 256)
        down = np.zeros(rows, np.int64)
        for again in range(int(rows / turn) + 2):
            near = 384 - np.abs(line * 16 - round((start + again * turn) * 16)) * 48 // max(1, round(tall))
            down = np.maximum(down, np.clip(near, 0, 256))
        mark = (down[:, None] * ends[None]).astype(np.int32) * round(strength * dense) >> 16
        soot = np.maximum(soot, mark)
    black = soot * (110 + (grain * 3 >> 2) + (smear * 3 >> 2)) >> 8
    return darken(image, np.clip(255 - black, 0, 255).astype(np.uint8))


def _speckle(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    """Specks of toner of all sizes, each size rarer than the next smaller one, thicker in some places."""
    rows, columns = image.shape[:2]
    thick = clouds(setting.noise(), rows, columns, setting.pixels(45)).astype(np.int64)
    toner = np.zeros((rows, columns), np.uint8)
    for mm, share in SPECKS:
        fine, coarse = (random_bytes(setting.noise(), rows, columns).astype(np.int64) for _ in range(2))
        # Two bytes a pixel make shares finer than one in 256.
        chance = fine * 256 + coarse
        # A share of the sheet's area whatever the resolution: specks of one pixel are as large as a pixel.
        area = max(1.0, setting.pixels(mm) ** 2)
        limit = round(amount * amount * 65536 * share / area) * (60 + (thick * 196 >> 8)) >> 8
        specks = np.where(chance < limit, 255, 0).astype(np.uint8)
        width = round(setting.pixels(mm))
        if width > 1:
            specks = cv2.dilate(specks, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width)))
        toner = cv2.max(toner, specks)
    soft, core = cv2.GaussianBlur(toner, (3, 3), 0.5), cv2.LUT(toner, np.minimum(np.arange(256), 195).astype(np.uint8))
    return darken(image, cv2.bitwise_not(cv2.max(soft, core)))


STREAKS = Pixels("ink_streaks", Stage.INK, "thin streaks along the paper's way, dark or without ink", _streaks)
BANDS = Pixels("drum_bands", Stage.INK, "grainy bands of a dirty drum, at every turn again", _bands)
SPECKLE = Pixels("toner_speckle", Stage.INK, "specks of toner over the page", _speckle)
