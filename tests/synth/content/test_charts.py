from __future__ import annotations

import re

import pymupdf
import pytest

from schemas.document import Document, Field
from synth.ask.values import number
from synth.content.charts import scale
from synth.render.chromium import Chromium
from synth.render.fonts import font_set
from synth.truth.labels import label
from tests.synth.content.samples import LANGUAGES, document

DRAWN = {"columns": "chart columns", "line": "chart line", "rows": 'class="hbar"'}


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([7, 3], (0, 2, 4, 6, 8)),
        ([1], (0, 1)),
        ([500, 499], (0, 100, 200, 300, 400, 500)),
        ([501], (0, 200, 400, 600)),
        ([38, 20], (0, 10, 20, 30, 40)),
    ],
)
def test_a_scale_is_round_and_holds_all_values(values: list[int], ticks: tuple[int, ...]) -> None:
    assert scale(values).ticks == ticks
    assert scale(values).shares == tuple(round(100 * v / ticks[-1], 3) for v in values)


@pytest.fixture(scope="module")
def printed() -> dict[str, tuple[str, Document, pymupdf.Page]]:
    """A bill with each kind of chart, each in another language."""
    found: dict[str, tuple[str, Document, pymupdf.Page]] = {}
    with Chromium(font_set(LANGUAGES, ()), "auto") as browser:
        for language, (drawn, sign) in zip(LANGUAGES, DRAWN.items(), strict=True):
            html = next(d for i in range(40) if sign in (d := document("invoice/utility", language, i)).html)
            pages = browser.print(html)
            opened = pymupdf.open(stream=pages.pdf, filetype="pdf")
            found[drawn] = (html.html, label(pages, html), opened[0])
    return found


def fields(made: Document, leaf: str) -> list[Field]:
    return [f for f in made.fields if re.fullmatch(rf"history\[\d+\]\.{leaf}", f.path)]


def value(field: Field) -> float:
    found = number(field.value)
    assert found is not None
    return float(found.value)


@pytest.mark.parametrize("drawn", DRAWN)
def test_names_and_numbers_of_a_chart_are_fields_in_a_figure_with_a_caption(printed, drawn):
    _, made, _ = printed[drawn]
    assert len(fields(made, "month")) == len(fields(made, "used")) == (6 if drawn == "rows" else 12)
    for f in [*fields(made, "month"), *fields(made, "used")]:
        assert f.key and {made.blocks[made.words[w].block].role for w in f.words} == {"figure"}
    assert sum(b.role == "figure" for b in made.blocks) == sum(b.role == "caption" for b in made.blocks) == 1


def test_columns_and_bars_are_as_long_as_their_numbers(printed):
    """In the PDF: the filled rectangles of the accent's colour by the printed numbers, to a screen pixel (0.75 pt)."""
    for drawn in ("columns", "rows"):
        html, made, page = printed[drawn]
        [accent] = set(re.findall(r"\.area s \{[^}]*background: (#\w{6})", html))
        colour = tuple(int(accent[i : i + 2], 16) / 255 for i in (1, 3, 5))
        numbers = [value(f) for f in fields(made, "used")]
        shapes = [
            d["rect"]
            for d in page.get_drawings()
            if d["fill"] and max(abs(a - b) for a, b in zip(d["fill"], colour, strict=True)) < 0.01
        ]
        bars = []
        for f in fields(made, "used"):
            if drawn == "columns":
                middle = (f.box.x0 + f.box.x1) / 2
                bars += [r.height for r in shapes if r.x0 < middle < r.x1 and 0 < r.y0 - f.box.y0 < 20]
            else:
                middle = (f.box.y0 + f.box.y1) / 2
                bars += [r.width for r in shapes if r.y0 < middle < r.y1 and 0 < f.box.x0 - r.x1 < 20]
        assert len(bars) == len(numbers)
        unit = max(bars) / max(numbers)
        assert [unit * n for n in numbers] == pytest.approx(bars, abs=0.8)


def test_a_line_goes_through_its_numbers(printed):
    _, made, page = printed["line"]
    numbers = [value(f) for f in fields(made, "used")]
    lines = [[item for item in d["items"] if item[0] == "l"] for d in page.get_drawings()]
    [path] = [items for items in lines if len(items) == len(numbers) - 1]
    heights = [path[0][1].y, *(item[2].y for item in path)]
    least, most = min(numbers), max(numbers)
    unit = (max(heights) - min(heights)) / (most - least)
    assert [max(heights) - unit * (n - least) for n in numbers] == pytest.approx(heights, abs=0.5)
    middles = [(f.box.x0 + f.box.x1) / 2 for f in fields(made, "month")]
    assert [path[0][1].x, *(item[2].x for item in path)] == pytest.approx(middles, abs=1.0)
