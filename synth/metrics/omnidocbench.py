"""OmniDocBench: text cleaning, table normalization and page edit distance."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from bs4 import BeautifulSoup
from rapidfuzz.distance import Levenshtein

from synth.metrics import Mode

_ESCAPES = ("\\t", "\\n", "\t", "\n", "/t", "/n")
_ATTRIBUTES = ("style", "height", "width", "align", "class")
_LOOSE_TAGS = ("sup", "sub", "span", "div", "p")


def clean_string(text: str) -> str:
    """Letters, digits, marks that count as word characters and underscores of a text; all else goes.

    A slash before t or n goes with its letter (`/t` is taken for a tab), so "and/not" loses its n. Source:
    data_preprocess.py.
    """
    for escape in _ESCAPES:
        text = text.replace(escape, "")
    return re.sub(r"[^\w\u4e00-\u9fff]", "", text)


def normalize_table(text: str) -> str:
    """The insides of the tables of an HTML text, joined in one bare table of a bare page; "" when there is none.

    <th> becomes <td>; <thead>, <span> and <math> are opened; style, size, alignment and class go, as do sup, sub, div,
    p and colgroup; characters by NFKC. Entities are opened before tags are cut, as in the code. Source:
    data_preprocess.py.
    """
    if "<table" not in text.replace(" ", "").replace("'", '"'):
        return ""
    soup = BeautifulSoup(text, "html.parser")
    for tag in soup.find_all("th"):
        tag.name = "td"
    for tag in soup.find_all("thead"):
        tag.unwrap()
    for tag in soup.find_all("math"):
        tag.replace_with(f"${tag.get('alttext', '')}$")
    for tag in soup.find_all("span"):
        tag.unwrap()
    flat = unicodedata.normalize("NFKC", html.unescape(str(soup)).replace("\n", "")).strip()
    body = "".join(re.findall(r"<table\b[^>]*>(.*)</table>", flat, re.DOTALL | re.IGNORECASE))
    for name in _ATTRIBUTES:
        body = re.sub(rf'( {name}=".*?")', "", body)
    body = re.sub(r"\s+", " ", re.sub("</?tbody>", "", body))
    whole = f'<html><body><table border="1" >{body}</table></body></html>'
    for name in _LOOSE_TAGS:
        whole = whole.replace(f"<{name}>", "").replace(f"</{name}>", "")
    return re.sub("<colgroup>.*?</colgroup>", "", whole.replace('<spandata-span-identity="">', ""))


@dataclass(frozen=True)
class TextPair:
    """A gold text and what was predicted for it; `image` is the picture's file name, or that, `_` and a number."""

    image: str
    gold: str
    pred: str


@dataclass(frozen=True)
class PageDistance:
    """Edit distances 0 to 1: mean over pages, pooled over all texts, mean over texts. None: nothing but empty texts."""

    page_mean: float | None
    pooled: float | None
    sample_mean: float | None


def page_of(image: str) -> str:
    """The picture a text belongs to: its name when it ends in .jpg or .png, else without what follows the last `_`."""
    return image if image.endswith((".jpg", ".png")) else "_".join(image.split("_")[:-1])


def edit_distance(pairs: Sequence[TextPair], mode: Mode = "compat") -> PageDistance:
    """Levenshtein over the longer text, pooled within a page and averaged over pages, pooled, and averaged over texts.

    A pair of empty texts counts nowhere. With nothing but such pairs `compat` raises KeyError as the code does,
    `strict` gives None throughout. Source: section 4 and cal_metric.py.
    """
    pages: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for pair in pairs:
        longer = max(len(pair.gold), len(pair.pred))
        if longer:
            pages[page_of(pair.image)].append((Levenshtein.distance(pair.gold, pair.pred), longer))
    rows = [row for page in pages.values() for row in page]
    if not rows:
        if mode == "compat":
            raise KeyError("Edit_num")
        return PageDistance(None, None, None)
    return PageDistance(
        fmean(_pooled(page) for page in pages.values()), _pooled(rows), fmean(edits / longer for edits, longer in rows)
    )


def _pooled(rows: Sequence[tuple[int, int]]) -> float:
    return sum(edits for edits, _ in rows) / sum(longer for _, longer in rows)
