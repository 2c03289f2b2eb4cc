"""The known faults of reference code live in `compat` and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from synth.metrics import bafco, bafco_layout, block_match, ccocr, donut, formgym, omnidocbench, unikie
from synth.metrics.formgym import FormField, Mark
from synth.metrics.reading_order import position_distance
from synth.metrics.teds import strict_teds, teds


def marks(*texts: str) -> list[Mark]:
    return [Mark(0.1 * at, 0.5, text) for at, text in enumerate(texts, 1)]


def test_a_perfect_answer_is_below_one_only_by_the_epsilon_of_the_code() -> None:
    document: dict[str, Any] = {"a.jpg": {"name": "Bob"}}
    assert unikie.field_f1(document, document, "compat").f1 == pytest.approx(1 / (1 + 1e-6), abs=1e-12)
    assert unikie.field_f1(document, document, "strict").f1 == 1.0
    assert unikie.field_f1({}, {}, "compat").f1 == 0.0
    assert unikie.field_f1({}, {}, "strict").f1 is None
    assert ccocr.kie(document, document)["f1"] < 1.0


def test_minus_signs_vanish_only_in_compat() -> None:
    gold, pred = {"a": {"n": "-5.00", "c": "A-1"}}, {"a": {"n": "5.00", "c": "A1"}}
    assert unikie.field_f1(pred, gold, "compat").tp == 2
    assert unikie.field_f1(pred, gold, "strict").tp == 0


def test_null_is_the_text_none_only_in_compat() -> None:
    gold, pred = {"a": {"n": "None"}}, {"a": {"n": None}}
    assert unikie.field_f1(pred, gold, "compat").tp == 1
    assert unikie.field_f1(pred, gold, "strict").tp == 0
    assert unikie.field_f1({"a": {"x": None, "y": ""}}, {"a": {}}, "strict").fp_plus_fn == 0


def test_mixed_lists_lose_their_dicts_only_in_compat() -> None:
    gold = {"a": {"tags": ["one", {"k": "v"}]}}
    assert unikie.field_f1(gold, gold, "compat").tp == 1
    assert unikie.field_f1(gold, gold, "strict").tp == 2


def test_boxes_are_stretched_only_by_the_released_preparation() -> None:
    pred = [(1, [[["Form Key", [0, 0, 50, 50], 0.9]]])]
    gold = [(1, [[["Form Key", [0, 0, 100, 100]]]])]
    (((stretched,),),) = bafco.rescale(pred, {1: (100, 100)})
    assert stretched == [0, 0, 100, 100]
    assert bafco_layout.layout_score(gold, pred, 0.5, mode="strict").map == 0.0
    moved = [(1, [[["Form Key", stretched, 0.9]]])]
    assert bafco_layout.layout_score(gold, moved, 0.5, mode="compat").map == 1.0


def test_a_missing_answer_is_forgiven_only_by_the_positional_zip() -> None:
    forgiving, strict = (bafco.set_score(["a"], ["a", "b"], mode) for mode in ("compat", "strict"))
    assert forgiving is not None and strict is not None
    assert (forgiving.em_score, forgiving.total) == (1.0, 1)
    assert (strict.em_score, strict.total) == (0.5, 2)
    surplus = bafco.set_score(["a", "b"], ["a"], "strict")
    assert surplus is not None and surplus.em_score == 0.5
    with pytest.raises(TypeError):
        bafco.set_score([None], ["x"], "compat")
    empty = bafco.set_score([None], ["x"], "strict")
    assert empty is not None and empty.em_score == 0.0


def test_absent_classes_count_as_misses_only_in_compat() -> None:
    boxes = [(1, [[["Form Key", [0, 0, 10, 10], 0.9]]])]
    assert bafco_layout.layout_score(boxes, boxes, 0.5, mode="compat").macro_f1 == pytest.approx(1 / 26)
    assert bafco_layout.layout_score(boxes, boxes, 0.5, mode="strict").macro_f1 == 1.0


def test_parts_of_tables_are_dropped_from_the_coarse_classes_only_in_compat() -> None:
    boxes = [(1, [[["Table Caption", [0, 0, 10, 10], 0.9]]])]
    assert bafco_layout.layout_score(boxes, boxes, 0.5, "low", mode="compat").per_class == {}
    assert bafco_layout.layout_score(boxes, boxes, 0.5, "low", mode="strict").per_class["table"].f1 == 1.0


def test_a_prediction_where_nothing_is_lowers_the_mean_iou_only_in_strict() -> None:
    gold = [(1, [[["Form Key", [0, 0, 10, 10]]], []])]
    pred = [(1, [[["Form Key", [0, 0, 10, 10], 0.9]], [["Form Key", [0, 0, 10, 10], 0.8]]])]
    assert bafco_layout.layout_score(gold, pred, 0.5, mode="compat").overall_avg_iou == 1.0
    assert bafco_layout.layout_score(gold, pred, 0.5, mode="strict").overall_avg_iou == 0.5


def test_block_zero_is_unmatched_only_in_compat() -> None:
    blocks = ["first block", "second block", "third block"]
    released = position_distance(block_match.one_to_one(blocks, blocks, "compat"))
    strict = position_distance(block_match.one_to_one(blocks, blocks, "strict"))
    assert released is not None and strict is not None
    assert (released.pred, strict.pred) == ([2, 3], [1, 2, 3])
    assert strict.edit == 0.0 < released.edit


def test_a_name_of_two_words_can_match_only_in_strict() -> None:
    assert not formgym.name_correct(marks("Jo Doe"), "Jo Doe", "compat")
    assert formgym.name_correct(marks("jo", "DOE"), "Jo Doe", "strict")
    assert formgym.name_correct(marks("Smith John Michael"), "John Michael Smith Jr", "compat")
    assert not formgym.name_correct(marks("Smith John Michael"), "John Michael Smith Jr", "strict")


def test_any_text_without_digits_equals_any_other_only_in_compat() -> None:
    assert formgym.numeric_correct(marks("abc"), "xyz", "compat")
    assert not formgym.numeric_correct(marks("abc"), "xyz", "strict")
    assert not formgym.numeric_correct(marks("1200"), "1,200.00", "compat")
    assert formgym.numeric_correct(marks("$1,200"), "1200.00", "strict")
    assert not formgym.numeric_correct(marks("-5"), "5", "strict")


def test_only_an_x_ticks_a_box_in_compat() -> None:
    assert not formgym.checkbox_correct(marks("✓"), True, "compat")
    assert formgym.checkbox_correct(marks("✓"), True, "strict")
    assert not formgym.checkbox_correct(marks("✓"), False, "strict")


def test_units_in_capitals_or_short_are_read_only_in_strict() -> None:
    for text in ("2 Years 3 Months", "2 yrs 3 mos", "27"):
        assert not formgym.duration_correct(marks(text), "27", "compat")
        assert formgym.duration_correct(marks(text), "27", "strict")
    assert not formgym.duration_correct([], "0", "compat")


def test_nothing_to_score_divides_by_zero_only_in_compat() -> None:
    fields = [FormField("BaseStringField", (0, 0, 1, 1), "", False)]
    with pytest.raises(ZeroDivisionError):
        formgym.document_accuracy(fields, [])
    assert formgym.document_accuracy(fields, [], "strict").accuracy is None
    with pytest.raises(ZeroDivisionError):
        donut.field_f1({}, {})
    assert donut.field_f1({}, {}, "strict") is None
    assert (donut.nted_accuracy({}, {}), donut.nted_accuracy({}, {}, "strict")) == (0.0, None)
    pair = omnidocbench.TextPair("a.jpg", "", "")
    with pytest.raises(KeyError):
        omnidocbench.edit_distance([pair])
    assert omnidocbench.edit_distance([pair], "strict").pooled is None


def test_tables_divide_by_zero_or_ignore_heads_only_in_the_released_codes() -> None:
    page = "<html><body>{}</body></html>".format
    empty = page("<table></table>")
    with pytest.raises(ZeroDivisionError):
        teds(empty, empty)
    assert teds(empty, empty, nodes="tree") == strict_teds(empty, empty) == 1.0
    one, two = (page(f"<table><tr><th>{text}</th></tr></table>") for text in "ab")
    assert teds(one, two) == 1.0
    assert strict_teds(one, two) == pytest.approx(1 - 1 / 3)
    assert strict_teds("", "  ") is None and strict_teds("", one) == 0.0


def test_a_fence_left_open_loses_the_reply_only_in_ccocr() -> None:
    reply = '```json\n{"a": "1"}'
    assert ccocr.parse_reply(reply) is None
    assert unikie.parse_reply(reply).value == {"a": "1"}


def test_a_bottomless_prediction_is_a_missed_document_not_a_crash() -> None:
    bottomless: Any = "x"
    for _ in range(5000):
        bottomless = [bottomless]
    for mode in ("strict", "compat"):
        score = unikie.field_f1({"a": {"n": bottomless}, "b": {"n": "1"}}, {"a": {"n": "x"}, "b": {"n": "1"}}, mode)
        assert (score.tp, score.fp_plus_fn) == (1, 1)
    assert ccocr.kie({"a": bottomless}, {"a": {"n": "x"}}) == {"f1": 0.0, "acc_nted": 0.0}


def test_equal_confidences_rank_by_label_in_the_released_coarse_scores() -> None:
    gold = [(1, [[["Form Value", [0, 0, 10, 10]]]])]
    pred = [(1, [[["Form Value", [0, 0, 10, 10], 0.5], ["Form Key", [50, 50, 10, 10], 0.5]]])]
    assert bafco_layout.layout_score(gold, pred, 0.5, "low", mode="compat").map == pytest.approx(0.5)
    assert bafco_layout.layout_score(gold, pred, 0.5, "low", mode="strict").map == pytest.approx(1.0)


def test_dates_do_not_depend_on_the_day_they_are_scored() -> None:
    assert formgym.date_correct(marks("March 2020"), "March 2020")
    assert not any(formgym.date_correct(marks("March 2020"), f"3/{day}/2020") for day in range(1, 32))
    assert formgym.date_correct(marks("03/04/75"), "3/4/2075") and formgym.date_correct(marks("03/04/76"), "3/4/1976")
    assert not formgym.date_correct(marks("99999999999999999999"), "3/4/2020")
    with pytest.raises(ValueError, match="no day"):
        formgym.date_correct([], "no day", "compat")
    assert not formgym.date_correct([], "no day", "strict")
