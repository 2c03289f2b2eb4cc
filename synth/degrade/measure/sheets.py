"""Sheets of text lines whose words, place and type size are known, in every script that faults are measured for."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import yaml
from PIL import Image, ImageDraw, ImageFont

from schemas.geometry import Box
from synth.render.fonts import font_set

DPI = 150
WIDTH = 1240  # of A4
MARGIN = 90
PITCH = 2.4  # ems from line to line
SIZES = (16, 22, 32)
"""Pixels of an em: about 7.7, 10.6 and 15.4 points."""

# Fonts by language; two faces each, so that a figure does not hang on one. Index: the face within a collection.
_FACES: dict[str, tuple[tuple[str, int], ...]] = {
    "en": (("LiberationSans-Regular.ttf", 0), ("LiberationSerif-Regular.ttf", 0)),
    "zh": (("NotoSansCJK-Regular.ttc", 2), ("NotoSerifCJK-Regular.ttc", 2)),
    "bn": (("NotoSansBengali-Regular.ttf", 0), ("NotoSerifBengali-Regular.ttf", 0)),
    "ban": (("NotoSansBalinese-Regular.ttf", 0), ("NotoSerifBalinese-Regular.ttf", 0)),
    "sa-Gran": (("NotoSansGrantha-Regular.ttf", 0), ("NotoSerifGrantha-Regular.ttf", 0)),
    "su": (("NotoSansSundanese-Regular.ttf", 0), ("NotoSansSundanese-Bold.ttf", 0)),
}
_LENGTH = {"zh": 20, "bn": 30}
_USUAL_LENGTH = 34

# Letters, vowel signs and the virama of scripts for which there is no prose here: first and last code points.
_LETTERS = {
    "ban": ((0x1B13, 0x1B33), (0x1B35, 0x1B3D), 0x1B44),
    "sa-Gran": ((0x11315, 0x11328), (0x1133E, 0x11344), 0x1134D),
    "su": ((0x1B8A, 0x1BA0), (0x1BA4, 0x1BA9), 0x1BAB),
}


@dataclass(frozen=True)
class SheetLine:
    """One line: its text, the em in pixels, and the box of its ink with a little air, in pixels."""

    text: str
    size: int
    box: Box


@dataclass(frozen=True)
class TextSheet:
    """A white page as wide as A4 at `DPI` (rows x columns x BGR, uint8) with lines of `SIZES` in turn."""

    language: str
    image: np.ndarray
    lines: tuple[SheetLine, ...]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str) and "{" not in value:
        yield value


@lru_cache(maxsize=4)
def prose(language: str) -> tuple[str, ...]:
    """Sentences and names out of the templates' own texts, longest first."""
    found: set[str] = set()
    for part in ("prose", "lexicon", "catalog"):
        for path in sorted(resources.files("synth.content").joinpath(part).iterdir(), key=lambda p: p.name):
            for file in _files(path, language):
                found.update(_strings(yaml.safe_load(file.read_text("utf-8"))))
    return tuple(sorted(found, key=lambda text: (-len(text), text)))


def _files(path: Any, language: str) -> Iterator[Any]:
    """YAML files of a language at or below a folder `<language>/...` or `<kind>/<language>.yaml`."""
    if path.is_file():
        return
    for child in sorted(path.iterdir(), key=lambda p: p.name):
        if child.is_file() and (child.name == f"{language}.yaml" or path.name == language):
            yield child


def _syllables(language: str, rng: random.Random) -> str:
    """A word of random syllables: a consonant, now and then one stacked under it, and a vowel sign."""
    consonants, vowels, virama = _LETTERS[language]
    word = ""
    for _ in range(rng.randint(2, 5)):
        word += chr(rng.randint(*consonants))
        if rng.random() < 0.2:
            word += chr(virama) + chr(rng.randint(*consonants))
        if rng.random() < 0.6:
            word += chr(rng.randint(*vowels))
    return word


def _text(language: str, rng: random.Random) -> str:
    """About as much text as one line holds at the largest size."""
    wanted = _LENGTH.get(language, _USUAL_LENGTH)
    text = ""
    while len(text) < wanted:
        if language in _LETTERS:
            text += _syllables(language, rng) + " "
        elif rng.random() < 0.15:
            text += f"{rng.randint(1, 31)}/{rng.randint(1, 12)}/20{rng.randint(10, 25)} {rng.randint(10, 99999):,} "
        else:
            text += rng.choice(prose(language)[:400]) + ("" if language == "zh" else " ")
    cut = text[:wanted]
    if language == "zh":
        return cut.strip()
    # A whole word more or less; never a letter without the signs that belong to it.
    return re.sub(r"\s\S*$", "", cut).strip() or cut


def sheet(language: str, number: int, of_each: int) -> TextSheet:
    """The `number`-th sheet of a language, with `of_each` lines of each size; always the same.

    UserError if the language's fonts are not installed.
    """
    rng = random.Random(f"sheet:{language}:{number}")
    paths = {file.path.name: file.path for file in font_set((language,)).files}
    steps = [round(PITCH * size) for size in SIZES]
    page = Image.new("L", (WIDTH, 2 * MARGIN + of_each * sum(steps)), 255)
    pen = ImageDraw.Draw(page)
    lines: list[SheetLine] = []
    top = MARGIN
    for turn in range(of_each * len(SIZES)):
        size, step = SIZES[turn % len(SIZES)], steps[turn % len(SIZES)]
        name, index = _FACES[language][(turn // len(SIZES)) % 2]
        text = _text(language, rng)
        font = _font(paths[name], size, index)
        left = MARGIN + rng.randint(0, max(1, WIDTH - 2 * MARGIN - round(font.getlength(text))))
        pen.text((left, top + 0.4 * size), text, font=font, fill=rng.choice((0, 0, 0, 40)))
        rows, columns = np.nonzero(np.asarray(page)[top : top + step] < 160)
        air = 0.14 * size
        x0, x1, y0, y1 = (float(n) for n in (columns.min(), columns.max() + 1, top + rows.min(), top + rows.max() + 1))
        lines.append(SheetLine(text, size, Box(x0 - air, y0 - air, x1 + air, y1 + air)))
        top += step
    return TextSheet(language, cv2.cvtColor(np.asarray(page), cv2.COLOR_GRAY2BGR), tuple(lines))


@lru_cache(maxsize=32)
def _font(path: Path, size: int, index: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(path), size, index=index, layout_engine=ImageFont.Layout.RAQM)
