"""Donut's scores of nested answers: field F1 and tree accuracy."""

from __future__ import annotations

from typing import Any

from synth.metrics import Mode
from synth.metrics.trees import canonical, count_fields, flatten, tree_accuracy


def field_f1(pred: Any, gold: Any, mode: Mode = "compat") -> float | None:
    """F1 over (path, value) fields, empty values dropped. Source: Donut, section 3.1, and its JSONParseEvaluator.

    With no field on either side `compat` raises ZeroDivisionError as the code does, `strict` gives None (undefined).
    """
    counts = count_fields([(flatten(canonical(pred, True)), flatten(canonical(gold, True)))])
    score = counts.f1(0.0)
    if score is None and mode == "compat":
        raise ZeroDivisionError("no field on either side")
    return score


def nted_accuracy(pred: Any, gold: Any, mode: Mode = "compat") -> float | None:
    """`max(0, 1 - nTED)`; lists keep their order. An empty gold gives 0 in `compat` (0/0 there), None in `strict`."""
    score = tree_accuracy(canonical(pred, True), canonical(gold, True))
    return 0.0 if score is None and mode == "compat" else score
