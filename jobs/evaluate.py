"""`pageloom evaluate`: scores a file of predictions over a release and writes what came of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.store import open_store
from jobs.evaluate_data import Release, document_of, open_release
from jobs.evaluate_markdown import markdown
from jobs.evaluate_page import page
from jobs.evaluate_write import write_all
from schemas.errors import UserError
from synth.metrics import SCORER_VERSION, Mode
from synth.score.bootstrap import RESAMPLES
from synth.score.evaluate import TRACKS, Evaluator, score_documents
from synth.score.gallery import Gallery
from synth.score.prediction_file import PredictionFile, open_predictions
from synth.score.result import Evaluation

SHOWN = 8  # faults in the gallery for each track and kind


@dataclass(frozen=True)
class Choice:
    """What is scored, and how. `tracks` empty: those that the file has a line for."""

    tracks: tuple[str, ...] = ()
    mode: Mode = "strict"
    split: str | None = None
    ids: Path | None = None
    sample: int | None = None
    seed: int = 0
    resamples: int = RESAMPLES
    shown: int = SHOWN


def evaluate(url: str, predictions: Path, choice: Choice, out: Path | None = None) -> tuple[Evaluation, Path]:
    """Score, and write evaluation.json, .md and .html into `out` (default: a folder beside the predictions).

    UserError for what docs/evaluate.md calls a mistake; nothing is written then.
    """
    strange = [name for name in choice.tracks if name not in TRACKS]
    if strange:
        raise UserError(f"unknown track {strange[0]!r}", "--track", f"the tracks are {', '.join(TRACKS)}")
    file = open_predictions(predictions, choice.mode, choice.tracks)
    release = open_release(open_store(url), choice.split, choice.ids, choice.sample, choice.seed)
    try:
        evaluation, gallery = score(release, file, choice)
    finally:
        file.close()
    folder = out or predictions.with_name(f"{predictions.stem}-scores")
    html = page(evaluation, release, gallery) if choice.shown else page(evaluation, release, Gallery(0))
    write_all(
        folder,
        {
            "evaluation.json": evaluation.model_dump_json(indent=1) + "\n",
            "evaluation.md": markdown(evaluation),
            "evaluation.html": html,
        },
    )
    return evaluation, folder


def score(release: Release, file: PredictionFile, choice: Choice) -> tuple[Evaluation, Gallery]:
    """The result of a file over the chosen documents, and the faults to show."""
    warnings: list[str] = []
    names = _tracks(release, file, choice.tracks, warnings)
    gallery = Gallery(choice.shown)
    evaluator = Evaluator(names, choice.mode, file.get, gallery)
    score_documents(evaluator, release.documents())
    asked = {name: {one for one in file.ids(name) if not _outside(release, one)} for name in names}
    tracks = evaluator.results(asked, choice.resamples, choice.seed)
    if names and all(not run.answers["answered"] and run.unknown_ids for run in tracks.values()):
        known = any(release.holds(one) for name in names for one in file.ids(name))
        if not known:
            first = next(file.ids(names[0]), "")
            raise UserError(
                f"none of its ids is in the release (the first is {first[:80]!r})",
                str(file.path),
                "name the release it answers",
            )
    for name, found in tracks.items():
        if found.unknown_ids:
            strange = min(asked[name] - _units(evaluator, name))
            line = file.line_of(name, strange)
            warnings.append(
                f"{name}: {found.unknown_ids} unknown ids are left out, one is {strange[:80]!r} in line {line}"
            )
        if found.first_unusable:
            warnings.append(f"{name}: {found.answers['unparsable']} unparsable, one is {found.first_unusable[:200]}")
    warnings += [f"{number} {what} in {file.path.name}" for what, number in sorted(file.skipped.items())]
    evaluation = Evaluation(
        scorer=SCORER_VERSION,
        mode=choice.mode,
        release=release.store.url,
        release_name=f"{release.manifest.name} {release.manifest.version}",
        release_digest=release.manifest.digest,
        predictions=file.path.name,
        predictions_sha256=_digest(file.path),
        documents=len(evaluator.documents),
        of_documents=release.manifest.documents,
        resamples=choice.resamples,
        seed=choice.seed,
        skipped=dict(sorted(file.skipped.items())),
        warnings=warnings,
        tracks=tracks,
    )
    return evaluation, gallery


def _tracks(release: Release, file: PredictionFile, asked: Sequence[str], warnings: list[str]) -> list[str]:
    names = [name for name in TRACKS if name in asked] if asked else file.tracks
    if "qa" in names and not release.has_questions:
        if "qa" in asked:
            raise UserError("the release has no questions", "--track qa", "leave the track out")
        warnings.append("qa: the release has no questions; these predictions are left out")
        names = [name for name in names if name != "qa"]
    if not names:
        raise UserError("holds no prediction for a track of the release", str(file.path), "see docs/evaluate.md")
    return names


def _outside(release: Release, name: str) -> bool:
    """Whether an id is of the release but not among the documents that are scored now."""
    return release.holds(name) and document_of(name) not in release.chosen


def _units(evaluator: Evaluator, name: str) -> set[str]:
    return next(run.seen for run in evaluator.runs if run.track.name == name)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
