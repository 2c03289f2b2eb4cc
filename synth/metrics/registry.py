"""The metrics by name, as files of reference cases call them: one plain table from name to scorer.

A scorer takes a case's `input`, its `params` and a mode and gives a JSON value; what is undefined is null.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from synth.metrics import (
    Mode,
    bafco,
    bafco_layout,
    block_match,
    ccocr,
    detection,
    donut,
    formgym,
    mosaicdoc,
    omnidocbench,
    palmleaf,
    reading_order,
    text,
    unikie,
)
from synth.metrics.anls_star import anls_star
from synth.metrics.teds import NodeCount, strict_teds, teds

Case = Mapping[str, Any]
Scorer = Callable[[Case, Case, Mode], Any]


def _anls(case: Case, params: Case, mode: Mode) -> Any:
    pred, golds, threshold = case["pred"], case["golds"], params.get("threshold", 0.5)
    return {
        "anls_pypi": outcome(lambda: text.anls(pred, golds, threshold, "package")),
        "rrc_script": outcome(lambda: text.anls(pred, golds, threshold, "rrc")),
        "anls_star": outcome(lambda: anls_star(tuple(golds), pred)),
    }


def _average_precision(case: Case, params: Case, mode: Mode) -> Any:
    names = ("ap", "precision_last", "recall_last")
    return dict(zip(names, bafco_layout.average_precision(case["tp"], case["fp"], case["n_gt"]), strict=True))


def _dla(case: Case, params: Case, mode: Mode) -> Any:
    score = bafco_layout.layout_score(
        case["gold"],
        case["pred"],
        params.get("iou_threshold", 0.5),
        params.get("granularity", "high"),
        params.get("label_set", "full"),
        mode,
    )
    result = asdict(score)
    if mode == "compat":  # the released scorer does not report these
        for row in result["per_class"].values():
            del row["precision"], row["recall"]
    return result


def _rescale(case: Case, params: Case, mode: Mode) -> Any:
    sizes = {str(form): size for form, size in case["gt_dims"].items()}
    named = [(str(form), pages) for form, pages in case["pred"]]
    return {"bboxes": bafco.rescale(named, sizes, params.get("fallback_clamp_max", 10.0))}


def _kie_set(case: Case, params: Case, mode: Mode) -> Any:
    score = bafco.set_score(case["preds"], case["golds"], mode)
    return score and asdict(score)


def _ocr_f1(case: Case, params: Case, mode: Mode) -> Any:
    flags = {name: params[name] for name in ("word_level", "alphanum_only", "lower") if name in params}
    return ccocr.ocr_f1(case["pred"], case["gold"], **flags)


def _coco_map(case: Case, params: Case, mode: Mode) -> Any:
    truth = [detection.Truth(row[0], row[1], row[2], bool(row[3]) if len(row) > 3 else False) for row in case["gt"]]
    found = [detection.Found(*row) for row in case["dt"]]
    wanted = _thresholds(params.get("iou_thresholds", detection.COCO_THRESHOLDS))
    score = detection.mean_average_precision(truth, found, case["categories"], wanted, params.get("max_dets", 100))
    return {
        "map": score.map,
        "per_threshold": {f"{value:.2f}": mean for value, mean in score.per_threshold.items()},
        "per_class": {str(name): mean for name, mean in score.per_class.items()},
        "mar": score.recall,
    }


def _thresholds(spec: str | Sequence[float]) -> list[float]:
    """A list of numbers, or `first:step:last` with both ends."""
    if not isinstance(spec, str):
        return [float(value) for value in spec]
    first, step, last = map(float, spec.split(":"))
    return [round(first + step * at, 10) for at in range(round((last - first) / step) + 1)]


def _marks(case: Case) -> list[formgym.Mark]:
    return [formgym.Mark(row["cx"], row["cy"], row["value"], row.get("action")) for row in case["texts"]]


def _form_field(kind: str) -> Scorer:
    correct = formgym.KINDS[kind]
    return lambda case, params, mode: {"correct": correct(_marks(case), case["truth"], mode)}


def _inside(case: Case, params: Case, mode: Mode) -> Any:
    found = [formgym.inside(case["box_xywh"], *centre) for centre in case["centres"]]
    return {"inside": [str(at) for at, hit in enumerate(found) if hit]}


def _document_accuracy(case: Case, params: Case, mode: Mode) -> Any:
    fields = [
        formgym.FormField(row["type"], tuple(row["box_xywh"]), row["truth"], bool(row.get("prefilled", False)))
        for row in case["fields"]
    ]
    return asdict(formgym.document_accuracy(fields, _marks(case), mode))


def _crr_ocrr(case: Case, params: Case, mode: Mode) -> Any:
    return dict(zip(("crr", "ocrr"), mosaicdoc.recognition_rates(case["gold"], case["pred"]), strict=True))


def _layout_bleu(case: Case, params: Case, mode: Mode) -> Any:
    return mosaicdoc.layout_bleu(case["reference"], case["hypothesis"], params.get("smoothing"))


def _micro(case: Case, params: Case, mode: Mode) -> Any:
    rates = reading_order.micro(case["n_common"], case["n_pred"], case["n_gold"])
    return dict(zip(("precision", "recall", "f1"), rates, strict=True))


def _omni_edit(case: Case, params: Case, mode: Mode) -> Any:
    if not case["samples"]:
        return {"ALL_page_avg": "NaN"}
    pairs = [
        omnidocbench.TextPair(row["img_id"], row.get("norm_gt") or row["gt"], row.get("norm_pred") or row["pred"])
        for row in case["samples"]
    ]
    score = omnidocbench.edit_distance(pairs, mode)
    return {"ALL_page_avg": score.page_mean, "edit_whole": score.pooled, "edit_sample_avg": score.sample_mean}


def _order(matches: Sequence[reading_order.Matched]) -> Any:
    score = reading_order.position_distance(matches)
    return asdict(score) if score else {}


def _omni_order(case: Case, params: Case, mode: Mode) -> Any:
    return _order([reading_order.Matched(row["gt_position"], row["pred_position"]) for row in case["matches"]])


def _simple_match(case: Case, params: Case, mode: Mode) -> Any:
    return _order(block_match.one_to_one(case["gold_blocks"], case["pred_blocks"], mode))


def _quick_match(case: Case, params: Case, mode: Mode) -> Any:
    return _order(block_match.with_splits(case["gold_blocks"], case["pred_blocks"]))


def _label_set(case: Case, params: Case, mode: Mode) -> Any:
    mean, pooled = palmleaf.label_sets(case["pred"], case["gold"])
    return {"samples": asdict(mean), "micro": asdict(pooled)}


def _teds(case: Case, params: Case, mode: Mode) -> Any:
    if mode == "strict":
        both = (strict_teds(case["pred"], case["gold"], structure) for structure in (False, True))
        return dict(zip(("teds", "teds_struct"), both, strict=True))
    codes: dict[str, NodeCount] = {
        "pubtabnet": "elements",
        "omnidocbench": "elements",
        "table_recognition_metric": "tree",
    }
    return {
        name + suffix: outcome(lambda s=structure, n=nodes: teds(case["pred"], case["gold"], s, n))
        for suffix, structure in (("", False), ("_struct", True))
        for name, nodes in codes.items()
    }


def outcome(score: Callable[[], Any]) -> Any:
    """What `score()` gives, or `{"raises": name of the exception}`, as reference cases write it."""
    try:
        return score()
    except Exception as fault:  # any exception of a definition is an outcome to compare
        return {"raises": type(fault).__name__}


def _parse_unikie(case: Case, params: Case, mode: Mode) -> Any:
    reply = unikie.parse_reply(case["text"])
    return {"result": reply.value, "error": reply.error is not None}


METRICS: dict[str, Scorer] = {
    "anls": _anls,
    "anls_star": lambda case, params, mode: {"score": anls_star(case["gold"], case["pred"])},
    "bafco.average_precision": _average_precision,
    "bafco.dla": _dla,
    "bafco.iou_xywh": lambda case, params, mode: {"iou": bafco_layout.iou(case["a"], case["b"])},
    "bafco.kie_pair": lambda case, params, mode: asdict(bafco.value_score(case["pred"], case["gold"])),
    "bafco.kie_set": _kie_set,
    "bafco.parse_json": lambda case, params, mode: {"result": bafco.parse_reply(case["text"])},
    "bafco.rescale": _rescale,
    "ccocr.doc_edit": lambda case, params, mode: {"score": ccocr.document_similarity(case["pred"], case["gold"])},
    "ccocr.kie": lambda case, params, mode: ccocr.kie(case["pred"], case["gold"]),
    "ccocr.normalize": lambda case, params, mode: ccocr.normalize(case["text"]),
    "ccocr.ocr_f1": _ocr_f1,
    "ccocr.post_process_to_json": lambda case, params, mode: ccocr.parse_reply(case["text"]),
    "ccocr.table_teds": lambda case, params, mode: {"teds": ccocr.table_similarity(case["pred"], case["gold"])},
    "cer_wer": lambda case, params, mode: text.error_rates(case["reference"], case["hypothesis"]),
    "cer_wer_corpus": lambda case, params, mode: text.corpus_error_rates(case["references"], case["hypotheses"]),
    "coco.iou": lambda case, params, mode: {"iou": detection.iou(case["dt"], case["gt"], bool(case["iscrowd"]))},
    "coco.map": _coco_map,
    "donut.f1": lambda case, params, mode: {"f1": donut.field_f1(case["pred"], case["gold"], mode)},
    "donut.nted_acc": lambda case, params, mode: {"acc": donut.nted_accuracy(case["pred"], case["gold"], mode)},
    "formgym.checkbox": _form_field("BaseCheckboxField"),
    "formgym.concat": lambda case, params, mode: {"text": formgym.join(_marks(case))},
    "formgym.date": _form_field("BaseDateField"),
    "formgym.document_accuracy": _document_accuracy,
    "formgym.duration": _form_field("BaseDurationField"),
    "formgym.inside": _inside,
    "formgym.name": _form_field("BaseNameField"),
    "formgym.numeric": _form_field("BaseNumericField"),
    "formgym.signature": _form_field("SignOrInitial"),
    "formgym.string": _form_field("BaseStringField"),
    "mosaicdoc.anlsl": lambda case, params, mode: {"anlsl": mosaicdoc.anlsl(case["gold"], case["pred"])},
    "mosaicdoc.crr_ocrr": _crr_ocrr,
    "mosaicdoc.grounding": lambda case, params, mode: asdict(mosaicdoc.grounding(case["gold"], case["pred"])),
    "mosaicdoc.layout_bleu": _layout_bleu,
    "mosaicdoc.reading_order": lambda case, params, mode: asdict(reading_order.pair_score(case["gold"], case["pred"])),
    "mosaicdoc.reading_order_micro": _micro,
    "omnidocbench.clean_string": lambda case, params, mode: omnidocbench.clean_string(case["text"]),
    "omnidocbench.edit_dist": _omni_edit,
    "omnidocbench.normalized_html_table": lambda case, params, mode: omnidocbench.normalize_table(case["html"]),
    "omnidocbench.order_quick_match": _quick_match,
    "omnidocbench.order_simple_match": _simple_match,
    "omnidocbench.reading_order": _omni_order,
    "palmleaf.em": lambda case, params, mode: {"em": palmleaf.exact_match(case["pred"], case["gold"])},
    "palmleaf.label_set": _label_set,
    "palmleaf.w1": lambda case, params, mode: asdict(palmleaf.within_one(case["pred"], case["gold"])),
    "teds": _teds,
    "unikie.faithfulness": lambda case, params, mode: {"rate": unikie.faithfulness(case["values"], case["ocr_text"])},
    "unikie.field_f1": lambda case, params, mode: asdict(unikie.field_f1(case["pred"], case["gold"], mode)),
    "unikie.load_predictions": lambda case, params, mode: unikie.load_predictions(case["lines"]),
    "unikie.normalize": lambda case, params, mode: unikie.normalize(case["text"], mode),
    "unikie.parse_response": _parse_unikie,
}
