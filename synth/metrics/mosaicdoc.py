"""MosaicDoc: list similarity of answers, recognition rates, text grounding and layout BLEU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein
from scipy.optimize import linear_sum_assignment

from synth.metrics.bleu import element_bleu
from synth.metrics.detection import Box, greedy_match, ious


def edits(gold: str, pred: str) -> int:
    """The paper's bent edit distance. Source: appendix E.2, eq. for LD, its cases in its order.

    An answer over three times as long as the truth costs the truth's length, one that contains the truth nothing, an
    empty one the truth's length, any other Levenshtein.
    """
    if len(pred) > 3 * len(gold):
        return len(gold)
    if gold in pred:
        return 0
    return len(gold) if not pred else Levenshtein.distance(gold, pred)


def similarity(gold: str, pred: str) -> float:
    """NLS, `1 - edits / longer length`, 0 to 1; two empty texts are equal. No threshold, no folding of case.

    Odd by the formula: since the cost of an answer that is far too long is the short truth's length, it scores above
    2/3 even when it is wrong. Source: appendix E.2.
    """
    longer = max(len(gold), len(pred))
    return 1.0 - edits(gold, pred) / longer if longer else 1.0


def anlsl(gold: Sequence[str], pred: Sequence[str]) -> float:
    """ANLSL: similarity of two lists of answers, matched one to one as well as possible, over the longer list.

    An empty list on either side scores 0. Source: appendix E.2, eqs. for the matching and ANLSL.
    """
    if not gold or not pred:
        return 0.0
    if len(gold) == len(pred) == 1:
        return similarity(gold[0], pred[0])
    scores = np.array([[similarity(one, two) for two in pred] for one in gold])
    rows, columns = linear_sum_assignment(scores, maximize=True)
    return float(scores[rows, columns].sum()) / max(len(gold), len(pred))


def spatial_recognition(gold: Sequence[str], pred: Sequence[str]) -> float:
    """Score of text read from given places: the list similarity of the lines. Source: appendix F.2, table 10."""
    return anlsl(gold, pred)


def recognition_rates(gold: str, pred: str) -> tuple[float | None, float | None]:
    """(CRR, OCRR): characters matched one to one and equal, over the gold and over the predicted length.

    The matching is free of order, so the matched characters are the common multiset: any shuffling of the text is
    perfect. None for an empty text on that side (0/0). Source: appendix E.2, eqs. for CRR and OCRR.
    """
    common = (Counter(gold) & Counter(pred)).total()
    return (common / len(gold) if gold else None), (common / len(pred) if pred else None)


@dataclass(frozen=True)
class Grounding:
    """Boxes found, predicted and wanted, with precision, recall and F1 (0/0 counts 0)."""

    tp: int
    n_pred: int
    n_gold: int
    precision: float
    recall: float
    f1: float


def grounding(gold: Sequence[Box], pred: Sequence[Box], threshold: float = 0.5) -> Grounding:
    """Text grounding of (x, y, width, height) boxes, matched greedily in the order given at IoU >= `threshold`.

    Source: appendix F.2, table 9; the paper does not say the matching rule, this is COCO's.
    """
    tp = sum(at >= 0 for at in greedy_match(ious(pred, gold), threshold))
    return pooled_grounding([(tp, len(pred), len(gold))])


def pooled_grounding(counts: Sequence[tuple[int, int, int]]) -> Grounding:
    """Grounding over many pages from their (found, predicted, wanted) counts."""
    tp, n_pred, n_gold = (sum(row[at] for row in counts) for at in range(3))
    precision, recall = (tp / n if n else 0.0 for n in (n_pred, n_gold))
    f1 = 2 * precision * recall / (precision + recall) if tp else 0.0
    return Grounding(tp, n_pred, n_gold, precision, recall, f1)


def layout_bleu(reference: Sequence[Any], naive: Sequence[Any], smoothing: str | None = None) -> dict[str, float]:
    """BLEU-2 to BLEU-4 of the naive order (left to right, top to bottom) against the reading order of a page's lines.

    Low means a complex layout; an order longer than the page has no hit. Source: appendix D.2.
    """
    one, two = ([str(item) for item in side] for side in (reference, naive))
    return {f"bleu{order}": element_bleu(one, two, order, smoothing) for order in (2, 3, 4)}
