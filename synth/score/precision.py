"""COCO's mean average precision over weighted documents, so that it can be resampled: the numbers of pycocotools.

Boxes are matched once; a resample only changes how often each document counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from synth.metrics.detection import COCO_THRESHOLDS, greedy_match, ious

THRESHOLDS = (0.3, *COCO_THRESHOLDS)
MAX_BOXES = 100  # of a class on a page, the best by score: COCO's limit
_POINTS = np.linspace(0.0, 1.0, 101)
XYWH = tuple[float, float, float, float]


@dataclass
class _Class:
    found: list[tuple[int, str, float, tuple[bool, ...]]] = field(default_factory=list)
    gold: dict[int, int] = field(default_factory=dict)


@dataclass
class AveragePrecision:
    """Collects boxes page by page; documents are numbers."""

    classes: dict[str, _Class] = field(default_factory=dict)

    def add(
        self, document: int, page: str, name: str, gold: list[XYWH], found: list[XYWH], scores: list[float]
    ) -> None:
        """The boxes (x, y, width, height) of one class on one page."""
        row = self.classes.setdefault(name, _Class())
        if gold:
            row.gold[document] = row.gold.get(document, 0) + len(gold)
        order = sorted(range(len(found)), key=lambda at: -scores[at])[:MAX_BOXES]
        if not order:
            return
        overlaps = ious([found[at] for at in order], gold)
        hits = [_hits(overlaps, threshold) for threshold in THRESHOLDS]
        for place, at in enumerate(order):
            row.found.append((document, page, scores[at], tuple(hit[place] for hit in hits)))

    def by_class(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        """AP of each class and threshold, shape (resamples, thresholds), NaN without a gold box.

        `weights` has shape (resamples, documents): how often each document counts.
        """
        return {name: _precision(self.classes[name], weights) for name in sorted(self.classes)}

    def means(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        """`map` (0.50 to 0.95), `map_50` and `map_30`, of shape (resamples,); NaN where no class has a gold box."""
        by_class = list(self.by_class(weights).values())
        if not by_class:
            nothing = np.full(len(weights), np.nan)
            return {"map": nothing, "map_50": nothing, "map_30": nothing}
        stacked = np.stack(by_class)  # classes, resamples, thresholds
        known = ~np.isnan(stacked)
        count = known.sum(axis=0)
        total = np.where(known, stacked, 0.0).sum(axis=0)
        mean = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
        return {"map": mean[:, 1:].mean(axis=1), "map_50": mean[:, 1], "map_30": mean[:, 0]}


def _hits(overlaps: np.ndarray, threshold: float) -> list[bool]:
    return [at >= 0 for at in greedy_match(overlaps, threshold)]


def _precision(row: _Class, weights: np.ndarray) -> np.ndarray:
    gold = np.zeros(len(weights))
    for document, number in row.gold.items():
        gold += weights[:, document] * number
    result = np.full((len(weights), len(THRESHOLDS)), np.nan)
    known = gold > 0
    if not known.any():
        return result
    result[known] = 0.0
    if not row.found:
        return result
    ranked = sorted(row.found, key=lambda item: (-item[2], item[1]))
    drawn = weights[known][:, [item[0] for item in ranked]]
    for at in range(len(THRESHOLDS)):
        hit = np.array([item[3][at] for item in ranked])
        right = np.cumsum(drawn * hit, axis=1)
        seen = np.cumsum(drawn, axis=1)
        precision = right / np.maximum(seen, np.spacing(1))
        best_from = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
        result[known, at] = _sampled(right / gold[known][:, None], best_from)
    return result


def _sampled(recall: np.ndarray, precision: np.ndarray) -> np.ndarray:
    """Mean precision at 101 recall points for each row; 0 where a recall is never reached."""
    rows, columns = recall.shape
    passed = np.searchsorted(_POINTS, recall.ravel(), side="right").reshape(rows, columns)  # points up to each recall
    apart = (len(_POINTS) + 1) * np.arange(rows)[:, None]  # rows one after the other, so that one search serves all
    wanted = np.arange(1, len(_POINTS) + 1)[None, :] + apart
    places = np.searchsorted((passed + apart).ravel(), wanted.ravel(), side="left")
    column = places.reshape(rows, -1) - np.arange(rows)[:, None] * columns
    padded = np.hstack([precision, np.zeros((rows, 1))])
    return np.take_along_axis(padded, np.minimum(column, columns), axis=1).mean(axis=1)
