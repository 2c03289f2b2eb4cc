"""PalmLeaf-VQA: normalization with aliases, exact match, label sets and line counts."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

_YES_NO = {"true": "yes", "false": "no", "y": "yes", "n": "no", "present": "yes", "absent": "no"}
_INTEGER = re.compile(r"(?<!\w)-\d+|\d+")


def normalize(answer: Any, aliases: Mapping[str, str] | None = None) -> str:
    """An answer as it is compared: folded case, trimmed, blanks collapsed, stops at the end dropped, alias replaced.

    null is the empty answer. Keys of `aliases` are normalized answers. Source: appendix C.1 (the released rules are not
    public: which punctuation is dropped is our reading).
    """
    text = "" if answer is None else " ".join(str(answer).casefold().split()).rstrip(".,;:!?").rstrip()
    return (aliases or {}).get(text, text)


def exact_match(pred: Any, gold: Any, aliases: Mapping[str, str] | None = None) -> int:
    """1 when both are the same after `normalize`, else 0. Source: appendix C.2."""
    return int(normalize(pred, aliases) == normalize(gold, aliases))


def binary(answer: Any) -> str | None:
    """`yes` or `no`, or None for an answer that is neither. Source: appendix C.1."""
    text = normalize(answer, _YES_NO)
    return text if text in ("yes", "no") else None


def labels(answer: Any, aliases: Mapping[str, str] | None = None) -> frozenset[str]:
    """The labels of a multi-label answer (a list, or text with commas or semicolons), normalized, each once."""
    parts = answer if isinstance(answer, list | tuple | set | frozenset) else re.split(r"[,;]", str(answer or ""))
    return frozenset(label for label in (normalize(part, aliases) for part in parts) if label)


@dataclass(frozen=True)
class SetScore:
    """Precision, recall, F1 and Jaccard of label sets, each 0 to 1."""

    precision: float
    recall: float
    f1: float
    jaccard: float


def _scores(common: int, pred: int, gold: int) -> SetScore:
    """0/0 counts as 0."""
    ratios = ((common, pred), (common, gold), (2 * common, pred + gold), (common, pred + gold - common))
    return SetScore(*(above / below if below else 0.0 for above, below in ratios))


def label_set(pred: Collection[Any], gold: Collection[Any]) -> SetScore:
    """Scores of one predicted label set; two empty sets score 0 (nothing is rewarded). Source: appendix C.3."""
    one, two = set(pred), set(gold)
    return _scores(len(one & two), len(one), len(two))


def label_sets(preds: Sequence[Collection[Any]], golds: Sequence[Collection[Any]]) -> tuple[SetScore, SetScore]:
    """(mean of the items' scores, scores of the pooled counts). ValueError for no item or lists of unequal length.

    Labels are compared as they are: normalize first. Source: appendix C.3.
    """
    pairs = [(set(pred), set(gold)) for pred, gold in zip(preds, golds, strict=True)]
    if not pairs:
        raise ValueError("no item to score")
    single = [label_set(*pair) for pair in pairs]
    mean = SetScore(*(fmean(getattr(item, name) for item in single) for name in SetScore.__dataclass_fields__))
    common, pred, gold = (
        sum(len(side) for side in sides) for sides in zip(*((one & two, one, two) for one, two in pairs), strict=True)
    )
    return mean, _scores(common, pred, gold)


@dataclass(frozen=True)
class CountScore:
    """A line count read from an answer (None: no integer in it), whether it is within one, and exact."""

    count: int | None
    w1: int
    exact: int


def within_one(pred: Any, gold: int) -> CountScore:
    """The first integer of the answer against the true count; number words are not read. Source: appendix C.4."""
    found = None if pred is None or isinstance(pred, bool) else _INTEGER.search(str(pred))
    if found is None:
        return CountScore(None, 0, 0)
    count = int(found[0])
    away = abs(count - int(gold))
    return CountScore(count, int(away <= 1), int(away == 0))
