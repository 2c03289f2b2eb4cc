"""A result as one self-contained HTML page: scores with intervals, groups, and a gallery of errors to look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jobs.evaluate_crops import Crop, crops
from jobs.evaluate_data import Release
from jobs.evaluate_markdown import BESIDE, NAMES, columns_of, facts, percent, with_interval
from jobs.overlay import environment
from synth.score.answer import STATUSES
from synth.score.evaluate import DIMENSIONS
from synth.score.gallery import Gallery, Shown
from synth.score.result import Evaluation, Scores, TrackResult, Value
from synth.score.track import KINDS

# What each kind means, in the words of the page.
MEANINGS = {
    "perception": "read wrongly",
    "layout": "read from the wrong place",
    "interpretation": "given to the wrong field or role",
    "hallucination": "not on the page",
    "omission": "not answered",
}


def page(evaluation: Evaluation, release: Release, gallery: Gallery) -> str:
    """The page as HTML. Pictures are read from the release only for what is shown."""
    shown = gallery.chosen()
    cards = [_card(item, crop) for item, crop in zip(shown, crops(release, shown), strict=True)]
    return (
        environment()
        .get_template("evaluation.html.j2")
        .render(
            title=evaluation.predictions,
            release=evaluation.release_name,
            facts=facts(evaluation),
            warnings=evaluation.warnings,
            tracks=[_track(name, track) for name, track in evaluation.tracks.items()],
            statuses=STATUSES,
            kinds=KINDS,
            meanings=MEANINGS,
            cards=cards,
            shown_tracks=[name for name in evaluation.tracks if any(card["track"] == name for card in cards)],
            titles={name: track.title for name, track in evaluation.tracks.items()},
        )
    )


def _track(name: str, track: TrackResult) -> dict[str, Any]:
    headline = track.overall.metrics[track.headline]
    errors = sum(track.errors.values())
    return {
        "name": name,
        "title": track.title,
        "headline": NAMES[track.headline],
        "score": percent(headline.value),
        "meter": _meter(headline),
        "answers": track.answers,
        "asked": sum(track.answers.values()),
        "unknown": track.unknown_ids,
        "metrics": [
            (NAMES[key], with_interval(track.overall.metrics[key]), _meter(track.overall.metrics[key]))
            for key in columns_of(track)
        ],
        "errors": [(kind, track.errors[kind], track.errors[kind] / errors if errors else 0.0) for kind in KINDS],
        "errors_total": errors,
        "groups": [_groups(name, track, dimension) for dimension in DIMENSIONS if dimension in track.groups],
    }


def _groups(name: str, track: TrackResult, dimension: str) -> dict[str, Any]:
    shown = [track.headline, *BESIDE[name]]
    return {
        "dimension": dimension,
        "names": [NAMES[key] for key in shown],
        "rows": [
            (
                group,
                scores.documents,
                _meter(_of(scores, track.headline)),
                [with_interval(_of(scores, key)) for key in shown],
            )
            for group, scores in track.groups[dimension].items()
        ],
    }


def _of(scores: Scores, key: str) -> Value:
    return scores.metrics.get(key, Value(value=None))


def _meter(value: Value) -> dict[str, float] | None:
    """Where bar and whisker lie on a scale of 0 to 100; None where there is no value."""
    if value.value is None:
        return None
    low, high = value.value if value.low is None else value.low, value.value if value.high is None else value.high
    at, left, right = (min(1.0, max(0.0, number)) * 100 for number in (value.value, low, high))
    return {"value": round(at, 2), "low": round(left, 2), "width": round(right - left, 2)}


def _card(item: Shown, crop: Crop | None) -> dict[str, Any]:
    fault = item.fault
    return {
        "track": item.track,
        "kind": fault.kind,
        "label": _short(fault.label, 80),
        "truth": _short(fault.truth, 400),
        "said": _short(fault.predicted, 400),
        "unit": item.unit,
        "type": item.type,
        "language": item.language,
        "crop": crop,
        "truth_boxes": _rectangles(crop.truth if crop else ()),
        "said_boxes": _rectangles(crop.predicted if crop else ()),
    }


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _rectangles(boxes: Sequence[Sequence[float]]) -> list[tuple[float, ...]]:
    return [tuple(round(v, 1) for v in (x0, y0, max(1.0, x1 - x0), max(1.0, y1 - y0))) for x0, y0, x1, y1 in boxes]
