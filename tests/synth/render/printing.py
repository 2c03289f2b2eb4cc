"""What the tests of print and labels share: documents to print, and pixels to compare with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pymupdf

from schemas.geometry import Box
from schemas.recipe import PAPERS
from schemas.sample import HtmlDocument, PageSize

ROLL = PageSize("roll80", 80.0, None)

ENGLISH = """<html lang="en"><style>body{font:11pt 'Noto Serif';margin:15mm}h1{font-family:'Noto Sans'}</style>
<h1>Rental Agreement</h1>
<p>This agreement is made between <b>Ada Lovelace</b> and the Analytical Company, jointly and severally liable for the
quality of offices, affixed fixtures &amp; effects (no. 12/b), at $1,200.50 a month.</p>
<p data-role="key_value"><span data-key="rent">Rent:</span> <span data-field="rent">$1,200.50</span></p>"""
CHINESE = """<html lang="zh"><style>body{font:11pt 'Noto Sans CJK SC';margin:15mm}p{width:62mm}</style>
<h1>房屋租赁合同</h1><p>甲方（出租人）：北京市朝阳区建国门外大街一号国贸大厦有限公司，联系电话：010-6505-2288。</p>
<p data-role="key_value"><span data-key="rent">月租金：</span>
<span data-field="rent">¥3,500.00（大写：叁仟伍佰元整）</span></p>"""
BANGLA = """<html lang="bn"><style>body{font:12pt 'Noto Serif Bengali';margin:15mm}</style>
<h1>ভাড়ার চুক্তিপত্র</h1><p>শ্রী রবীন্দ্রনাথ ঠাকুর ও দ্বিতীয় পক্ষের মধ্যে এই চুক্তি সম্পাদিত হইল; র‍্যাব, কর্তৃপক্ষ, বিজ্ঞপ্তি, ক্ষুদ্র ঋণ।</p>
<p data-role="key_value"><span data-key="rent">মাসিক ভাড়া:</span> <span data-field="rent">৳১২,৫০০.০০</span></p>"""
PAGES = {
    "en": (ENGLISH, {"rent": "$1,200.50"}),
    "zh": (CHINESE, {"rent": "¥3,500.00（大写：叁仟伍佰元整）"}),
    "bn": (BANGLA, {"rent": "৳১২,৫০০.০০"}),
}


def document(
    html: str, values: dict[str, Any] | None = None, language: str = "en", page: PageSize = PAPERS["A4"]
) -> HtmlDocument:
    return HtmlDocument(html, page, "form", language, "form/test", (), "nobody", {}, values or {})


def page_of(language: str) -> HtmlDocument:
    html, values = PAGES[language]
    return document(html, values, language)


class Ink:
    """Dark pixels of the pages of a released PDF, with ordinary antialiasing."""

    def __init__(self, pdf: bytes, dpi: int = 300, below: int = 200) -> None:
        self.scale = dpi / 72
        with pymupdf.open(stream=pdf, filetype="pdf") as opened:
            self.dark = []
            for number in range(opened.page_count):
                pixmap = opened[number].get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY)
                grey = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width)
                self.dark.append(grey < below)

    def extent(self, page: int, box: Box, reach: float) -> Box | None:
        """Box in points around the dark pixels within `reach` points of `box`."""
        x0, y0 = (max(0, int((v - reach) * self.scale)) for v in (box.x0, box.y0))
        x1, y1 = (int((v + reach) * self.scale) + 1 for v in (box.x1, box.y1))
        rows, columns = np.nonzero(self.dark[page][y0:y1, x0:x1])
        if not rows.size:
            return None
        return Box(
            (x0 + int(columns.min())) / self.scale,
            (y0 + int(rows.min())) / self.scale,
            (x0 + int(columns.max()) + 1) / self.scale,
            (y0 + int(rows.max()) + 1) / self.scale,
        )
