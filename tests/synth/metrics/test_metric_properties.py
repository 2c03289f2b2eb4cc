"""What must hold for any input: bounds, symmetry, freedom of order, empty inputs, forms of Unicode."""

from __future__ import annotations

import unicodedata
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.metrics import (
    bafco,
    bafco_layout,
    block_match,
    ccocr,
    detection,
    donut,
    mosaicdoc,
    omnidocbench,
    palmleaf,
    reading_order,
    text,
    unikie,
)
from synth.metrics.anls_star import anls_star
from synth.metrics.teds import strict_teds

examples = settings(max_examples=60, deadline=None, derandomize=True, database=None)

short = st.text(alphabet="ab cé中ক।1-.", max_size=8)
answers = st.lists(short, max_size=4)
scalars = short | st.integers(-9, 9) | st.none() | st.booleans()
nested = st.dictionaries(st.sampled_from("xyz"), scalars | st.lists(scalars, max_size=3), max_size=3)
size = st.integers(0, 12)
boxes = st.lists(st.tuples(size, size, st.integers(1, 12), st.integers(1, 12)), max_size=5)
chains = st.lists(st.lists(st.integers(0, 5), max_size=5), max_size=3)


@examples
@given(short, short)
def test_distances_are_symmetric_and_bounded(one: str, two: str) -> None:
    assert text.normalized_distance(one, two) == text.normalized_distance(two, one)
    assert 0.0 <= text.similarity(one, two) <= 1.0
    assert (text.similarity(one, two) == 1.0) == (one == two)


@examples
@given(short, st.lists(short, min_size=1, max_size=3))
def test_anls_keeps_its_cut_and_takes_the_best_answer(pred: str, golds: list[str]) -> None:
    for variant in ("paper", "package"):
        score = text.anls(pred, golds, variant=variant)
        assert score == 0.0 or 0.5 < score <= 1.0
        assert score == max(text.anls(pred, [gold], variant=variant) for gold in golds)
    rrc = text.anls(pred, golds, variant="rrc")
    assert rrc == 0.0 or 0.5 <= rrc <= 1.0
    assert text.anls(golds[0].upper(), golds) == 1.0


@examples
@given(short, short)
def test_error_rates_of_equal_texts_are_zero(one: str, two: str) -> None:
    assert text.error_rates(one, one) == {"cer": 0.0, "wer": 0.0, "normalized_cer_max": 0.0}
    rates = text.error_rates(one, two)
    assert rates["cer"] >= 0 and rates["wer"] >= 0 and 0 <= rates["normalized_cer_max"] <= 1
    pooled = text.corpus_error_rates([one, two], [two, two])
    assert pooled["mean_cer"] == pytest.approx(rates["cer"] / 2)


@examples
@given(nested, nested)
def test_anls_star_is_bounded_and_perfect_on_itself(one: dict[str, Any], two: dict[str, Any]) -> None:
    assert anls_star(one, one) == 1.0
    assert 0.0 <= anls_star(one, two) <= 1.0


def plain_edits(gold: str, pred: str) -> int:
    """The paper's recursion, as it stands."""
    if not gold or not pred:
        return len(gold) + len(pred)
    if gold[0] == pred[0]:
        return plain_edits(gold[1:], pred[1:])
    return 1 + min(plain_edits(gold[1:], pred), plain_edits(gold, pred[1:]), plain_edits(gold[1:], pred[1:]))


def plain_similarity(gold: str, pred: str) -> float:
    if not gold and not pred:
        return 1.0
    if len(pred) > 3 * len(gold):
        cost = len(gold)
    elif gold in pred:
        cost = 0
    elif not pred:
        cost = len(gold)
    else:
        cost = plain_edits(gold, pred)
    return 1 - cost / max(len(gold), len(pred))


def plain_anlsl(gold: list[str], pred: list[str]) -> float:
    if not gold or not pred:
        return 0.0
    fewer, more = sorted((gold, pred), key=len)
    best = max(
        sum(plain_similarity(*((a, b) if fewer is gold else (b, a))) for a, b in zip(fewer, order, strict=False))
        for order in permutations(more, len(fewer))
    )
    return best / len(more)


@examples
@given(st.lists(st.text("abc", max_size=5), max_size=3), st.lists(st.text("abc", max_size=5), max_size=3))
def test_anlsl_is_the_papers_formula(gold: list[str], pred: list[str]) -> None:
    assert mosaicdoc.anlsl(gold, pred) == pytest.approx(plain_anlsl(gold, pred))


@examples
@given(answers, answers)
def test_anlsl_is_bounded_and_free_of_order(gold: list[str], pred: list[str]) -> None:
    score = mosaicdoc.anlsl(gold, pred)
    assert 0.0 <= score <= 1.0
    assert mosaicdoc.anlsl(gold[::-1], pred) == pytest.approx(score)
    assert mosaicdoc.anlsl(gold, pred[::-1]) == pytest.approx(score)
    if gold:
        assert mosaicdoc.anlsl(gold, gold) == 1.0
    assert mosaicdoc.anlsl(gold, []) == 0.0


def test_a_wrong_answer_that_is_far_too_long_scores_high_by_the_formula() -> None:
    assert mosaicdoc.similarity("xyz", "a" * 9) == 0.0
    assert mosaicdoc.similarity("xyz", "a" * 10) == pytest.approx(0.7)
    assert mosaicdoc.similarity("xyz", "a" * 300) == pytest.approx(0.99)


@examples
@given(short, short)
def test_recognition_rates_are_free_of_order(gold: str, pred: str) -> None:
    crr, ocrr = mosaicdoc.recognition_rates(gold, pred)
    assert mosaicdoc.recognition_rates(gold[::-1], "".join(sorted(pred))) == (crr, ocrr)
    assert (crr is None) == (not gold) and (ocrr is None) == (not pred)
    assert all(rate is None or 0 <= rate <= 1 for rate in (crr, ocrr))
    assert mosaicdoc.recognition_rates(pred, gold) == (ocrr, crr)


@examples
@given(boxes, boxes)
def test_grounding_swaps_precision_and_recall(gold: list[Any], pred: list[Any]) -> None:
    score = mosaicdoc.grounding(gold, pred)
    assert 0 <= score.tp <= min(len(gold), len(pred))
    assert 0.0 <= score.f1 <= 1.0
    own = mosaicdoc.grounding(gold, gold)
    assert own.tp == len(gold)


@examples
@given(boxes.filter(bool), boxes.filter(bool))
def test_iou_is_symmetric_bounded_and_the_same_in_both_codes(ones: list[Any], twos: list[Any]) -> None:
    one, two = ones[0], twos[0]
    assert bafco_layout.iou(one, two) == bafco_layout.iou(two, one) == pytest.approx(detection.iou(one, two))
    assert 0.0 <= bafco_layout.iou(one, two) <= 1.0 and bafco_layout.iou(one, one) == 1.0


@examples
@given(boxes)
def test_layout_of_itself_is_perfect_in_strict(items: list[Any]) -> None:
    forms = [(1, [[["Form Key", box, 0.5] for box in dict.fromkeys(items)]])]
    score = bafco_layout.layout_score(forms, forms, 0.5, mode="strict")
    wanted = 1.0 if items else 0.0
    for value in (score.map, score.macro_f1, score.overall_avg_iou, score.thresholded_avg_iou):
        assert value == pytest.approx(wanted)


@examples
@given(boxes, boxes, st.sampled_from([0.3, 0.5]))
def test_layout_scores_do_not_depend_on_the_order_of_forms(gold: list[Any], pred: list[Any], limit: float) -> None:
    truth = [(form, [[["Table", box] for box in part]]) for form, part in ((1, gold), (2, pred))]
    found = [(form, [[["Table", box, 0.5] for box in part]]) for form, part in ((1, pred), (2, gold))]
    for mode in ("strict", "compat"):
        one = bafco_layout.layout_score(truth, found, limit, mode=mode)
        two = bafco_layout.layout_score(truth[::-1], found, limit, mode=mode)
        assert one.macro_f1 == pytest.approx(two.macro_f1) and one.map == pytest.approx(two.map)
        assert 0.0 <= one.map <= 1.0 and one.overall_avg_iou <= 1.0


@examples
@given(chains, chains)
def test_pair_scores_are_free_of_the_order_of_chains(gold: list[Any], pred: list[Any]) -> None:
    score = reading_order.pair_score(gold, pred)
    assert reading_order.pair_score(gold[::-1], pred[::-1]) == score
    swapped = reading_order.pair_score(pred, gold)
    assert (swapped.precision, swapped.recall) == (score.recall, score.precision)
    assert score.n_common == len([pair for pair in plain_pairs(gold) if pair in plain_pairs(pred)])
    if score.n_gold:
        assert reading_order.pair_score(gold, gold).f1 == 1.0


def plain_pairs(sequences: list[Any]) -> list[Any]:
    found: list[Any] = []
    for chain in sequences:
        for at in range(len(chain) - 1):
            if (pair := (chain[at], chain[at + 1])) not in found:
                found.append(pair)
    return found


@examples
@given(st.permutations(list(range(1, 7))), st.integers(0, 6))
def test_position_distance_of_an_order(order: list[int], kept: int) -> None:
    matches = [reading_order.Matched([at], place if at <= kept else "") for place, at in enumerate(order)]
    score = reading_order.position_distance(matches)
    assert score is not None
    assert score.gt == sorted(order) and sorted(score.pred) == list(range(1, kept + 1))
    assert 0.0 <= score.edit <= 1.0
    assert (score.edit == 0.0) == (kept == 6 and order == sorted(order))


@examples
@given(st.lists(st.text("abcd", min_size=1, max_size=12), min_size=1, max_size=5, unique=True))
def test_blocks_match_themselves(blocks: list[str]) -> None:
    strict = reading_order.position_distance(block_match.one_to_one(blocks, blocks, "strict"))
    quick = reading_order.position_distance(block_match.with_splits(blocks, blocks))
    assert strict is not None and strict.edit == 0.0
    assert quick is not None and quick.gt == list(range(1, len(blocks) + 1))


def test_a_cut_block_is_joined_again() -> None:
    gold = ["The quick brown fox jumps over the lazy dog", "A second paragraph of another kind"]
    cut = [gold[0][:20], gold[0][20:], gold[1]]
    score = reading_order.position_distance(block_match.with_splits(gold, cut))
    assert score is not None and score.edit == 0.0
    joined = reading_order.position_distance(block_match.with_splits(gold, ["".join(gold)]))
    assert joined is not None and joined.pred == [1, 2]


@examples
@given(nested, nested)
def test_field_scores_are_symmetric_bounded_and_perfect_on_themselves(one: dict[str, Any], two: dict[str, Any]) -> None:
    for mode in ("strict", "compat"):
        there, back = (unikie.field_f1({"a": x}, {"a": y}, mode) for x, y in ((one, two), (two, one)))
        assert there == back
        assert there.f1 is None or 0.0 <= there.f1 <= 1.0
        own = unikie.field_f1({"a": one}, {"a": one}, mode)
        assert own.fp_plus_fn == 0
        assert own.tp == sum(row["tp"] or 0 for row in own.per_key.values())
    accuracy = donut.nted_accuracy(one, two, "strict")
    assert accuracy is None or 0.0 <= accuracy <= 1.0
    assert donut.nted_accuracy(one, one, "strict") in (1.0, None)


@examples
@given(st.lists(st.dictionaries(st.sampled_from("xy"), short, min_size=1, max_size=2), max_size=4))
def test_field_scores_are_free_of_the_order_of_a_list(items: list[dict[str, str]]) -> None:
    gold, pred = {"a": {"rows": items}}, {"a": {"rows": items[::-1]}}
    assert unikie.field_f1(pred, gold, "compat").fp_plus_fn == 0
    assert unikie.field_f1(pred, gold, "strict").fp_plus_fn == 0


@examples
@given(short)
def test_normalizations_settle(value: str) -> None:
    once = unikie.normalize(value, "strict")
    assert unikie.normalize(once, "strict") == once
    assert not any(c.isspace() or c in "-–—" for c in unikie.normalize(value))
    assert palmleaf.normalize(palmleaf.normalize(value)) == palmleaf.normalize(value)
    assert omnidocbench.clean_string(omnidocbench.clean_string(value)) == omnidocbench.clean_string(value)


def test_forms_of_unicode() -> None:
    composed, decomposed = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))
    pair = {"a": {"n": composed}}, {"a": {"n": decomposed}}
    assert unikie.field_f1(*pair, "strict").tp == 1 and unikie.field_f1(*pair, "compat").tp == 0
    assert text.similarity(composed, decomposed) == pytest.approx(1 - 2 / 5)
    assert unikie.normalize("ＡＢＣ　１２３", "strict") == "ABC 123"
    assert unikie.normalize("总 价 5 元", "strict") == "总价 5 元"
    assert ccocr.normalize("ＡＢＣ　１２３") == "ABC 123"
    assert text.cer("ঢাকা", "ঢাক") == 0.25  # code points, not glyphs
    assert bafco.value_score("রহিম।", "রহিম").token_f1 == 0.0


@examples
@given(st.lists(st.sampled_from("abcd"), max_size=5), st.lists(st.sampled_from("abcd"), max_size=5))
def test_label_sets_ignore_order_and_repeats(gold: list[str], pred: list[str]) -> None:
    score = palmleaf.label_set(pred, gold)
    assert palmleaf.label_set([*pred[::-1], *pred], gold[::-1]) == score
    assert score.jaccard <= score.f1 <= 1.0
    back = palmleaf.label_set(gold, pred)
    assert (back.precision, back.recall, back.f1) == (score.recall, score.precision, score.f1)
    mean, pooled = palmleaf.label_sets([pred], [gold])
    assert mean == pooled == score


def test_answers_with_aliases() -> None:
    aliases = {"khmer script": "khmer", "cracks": "crack"}
    assert palmleaf.exact_match(" Khmer  Script. ", "KHMER", aliases) == 1
    assert palmleaf.labels("Stain, Cracks; stain", aliases) == {"stain", "crack"}
    assert palmleaf.labels(None) == palmleaf.labels(" , ") == frozenset()
    assert [palmleaf.binary(answer) for answer in ("Yes.", "FALSE", "maybe", None)] == ["yes", "no", None, None]
    assert [palmleaf.within_one(answer, 0).count for answer in ("-1", "lines-5", "៥", None)] == [-1, 5, 5, None]


@examples
@given(st.dictionaries(st.sampled_from("ab"), short, max_size=2), st.dictionaries(st.sampled_from("ab"), short))
def test_text_units_stay_within_bounds(pred: dict[str, str], gold: dict[str, str]) -> None:
    assert all(0.0 <= value <= 1.0 for value in ccocr.ocr_f1(pred, gold).values())
    assert all(0.0 <= value <= 1.0 for value in ccocr.ocr_f1(pred, gold, word_level=False).values())


@examples
@given(short, short)
def test_value_scores_are_bounded_and_perfect_on_themselves(one: str, two: str) -> None:
    score = bafco.value_score(one, two)
    assert all(0.0 <= value <= 1.0 + 1e-9 for value in vars(score).values())
    own = bafco.value_score(one, one)
    assert own.em == own.nes == own.cdm_f1 == own.token_f1 == 1.0


cells = st.lists(st.lists(st.sampled_from(["", "a", "bb", "c d"]), max_size=3), max_size=3)


@examples
@given(cells, cells)
def test_table_similarity_is_symmetric_and_bounded(one: list[list[str]], two: list[list[str]]) -> None:
    first, second = (
        "<table>" + "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in rows) + "</table>"
        for rows in (one, two)
    )
    score = strict_teds(first, second)
    assert score is not None and score == pytest.approx(strict_teds(second, first))
    assert 0.0 <= score <= 1.0 and strict_teds(first, first) == 1.0


@examples
@given(st.text(max_size=40))
def test_readers_of_replies_never_fail(reply: str) -> None:
    unikie.parse_reply(reply)
    ccocr.parse_reply(reply)
    bafco.parse_reply(reply)
    assert unikie.load_predictions([reply, "{}", "[]", '{"url": 3}']) == {}
