"""BaFCo key information extraction: the scores of a value, of a set of values, and the reading of replies."""

from __future__ import annotations

import json
import math
import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from statistics import fmean
from typing import Any

from rapidfuzz.distance import Levenshtein

from synth.metrics import Mode
from synth.metrics.bleu import text_bleu
from synth.metrics.text import similarity

_BETWEEN = re.compile(r"[, \n\r\t]*")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class ValueScore:
    """All KIE scores of one value, each 0 to 1. `cdm_*`: characters kept; `token_*`: multiset of lower-case words."""

    em: float
    nes: float
    cdm_precision: float
    cdm_recall: float
    cdm_f1: float
    token_precision: float
    token_recall: float
    token_f1: float
    bleu: float


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def _rates(hits: int, pred: int, gold: int) -> tuple[float, float, float]:
    """Precision, recall, F1; nothing against nothing is perfect, nothing against something is 0."""
    if not pred or not gold:
        return (1.0, 1.0, 1.0) if pred == gold else (0.0, 0.0, 0.0)
    precision, recall = hits / pred, hits / gold
    return precision, recall, _f1(precision, recall)


def _tokens(text: str) -> list[str]:
    return text.lower().translate(_NO_PUNCTUATION).split()


def value_score(pred: str, gold: str, with_bleu: bool = True) -> ValueScore:
    """Scores of one predicted value. TypeError for null. Source: section 4.1, "KIE Evaluation Metrics", and kie_utils.

    BLEU takes as long as all others together; without it `bleu` is NaN.

    EM and the character metric fold blanks, NES and BLEU read the raw text: a blank against an empty text is an exact
    match with NES 0. Only ASCII punctuation is dropped from tokens.
    """
    one, two = (re.sub(r"\s+", " ", text.strip()) if len(text) else "" for text in (pred, gold))
    kept = max(len(two) - Levenshtein.distance(one, two), 0)
    words, wanted = _tokens(one), _tokens(two)
    common = (Counter(words) & Counter(wanted)).total()
    return ValueScore(
        float(one == two),
        similarity(pred, gold),
        *_rates(kept, len(one), len(two)),
        *_rates(common, len(words), len(wanted)),
        text_bleu(pred, gold) if with_bleu else math.nan,
    )


@dataclass(frozen=True)
class SetScore:
    """Means of the `ValueScore`s over `total` pairs; precision and recall are those of characters."""

    em_score: float
    nes_score: float
    precision: float
    recall: float
    cdm_score: float
    bleu_score: float
    token_precision: float
    token_recall: float
    token_f1: float
    total: int


def set_score(preds: Sequence[str | None], golds: Sequence[str], mode: Mode = "compat") -> SetScore | None:
    """Mean scores of the values of a set, paired by position.

    `compat` pairs as far as both lists go, so a missing answer costs nothing; no pair raises ValueError, null
    TypeError.
    `strict`: a missing or null answer is an empty one, a surplus answer stands against an empty gold value; None for
    two empty lists.
    """
    if mode == "strict":
        pairs = [(pred or "", gold or "") for pred, gold in zip_longest(preds, golds)]
        if not pairs:
            return None
    else:
        pairs = list(zip(preds, golds, strict=False))
        if not pairs:
            raise ValueError("no pair of values")
    rows = []
    for pred, gold in pairs:
        if pred is None or gold is None:
            raise TypeError("a value is null")
        rows.append(asdict(value_score(pred, gold)))
    mean = {name: fmean(row[name] for row in rows) for name in rows[0]}
    characters = mean["cdm_precision"], mean["cdm_recall"], mean["cdm_f1"]
    tokens = mean["token_precision"], mean["token_recall"], mean["token_f1"]
    return SetScore(mean["em"], mean["nes"], *characters, mean["bleu"], *tokens, len(rows))


def parse_reply(text: str | None) -> Any:
    """JSON out of a reply: a fenced block, or from the first brace on; [] when that fails, None for an empty reply.

    Objects that follow each other are read as a list, but one stray character after them loses all. Source: utils.py.
    """
    if not text:
        return None
    fenced = re.search(r"```(?:json)?\s*(.*?)\s*```", text, re.DOTALL | re.IGNORECASE)
    body = (fenced.group(1) if fenced else text).strip()
    if not body.startswith(("{", "[")):
        starts = [at for at in (body.find("{"), body.find("[")) if at >= 0]
        body = body[starts[0] :] if starts else body
    try:
        return json.loads(body)
    except json.JSONDecodeError:
        return _run_of_values(body.lstrip("[").rstrip("]").strip())


def _run_of_values(text: str) -> list[Any]:
    decoder, found, at = json.JSONDecoder(), [], 0
    while True:
        at += len(_BETWEEN.match(text, at)[0])  # pyright: ignore[reportOptionalSubscript]
        if at >= len(text):
            return found
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return []
        found.append(value)


Pages = Sequence[Sequence[Sequence[Any]]]
"""The boxes of a form: pages of [label, (x, y, width, height), confidence?]."""


def rescale(
    pred: Sequence[tuple[Any, Pages]], sizes: Mapping[Any, tuple[float, float]], limit: float = 10.0
) -> list[list[list[list[float]]]]:
    """Boxes stretched so that each form's farthest right and lower edges, over all its pages, meet the picture's.

    What the released code does before it scores boxes (only there: `strict` scoring takes boxes as they are). Forms
    without a size, without extent or that would grow more than `limit` times stay. `sizes` are (width, height).
    """
    result = []
    for form, pages in pred:
        boxes = [[list(item[1]) for item in page] for page in pages]
        flat = [box for page in boxes for box in page]
        right = max((x + w for x, _, w, _ in flat), default=0.0)
        lower = max((y + h for _, y, _, h in flat), default=0.0)
        if form in sizes and right > 0 and lower > 0:
            width, height = sizes[form]
            sx, sy = width / right, height / lower
            if sx <= limit and sy <= limit:
                boxes = [[[x * sx, y * sy, w * sx, h * sy] for x, y, w, h in page] for page in boxes]
        result.append(boxes)
    return result
