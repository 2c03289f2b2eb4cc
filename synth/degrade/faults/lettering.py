"""Text as ink: a straight line of letters in any script, as a mask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pymupdf
import regex
from PIL import Image, ImageDraw, ImageFont

from synth.render.fonts import font_set

BUILT_IN = {"en": "hebo", "zh": "china-s"}
"""Fonts that MuPDF itself carries; it does not shape, so no other script is set with them."""
SHAPED = {"bn": "NotoSansBengali-Bold.ttf"}
ABOVE, BELOW = 1.25, 0.55  # of the mask, in ems from the baseline


@dataclass(frozen=True)
class Lettering:
    """Sets text of one language. `length(text)` in ems; `ink(text, size)`: 255 where it prints, ems `ABOVE` and
    `BELOW` of its baseline, as wide as the text is long and an em more on either side."""

    length: Callable[[str], float]
    ink: Callable[[str, float], np.ndarray]


def inked(width: float, height: float, draw: Callable[[Any], None]) -> np.ndarray:
    """What `draw` puts on a page of MuPDF, as ink: 255 where it prints; rows x columns, uint8."""
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=width, height=height)
        draw(page)
        pixels = page.get_pixmap(colorspace=pymupdf.csGRAY, alpha=False)
        grey = np.frombuffer(pixels.samples_mv, np.uint8).reshape(pixels.height, pixels.stride)
        return 255 - grey[:, : pixels.width]


def letters(text: str) -> list[str]:
    """Text in pieces that may stand apart: grapheme clusters, conjuncts whole."""
    return regex.findall(r"\X", text)


@lru_cache(maxsize=8)
def lettering(language: str) -> Lettering:
    """In the language's own script where there is one for it here, else in Latin letters."""
    if language in SHAPED:
        paths = {file.path.name: file.path for file in font_set((language,)).files}
        return _shaped(str(paths[SHAPED[language]]))
    return _built_in(BUILT_IN.get(language, BUILT_IN["en"]))


def _shape(width: float, size: float) -> tuple[int, int]:
    return round(width + 2 * size), round((ABOVE + BELOW) * size)


def _built_in(name: str) -> Lettering:
    font = pymupdf.Font(name)

    def ink(text: str, size: float) -> np.ndarray:
        width, height = _shape(font.text_length(text, 1) * size, size)
        at = pymupdf.Point(size, ABOVE * size)
        return inked(width, height, lambda page: page.insert_text(at, text, fontsize=size, fontname=name))

    return Lettering(lambda text: font.text_length(text, 1), ink)


def _shaped(path: str) -> Lettering:
    def font(size: int) -> ImageFont.FreeTypeFont:
        return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.RAQM)

    long = font(200)

    def ink(text: str, size: float) -> np.ndarray:
        own = font(max(1, round(size)))
        mask = Image.new("L", _shape(own.getlength(text), size), 0)
        ImageDraw.Draw(mask).text((size, ABOVE * size), text, font=own, fill=255, anchor="ls")
        return np.asarray(mask)

    return Lettering(lambda text: long.getlength(text) / 200, ink)
