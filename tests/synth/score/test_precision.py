"""Average precision of weighted documents against pycocotools, on boxes with ties, misses and surplus."""

from __future__ import annotations

import random

import numpy as np
import pytest

from synth.metrics.detection import COCO_THRESHOLDS, Found, Truth, mean_average_precision
from synth.score.precision import MAX_BOXES, XYWH, AveragePrecision

NAMES = ("text", "table", "title")


def pages(
    seed: int, documents: int, digits: int = 1
) -> list[tuple[int, str, str, list[XYWH], list[XYWH], list[float]]]:
    """(document, page, class, gold, found, scores)."""
    rng = random.Random(seed)
    made = []
    for document in range(documents):
        for page in range(rng.randint(1, 2)):
            for name in NAMES:
                gold: list[XYWH] = [
                    (rng.randint(0, 300), rng.randint(0, 300), rng.randint(20, 90), rng.randint(20, 90))
                    for _ in range(rng.randint(0, 4))
                ]
                near: list[XYWH] = [
                    (x + rng.randint(-12, 12), y + rng.randint(-12, 12), w + rng.randint(-9, 9), h + rng.randint(-9, 9))
                    for x, y, w, h in gold
                    if rng.random() < 0.8
                ]
                found = [*near, *((rng.randint(0, 300), 5, 40, 40) for _ in range(rng.randint(0, 2)))]
                scores = [round(rng.random(), digits) for _ in found]
                made.append((document, f"d{document:03d}-p{page}", name, gold, found, scores))
    return made


def coco(
    rows: list[tuple[int, str, str, list[XYWH], list[XYWH], list[float]]],
) -> tuple[dict[float, float | None], float]:
    truth = [Truth(page, name, box) for _, page, name, gold, _, _ in rows for box in gold]
    found = [
        Found(page, name, box, score)
        for _, page, name, _, boxes, scores in rows
        for box, score in zip(boxes, scores, strict=True)
    ]
    low = mean_average_precision(truth, found, NAMES, (0.3, 0.5)).per_threshold
    whole = mean_average_precision(truth, found, NAMES, COCO_THRESHOLDS).map
    assert whole is not None
    return low, whole


def collected(rows: list[tuple[int, str, str, list[XYWH], list[XYWH], list[float]]]) -> AveragePrecision:
    made = AveragePrecision()
    for row in rows:
        made.add(*row)
    return made


@pytest.mark.parametrize("seed", range(6))
def test_it_is_pycocotools(seed: int) -> None:
    rows = pages(seed, 8)
    low, whole = coco(rows)
    means = collected(rows).means(np.ones((1, 8)))
    assert means["map"][0] == pytest.approx(whole, abs=1e-9)
    assert means["map_30"][0] == pytest.approx(low[0.3], abs=1e-9)
    assert means["map_50"][0] == pytest.approx(low[0.5], abs=1e-9)


def test_a_document_that_counts_twice_is_a_document_that_is_there_twice() -> None:
    rows = pages(3, 6, digits=9)  # no two boxes alike in score, for these rank by page
    twice = [*rows, *((document, f"{page}x", *rest) for document, page, *rest in rows if document in (1, 4))]
    without = [row for row in twice if row[0] != 2]
    weights = np.array([[1.0, 2, 0, 1, 2, 1], [1, 1, 1, 1, 1, 1]])
    means = collected(rows).means(weights)
    assert means["map"][0] == pytest.approx(coco(without)[1], abs=1e-9)  # pyright: ignore[reportArgumentType]
    assert means["map"][1] == pytest.approx(coco(rows)[1], abs=1e-9)


def test_a_class_without_a_gold_box_is_left_out_and_none_at_all_is_undefined() -> None:
    made = AveragePrecision()
    made.add(0, "p", "text", [], [(0, 0, 9, 9)], [1.0])
    assert np.isnan(made.means(np.ones((1, 1)))["map"]).all()
    made.add(0, "p", "title", [(0, 0, 9, 9)], [(0, 0, 9, 9)], [1.0])
    assert made.means(np.ones((1, 1)))["map"].tolist() == [1.0]
    assert np.isnan(AveragePrecision().means(np.ones((3, 1)))["map"]).all()


def test_only_the_best_hundred_boxes_of_a_page_count() -> None:
    made = AveragePrecision()
    box: XYWH = (0, 0, 9, 9)
    far: XYWH = (500, 500, 9, 9)
    made.add(0, "p", "text", [box], [*[far] * MAX_BOXES, box], [*[0.9] * MAX_BOXES, 0.1])
    assert made.means(np.ones((1, 1)))["map"].tolist() == [0.0]
