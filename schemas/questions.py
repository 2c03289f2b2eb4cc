"""A question about a document, its answers with their places, and the verdicts on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

# MosaicDoc's kinds; ids are positions. Append only.
KINDS = ("single_span", "multi_span", "table", "chart", "multi_hop")

# The five guardrails of MosaicDoc (Quality Assurance); each gives 1 to 5 and a pair is kept above 3 in all of them.
CRITERIA = ("completeness", "consistency", "conciseness", "clarity", "inference")
KEPT_ABOVE = 3

LEGIBLE = 0.5
"""A word with less of it in sight is no evidence."""


@dataclass(frozen=True)
class Answer:
    """One answer as printed, or computed in the style of the page. `normal` is the bare number or the ISO date.

    `words` are the ids of the words that spell it, in order; empty for what was computed.
    """

    text: str
    normal: str
    words: tuple[int, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """Scores by criterion, 1 to 5, in the order of `CRITERIA`; `reasons` say why a score is not 5."""

    scores: tuple[int, int, int, int, int]
    reasons: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        return min(self.scores) > KEPT_ABOVE


@dataclass(frozen=True)
class Opinion:
    """What one judge said: `judge` is "rules" or the name of a model; scores and reasons as in a verdict."""

    judge: str
    scores: tuple[int, int, int, int, int]
    reasons: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        return min(self.scores) > KEPT_ABOVE


@dataclass(frozen=True)
class GateResult:
    """A check beside the criteria: "duplicate", "blind" (guessed without the page) or "picture" (read off it)."""

    gate: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True)
class Question:
    """A question with right answers. `evidence` are the ids of all words one has to read, answers among them.

    `operation` says what a reader does (value, values, cell, extreme, sum, difference, count, ...). `program` says it
    exactly, in paths of the extraction schema, so that the answers can be derived again from the released labels.
    `difficulty` is 1 for one look, 2 for two, 3 where values are compared or computed.
    """

    text: str
    kind: str
    operation: str
    answers: tuple[Answer, ...]
    evidence: tuple[int, ...]
    difficulty: int
    program: Mapping[str, Any]
    verdict: Verdict | None = None
    """All judges together; see `opinions` for each."""
    source: str = "rules"
    """"rules", or the name of the model that wrote it."""
    opinions: tuple[Opinion, ...] = ()
    gates: tuple[GateResult, ...] = ()
    dropped: str = ""
    """Why it never came before a judge, such as `ungrounded: ...`; "" where it did."""

    @property
    def agreement(self) -> float | None:
        """Share of (pair of models, criterion) on the same side of the threshold; None for fewer than two models."""
        models = [o for o in self.opinions if o.judge != "rules"]
        pairs = list(combinations(models, 2))
        if not pairs:
            return None
        sides = [
            (x > KEPT_ABOVE) == (y > KEPT_ABOVE) for a, b in pairs for x, y in zip(a.scores, b.scores, strict=True)
        ]
        return sum(sides) / len(sides)


@dataclass(frozen=True)
class Asked:
    """Questions about one document that passed the judges, and those that did not."""

    kept: tuple[Question, ...]
    rejected: tuple[Question, ...]

    def in_sight(self, visible: Sequence[float]) -> Asked:
        """Questions whose evidence cannot be seen are rejected: a bar, a note or the picture's edge hides a word.

        `visible`: the share of each word that is in sight, by word id.
        """
        hidden = {word for word, share in enumerate(visible) if share < LEGIBLE}
        lost = [q for q in self.kept if hidden.intersection(q.evidence)]
        if not lost:
            return self
        verdict = Verdict((1, 5, 5, 5, 5), ("evidence is hidden in the picture",))
        kept = tuple(q for q in self.kept if q not in lost)
        return Asked(kept, (*self.rejected, *(replace(q, verdict=verdict) for q in lost)))
