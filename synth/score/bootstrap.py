"""Confidence intervals over documents, and paired tests of two results on the same documents. All seeded.

Documents are resampled, not fields or pages: what stands on one document is not independent (cluster bootstrap).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from synth.score.metric import Metric, values

RESAMPLES = 1000
LEVEL = 0.95
_CELLS = 2_000_000  # weights held at once


@dataclass(frozen=True)
class Group:
    """Sums of some documents: `documents` are positions (n,), `sums` is (n, columns)."""

    documents: np.ndarray
    sums: np.ndarray


Interval = tuple[float, float] | None


def resampled(documents: int, resamples: int, seed: int) -> Iterator[np.ndarray]:
    """How often each document is drawn, with replacement; `resamples` rows in pieces of shape (some, documents)."""
    rng = np.random.default_rng(seed)
    piece = max(1, min(resamples, _CELLS // max(1, documents)))
    for start in range(0, resamples, piece):
        rows = min(piece, resamples - start)
        drawn = rng.integers(0, documents, (rows, documents)) + np.arange(rows)[:, None] * documents
        yield np.bincount(drawn.ravel(), minlength=rows * documents).reshape(rows, documents).astype(np.float64)


def intervals(
    groups: Sequence[Group],
    documents: int,
    metrics: Sequence[Metric],
    columns: Sequence[str],
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[list[Interval]]:
    """Percentile intervals of every metric for every group; None for a group of fewer than two documents.

    All groups share the draws, so that a group's size varies as it would in another sample of such documents.
    """
    found: list[list[np.ndarray]] = [[] for _ in groups]
    for drawn in resampled(documents, resamples if groups and documents > 1 else 0, seed):
        for at, group in enumerate(groups):
            if len(group.documents) > 1:
                mine = drawn if len(group.documents) == documents else drawn[:, group.documents]
                found[at].append(values(metrics, columns, mine @ group.sums))
    return [[interval(np.concatenate(rows)[:, k]) if rows else None for k in range(len(metrics))] for rows in found]


def interval(drawn: np.ndarray, level: float = LEVEL) -> Interval:
    """The middle `level` of the values, those that are undefined left out; None if all are."""
    known = drawn[~np.isnan(drawn)]
    if not known.size:
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


@dataclass(frozen=True)
class Paired:
    """Difference B - A of one metric, its interval, and the two-sided p-value of a paired permutation test."""

    a: float
    b: float
    difference: float
    interval: Interval
    p: float


def paired(
    a: np.ndarray,
    b: np.ndarray,
    metrics: Sequence[Metric],
    columns: Sequence[str],
    resamples: int = 10_000,
    seed: int = 0,
) -> list[Paired | None]:
    """Compare two systems on the same documents (sums of shape (documents, columns)); None where one is undefined.

    p: share of random exchanges of A's and B's document sums, each document with chance 1/2, whose difference is at
    least as large as the one found, counting that one (approximate randomization: Noreen 1989; never 0). The interval
    is a paired bootstrap: the same documents are drawn for both.
    """
    whole = [values(metrics, columns, side.sum(axis=0)) for side in (a, b)]
    observed = whole[1] - whole[0]
    drawn = [
        values(metrics, columns, w @ b) - values(metrics, columns, w @ a) for w in resampled(len(a), resamples, seed)
    ]
    spread = np.concatenate(drawn) if drawn else np.empty((0, len(metrics)))
    rng = np.random.default_rng(seed + 1)
    total, gap = a + b, (b - a) / 2
    as_large = np.zeros(len(metrics))
    piece = max(1, min(resamples, _CELLS // max(1, len(a))))
    for start in range(0, resamples, piece):
        signs = rng.integers(0, 2, (min(piece, resamples - start), len(a))) * 2.0 - 1.0
        half = signs @ gap
        one, two = (values(metrics, columns, total.sum(axis=0) / 2 + side * half) for side in (-1, 1))
        as_large += (np.abs(two - one) >= np.abs(observed) - 1e-12).sum(axis=0)
    return [
        None
        if np.isnan(observed[k])
        else Paired(
            float(whole[0][k]),
            float(whole[1][k]),
            float(observed[k]),
            interval(spread[:, k]) if len(a) > 1 else None,
            float((as_large[k] + 1) / (resamples + 1)),
        )
        for k in range(len(metrics))
    ]
