"""What an evaluation says, as a file: `evaluation.json`. Version 1; `pageloom compare` reads two of them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from synth.metrics import Mode

RESULT = 1


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Value(_Model):
    """A metric's value with its interval; null where it is undefined (0/0), or nothing can be resampled."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Scores(_Model):
    """Metrics of some documents. `units` are the things asked for there (documents, pages, questions)."""

    documents: int
    units: int | None
    metrics: dict[str, Value]


class MetricInfo(_Model):
    """How a metric is made of the columns of `per_document`: sum(top) / (sum(bottom) + epsilon)."""

    top: dict[str, float]
    bottom: dict[str, float]
    epsilon: float
    better: Literal["higher", "lower"]


class PerDocument(_Model):
    """Sums of every document, for paired tests."""

    columns: list[str]
    documents: list[str]
    sums: list[list[float]]


class TrackResult(_Model):
    """One track. `groups` by dimension (split, language, type, difficulty, class, cardinality), then by name."""

    title: str
    headline: str
    answers: dict[str, int]
    unknown_ids: int
    first_unusable: str | None
    errors: dict[str, int]
    overall: Scores
    groups: dict[str, dict[str, Scores]]
    definitions: dict[str, MetricInfo]
    per_document: PerDocument


class Evaluation(_Model):
    """A result: of which release, which documents, which file, with which scorer, in which mode."""

    result: Literal[1] = RESULT
    scorer: str
    mode: Mode
    release: str
    release_name: str
    release_digest: str
    predictions: str
    predictions_sha256: str
    documents: int
    of_documents: int
    resamples: int
    seed: int
    skipped: dict[str, int]
    warnings: list[str]
    tracks: dict[str, TrackResult]
