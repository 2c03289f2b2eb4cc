"""A result as Markdown, and the words that Markdown, the page and the terminal share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synth.score.answer import STATUSES
from synth.score.evaluate import DIMENSIONS
from synth.score.result import Evaluation, Scores, TrackResult, Value

ROWS = 60  # of a table of groups; the JSON has all
NAMES = {
    "field_f1": "field F1",
    "anls_star": "ANLS*",
    "value_precision": "value precision",
    "value_recall": "value recall",
    "value_macro_f1": "value macro F1",
    "value_nes": "value NES",
    "value_em": "value EM",
    "faithfulness": "faithfulness",
    "map": "mAP",
    "map_50": "mAP@0.5",
    "map_30": "mAP@0.3",
    "f1_50": "F1@0.5",
    "precision_50": "precision@0.5",
    "recall_50": "recall@0.5",
    "f1_30": "F1@0.3",
    "precision_30": "precision@0.3",
    "recall_30": "recall@0.3",
    "mean_iou": "mean IoU",
    "mean_iou_50": "mean IoU of hits@0.5",
    "mean_iou_30": "mean IoU of hits@0.3",
    "f1": "F1",
    "precision": "precision",
    "recall": "recall",
    "position_distance": "position distance ↓",
    "nes": "NES",
    "cer": "CER ↓",
    "wer": "WER ↓",
    "crr": "CRR",
    "ocrr": "OCRR",
    "teds": "TEDS",
    "teds_structure": "TEDS structure",
    "em": "EM",
    "anls": "ANLS",
    "anlsl": "ANLSL",
}
# Metrics beside the headline in tables of groups.
BESIDE = {
    "kie": ("value_macro_f1", "value_nes"),
    "layout": ("f1_50", "mean_iou"),
    "line_order": ("position_distance",),
    "block_order": ("position_distance",),
    "text": ("cer", "crr"),
    "table": ("teds_structure",),
    "qa": ("em", "anlsl"),
}


def percent(value: float | None) -> str:
    """A value as hundredths with one decimal; a dash where it is undefined."""
    return "–" if value is None else f"{value * 100:.1f}"


def with_interval(value: Value) -> str:
    """A value with its interval, in hundredths."""
    if value.low is None or value.high is None:
        return percent(value.value)
    return f"{percent(value.value)} [{percent(value.low)}, {percent(value.high)}]"


def facts(evaluation: Evaluation) -> list[tuple[str, str]]:
    """What a reader has to know of how the numbers were made."""
    some = "" if evaluation.documents == evaluation.of_documents else f" of {evaluation.of_documents:,}"
    return [
        ("Release", f"{evaluation.release_name}, digest {evaluation.release_digest[:16]}"),
        ("Documents", f"{evaluation.documents:,}{some}"),
        ("Predictions", f"{evaluation.predictions}, sha256 {evaluation.predictions_sha256[:16]}"),
        ("Scorer", f"version {evaluation.scorer}, mode {evaluation.mode}"),
        ("Intervals", f"95 %, {evaluation.resamples:,} resamples of documents, seed {evaluation.seed}"),
    ]


def columns_of(track: TrackResult) -> list[str]:
    """All metrics, the headline first."""
    return [track.headline, *(name for name in track.overall.metrics if name != track.headline)]


def markdown(evaluation: Evaluation) -> str:
    """The whole result as Markdown."""
    return "\n".join(_lines(evaluation)) + "\n"


def summary(evaluation: Evaluation) -> list[list[str]]:
    """Head and rows of the table of tracks: headline and what became of the answers."""
    rows = [["track", "metric", "score", *STATUSES, "unknown ids"]]
    for name, track in evaluation.tracks.items():
        score = with_interval(track.overall.metrics[track.headline])
        counts = [str(track.answers[status]) for status in STATUSES]
        rows.append([name, NAMES[track.headline], score, *counts, str(track.unknown_ids)])
    return rows


def _lines(evaluation: Evaluation) -> Iterator[str]:
    yield f"# {_cell(evaluation.predictions)} on {_cell(evaluation.release_name)}"
    yield ""
    yield from (f"- {name}: {_cell(text)}" for name, text in facts(evaluation))
    yield "- Values are hundredths. What is missing, failed, refused, unparsable or empty is scored as no answer."
    yield "- ↓: lower is better."
    yield from (f"- Warning: {_cell(text)}" for text in evaluation.warnings)
    yield ""
    yield from _table(summary(evaluation))
    for name, track in evaluation.tracks.items():
        yield ""
        yield f"## {track.title} (`{name}`)"
        yield ""
        yield from _table(
            [["metric", "value", "95 % interval"]]
            + [[NAMES[key], *_split(track.overall.metrics[key])] for key in columns_of(track)]
        )
        if any(track.errors.values()):
            yield ""
            yield "Errors by kind: " + ", ".join(f"{kind} {number:,}" for kind, number in track.errors.items()) + "."
        for dimension in DIMENSIONS:
            if dimension in track.groups:
                yield ""
                yield from _groups(name, track, dimension)


def _groups(name: str, track: TrackResult, dimension: str) -> Iterator[str]:
    shown = [track.headline, *BESIDE[name]]
    found = track.groups[dimension]
    yield f"### By {dimension}"
    yield ""
    rows = [[dimension, "documents", *(NAMES[key] for key in shown)]]
    for group, scores in list(found.items())[:ROWS]:
        rows.append([_cell(group), str(scores.documents), *(with_interval(_of(scores, key)) for key in shown)])
    yield from _table(rows)
    if len(found) > ROWS:
        yield ""
        yield f"{len(found) - ROWS} more are in evaluation.json."


def _of(scores: Scores, key: str) -> Value:
    return scores.metrics.get(key, Value(value=None))


def _split(value: Value) -> tuple[str, str]:
    return percent(value.value), "–" if value.low is None else f"{percent(value.low)} to {percent(value.high)}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("`", "'")


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(rows[0]) + " |"
    yield "|" + "---|" * len(rows[0])
    for row in rows[1:]:
        yield "| " + " | ".join(row) + " |"
