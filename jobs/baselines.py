"""`pageloom baseline`: prediction files that need no model."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from engine.store import Store, open_store
from jobs.baselines_ocr import copied
from jobs.evaluate_data import Release, open_release
from schemas.errors import UserError
from synth.score.answer import FORMAT
from synth.score.baselines import Pools, predicted
from synth.score.evaluate import TRACKS

Baseline = Literal["oracle", "random", "majority", "copy-ocr"]


@dataclass(frozen=True)
class Wanted:
    """Which documents and tracks are answered. `readings` and `cache` are for copy-ocr."""

    tracks: tuple[str, ...] = ()
    split: str | None = None
    ids: Path | None = None
    sample: int | None = None
    seed: int = 0
    readings: Path | None = None
    cache: Path | None = None


def write_baseline(url: str, kind: Baseline, out: Path, wanted: Wanted) -> int:
    """Write predictions of a baseline for all units of the chosen documents; how many there are.

    UserError for an unknown track, and for what `open_release` refuses. The file appears when it is whole.
    """
    strange = [name for name in wanted.tracks if name not in TRACKS]
    if strange:
        raise UserError(f"unknown track {strange[0]!r}", "--track", f"the tracks are {', '.join(TRACKS)}")
    store = open_store(url)
    release = open_release(store, wanted.split, wanted.ids, wanted.sample, wanted.seed)
    names = [name for name in TRACKS if not wanted.tracks or name in wanted.tracks]
    if kind == "copy-ocr":
        rows = copied(release, names, wanted.readings, wanted.cache)
    else:
        rows = _drawn(store, release, kind, names, wanted.seed)
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    number = 0
    try:
        with part.open("w", encoding="utf-8") as file:
            for track, name, payload in rows:
                row = {"version": FORMAT, "track": track, "id": name, "prediction": payload}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                number += 1
        part.replace(out)
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", str(out), "name another file with --out") from None
    finally:
        with suppress(OSError):
            part.unlink()
    return number


def _drawn(
    store: Store, release: Release, kind: Literal["oracle", "random", "majority"], names: list[str], seed: int
) -> Iterator[tuple[str, str, Any]]:
    pools = Pools()
    if kind != "oracle":  # draws come from the whole release, whatever part of it is answered
        for document in open_release(store).documents():
            pools.add(document)
    for document in release.documents():
        for name in names:
            for unit in TRACKS[name].units(document):
                yield name, unit.id, predicted(kind, TRACKS[name], unit, pools, seed)
