"""`pageloom compare A.json B.json`: two systems on the same documents, by a paired test."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from jobs.evaluate_markdown import NAMES, percent
from jobs.evaluate_write import write_all
from schemas.errors import UserError
from synth.score.bootstrap import Paired, paired
from synth.score.metric import Metric
from synth.score.result import Evaluation, TrackResult

MAX_BYTES = 1 << 30
Found = dict[str, dict[str, Paired | None]]


def compare(a: Path, b: Path, resamples: int = 10_000, seed: int = 0, out: Path | None = None) -> list[str]:
    """Lines of a table: both values, the difference with its interval, and p by a paired permutation test.

    UserError unless both are results of the same scorer and mode over the same documents of the same release.
    """
    one, two = _load(a), _load(b)
    for what, x, y in (
        ("scorer versions", one.scorer, two.scorer),
        ("modes", one.mode, two.mode),
        ("releases", one.release_digest, two.release_digest),
    ):
        if x != y:
            raise UserError(f"the {what} differ: {x[:40]} and {y[:40]}", f"{a}, {b}", "score both alike")
    shared = [name for name in one.tracks if name in two.tracks]
    if not shared:
        raise UserError("they have no track in common", f"{a}, {b}", "score both on the same track")
    found: Found = {}
    for name in shared:
        tracks = one.tracks[name], two.tracks[name]
        if tracks[0].per_document.documents != tracks[1].per_document.documents:
            raise UserError(f"track {name} was scored on other documents", f"{a}, {b}", "score both on the same ones")
        found[name] = _paired(*tracks, resamples, seed)
    if out is not None:
        write_all(out.parent, {out.name: json.dumps(_plain(found, one, two, resamples, seed), indent=1) + "\n"})
    return list(_lines(found, one, two, resamples))


def _paired(a: TrackResult, b: TrackResult, resamples: int, seed: int) -> dict[str, Paired | None]:
    metrics = [
        Metric(name, info.top, info.bottom, info.epsilon, info.better)
        for name, info in a.definitions.items()
        if b.definitions.get(name) == info
    ]
    columns = a.per_document.columns
    one, two = (np.asarray(t.per_document.sums, dtype=np.float64).reshape(-1, len(columns)) for t in (a, b))
    return dict(zip((m.name for m in metrics), paired(one, two, metrics, columns, resamples, seed), strict=True))


def _lines(found: Found, one: Evaluation, two: Evaluation, resamples: int) -> Iterator[str]:
    yield f"A {one.predictions}"
    yield f"B {two.predictions}"
    yield f"on {one.documents} documents of {one.release_name}, mode {one.mode}, {resamples:,} permutations"
    rows = [("track", "metric", "A", "B", "B - A", "95 % interval", "p")]
    for track, metrics in found.items():
        for name, pair in metrics.items():
            if pair is None:
                rows.append((track, NAMES[name], "–", "–", "–", "–", "–"))
                continue
            spread = "–" if pair.interval is None else f"{pair.interval[0] * 100:+.1f} to {pair.interval[1] * 100:+.1f}"
            p = f"{pair.p:.4f}" if pair.p >= 0.0001 else f"{pair.p:.1e}"
            rows.append(
                (track, NAMES[name], percent(pair.a), percent(pair.b), f"{pair.difference * 100:+.1f}", spread, p)
            )
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
    if "layout" in found:
        yield "mAP is no sum over documents and is not compared"


def _plain(found: Found, one: Evaluation, two: Evaluation, resamples: int, seed: int) -> dict[str, Any]:
    tracks = {
        track: {name: None if pair is None else vars(pair) for name, pair in metrics.items()}
        for track, metrics in found.items()
    }
    about = {"a": one.predictions, "b": two.predictions, "release_digest": one.release_digest, "mode": one.mode}
    return {"comparison": 1, **about, "scorer": one.scorer, "resamples": resamples, "seed": seed, "tracks": tracks}


def _load(path: Path) -> Evaluation:
    fix = "name the evaluation.json that `pageloom evaluate` wrote"
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UserError("is larger than 1 GiB", str(path), fix)
        return Evaluation.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UserError(f"cannot be read: {(error.strerror or '').lower()}", str(path), fix) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise UserError(f"is no result of version 1 ({where}: {first['msg'][:100]})", str(path), fix) from None
