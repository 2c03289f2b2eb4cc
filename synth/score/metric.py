"""A metric as a ratio of two weighted sums over scored units, so that any set of documents can be scored from sums.

F1 is `tp / (tp + wrong / 2)`, a mean is a sum over a count, an error rate is edits over length: all are such ratios.
What is summed over documents can be resampled by documents with one matrix product.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True)
class Metric:
    """`sum(top) / (sum(bottom) + epsilon)`, weights by column; undefined where that is 0/0.

    `best` is the value of a perfect prediction; `better` says on which side of another value it lies.
    """

    name: str
    top: Mapping[str, float]
    bottom: Mapping[str, float]
    epsilon: float = 0.0
    better: Literal["higher", "lower"] = "higher"


def mean_of(name: str, column: str, count: str, better: Literal["higher", "lower"] = "higher") -> Metric:
    """A mean: one column over a column of counts."""
    return Metric(name, {column: 1.0}, {count: 1.0}, better=better)


def f1_of(name: str, hits: str, found: str, wanted: str) -> Metric:
    """F1 of pooled counts: 2 hits / (found + wanted)."""
    return Metric(name, {hits: 2.0}, {found: 1.0, wanted: 1.0})


def weights(metrics: Sequence[Metric], columns: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(top, bottom, epsilon) of metrics as arrays of shape (columns, metrics), (columns, metrics), (metrics,)."""
    top, bottom = (
        np.array([[getattr(m, side).get(column, 0.0) for m in metrics] for column in columns]).reshape(
            len(columns), len(metrics)
        )
        for side in ("top", "bottom")
    )
    return top, bottom, np.array([m.epsilon for m in metrics])


def values(metrics: Sequence[Metric], columns: Sequence[str], sums: np.ndarray) -> np.ndarray:
    """Values of all metrics from sums of shape (..., columns); NaN where a metric is undefined."""
    top, bottom, epsilon = weights(metrics, columns)
    above, below = sums @ top, sums @ bottom + epsilon
    return np.divide(above, below, out=np.full(np.broadcast_shapes(above.shape, below.shape), np.nan), where=below != 0)
