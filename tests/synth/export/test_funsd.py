from __future__ import annotations

import json
from typing import Any

import cv2
import numpy as np

from synth.export.funsd import entities, png
from tests.jobs.export_release import Rows
from tests.synth.export.conftest import Exported
from tests.synth.export.made import block, field, line, page, word


def form_of(exported: Exported, page_id: str) -> list[dict[str, Any]]:
    folder = exported("funsd") / ("training_data" if page_id.startswith("train") else "testing_data")
    return json.loads((folder / f"annotations/{page_id}.json").read_text("utf-8"))["form"]


def test_words_boxes_and_order_are_the_releases(rows: Rows, exported: Exported) -> None:
    for one in rows["pages"]:
        words = [w for w in rows["words"] if w["page_id"] == one["page_id"]]
        form = form_of(exported, one["page_id"])
        told = [w for entity in form for w in entity["words"]]
        assert [entity["id"] for entity in form] == list(range(len(form)))
        assert told == [{"text": w["text"], "box": w["box"]} for w in sorted(words, key=lambda w: w["order"])]


def test_links_and_labels_are_the_releases(rows: Rows, exported: Exported) -> None:
    for one in rows["pages"]:
        form = {entity["id"]: entity for entity in form_of(exported, one["page_id"])}
        links = {tuple(link) for entity in form.values() for link in entity["linking"]}
        told = {(form[a]["text"], form[b]["text"], form[a]["label"], form[b]["label"]) for a, b in links}
        fields = [f for f in rows["kie"] if f["page_id"] == one["page_id"]]
        assert told == {(f["key"], f["value"], "question", "answer") for f in fields}
        for entity in form.values():
            assert all(entity["id"] in link for link in entity["linking"])
        assert [e["label"] for e in form.values()].count("header") == 1


def test_pictures_are_png_of_the_same_pixels(rows: Rows, exported: Exported) -> None:
    for one in rows["pages"][:2]:
        made = (exported("funsd") / f"training_data/images/{one['page_id']}.png").read_bytes()
        was = cv2.imdecode(np.frombuffer(one["image"]["bytes"], np.uint8), cv2.IMREAD_COLOR)
        assert made.startswith(b"\x89PNG") and png(made) is made
        assert np.array_equal(cv2.imdecode(np.frombuffer(made, np.uint8), cv2.IMREAD_COLOR), was)


def test_every_word_is_in_one_entity_even_where_fields_overlap() -> None:
    words = [word(i, t) for i, t in enumerate(["Date", "1", "May", "2026", "rest", "of", "it"])]
    kie = [field("date", "1 May 2026", [1, 2, 3], "Date", [0]), field("year", "2026", [3], "May", [2])]
    made = page(words=words, lines=[line(0, range(7))], layout=[block(0, "text")], kie=kie)
    form, cut = entities(made, [])
    assert [(e["label"], e["text"]) for e in form] == [
        ("question", "Date"), ("answer", "1 May 2026"), ("other", "rest of it")
    ]  # fmt: skip
    # The year is part of the date, and so is its label: the link stays with whoever has the word.
    assert form[0]["linking"] == [[0, 1]] and form[1]["linking"] == [[0, 1], [1, 1]] and cut == 0


def test_a_colon_goes_with_its_label_and_what_is_left_of_a_line_run_by_run() -> None:
    words = [word(i, t) for i, t in enumerate(["Tel", ":", "555", "or", "mail", "at", "9", "."])]
    kie = [field("tel", "555", [2], "Tel", [0]), field("hour", "9", [6])]
    form, _ = entities(page(words=words, lines=[line(0, range(8))], layout=[block(0, "text")], kie=kie), [])
    assert [(e["label"], e["text"]) for e in form] == [
        ("question", "Tel :"), ("answer", "555"), ("other", "or mail at"), ("answer", "9"), ("other", ".")
    ]  # fmt: skip
    assert form[0]["box"] == [10, 10, 100, 30] and form[0]["linking"] == [[0, 1]]


def test_relations_without_a_field_are_linked_and_those_across_pages_counted() -> None:
    words = [word(i, t) for i, t in enumerate(["Name", "Ann", "Sum"])]
    made = page(words=words, lines=[line(0, range(3))], layout=[block(0, "text")])
    form, cut = entities(made, [((0,), (1,)), ((2,), (99,))])
    assert [(e["label"], e["linking"]) for e in form] == [
        ("question", [[0, 1]]), ("answer", [[0, 1]]), ("other", [])
    ] and cut == 1  # fmt: skip
