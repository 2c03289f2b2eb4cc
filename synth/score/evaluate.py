"""Scores the answers of a prediction file over documents as they come, and makes a result of the sums."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from synth.metrics import Mode
from synth.score.answer import MISSING, STATUSES, Prediction
from synth.score.bootstrap import RESAMPLES, Group, interval, intervals, resampled
from synth.score.gallery import Gallery, Shown, rank_of
from synth.score.kie import Kie
from synth.score.layout import Layout
from synth.score.metric import values
from synth.score.order import Order
from synth.score.page_text import PageText
from synth.score.precision import AveragePrecision
from synth.score.qa import Questions
from synth.score.result import MetricInfo, PerDocument, Scores, TrackResult, Value
from synth.score.table import Table
from synth.score.tally import Tally
from synth.score.track import KINDS, Track, Unit, answer_of
from synth.score.truth import DocumentTruth

TRACKS: dict[str, Track] = {
    track.name: track for track in (Kie(), Layout(), Order("line"), Order("block"), PageText(), Table(), Questions())
}
DIMENSIONS = ("split", "language", "type", "difficulty", "class", "cardinality")
Lookup = Callable[[str, str], Prediction | None]


@dataclass
class _Run:
    """What is gathered of one track."""

    track: Track
    tally: Tally
    boxes: AveragePrecision | None
    seen: set[str] = field(default_factory=set)
    first_unusable: str | None = None
    graded: dict[str, Tally] = field(default_factory=dict)


class Evaluator:
    """Takes documents in any order; `result` says what came of it. The same documents give the same numbers."""

    def __init__(self, names: Sequence[str], mode: Mode, lookup: Lookup, gallery: Gallery | None = None) -> None:
        self.mode: Mode = mode
        self.lookup, self.gallery = lookup, gallery or Gallery(0)
        self.documents: list[tuple[str, dict[str, str]]] = []
        self._rank = 0
        self.runs = [
            _Run(TRACKS[name], Tally(TRACKS[name].columns), AveragePrecision() if name == "layout" else None)
            for name in names
        ]

    def add(self, document: DocumentTruth) -> None:
        """Score all that is asked of a document."""
        number = len(self.documents)
        about = {name: str(vars(document)[name]) for name in ("split", "language", "type", "difficulty")}
        self.documents.append((document.id, about))
        self._rank = rank_of(document.id)
        for run in self.runs:
            for unit in run.track.units(document):
                run.seen.add(unit.id)
                self._unit(run, number, unit)

    def _unit(self, run: _Run, number: int, unit: Unit) -> None:
        row = self.lookup(run.track.name, unit.id)
        answer = MISSING if row is None else answer_of(run.track, row)
        if unit.wanted or answer.status in ("answered", "unparsable", "refused", "failed"):
            run.tally.counts[answer.status] += 1
        if answer.status == "unparsable" and run.first_unusable is None:
            run.first_unusable = f"{unit.id}: {answer.why}"
        score = run.track.score(unit, answer.value, self.mode)
        run.tally.add(number, score)
        if unit.difficulty:
            run.graded.setdefault(unit.difficulty, Tally(run.track.columns)).add(number, score)
        if run.boxes is not None and isinstance(run.track, Layout):
            run.track.collect(run.boxes, number, unit, answer.value)
        document = unit.document
        for at, fault in enumerate(run.track.faults(unit, answer.value, self.mode)):
            run.tally.kinds[fault.kind] += 1
            shown = fault.kind != "omission" or answer.status == "answered"
            if shown and self.gallery.wants(run.track.name, fault.kind, self._rank):
                rank = rank_of(unit.id, fault.label, str(at))
                about = document.id, document.type, document.language
                self.gallery.offer(Shown(rank, run.track.name, unit.id, *about, fault))

    def results(self, asked: dict[str, set[str]], resamples: int = RESAMPLES, seed: int = 0) -> dict[str, TrackResult]:
        """Results by track; `asked` are the ids in the file, so that unknown ones can be counted."""
        return {
            run.track.name: self._result(run, len(asked.get(run.track.name, set()) - run.seen), resamples, seed)
            for run in self.runs
        }

    def _result(self, run: _Run, unknown: int, resamples: int, seed: int) -> TrackResult:
        tally, metrics = run.tally, run.track.metrics(self.mode)
        members = self._members(run)
        named = [("", "", tally.whole())]
        named += [(dimension, name, tally.whole(at)) for (dimension, name), at in members.items()]
        named += [("difficulty", name, graded.whole()) for name, graded in sorted(run.graded.items())]
        named += [(dimension, name, group) for (dimension, name), group in tally.parts().items()]
        groups = [group for _, _, group in named]
        spread = intervals(groups, len(self.documents), metrics, run.track.columns, resamples, seed)
        scores: dict[str, dict[str, Scores]] = {name: {} for name in DIMENSIONS}
        overall = None
        for (dimension, name, group), ranges in zip(named, spread, strict=True):
            exact = values(metrics, run.track.columns, group.sums.sum(axis=0))
            found = {metric.name: _value(exact[at], ranges[at]) for at, metric in enumerate(metrics)} | self._precision(
                run, dimension, name, group, resamples, seed
            )
            units = None if dimension in ("class", "cardinality") else tally.units(group.documents.tolist())
            one = Scores(documents=len(group.documents), units=units, metrics=found)
            if dimension:
                scores[dimension][name] = one
            else:
                overall = one
        assert overall is not None
        ordered = sorted(tally.documents, key=lambda at: self.documents[at][0])
        rows = tally.whole(ordered)
        return TrackResult(
            title=run.track.title,
            headline=run.track.headline,
            answers={status: tally.counts[status] for status in STATUSES},
            unknown_ids=unknown,
            first_unusable=run.first_unusable,
            errors={kind: tally.kinds[kind] for kind in KINDS},
            overall=overall,
            groups={dimension: found for dimension, found in scores.items() if found},
            definitions={
                m.name: MetricInfo(top=dict(m.top), bottom=dict(m.bottom), epsilon=m.epsilon, better=m.better)
                for m in metrics
            },
            per_document=PerDocument(
                columns=list(run.track.columns),
                documents=[self.documents[at][0] for at in ordered],
                sums=[[round(value, 9) for value in row] for row in rows.sums.tolist()],
            ),
        )

    def _members(self, run: _Run) -> dict[tuple[str, str], list[int]]:
        """Documents of this track by (dimension, group), in order of name."""
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for at in run.tally.documents:
            for dimension, name in self.documents[at][1].items():
                if not (dimension == "difficulty" and run.graded):
                    found[dimension, name].append(at)
        return {key: found[key] for key in sorted(found)}

    def _precision(
        self, run: _Run, dimension: str, name: str, group: Group, resamples: int, seed: int
    ) -> dict[str, Value]:
        """Mean average precision of a group; with an interval where it is the whole, for it is dear."""
        if run.boxes is None:
            return {}
        every = np.zeros((1, len(self.documents)))
        every[0, group.documents] = 1.0
        if dimension == "class":
            row = run.boxes.by_class(np.ones((1, len(self.documents))))[name][0]
            return {"map": _value(row[1:].mean()), "map_50": _value(row[1]), "map_30": _value(row[0])}
        exact = run.boxes.means(every)
        if dimension:
            return {metric: _value(found[0]) for metric, found in exact.items()}
        drawn: dict[str, list[np.ndarray]] = defaultdict(list)
        if len(self.documents) > 1:
            for weights in resampled(len(self.documents), resamples, seed):
                for start in range(0, len(weights), 50):
                    for metric, found in run.boxes.means(weights[start : start + 50]).items():
                        drawn[metric].append(found)
        return {
            metric: _value(found[0], interval(np.concatenate(drawn[metric])) if metric in drawn else None)
            for metric, found in exact.items()
        }


def score_documents(evaluator: Evaluator, documents: Iterable[DocumentTruth]) -> None:
    """Add all documents."""
    for document in documents:
        evaluator.add(document)


def _value(exact: float, spread: tuple[float, float] | None = None) -> Value:
    if np.isnan(exact):
        return Value(value=None)
    return Value(value=float(exact), low=spread[0] if spread else None, high=spread[1] if spread else None)
