"""ANLS*: ANLS over nested lists and dicts, by its authors' own package."""

from __future__ import annotations

from typing import Any

from anls_star import anls_score


def anls_star(gold: Any, pred: Any) -> float:
    """Similarity 0 to 1 of two JSON values. Lists are matched (order free), dicts by key, leaves by ANLS at 0.5.

    A tuple in `gold` means "any of these". ValueError for types outside JSON. Source: Peer et al., arXiv 2402.03848.
    """
    score: Any = anls_score(gold, pred)
    return float(score)
