"""Kinds of error, difficulty, refusals, and the choice of faults to show."""

from __future__ import annotations

import random

import pytest

from synth.score.answer import is_refusal
from synth.score.fields import kind_of, normal
from synth.score.gallery import Gallery, Shown, rank_of
from synth.score.track import Fault
from synth.score.truth import difficulty
from tests.synth.score.samples import document, scored

PAGE = normal("Corner Store\n12 Long Street, York\nMilk 1.10\nBread 1.22\nnet 2.32\ngross 2.55\n谢谢惠顾")
CLASSES = {
    "2.32": {"net"},
    "2.55": {"gross"},
    "1.10": {"items.price"},
    "1.22": {"items.price"},
    "corner store": {"shop"},
}


@pytest.mark.parametrize(
    ("said", "truth", "path", "kind"),
    [
        ("4.32", "2.32", "net", "perception"),  # the paper's examples, figure 3
        ("12 Long Street, York", "Corner Store", "shop", "layout"),
        ("2.55", "2.32", "net", "interpretation"),
        ("17 Sunset Avenue, Boston", "12 Long Street", "address", "hallucination"),
        ("1.22", "1.10", "items[0].price", "layout"),  # the neighbour's row
        ("1.10", "", "items[7].price", "layout"),  # a row that is not there
        ("gross 2.55", "2.55", "gross", "layout"),  # too much
        ("Corner", "Corner Store", "shop", "layout"),  # too little
        ("", "2.32", "net", "omission"),
        ("   ", "2.32", "net", "omission"),
        ("2", "7", "count", "hallucination"),  # a piece of a number on the page is no word of it
        ("12 Lung Street, Yorc", "Corner Store", "shop", "layout"),  # misread from another place
        ("惠顾", "2.32", "net", "layout"),
    ],
)
def test_why_a_value_is_wrong(said: str, truth: str, path: str, kind: str) -> None:
    assert kind_of(said, truth, path, CLASSES, PAGE) == kind


def test_kinds_of_boxes_texts_and_tables() -> None:
    one = document()
    page = f"{one.id}-p0"
    boxes = [
        {"box": [50, 0, 350, 140], "role": "caption"},  # the title, of another role
        {"box": [50, 200, 350, 250], "role": "table"},  # a piece of the table
        {"box": [600, 600, 700, 700], "role": "stamp"},  # on nothing
    ]
    errors = scored("layout", {page: boxes}, one).errors
    assert errors == {"perception": 0, "layout": 1, "interpretation": 1, "hallucination": 1, "omission": 2}
    truth = one.pages[0].text
    for said, kind in (
        (truth.replace("Milk", "Mi1k"), "perception"),
        ("\n".join(truth.split("\n")[::-1]), "layout"),
        (truth + "\nand so on and so forth" * 9, "hallucination"),
    ):
        assert scored("text", {page: said}, one).errors[kind] == 1
    cut = "<table><tr><td>item</td><td>price</td></tr></table>"
    assert scored("table", {page: [cut]}, one).errors["layout"] == 1


@pytest.mark.parametrize(
    ("answers", "kind"),
    [("2.82", "perception"), ("Milk", "interpretation"), ("about a hundred", "hallucination"), ("", "omission")],
)
def test_kinds_of_answers(answers: str, kind: str) -> None:
    one = document()
    said = {f"{one.id}-q0": answers, f"{one.id}-q1": ["Milk", "Bread"]}
    assert scored("qa", said, one).errors[kind] == 1


def cell(row: int, col: int, header: bool = False, span: int = 1, text: str = "x") -> dict[str, object]:
    return {
        "page_id": "p",
        "table_id": 0,
        "row": row,
        "col": col,
        "rowspan": 1,
        "colspan": span,
        "header": header,
        "text": text,
    }


def test_difficulty_is_graded_as_bafco_does() -> None:
    plain = [cell(0, 0, True), cell(0, 1, True), cell(1, 0), cell(1, 1)]
    assert difficulty(["a", "b"], []) == "easy"
    assert difficulty(["☐ yes ☑ no"], []) == "medium"
    assert difficulty(["a"], plain) == "medium"
    assert difficulty(["a"], [*plain[:2], cell(1, 0, True), cell(1, 1)]) == "hard"
    assert difficulty(["a"], [*plain, cell(2, 0, span=2)]) == "hard"
    assert difficulty(["a"], [*plain, cell(2, 0, text="☑")]) == "hard"


@pytest.mark.parametrize(
    ("reply", "refused"),
    [
        ("I'm sorry, but I can't assist with that.", True),
        ("I cannot read this image.", True),
        ("<think>hm</think> As an AI, I do not see pictures", True),
        ("很抱歉，我无法识别。", True),
        ("দুঃখিত, আমি এটি পড়তে পারছি না।", True),
        ("Sorry Tales, a novel", False),
        ("Invoice 12", False),
        ("I cannot " + "x" * 500, False),
    ],
)
def test_refusals(reply: str, refused: bool) -> None:
    assert is_refusal(reply) == refused


def shown(document_id: str, at: int) -> Shown:
    fault = Fault("layout", f"f{at}", "", "")
    return Shown(rank_of(document_id, str(at)), "kie", document_id, document_id, "form", "en", fault)


def test_the_gallery_is_the_same_in_any_order_and_spread_over_documents() -> None:
    faults = [(f"d{number}", at) for number in range(40) for at in range(5)]
    chosen = []
    for seed in range(3):
        mixed = random.Random(seed).sample(faults, len(faults))
        gallery = Gallery(6)
        for name, at in sorted(mixed, key=lambda fault: mixed.index((fault[0], 0))):
            if gallery.wants("kie", "layout", rank_of(name)):
                gallery.offer(shown(name, at))
        chosen.append([(item.document, item.fault.label) for item in gallery.chosen()])
    assert chosen[0] == chosen[1] == chosen[2]
    assert len({name for name, _ in chosen[0]}) == len(chosen[0]) == 6
    few = Gallery(6)
    for at in range(9):
        few.offer(shown("only", at))
    assert len(few.chosen()) == 6
    assert not Gallery(0).wants("kie", "layout", 1)
