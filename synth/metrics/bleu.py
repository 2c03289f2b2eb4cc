"""BLEU, in the two codings the papers' tables were made with: nltk's over elements, sacrebleu's over text."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from sacrebleu.metrics.bleu import BLEU

_TEXT_BLEU = BLEU(tokenize="none", smooth_method="exp", effective_order=True)


def element_bleu(
    reference: Sequence[str], hypothesis: Sequence[str], order: int, smoothing: str | None = None
) -> float:
    """BLEU of one sequence of elements with uniform weights up to `order`, by nltk.

    `smoothing` is the name of one of nltk's functions (`method1` ... `method7`) or none; without one, an order with no
    hit costs a factor of about 1e-308 rather than giving exactly 0. ValueError for an unknown name.
    """
    smoother = None
    if smoothing not in (None, "none"):
        smoother = getattr(SmoothingFunction(), str(smoothing), None)
        if smoother is None:
            raise ValueError(f"no smoothing function called {smoothing!r}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nltk warns of every missing order
        weights = (1 / order,) * order
        score: Any = sentence_bleu([list(reference)], list(hypothesis), weights, smoothing_function=smoother)
        return float(score)


def text_bleu(hypothesis: str, reference: str) -> float:
    """sacrebleu's sentence BLEU over blank-separated tokens, 0 to 1 (effective order, exponential smoothing).

    Two empty texts give 1, one empty text 0. Source: BaFCo's released KIE code.
    """
    if not hypothesis and not reference:
        return 1.0
    if not hypothesis or not reference:
        return 0.0
    return float(_TEXT_BLEU.sentence_score(hypothesis, [reference]).score) / 100.0
