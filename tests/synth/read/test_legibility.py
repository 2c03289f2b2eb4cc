from __future__ import annotations

import math
import random

import pytest

from schemas.document import Document
from schemas.geometry import Box
from schemas.sample import OcrLine, SampleSpec
from synth.read.legibility import legibility, match, normal, selected
from tests.synth.read.pages import document

# A table of two rows with three cells, each cell its own true line, and a paragraph line below.
CELLS = [
    ("Beans", 50, 100),
    ("2", 300, 100),
    ("12.50", 500, 100),
    ("Milk", 50, 140),
    ("10", 300, 140),
    ("9.99", 500, 140),
]
TEXT = "Thank you for your visit"


def page() -> Document:
    rows = [[(text, Box(x, y, x + 14 * len(text), y + 30))] for text, x, y in CELLS]
    below, x = [], 50
    for word in TEXT.split():
        below.append((word, Box(x, 300, x + 14 * len(word), 330)))
        x += 14 * (len(word) + 1)
    return document([*rows, below])


def ocr(text: str, x0: float, y0: float, x1: float, y1: float) -> OcrLine:
    return OcrLine(text, (x0, y0, x1, y0, x1, y1, x0, y1), 0.9)


def perfect() -> list[OcrLine]:
    """One OCR line per true line, boxes a little off, as engines draw them."""
    cells = [ocr(text, x - 4, y + 3, x + 14 * len(text) + 5, y + 31) for text, x, y in CELLS]
    return [*cells, ocr(TEXT, 48, 302, 400, 329)]


def test_perfect_reading() -> None:
    result = legibility(page(), 0, perfect(), "paddleocr")
    characters = sum(len(text) for text, _, _ in CELLS) + len(TEXT.replace(" ", ""))
    assert (result.page, result.engine, result.cer) == (0, "paddleocr", 0)
    assert (result.characters, result.edits, result.unmatched_lines, result.spurious) == (characters, 0, 0, 0)


def test_nothing_read_deletes_all() -> None:
    result = legibility(page(), 0, [], "x")
    assert (result.cer, result.edits, result.unmatched_lines) == (1, result.characters, 7)


def test_a_missing_line_counts_as_deleted() -> None:
    result = legibility(page(), 0, perfect()[1:], "x")
    assert (result.edits, result.unmatched_lines) == (len("Beans"), 1)


def test_a_wrong_character_is_one_edit() -> None:
    lines = perfect()
    lines[0] = ocr("Beams", 50, 100, 120, 130)
    assert legibility(page(), 0, lines, "x").edits == 1


def test_cells_of_a_row_read_as_one_line() -> None:
    lines = [ocr("Beans 2 12.50", 45, 102, 575, 131), ocr("Milk 10 9.99", 45, 142, 575, 171), perfect()[-1]]
    result = legibility(page(), 0, lines, "x")
    assert (result.edits, result.unmatched_lines) == (0, 0)


def test_a_line_read_in_two_parts_and_a_word_cut_in_two() -> None:
    lines = [*perfect()[:-1], ocr("Thank yo", 48, 302, 162, 329), ocr("u for your visit", 164, 302, 400, 329)]
    result = legibility(page(), 0, lines, "x")
    assert (result.edits, result.unmatched_lines, result.spurious) == (0, 0, 0)
    assert sorted(len(m.lines) for m in match(page(), 0, lines))[-1] == 2


def test_order_of_lines_is_of_no_account() -> None:
    lines = [*perfect(), ocr("Beams", 47, 103, 125, 131), ocr("noise", 600, 800, 700, 830)]
    lines[1] = ocr("Z", 296, 103, 320, 131)
    results = set()
    for seed in range(20):
        random.Random(seed).shuffle(lines)
        results.add(legibility(page(), 0, lines, "x"))
    assert len(results) == 1


def test_text_that_is_not_there_is_reported_and_not_counted() -> None:
    result = legibility(page(), 0, [*perfect(), ocr("ghost text", 50, 600, 300, 640)], "x")
    assert (result.cer, result.spurious) == (0, len("ghosttext"))


def test_the_same_text_found_twice_is_counted_once() -> None:
    result = legibility(page(), 0, [*perfect(), ocr("Thank you", 60, 305, 170, 327)], "x")
    assert (result.edits, result.spurious) == (0, len("Thankyou"))


def test_tall_boxes_do_not_reach_into_the_next_row() -> None:
    lines = [ocr(line.text, line.quad[0], line.quad[1] - 10, line.quad[2], line.quad[5] + 10) for line in perfect()]
    assert legibility(page(), 0, lines, "x").edits == 0


@pytest.mark.parametrize("degrees", [-8, 5, 90, 180])
def test_turned_pages_match_as_upright_ones(degrees: float) -> None:
    turned = _turned(page(), degrees)
    lines = [OcrLine(line.text, tuple(_turn(line.quad, degrees)), 1.0) for line in perfect()]
    lines[:3] = [OcrLine("Beans 2 12.50", tuple(_turn(ocr("", 45, 102, 575, 131).quad, degrees)), 1.0)]
    assert legibility(turned, 0, lines, "x").edits == 0


def test_an_engine_that_starts_its_quads_elsewhere_or_turns_them_round() -> None:
    lines = [OcrLine(line.text, line.quad[2:] + line.quad[:2], 1.0) for line in perfect()]
    assert legibility(page(), 0, lines, "x").edits == 0
    mirrored = [OcrLine(q.text, q.quad[6:] + q.quad[4:6] + q.quad[2:4] + q.quad[:2], 1.0) for q in perfect()]
    assert legibility(page(), 0, mirrored, "x").edits == 0


def test_only_the_words_of_the_page_count() -> None:
    assert legibility(page(), 1, [], "x").characters == 0
    assert legibility(page(), 1, perfect(), "x").cer == 0


def test_a_page_without_text_is_legible() -> None:
    assert legibility(document([]), 0, [], "x").cer == 0


def test_what_is_normal() -> None:
    assert normal("Ａｍｏｕｎｔ：\u3000５０ ") == "Amount:50"
    assert normal("র\u200d্য \u200c\u00ad") == normal("র্য")
    assert normal("য়") == normal("\u09af\u09bc")
    assert normal("☑ 男 □ 女 ✓●") == "男女"
    assert normal("Total") != normal("total")


def spec(index: int, attempt: int = 0) -> SampleSpec:
    return SampleSpec(7, "books", "train", index, attempt, "receipt", "en", index)


def test_the_stated_share_is_selected_by_seed_and_for_all_tries_alike() -> None:
    chosen = [selected(spec(i), 0.25) for i in range(2000)]
    assert 440 < sum(chosen) < 560
    assert chosen == [selected(spec(i, attempt=3), 0.25) for i in range(2000)]
    assert all(selected(spec(i), 1.0) for i in range(200))
    assert not any(selected(spec(i), 0.0) for i in range(200))
    wider = [selected(spec(i), 0.5) for i in range(2000)]
    assert all(w for c, w in zip(chosen, wider, strict=True) if c)


def _turn(quad: tuple[float, ...], degrees: float) -> list[float]:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turned = []
    for x, y in zip(quad[::2], quad[1::2], strict=True):
        turned += [400 + c * (x - 400) - s * (y - 500), 500 + s * (x - 400) + c * (y - 500)]
    return turned


def _turned(document: Document, degrees: float) -> Document:
    from dataclasses import replace

    from schemas.geometry import Point, Quad

    words = []
    for word in document.words:
        flat = _turn(tuple(word.quad.flat()), degrees)
        quad = Quad(*(Point(x, y) for x, y in zip(flat[::2], flat[1::2], strict=True)))
        words.append(replace(word, quad=quad, box=quad.box, ink=quad.box))
    return replace(document, words=tuple(words))
