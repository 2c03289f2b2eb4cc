"""BaFCo document layout analysis: matching of boxes, precision, recall, F1, mAP and mean IoU over 26 or 5 classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

import numpy as np

from synth.metrics import Mode
from synth.metrics.bafco import Pages
from synth.metrics.detection import Found, Truth, greedy_match, ious, mean_average_precision

Granularity = Literal["high", "low"]
LabelSet = Literal["full", "reduced"]

COARSE: dict[str, tuple[str, ...]] = {
    "headings": ("header", "title of form", "footer", "section title"),
    "table": ("table",),
    "image": ("figure/diagram/logo",),
    "fields": (
        "form key", "form value", "inline key", "inline value", "signature key", "signature val", "tick mark",
        "checkbox", "photo field",
    ),
    "others": ("text block", "page num", "gibberish, mark for removal", "others"),
}  # fmt: skip
TABLE_PARTS: tuple[str, ...] = (
    "table caption", "table section title", "table index", "table col pkey", "table col value", "table row pkey",
    "table row value",
)  # fmt: skip
"""Parts of tables. Table 3 of the paper puts them in the coarse class "table"; the released code drops them."""
FINE = tuple(label for labels in COARSE.values() for label in labels) + TABLE_PARTS
_OF_FINE: dict[str, str] = {fine: coarse for coarse, labels in COARSE.items() for fine in labels} | dict.fromkeys(
    TABLE_PARTS, "table"
)


@dataclass(frozen=True)
class ClassScore:
    """Counts and scores of one class. `ap` is None without a gold box; `precision`, `recall` are None for 0/0."""

    tp: int
    fp: int
    n_gt: int
    ap: float | None
    precision: float | None
    recall: float | None
    f1: float
    mean_iou: float
    mean_iou_over_threshold: float


@dataclass(frozen=True)
class LayoutScore:
    """Means over classes (`map`, `macro_f1`), mean IoU of all and of matched boxes, and the classes that occur."""

    map: float
    macro_f1: float
    overall_avg_iou: float
    thresholded_avg_iou: float
    per_class: dict[str, ClassScore]


@dataclass(frozen=True)
class _Box:
    page: tuple[Any, int]
    label: str
    box: tuple[float, ...]
    confidence: float


def iou(one: Sequence[float], two: Sequence[float]) -> float:
    """Intersection over union of (x, y, width, height) boxes; 0.0 for an empty union."""
    ax, ay, aw, ah = one
    bx, by, bw, bh = two
    width, height = min(ax + aw, bx + bw) - max(ax, bx), min(ay + ah, by + bh) - max(ay, by)
    inter = max(0.0, width) * max(0.0, height)
    union = aw * ah + bw * bh - inter
    return inter / union if union > 0 else 0.0


def _boxes(forms: Sequence[tuple[Any, Pages]]) -> list[_Box]:
    found = []
    for form, pages in forms:
        for page, items in enumerate(pages):
            for label, box, *rest in items:
                name = str(label).strip().lower()
                found.append(_Box((form, page), name, tuple(map(float, box)), float(rest[0]) if rest else 0.0))
    return found


def average_precision(
    tp: Sequence[int], fp: Sequence[int], n_gt: int
) -> tuple[float | None, float | None, float | None]:
    """(AP over 101 recall points, last precision, last recall) of boxes sorted by confidence, in float32 as released.

    No gold box gives three None, no predicted box three zeros.
    """
    if n_gt == 0:
        return None, None, None
    if not len(tp):
        return 0.0, 0.0, 0.0
    hits, misses = (np.cumsum(np.asarray(row, dtype=np.float32)) for row in (tp, fp))
    precision = hits / np.maximum(hits + misses, np.float32(1e-12))
    recall = hits / np.float32(n_gt)
    best_from = np.append(np.maximum.accumulate(precision[::-1])[::-1], np.float32(0))
    points = np.linspace(0.0, 1.0, 101, dtype=np.float32)
    sampled = best_from[np.searchsorted(recall, points, side="left")]
    return float(np.mean(sampled)), float(precision[-1]), float(recall[-1])


def layout_score(
    gold: Sequence[tuple[Any, Pages]],
    pred: Sequence[tuple[Any, Pages]],
    iou_threshold: float,
    granularity: Granularity = "high",
    label_set: LabelSet = "full",
    mode: Mode = "compat",
) -> LayoutScore:
    """Scores of the boxes of forms, matched greedily by confidence page by page within a class.

    `granularity` high scores the 26 classes, low the 5; `label_set` says which labels the predictions carry (5 labels
    scored as 26 raise ValueError). Source: section 4.1, "DLA Evaluation Metrics", Table 4, and utils.py.

    `compat` as released: F1 averaged over all classes of the set also when absent, mean IoU averaged over classes and
    without predictions where the page has no gold box of the class, parts of tables dropped from the coarse classes.
    `strict`: F1 over the classes that occur, mAP by pycocotools, both mean IoUs over boxes, table parts under "table".
    """
    if granularity == "high" and label_set == "reduced":
        raise ValueError("predictions with the 5 coarse labels cannot be scored on the 26")
    truth, found = _boxes(gold), sorted(_boxes(pred), key=lambda item: -item.confidence)
    coarse: dict[str, str] = dict(_OF_FINE)
    if mode == "compat":
        coarse = {fine: name for fine, name in coarse.items() if fine not in TABLE_PARTS}
        truth, found = _as_released(truth, found, granularity, label_set)
    if granularity == "low":
        truth = [_relabel(item, coarse) for item in truth if item.label in coarse]
        known: dict[str, str] = coarse if label_set == "full" else {name: name for name in COARSE}
        found = [_relabel(item, known) for item in found if item.label in known]
    classes = FINE if granularity == "high" else tuple(COARSE)
    return _compat(truth, found, classes, iou_threshold) if mode == "compat" else _strict(truth, found, iou_threshold)


def _as_released(
    truth: list[_Box], found: list[_Box], granularity: Granularity, label_set: LabelSet
) -> tuple[list[_Box], list[_Box]]:
    """The order in which the released code meets boxes of the coarse classes; it decides between equals.

    Gold boxes of a page come label by label, boxes of equal confidence in the order of the fine labels.
    """
    if granularity == "high":
        return truth, found
    met: dict[tuple[Any, str], int] = {}
    for item in truth:
        met.setdefault((item.page, item.label), len(met))
    truth = sorted(truth, key=lambda item: met[item.page, item.label])
    if label_set == "full":
        rank = {label: at for at, label in enumerate(FINE)}
        found = sorted(found, key=lambda item: (-item.confidence, rank.get(item.label, len(rank))))
    return truth, found


def _relabel(item: _Box, names: dict[str, str]) -> _Box:
    return _Box(item.page, names[item.label], item.box, item.confidence)


def _compat(truth: list[_Box], found: list[_Box], classes: Sequence[str], threshold: float) -> LayoutScore:
    per_class: dict[str, ClassScore] = {}
    f1_scores, precisions, overall, over = [], [], [], []
    for name in classes:
        golds = [item for item in truth if item.label == name]
        preds = [item for item in found if item.label == name]
        on_page: dict[Any, list[_Box]] = {}
        for item in golds:
            on_page.setdefault(item.page, []).append(item)
        free = {page: [True] * len(items) for page, items in on_page.items()}
        tp, best_of, matched = [0] * len(preds), [], []
        for at, item in enumerate(preds):
            here = on_page.get(item.page)
            if not here:
                continue
            values = [iou(item.box, other.box) if free[item.page][k] else 0.0 for k, other in enumerate(here)]
            best = max(range(len(here)), key=values.__getitem__)
            best_of.append(values[best])
            if values[best] > 0.0 and values[best] >= threshold:
                tp[at], free[item.page][best] = 1, False
                matched.append(values[best])
        ap, precision, recall = average_precision(tp, [1 - hit for hit in tp], len(golds))
        f1 = 2 * precision * recall / (precision + recall) if precision and recall else 0.0
        f1_scores.append(f1)
        mean_iou, mean_over = _mean(best_of), _mean(matched)
        if golds:
            overall.append(mean_iou)
            precisions.append(ap or 0.0)
        if matched:
            over.append(mean_over)
        if golds or preds:
            hits = sum(tp)
            score = ClassScore(hits, len(preds) - hits, len(golds), ap, precision, recall, f1, mean_iou, mean_over)
            per_class[name] = score
    return LayoutScore(_mean(precisions), _mean(f1_scores), _mean(overall), _mean(over), per_class)


def _strict(truth: list[_Box], found: list[_Box], threshold: float) -> LayoutScore:
    names = sorted({item.label for item in (*truth, *found)})
    gold_rows = [Truth(item.page, item.label, item.box) for item in truth]
    pred_rows = [Found(item.page, item.label, item.box, item.confidence) for item in found]
    boxes = max(1, len(found))
    precision = mean_average_precision(gold_rows, pred_rows, names, (threshold,), boxes) if names else None
    per_class: dict[str, ClassScore] = {}
    all_ious, all_matched = [], []
    for name in names:
        golds, preds = ([item for item in side if item.label == name] for side in (truth, found))
        best_of, matched = [], []
        for page in dict.fromkeys(item.page for item in (*golds, *preds)):
            here, there = ([item.box for item in side if item.page == page] for side in (preds, golds))
            overlaps = ious(here, there)
            taken = greedy_match(overlaps, threshold)
            matched += [float(overlaps[row, at]) for row, at in enumerate(taken) if at >= 0]
            rest = [at for at in range(overlaps.shape[1]) if at not in taken]
            best_of += [
                float(overlaps[row, at]) if at >= 0 else float(overlaps[row, rest].max(initial=0.0))
                for row, at in enumerate(taken)
            ]
        hits = len(matched)
        f1 = 2 * hits / (len(golds) + len(preds))
        per_class[name] = ClassScore(
            hits, len(preds) - hits, len(golds), precision.per_class[name] if precision else None,
            hits / len(preds) if preds else None, hits / len(golds) if golds else None, f1,
            _mean(best_of), _mean(matched),
        )  # fmt: skip
        all_ious += best_of
        all_matched += matched
    aps = [score.ap for score in per_class.values() if score.ap is not None]
    f1_scores = [score.f1 for score in per_class.values()]
    return LayoutScore(_mean(aps), _mean(f1_scores), _mean(all_ious), _mean(all_matched), per_class)


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0
