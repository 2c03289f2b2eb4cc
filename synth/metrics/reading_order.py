"""Reading order: pairs of neighbours (MosaicDoc, ROOR) and the edit distance of positions (OmniDocBench)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rapidfuzz.distance import Levenshtein

Pair = tuple[Hashable, Hashable]


@dataclass(frozen=True)
class OrderScore:
    """Precision, recall and F1 of predicted successor pairs; None where there is no pair to judge."""

    precision: float | None
    recall: float | None
    f1: float | None
    n_gold: int
    n_pred: int
    n_common: int


def successors(chains: Iterable[Sequence[Hashable]]) -> set[Pair]:
    """Every (element, next element) of the chains, each once. Elements are line or paragraph ids."""
    pairs: set[Pair] = set()
    for chain in chains:
        pairs.update(pairwise(chain))
    return pairs


def pair_score(gold: Iterable[Sequence[Hashable]], pred: Iterable[Sequence[Hashable]]) -> OrderScore:
    """Scores of a page's chains by their successor pairs. Source: MosaicDoc, section "Reading Order Prediction".

    Precision is None without a predicted pair, recall without a gold pair, F1 when either is; no order between chains
    is asked for, so joining two articles costs one wrong pair.
    """
    wanted, found = successors(gold), successors(pred)
    common = len(wanted & found)
    precision = common / len(found) if found else None
    recall = common / len(wanted) if wanted else None
    f1 = None
    if precision is not None and recall is not None:
        f1 = 2 * precision * recall / (precision + recall) if common else 0.0
    return OrderScore(precision, recall, f1, len(wanted), len(found), common)


def micro(n_common: int, n_pred: int, n_gold: int) -> tuple[float, float, float]:
    """(precision, recall, F1) from counts pooled over pages (micro F1); all 0 when one side has no pair.

    Source: MosaicDoc, table 5, and ROOR's re_metric.py.
    """
    if not n_pred or not n_gold:
        return 0.0, 0.0, 0.0
    precision, recall = n_common / n_pred, n_common / n_gold
    return precision, recall, 2 * precision * recall / (precision + recall) if n_common else 0.0


@dataclass(frozen=True)
class Matched:
    """Gold positions that a predicted block was matched with, and its own position; "" on a side without a block."""

    gold: Sequence[Any]
    pred: Any


@dataclass(frozen=True)
class OrderDistance:
    """Gold positions in order, the same in the order of the prediction, and their edit distance over the longer."""

    gt: list[Any]
    pred: list[Any]
    edit: float


def position_distance(matches: Sequence[Matched]) -> OrderDistance | None:
    """OmniDocBench's reading-order distance of a page, 0 to 1; None for a page without a gold block.

    Unmatched predictions are ignored, unmatched gold blocks are deletions; positions 0 and "" are dropped.
    Source: Ouyang et al., arXiv 2412.07626, section 4, and get_order_paired in its code.
    """
    real = [match for match in matches if list(match.gold) != [""]]
    gold = sorted(at for match in real for at in match.gold if at)
    placed = sorted((match for match in real if match.pred != ""), key=lambda match: match.pred)
    pred = [at for match in placed for at in match.gold if at]
    if not gold and not pred:
        return None
    return OrderDistance(gold, pred, Levenshtein.distance(gold, pred) / max(len(gold), len(pred)))
