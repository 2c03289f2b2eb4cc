"""Small documents in memory, and scoring of one answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synth.metrics import Mode
from synth.score.answer import Prediction
from synth.score.evaluate import TRACKS, Evaluator
from synth.score.result import TrackResult
from synth.score.truth import DocumentTruth, FieldPlace, PageTruth, QuestionTruth, TableTruth, TextPart

VALUES = {
    "shop": {"name": "Corner Store", "phone": "555-0142"},
    "net": "2.32",
    "gross": "2.55",
    "items": [{"name": "Milk", "price": "1.10"}, {"name": "Bread", "price": "1.22"}],
}
LINES = ("Corner Store", "phone 555-0142", "Milk 1.10", "Bread 1.22", "net 2.32", "gross 2.55", "Pay before Friday")
CELLS = (
    (0, 0, 1, 1, True, "item"),
    (0, 1, 1, 1, True, "price"),
    (1, 0, 1, 1, False, "Milk"),
    (1, 1, 1, 1, False, "1.10"),
)


def document(
    name: str = "test-00000000", language: str = "en", values: Mapping[str, Any] | None = None
) -> DocumentTruth:
    """Two pages: one with seven lines, three blocks and a table, one with two lines and nothing else."""
    lines = tuple(
        TextPart(at, text, (50, 100.0 * at, 350, 100.0 * at + 40), next=at + 1 if at < 6 else None)
        for at, text in enumerate(LINES)
    )
    blocks = (
        TextPart(0, "Corner Store phone 555-0142", (50, 0, 350, 140), "title", 1),
        TextPart(1, "Milk 1.10 Bread 1.22", (50, 200, 350, 340), "table", 2),
        TextPart(2, "net 2.32 gross 2.55 Pay before Friday", (50, 400, 350, 640), "text"),
    )
    table = TableTruth(1, CELLS, (50, 200, 350, 340))
    first = PageTruth(f"{name}-p0", lines, blocks, blocks, (table,))
    last = (TextPart(7, "Thank you", (50, 0, 350, 40), next=8), TextPart(8, "Come again", (50, 100, 350, 140)))
    end = (TextPart(3, "Thank you Come again", (50, 0, 350, 140), "page_footer"),)
    second = PageTruth(f"{name}-p1", last, end, end, ())
    questions = (
        QuestionTruth(f"{name}-q0", first.id, "What is the net?", ("2.32",), "single", "easy"),
        QuestionTruth(f"{name}-q1", first.id, "Which items?", ("Milk", "Bread"), "multi", "hard"),
    )
    places = {"net": (FieldPlace(first.id, (150, 400, 350, 440), "net"),)}
    return DocumentTruth(
        name, name.split("-")[0], "receipt", language, "medium", dict(values or VALUES), {}, (first, second), places,
        questions,
    )  # fmt: skip


def scored(
    track: str, answers: Mapping[str, Any], *documents: DocumentTruth, mode: Mode = "strict", resamples: int = 0
) -> TrackResult:
    """Result of a track; answers by id are payloads, or a whole `Prediction`."""

    def lookup(name: str, unit: str) -> Prediction | None:
        found = answers.get(unit)
        if found is None or isinstance(found, Prediction):
            return found
        return Prediction.model_validate({"track": name, "id": unit, "prediction": found})

    evaluator = Evaluator([track], mode, lookup)
    for one in documents:
        evaluator.add(one)
    return evaluator.results({}, resamples)[track]


def perfect(track: str, *documents: DocumentTruth) -> dict[str, Any]:
    """The oracle's answers."""
    found = {unit.id: TRACKS[track].oracle(unit) for one in documents for unit in TRACKS[track].units(one)}
    return {name: payload for name, payload in found.items() if payload not in ([], None)}


def value(result: TrackResult, metric: str) -> float | None:
    return result.overall.metrics[metric].value
