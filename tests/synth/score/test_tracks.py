"""Each track: the oracle is perfect, silence is the worst, sums by unit pool to what the metrics say of the whole."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from synth.metrics import Mode, bafco, reading_order, text, unikie
from synth.metrics.bafco_layout import layout_score
from synth.score.answer import Prediction
from synth.score.evaluate import TRACKS
from synth.score.fields import leaves
from synth.score.track import answer_of
from synth.score.truth import COLUMNS, DocumentTruth, PageTruth, TextPart, documents_of
from tests.synth.score.samples import VALUES, document, perfect, scored, value

DOCUMENTS = (document("test-00000000"), document("test-00000001", "zh"), document("train-00000000", "bn"))
MODES: tuple[Mode, ...] = ("strict", "compat")
WORST_IS_ZERO = {
    "kie": ("field_f1", "anls_star", "value_recall"), "layout": ("map", "f1_50", "recall_30"), "line_order": ("f1",),
    "block_order": ("f1",), "text": ("nes", "crr"), "table": ("teds", "teds_structure"), "qa": ("em", "anlsl", "f1"),
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("track", TRACKS)
def test_the_oracle_is_perfect_and_makes_no_fault(track: str, mode: Mode) -> None:
    result = scored(track, perfect(track, *DOCUMENTS), *DOCUMENTS, mode=mode)
    for name, found in result.overall.metrics.items():
        better = result.definitions[name].better if name in result.definitions else "higher"
        assert found.value == pytest.approx(1.0 if better == "higher" else 0.0, abs=1e-6), name
    assert sum(result.errors.values()) == 0
    assert result.answers["answered"] == sum(result.answers.values()) > 0


@pytest.mark.parametrize("track", TRACKS)
def test_silence_is_counted_and_scores_nothing(track: str) -> None:
    result = scored(track, {}, *DOCUMENTS)
    assert [value(result, name) for name in WORST_IS_ZERO[track]] == [0.0] * len(WORST_IS_ZERO[track])
    assert result.answers["missing"] == sum(result.answers.values()) > 0
    assert result.errors["omission"] == sum(result.errors.values()) > 0


@pytest.mark.parametrize("track", TRACKS)
@pytest.mark.parametrize(
    ("row", "status"),
    [
        ({"failed": "timeout"}, "failed"),
        ({"refused": True}, "refused"),
        ({"reply": "I'm sorry, but I can't help with that."}, "refused"),
        ({"reply": "抱歉，我无法读取这张图片。"}, "refused"),
        ({"prediction": None}, "empty"),
        ({"prediction": 7.5}, "unparsable"),
    ],
)
def test_an_answer_that_is_none_scores_as_silence_and_is_counted(track: str, row: dict[str, Any], status: str) -> None:
    if track == "qa" and status == "unparsable":
        row = {"prediction": {"answer": "2.32"}}
    unit = next(iter(perfect(track, DOCUMENTS[0])))
    result = scored(track, {unit: Prediction.model_validate({"track": track, "id": unit, **row})}, DOCUMENTS[0])
    assert result.answers[status] == 1
    assert result.overall == scored(track, {}, DOCUMENTS[0]).overall
    assert (result.first_unusable is not None) == (status == "unparsable")


@pytest.mark.parametrize(
    ("track", "reply"),
    [
        ("kie", '<think>hm</think>Here: ```json\n{"net": "2.32"}\n```'),
        ("kie", '{"net": "2.32", "gross": "2.5'),
        ("layout", 'Boxes: [{"box": [50, 0, 350, 140], "role": "title"}]'),
        ("line_order", "[0, 1, 2]"),
        ("block_order", '["Corner Store phone 555-0142", "Milk 1.10 Bread 1.22"]'),
        ("text", "<think>x</think>Corner Store\nphone 555-0142"),
        ("table", "The table:\n```html\n<table><tr><td>item</td></tr></table>\n```"),
        ("qa", "2.32"),
    ],
)
def test_raw_replies_are_read(track: str, reply: str) -> None:
    unit = next(iter(perfect(track, DOCUMENTS[0])))
    result = scored(
        track, {unit: Prediction.model_validate({"track": track, "id": unit, "reply": reply})}, DOCUMENTS[0]
    )
    assert result.answers["answered"] == 1
    headline = value(result, result.headline)
    assert headline is not None and headline > 0


@pytest.mark.parametrize(
    ("track", "payload", "words"),
    [
        ("kie", ["2.32"], "object"),
        ("kie", {"a": ["x"] * 10_001}, "10000 values"),
        ("layout", {"box": [0, 0, 1, 1]}, "list"),
        ("layout", [{"box": [0, 0, 1], "role": "text"}], "four numbers"),
        ("layout", [{"box": [0, 0, 1, True], "role": "text"}], "four numbers"),
        ("layout", [{"box": [5, 0, 1, 1], "role": "text"}], "ends before it begins"),
        ("layout", [{"box": [0, 0, 1, 1], "role": "paragraph"}], "role"),
        ("layout", [{"box": [0, 0, 1, 1], "role": "text", "score": "high"}], "score"),
        ("line_order", "0 1 2", "list"),
        ("line_order", [0, "Milk"], "neither all ids"),
        ("line_order", [[0, 1], 2], "neither all ids"),
        ("text", ["a"], "no text"),
        ("table", [["a"]], "HTML"),
        ("table", ["| a | b |"], "without <table>"),
        ("qa", [{"answer": 1}], "no text"),
    ],
)
def test_a_payload_of_another_form_says_what_is_wrong(track: str, payload: Any, words: str) -> None:
    answer = answer_of(TRACKS[track], Prediction.model_validate({"track": track, "id": "x", "prediction": payload}))
    assert answer.status == "unparsable" and words in answer.why


def test_values_nested_without_end_are_unparsable() -> None:
    deep: Any = "x"
    for _ in range(900):
        deep = {"a": [deep]}
    row = Prediction.model_construct(track="kie", id="x", prediction=deep, reply=None, refused=False, failed=None)
    assert answer_of(TRACKS["kie"], row).status == "unparsable"


def spoilt(rng: random.Random) -> dict[str, Any]:
    """The document's values with some changed, lost or added."""
    made: dict[str, Any] = {
        "shop": {"name": rng.choice(["Corner Store", "Corner  store", "x"])},
        "net": rng.choice(["2.32", 2.32]),
    }
    if rng.random() < 0.5:
        made["extra"] = "nobody asked"
    made["items"] = [{"name": "Milk", "price": rng.choice(["1.10", "-1.10", None])}] * rng.randint(0, 3)
    return made


@pytest.mark.parametrize("mode", MODES)
def test_fields_pool_to_the_metrics_of_the_whole(mode: Mode) -> None:
    rng = random.Random(4)
    documents = [document(f"test-{at:08d}") for at in range(12)]
    answers = {one.id: spoilt(rng) for one in documents}
    result = scored("kie", answers, *documents, mode=mode)
    whole = unikie.field_f1(answers, {one.id: VALUES for one in documents}, mode)
    assert value(result, "field_f1") == pytest.approx(whole.f1)
    for name, counts in whole.per_key.items():
        found = result.groups["class"][name].metrics["field_f1"].value
        assert found == (None if counts["f1"] is None else pytest.approx(counts["f1"]))
    said = [dict(leaves(answers[one.id])) for one in documents]
    if mode == "compat":
        pairs = [(text, gold) for one in said for text, (_, gold) in zip(one.values(), leaves(VALUES), strict=False)]
    else:
        pairs = [(one.pop(path, ""), gold) for one in said for path, gold in leaves(VALUES)]
        pairs += [(text, "") for one in said for text in one.values() if text]
    scores = bafco.set_score([one for one, _ in pairs], [two for _, two in pairs], mode)
    assert scores is not None
    assert value(result, "value_precision") == pytest.approx(scores.precision)
    assert value(result, "value_macro_f1") == pytest.approx(scores.cdm_score)
    assert value(result, "value_nes") == pytest.approx(scores.nes_score)
    parts = result.groups["cardinality"]
    assert set(parts) == {"single", "list"}


def test_boxes_pool_to_the_scores_of_bafco() -> None:
    rng = random.Random(2)
    documents = [document(f"test-{at:08d}") for at in range(6)]
    gold, pred, answers = [], [], {}
    for one in documents:
        for page in one.pages:
            found = []
            for part in page.placed:
                x0, y0, x1, y1 = (c + rng.randint(-25, 25) for c in part.box)
                if rng.random() < 0.8:
                    found.append(
                        {"box": [x0, y0, x1, y1], "role": rng.choice([part.role, "text"]), "score": rng.random()}
                    )
            if not found:
                found.append({"box": [400, 400, 500, 500], "role": "stamp"})
            answers[page.id] = found
            gold.append((page.id, [[[p.role, _xywh(list(p.box))] for p in page.placed]]))
            pred.append((page.id, [[[f["role"], _xywh(f["box"]), f.get("score", 1.0)] for f in found]]))
    result = scored("layout", answers, *documents)
    for threshold, name in ((0.5, "50"), (0.3, "30")):
        whole = layout_score(gold, pred, threshold, mode="strict")
        assert value(result, f"map_{name}") == pytest.approx(whole.map)
        assert value(result, f"mean_iou_{name}") == pytest.approx(whole.thresholded_avg_iou)
        for role, counts in whole.per_class.items():
            metrics = result.groups["class"][role].metrics
            assert metrics[f"f1_{name}"].value == pytest.approx(counts.f1)
            assert metrics[f"precision_{name}"].value == (counts.precision and pytest.approx(counts.precision))
    assert value(result, "mean_iou") == pytest.approx(layout_score(gold, pred, 0.5, mode="strict").overall_avg_iou)


def _xywh(box: list[float]) -> list[float]:
    return [box[0], box[1], box[2] - box[0], box[3] - box[1]]


def test_orders_pool_to_micro_f1_and_ids_and_texts_say_the_same() -> None:
    one = document()
    ids = {f"{one.id}-p0": [0, 2, 1, 3, 4, 5, 6], f"{one.id}-p1": [8, 7]}
    result = scored("line_order", ids, one)
    assert value(result, "f1") == pytest.approx(reading_order.micro(3, 7, 7)[2])
    assert value(result, "position_distance") == pytest.approx((2 / 7 + 1) / 2)
    lines = {line.id: line.text for page in one.pages for line in page.lines}
    texts = {page: [f"{lines[at]}." for at in order] for page, order in ids.items()}
    assert scored("line_order", texts, one).overall == result.overall
    chains = {f"{one.id}-p0": [[0, 1], [2, 3, 4, 5, 6]], f"{one.id}-p1": [[7, 8]]}
    cut = scored("line_order", chains, one)
    assert value(cut, "precision") == 1.0 and value(cut, "recall") == pytest.approx(6 / 7)
    assert scored("line_order", {f"{one.id}-p0": [0, 99, 1], f"{one.id}-p1": [7]}, one).errors["layout"] > 0


def two_articles() -> DocumentTruth:
    """A page of two articles, of two lines and of three, and a page number."""
    lines = tuple(
        TextPart(at, f"{word} line", (0, 40.0 * at, 300, 40.0 * at + 30), next=after)
        for at, (word, after) in enumerate(
            (("first", 1), ("second", None), ("third", 3), ("fourth", 4), ("fifth", None), ("number", None))
        )
    )
    page = PageTruth("test-00000000-p0", lines, (), (), ())
    return replace(document(), pages=(page,))


@pytest.mark.parametrize(
    ("said", "precision", "recall", "distance", "faults"),
    [
        ([[0, 1], [2, 3, 4], [5]], 1, 1, 0, 0),
        ([[2, 3, 4], [5], [0, 1]], 1, 1, 0, 0),  # there is no order between chains
        ([0, 1, 2, 3, 4, 5], 1, 1, 0, 0),  # one list has to go on somewhere
        ([5, 2, 3, 4, 0, 1], 1, 1, 0, 0),
        ([[0, 1, 2, 3, 4], [5]], 3 / 4, 1, 0, 1),  # two articles said to be one
        ([0, 2, 1, 3, 4, 5], 1 / 4, 1 / 3, 2 / 6, 3),  # read across the columns
        ([1, 0], 0, 0, 5 / 6, 4),
        ([2, 3], 1, 1 / 3, 4 / 6, 2),
    ],
)
def test_a_page_of_several_articles_has_several_chains(
    said: Any, precision: float, recall: float, distance: float, faults: int
) -> None:
    one = two_articles()
    result = scored("line_order", {one.pages[0].id: said}, one)
    found = [value(result, name) for name in ("precision", "recall", "position_distance")]
    assert found == pytest.approx([precision, recall, distance])
    assert sum(result.errors.values()) == faults
    names = {line.id: line.text for line in one.pages[0].lines}
    texts = [[names[at] for at in part] if isinstance(part, list) else names[part] for part in said]
    assert scored("line_order", {one.pages[0].id: texts}, one).overall.metrics.keys() == result.overall.metrics.keys()
    assert scored("line_order", perfect("line_order", one), one).overall.metrics["f1"].value == 1


def test_chains_come_from_the_labels_and_end_where_they_leave_the_page() -> None:
    def line(number: int, page: int, after: int | None) -> dict[str, Any]:
        place = {"document_id": "test-00000000", "page_id": f"test-00000000-p{page}", "box": [0, 0, 9, 9]}
        return place | {"line_id": number, "text": str(number), "word_ids": [number], "next_line_id": after}

    def block(number: int, page: int, lines: list[int], after: int | None) -> dict[str, Any]:
        row = line(number, page, None) | {"block_id": number, "role": 0, "line_ids": lines, "next_block_id": after}
        return {name: row[name] for name in COLUMNS["layout"]}

    rows = {
        "documents": [
            {"document_id": "test-00000000", "type": "x", "language": "en", "schema": "{}", "values": "{}"}
        ],
        "words": [{"document_id": "test-00000000", "word_id": at, "order": at} for at in range(5)],
        "lines": [line(0, 0, 1), line(1, 0, 4), line(2, 0, 3), line(3, 0, None), line(4, 1, None)],
        "layout": [
            block(0, 0, [0], 1), block(1, 0, [], 2), block(2, 0, [1], 4),
            block(3, 0, [2, 3], None), block(4, 1, [4], None),
        ],
        "cells": [],
        "kie": [],
    }  # fmt: skip
    (found,) = documents_of(rows)
    assert [[(part.id, part.next) for part in page.lines] for page in found.pages] == [
        [(0, 1), (1, None), (2, 3), (3, None)], [(4, None)],
    ]  # fmt: skip
    # A block without text, such as a figure's, is no element of the order: what follows it follows.
    assert [(part.id, part.next) for part in found.pages[0].blocks] == [(0, 2), (2, None), (3, None)]


def test_texts_pool_to_the_error_rates_of_a_corpus() -> None:
    one = document()
    said = {f"{one.id}-p0": "Corner Store\nphone 555-0142 Milk 1,10", f"{one.id}-p1": "Thank you\n\nCome   again"}
    result = scored("text", said, one)
    wanted = text.corpus_error_rates(
        [" ".join(page.text.split()) for page in one.pages], [" ".join(t.split()) for t in said.values()]
    )
    assert value(result, "cer") == pytest.approx(wanted["cer"])
    assert value(result, "wer") == pytest.approx(wanted["wer"])
    chinese = scored("text", said, document(language="zh"))
    assert value(chinese, "wer") is None and value(chinese, "cer") is not None


def test_tables_are_paired_whatever_their_order_and_surplus_counts() -> None:
    one = document()
    page, empty = f"{one.id}-p0", f"{one.id}-p1"
    [gold] = perfect("table", one)[page]
    other = "<table><tr><td>nothing of the kind</td></tr></table>"
    assert value(scored("table", {page: [other, gold]}, one), "teds") == pytest.approx(0.5)
    surplus = scored("table", {page: gold, empty: [other]}, one)
    assert value(surplus, "teds") == pytest.approx(0.5)
    assert surplus.errors["hallucination"] == 1
    assert scored("table", {page: [gold]}, one).answers == scored("table", {page: [gold], empty: []}, one).answers
    wrong = scored("table", {page: [gold.replace("Milk", "Silk")]}, one)
    assert (
        value(wrong, "teds_structure") == 1.0
        and 0.9 < (value(wrong, "teds") or 0) < 1
        and wrong.errors["perception"] == 1
    )
    huge = "<table>" + "<tr><td>x</td></tr>" * 5000 + "</table>"
    assert value(scored("table", {page: [huge]}, one), "teds") == 0.0


def test_questions_by_kind_difficulty_and_number_of_answers() -> None:
    one = document()
    result = scored("qa", {f"{one.id}-q0": "2.32", f"{one.id}-q1": ["Bread", "Silk"]}, one)
    assert value(result, "em") == 0.5 and value(result, "f1") == pytest.approx(0.75)
    assert result.groups["class"]["single"].metrics["em"].value == 1.0
    assert set(result.groups["difficulty"]) == {"easy", "hard"}
    assert result.groups["cardinality"]["several answers"].metrics["em"].value == 0.0
    assert scored("qa", {f"{one.id}-q0": 2.32}, one).groups["class"]["single"].metrics["em"].value == 1.0


def test_groups_hold_the_documents_they_name() -> None:
    result = scored("kie", perfect("kie", DOCUMENTS[0]), *DOCUMENTS, resamples=50)
    assert {name: found.documents for name, found in result.groups["split"].items()} == {"test": 2, "train": 1}
    by_language = {name: found.metrics["field_f1"].value for name, found in result.groups["language"].items()}
    assert by_language == {"en": 1.0, "zh": 0.0, "bn": 0.0}
    assert result.per_document.documents == ["test-00000000", "test-00000001", "train-00000000"]
    low, high = result.overall.metrics["field_f1"].low, result.overall.metrics["field_f1"].high
    assert low == 0.0 and high is not None and high > 0.4


def test_the_order_of_documents_changes_nothing() -> None:
    answers = perfect("kie", *DOCUMENTS[:2])
    there, back = scored("kie", answers, *DOCUMENTS), scored("kie", answers, *DOCUMENTS[::-1])
    assert there.per_document == back.per_document
    assert value(there, "field_f1") == value(back, "field_f1")
