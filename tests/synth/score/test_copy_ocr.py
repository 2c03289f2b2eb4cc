"""Answers copied from lines of an OCR engine: values beside labels, tables under heads, paragraphs and their order."""

from __future__ import annotations

import pytest

from schemas.sample import OcrLine
from synth.score import copy_ocr
from synth.score.copy_ocr import pieces_of, rows_of


def line(text: str, x: float, y: float, width: float = 100, height: float = 20) -> OcrLine:
    return OcrLine(text, (x, y, x + width, y, x + width, y + height, x, y + height), 0.99)


PAGE = [
    line("Date:", 20, 100), line("2026-11-30", 140, 102), line("Total due: $12.00", 20, 140, 200),
    line("Phone", 20, 180), line("555-0142", 20, 205), line("Sh1p to", 400, 100), line("York", 520, 101),
    line("Item", 20, 300), line("Qty", 200, 300, 40), line("Price", 300, 300, 60),
    line("Milk", 20, 330), line("2", 205, 331, 10), line("1.10", 310, 330, 40),
    line("Bread", 20, 360), line("1", 205, 361, 10), line("1.22", 310, 360, 40),
    line("Thanks", 20, 700),
]  # fmt: skip


def field(title: str) -> dict[str, str]:
    return {"type": "string", "title": title}


SCHEMA = {
    "type": "object",
    "properties": {
        "date": field("Date"),
        "total": field("Total due"),
        "phone": field("Phone:"),
        "ship_to": {"type": "object", "properties": {"city": field("Ship to")}},
        "fax": field("Fax number"),
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": field("Item"), "qty": field("Qty"), "price": field("Price")},
            },
        },
    },
}


def test_values_stand_beside_or_below_their_labels() -> None:
    assert copy_ocr.values(SCHEMA, [pieces_of(PAGE)]) == {
        "date": "2026-11-30",
        "total": "$12.00",
        "phone": "555-0142",
        "ship_to": {"city": "York"},
        "items": [{"name": "Milk", "qty": "2", "price": "1.10"}, {"name": "Bread", "qty": "1", "price": "1.22"}],
    }


def test_without_a_title_the_name_of_the_field_is_its_label() -> None:
    schema = {"type": "object", "properties": {"tax_id": {"type": "string"}}}
    assert copy_ocr.values(schema, [pieces_of([line("Tax ID: 77", 0, 0)])]) == {"tax_id": "77"}


def test_the_order_in_which_the_engine_saw_lines_does_not_matter() -> None:
    assert pieces_of(PAGE) == pieces_of(PAGE[::-1])
    assert [piece.text for piece in rows_of(pieces_of(PAGE))[0]] == ["Date:", "2026-11-30", "Sh1p to", "York"]


def test_text_tables_and_paragraphs() -> None:
    pieces = pieces_of(PAGE)
    assert copy_ocr.text(pieces).split("\n")[0] == "Date: 2026-11-30 Sh1p to York"
    [table] = copy_ocr.tables(pieces_of(PAGE[7:]))
    assert table == (
        "<table><tr><th>Item</th><th>Qty</th><th>Price</th></tr><tr><td>Milk</td><td>2</td><td>1.10</td></tr>"
        "<tr><td>Bread</td><td>1</td><td>1.22</td></tr></table>"
    )
    roles = [(role, text) for role, _, text in copy_ocr.blocks(pieces_of(PAGE[7:]))]
    assert roles == [("table", "Item Qty Price Milk 2 1.10 Bread 1 1.22"), ("text", "Thanks")]
    paragraph = [line("one", 0, 0), line("two", 0, 22), line("far", 0, 200), line("BIG", 0, 300, 200, 60)]
    assert [(role, text) for role, _, text in copy_ocr.blocks(pieces_of(paragraph))] == [
        ("text", "one two"), ("text", "far"), ("title", "BIG"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What is the total due?", ["$12.00"]),
        ("What stands beside “Phone”?", ["555-0142"]),
        ("What is the “Price” of “Bread”?", ["1.22"]),
        ("“Bread”的“Qty”和“Price”是什么？", ["1", "1.22"]),
        ("What are “Date” and “Phone”?", ["2026-11-30", "555-0142"]),
    ],
)
def test_a_question_is_answered_beside_what_it_quotes(question: str, answers: list[str]) -> None:
    assert copy_ocr.answer(question, pieces_of(PAGE)) == answers


@pytest.mark.parametrize("lines", [[], [line("  ", 0, 0)], [line("alone", 5, 5)]])
def test_empty_and_nearly_empty_pages(lines: list[OcrLine]) -> None:
    pieces = pieces_of(lines)
    assert copy_ocr.values(SCHEMA, [pieces]) == {} and copy_ocr.tables(pieces) == []
    assert len(copy_ocr.blocks(pieces)) == len(pieces)
    assert copy_ocr.answer("x", pieces) in ([], ["alone"])
