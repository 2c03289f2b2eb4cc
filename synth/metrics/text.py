"""Distances between strings: normalized edit similarity, ANLS, CER and WER."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

import jiwer
from rapidfuzz.distance import Levenshtein

AnlsVariant = Literal["paper", "package", "rrc"]


def normalized_distance(a: str, b: str) -> float:
    """Levenshtein distance over the longer length; two empty strings are equal (0.0). In code points, unit costs."""
    return Levenshtein.normalized_distance(a, b)


def similarity(a: str, b: str) -> float:
    """Normalized edit similarity (NES), `1 - normalized_distance`. Source: BaFCo, section 4.1 (KIE metrics)."""
    return 1.0 - normalized_distance(a, b)


def over_upper(a: str, b: str, distance: int) -> float:
    """`distance` over the longer of the upper-cased lengths (ß counts 2, as the RRC code does); 0.0 for two empties."""
    length = max(len(a.upper()), len(b.upper()))
    return distance / length if length else 0.0


def fold(text: str) -> str:
    """Lower case, ends trimmed, inner blanks collapsed to one: what every ANLS code does before it compares."""
    return " ".join(text.strip().lower().split())


def anls(pred: str, golds: Sequence[str], threshold: float = 0.5, variant: AnlsVariant = "paper") -> float:
    """Average Normalized Levenshtein Similarity of one answer: the best of `golds`, cut off at `threshold`.

    `paper` (Biten et al. 2019, eq. 1) and `package` (PyPI anls 0.0.2) keep a distance below the threshold;
    `rrc` (the competition's script) keeps a similarity at or above it and divides by the lengths before blanks are
    folded, so trailing blanks help. ValueError when `golds` is empty.
    """
    answer = fold(pred)
    if variant == "rrc":
        distances = [over_upper(gold, pred, Levenshtein.distance(fold(gold), answer)) for gold in golds]
        best = 1.0 - min(distances)
        return best if best >= threshold else 0.0
    kept = []
    for gold in map(fold, golds):
        distance = Levenshtein.distance(answer, gold)
        share = over_upper(answer, gold, distance) if variant == "package" else normalized_distance(answer, gold)
        kept.append(1.0 - share if share < threshold else 0.0)
    return max(kept)


def cer(reference: str | list[str], hypothesis: str | list[str]) -> float:
    """Character error rate, edits over reference characters (can pass 1); lists pool edits and lengths. By jiwer.

    Ends are trimmed. With an empty reference it is the number of inserted characters, as jiwer counts it.
    """
    return float(jiwer.cer(reference, hypothesis))


def wer(reference: str | list[str], hypothesis: str | list[str]) -> float:
    """Word error rate, edits over reference words split at blanks (can pass 1); lists pool. By jiwer, see `cer`."""
    return float(jiwer.wer(reference, hypothesis))


def error_rates(reference: str, hypothesis: str) -> dict[str, float]:
    """CER, WER and the edit distance over the longer raw text (`normalized_cer_max`, within 0 to 1) of one pair."""
    return {
        "cer": cer(reference, hypothesis),
        "wer": wer(reference, hypothesis),
        "normalized_cer_max": normalized_distance(reference, hypothesis),
    }


def corpus_error_rates(references: list[str], hypotheses: list[str]) -> dict[str, float]:
    """Pooled CER and WER of a corpus beside the means over its pairs. ValueError when the numbers of texts differ."""
    pooled = {"cer": cer(references, hypotheses), "wer": wer(references, hypotheses)}
    pairs = list(zip(references, hypotheses, strict=True))
    return pooled | {
        "mean_cer": fmean(cer(ref, hyp) for ref, hyp in pairs),
        "mean_wer": fmean(wer(ref, hyp) for ref, hyp in pairs),
    }
