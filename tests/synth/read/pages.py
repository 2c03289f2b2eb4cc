"""Small pages drawn by Pillow, with their true labels in pixels."""

from __future__ import annotations

import subprocess

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from schemas.document import Document, Line, PageInfo, Word
from schemas.geometry import Box, quad_of, union

TEXTS = {
    "en": ["Invoice number 2048-17", "Total amount due: $1,284.50", "Payable within thirty days of receipt"],
    "zh": ["发票号码 2048-17", "合计金额：人民币壹仟贰佰捌拾肆元伍角", "请在收到后三十天内付款"],
    "bn": ["চালান নম্বর ২০৪৮", "মোট পরিশোধযোগ্য টাকা ১,২৮৪", "প্রাপ্তির ত্রিশ দিনের মধ্যে পরিশোধ করুন"],
}
_FONTS = {"en": "Noto Sans", "zh": "Noto Sans CJK SC", "bn": "Noto Sans Bengali"}


def drawn(language: str, texts: list[str] | None = None, size: tuple[int, int] = (760, 240)) -> np.ndarray:
    """Black lines of 30 px on white, as a BGR uint8 picture (size is width, height)."""
    return _draw(language, texts or TEXTS[language], size)[0]


def labelled(language: str, texts: list[str] | None = None) -> tuple[np.ndarray, Document]:
    """The picture and its words and lines as a one-page Document in pixels."""
    return _draw(language, texts or TEXTS[language], (760, 240))


def document(rows: list[list[tuple[str, Box]]], size: tuple[int, int] = (800, 1000)) -> Document:
    """A one-page Document with these true lines of words, without a picture."""
    words: list[Word] = []
    lines: list[Line] = []
    for row in rows:
        ids = []
        for text, box in row:
            ids.append(len(words))
            words.append(
                Word(len(words), 0, text, box, box, quad_of(box), len(lines), 0, len(words), box.height * 0.7, True)
            )
        box = union(box for _, box in row)
        text = " ".join(text for text, _ in row)
        lines.append(Line(len(lines), 0, 0, tuple(ids), text, box, quad_of(box)))
    return Document((PageInfo(*size),), tuple(words), tuple(lines), (), (), (), ())


def _font(language: str) -> ImageFont.FreeTypeFont:
    pattern = f"{_FONTS[language]}:style=Regular"
    said = subprocess.run(
        ["fc-match", "--format=%{file}\n%{index}", pattern], capture_output=True, text=True, check=True
    )
    file, index = said.stdout.splitlines()
    return ImageFont.truetype(file, 30, index=int(index))


def _draw(language: str, texts: list[str], size: tuple[int, int]) -> tuple[np.ndarray, Document]:
    image = Image.new("RGB", size, "white")
    draw, font = ImageDraw.Draw(image), _font(language)
    ascent, descent = font.getmetrics()
    rows = []
    for number, text in enumerate(texts):
        x, y = 40.0, 24.0 + 66 * number
        row = []
        for word in text.split(" "):
            draw.text((x, y), word, fill="black", font=font)
            width = draw.textlength(word, font=font)
            row.append((word, Box(x, y, x + width, y + ascent + descent)))
            x += width + draw.textlength(" ", font=font)
        rows.append(row)
    return cv2.cvtColor(np.asarray(image), cv2.COLOR_RGB2BGR), document(rows, size)
