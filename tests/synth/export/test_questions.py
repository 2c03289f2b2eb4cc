from __future__ import annotations

from pathlib import Path

import pytest

from engine.store import open_store
from jobs.export_read import Selection, parts_of, samples
from schemas.tables import QUESTION_COLUMNS
from synth.export.questions import clean, questions
from tests.jobs.export_release import sealed_release
from tests.synth.export.made import block, cell, field, page, sample, word


def two_people(language: str = "en"):
    """Name and age under the headings A and B, and a number of the whole form."""
    texts = ["A", "Name:", "Ann", "Age", "30", "B", "Name:", "Bob", "No.", "7"]
    blocks = [0, 1, 1, 1, 1, 2, 3, 3, 3, 3]
    words = [word(i, t, line=b, block=b) for i, (t, b) in enumerate(zip(texts, blocks, strict=True))]
    layout = [
        block(0, "section_header", "A"),
        block(1, "key_value"),
        block(2, "section_header", "B:"),
        block(3, "text"),
    ]
    kie = [
        field("a.name", "Ann", [2], "Name:", [1]),
        field("a.age", "30", [4], "Age", [3]),
        field("b.name", "Bob", [7], "Name:", [6]),
        field("number", "7", [9]),
    ]
    return sample(page(words=words, layout=layout, kie=kie), language=language)


def test_one_question_a_labelled_field() -> None:
    found, left = questions(two_people())
    assert [(q.source, q.text, q.answers, q.kind) for q in found] == [
        ("a.name", "What is the “Name” under “A”?", ("Ann",), "form"),
        ("a.age", "What is the “Age”?", ("30",), "form"),
        ("b.name", "What is the “Name” under “B”?", ("Bob",), "others"),
    ]
    assert left == {"fields_without_label": 1}


@pytest.mark.parametrize(
    ("language", "text"),
    [("zh", "“Age”是什么？"), ("bn", "“Age” কী?"), ("xx", "“Age”?")],
)
def test_the_question_is_in_the_documents_language(language: str, text: str) -> None:
    assert text in [q.text for q in questions(two_people(language))[0]]


def test_what_no_wording_tells_apart_is_left_out() -> None:
    words = [word(i, t, block=0) for i, t in enumerate(["Tel", "1", "Tel", "2"])]
    kie = [field("a", "1", [1], "Tel", [0]), field("b", "2", [3], "Tel", [2])]
    found, left = questions(sample(page(words=words, layout=[block(0, "text")], kie=kie)))
    assert found == [] and left == {"fields_ambiguous": 2}


def test_a_label_of_a_field_that_is_asked_elsewhere_still_makes_it_ambiguous() -> None:
    """`a` is asked on page 0; its label on page 1 is the same as that of `b`, which only page 1 has."""
    words = [word(i, t, block=0) for i, t in enumerate(["Tel", "1", "Tel", "2"])]
    a, b = field("a", "1", [1], "Tel", [0]), field("b", "2", [3], "Tel", [2])
    pages = [page(0, words=words[:2], layout=[block(0, "text")], kie=[a])]
    pages += [page(1, words=words, layout=[block(0, "text")], kie=[a, b])]
    found, left = questions(sample(*pages))
    assert [(q.source, q.page.number) for q in found] == [("a", 0)] and left == {"fields_ambiguous": 1}


def test_the_same_label_on_two_pages_is_no_doubt() -> None:
    words = [word(i, t, block=0) for i, t in enumerate(["Tel", "1", "Tel", "2"])]
    kie = [field(f"p{n}", "x", [2 * n + 1], "Tel", [2 * n]) for n in (0, 1)]
    layout = [block(0, "text")]
    pages = [page(n, words=words[2 * n : 2 * n + 2], layout=layout, kie=[kie[n]]) for n in (0, 1)]
    assert [(q.page.number, q.text) for q in questions(sample(*pages))[0]] == [
        (0, "What is the “Tel”?"), (1, "What is the “Tel”?")
    ]  # fmt: skip


def test_a_label_on_another_page_is_none() -> None:
    made = page(words=[word(1, "1")], layout=[block(0, "text")], kie=[field("a", "1", [1], "Tel", [0])])
    assert questions(sample(made)) == ([], {"fields_without_label": 1})


def table(language: str, names: tuple[str, ...], first: int = 0):
    """Rows of a table: a name, a code that is longer but has fewer letters, an amount."""
    words = [word(0, "Item"), word(1, "Code"), word(2, "Price")]
    cells, kie = [cell(0, i, w["text"], [i]) for i, w in enumerate(words)], []
    for r, name in enumerate(names):
        for c, (leaf, text) in enumerate((("name", name), ("code", f"X-0000{r}000"), ("price", f"{r}.00 kg"))):
            number = len(words)
            words.append(word(number, text))
            cells.append(cell(r + 1, c, text, [number]))
            kie.append(field(f"items[{first + r}].{leaf}", text, [number], ("Item", "Code", "Price")[c], [c]))
    return sample(page(words=words, layout=[block(0, "table")], cells=cells, kie=kie), language=language)


def test_rows_of_a_table_are_asked_by_what_names_them() -> None:
    texts = {q.source: q.text for q in questions(table("en", ("Pen", "Ink")))[0]}
    assert texts["items[0].price"] == "What is the “Price” of “Pen”?"
    assert texts["items[1].code"] == "What is the “Code” of “Ink”?"
    assert texts["items[1].name"] == "What is the “Item” in row 2 of the table?"


def test_a_name_that_stands_twice_names_nothing() -> None:
    texts = {q.source: q.text for q in questions(table("zh", ("笔", "笔")))[0]}
    assert texts["items[0].price"] == "表格第1行的“Price”是什么？"
    assert texts["items[1].name"] == "表格第2行的“Item”是什么？"


def test_a_table_that_goes_on_counts_its_rows_from_the_top_of_the_page() -> None:
    texts = {q.source: q.text for q in questions(table("bn", ("কলম", "কালি"), first=12))[0]}
    assert texts["items[13].name"] == "সারণির ২ নম্বর সারিতে “Item” কী?"


@pytest.mark.parametrize(
    ("label", "cleaned"),
    [("Total:", "Total"), ("合计：", "合计"), ("তারিখঃ", "তারিখ"), ("No. ....", "No"), (" a  b ", "a b"), (":", ":"),
     ("the “x”", 'the "x"')],
)  # fmt: skip
def test_labels_lose_what_leads_to_the_value(label: str, cleaned: str) -> None:
    assert clean(label) == cleaned


def test_the_questions_of_a_release_that_has_some_are_asked_instead(tmp_path: Path) -> None:
    def row(number: int, answers: list[str], pages: list[int], **other: str) -> dict:
        document = "train-00000000"
        ids = [f"{document}-p{n}" for n in pages]
        row = dict.fromkeys((name for name, _ in QUESTION_COLUMNS["qa"]))
        row |= {"document_id": document, "question_id": f"{document}-{number}", "question": f"Q{number}?"}
        return row | {"page_id": ids[0], "evidence_page_ids": ids, "answers": answers, "kind": "single_span"} | other

    rows = [row(0, ["a"], [0]), row(1, ["a, b", "c"], [1], kind="multi_span"), row(2, ["d"], [0, 1])]
    store = open_store(sealed_release(tmp_path, per_cell=1, qa=[*rows, row(3, ["e"], [1], kind="table")]))
    _, parts = parts_of(store, Selection(splits=("train",)))
    first, second = (one for part in parts for one in samples(store, part, Selection(), ("words", "kie", "qa")))
    found, left = questions(first)
    assert [(q.source, q.page.number, q.text, q.answers, q.kind) for q in found] == [
        ("train-00000000-0", 0, "Q0?", ("a",), "others"),
        ("train-00000000-1", 1, "Q1?", ("a, b, c",), "others"),
        ("train-00000000-3", 1, "Q3?", ("e",), "table/list"),
    ]
    assert left == {"questions_over_pages": 1}
    assert questions(second) == ([], {})  # the release asks nothing about it
