"""Boxes: IoU, one-to-one matching and COCO mAP, by pycocotools. Boxes are (x, y, width, height)."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pycocotools import mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

Box = Sequence[float]
COCO_THRESHOLDS = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))


@dataclass(frozen=True)
class Truth:
    """A gold box of a class on a picture. A crowd may be matched any number of times and is not missed."""

    image: Any
    category: Any
    box: Box
    crowd: bool = False


@dataclass(frozen=True)
class Found:
    """A predicted box of a class on a picture with its confidence."""

    image: Any
    category: Any
    box: Box
    score: float


@dataclass(frozen=True)
class MeanPrecision:
    """COCO's averages; None where there is no gold box to find (COCO's -1)."""

    map: float | None
    per_threshold: dict[float, float | None]
    per_class: dict[Any, float | None]
    recall: float | None


def iou(one: Box, two: Box, crowd: bool = False) -> float:
    """Intersection over union; over the area of `one` when `two` is a crowd. 0.0 when they do not touch."""
    return float(ious([one], [two], [crowd])[0, 0])


def ious(found: Sequence[Box], truth: Sequence[Box], crowd: Sequence[bool] | None = None) -> np.ndarray:
    """IoU of every found with every gold box, shape (found, gold), float64."""
    if not len(found) or not len(truth):
        return np.zeros((len(found), len(truth)))
    flags = [int(flag) for flag in crowd] if crowd is not None else [0] * len(truth)
    one: Any = np.asarray(found, dtype=np.float64).reshape(-1, 4)
    two: Any = np.asarray(truth, dtype=np.float64).reshape(-1, 4)
    return np.asarray(mask.iou(one, two, flags), dtype=np.float64)


def greedy_match(overlaps: np.ndarray, threshold: float) -> list[int]:
    """For each found box in order the free gold box it overlaps most (of equals the last, as COCO), or -1 below it."""
    free = np.ones(overlaps.shape[1], dtype=bool)
    taken = []
    for row in overlaps:
        open_row = np.where(free, row, -1.0)
        best = int(len(open_row) - 1 - np.argmax(open_row[::-1])) if len(open_row) else -1
        hit = best >= 0 and open_row[best] >= min(threshold, 1 - 1e-10)
        if hit:
            free[best] = False
        taken.append(best if hit else -1)
    return taken


def mean_average_precision(
    truth: Sequence[Truth],
    found: Sequence[Found],
    categories: Sequence[Any],
    thresholds: Sequence[float] = COCO_THRESHOLDS,
    max_detections: int = 100,
) -> MeanPrecision:
    """COCO mAP and mAR over `categories`, all areas, at most `max_detections` boxes a picture and class.

    Boxes of other classes are left out; equal scores rank by picture id, then as given.
    Source: Lin et al. 2014 and pycocotools.
    """
    numbers = {name: number for number, name in enumerate(dict.fromkeys(categories), 1)}
    images = {name: number for number, name in enumerate(_in_order({row.image for row in (*truth, *found)}), 1)}
    gold = [_row(row, images, numbers) | {"iscrowd": int(row.crowd)} for row in truth if row.category in numbers]
    hits = [_row(row, images, numbers) | {"score": row.score} for row in found if row.category in numbers]
    evaluation = COCOeval(_index(gold, images, numbers), _index(hits, images, numbers), "bbox")
    evaluation.params.iouThrs = np.asarray(thresholds, dtype=np.float64)
    evaluation.params.maxDets = [max_detections]
    evaluation.params.areaRng, evaluation.params.areaRngLbl = [[0.0, 1e10]], ["all"]
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation.evaluate()
        evaluation.accumulate()
    precision = evaluation.eval["precision"][:, :, :, 0, 0]  # thresholds, recalls, classes
    return MeanPrecision(
        _mean(precision),
        {float(value): _mean(precision[at]) for at, value in enumerate(thresholds)},
        {name: _mean(precision[:, :, at]) for at, name in enumerate(numbers)},
        _mean(evaluation.eval["recall"][:, :, 0, 0]),
    )


def _in_order(names: set[Any]) -> list[Any]:
    """Pictures by id, for boxes of equal score on different pictures rank in this order."""
    try:
        return sorted(names)
    except TypeError:
        return sorted(names, key=repr)


def _row(row: Truth | Found, images: dict[Any, int], numbers: dict[Any, int]) -> dict[str, Any]:
    x, y, width, height = map(float, row.box)
    box = {"bbox": [x, y, width, height], "area": width * height, "iscrowd": 0}
    return {"image_id": images[row.image], "category_id": numbers[row.category]} | box


def _index(rows: list[dict[str, Any]], images: dict[Any, int], numbers: dict[Any, int]) -> COCO:
    """A COCO index without its messages. Ids start at 1, for pycocotools takes id 0 for "no match"."""
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        dataset: Any = {
            "images": [{"id": number} for number in images.values()],
            "categories": [{"id": number} for number in numbers.values()],
            "annotations": [row | {"id": number} for number, row in enumerate(rows, 1)],
        }
        coco.dataset = dataset
        coco.createIndex()
    return coco


def _mean(values: np.ndarray) -> float | None:
    """Mean of what COCO computed; -1 stands for "no gold box"."""
    known = values[values > -1]
    return float(known.mean()) if known.size else None
