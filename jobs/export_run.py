"""`pageloom export`: a release through one format into one folder."""

from __future__ import annotations

import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from engine.store import Store
from jobs.export_folder import Folder, Nowhere, check_place, whole_folder
from jobs.export_read import Part, Selection, document_rows, parts_of, samples
from schemas.errors import UserError
from schemas.release import ReleaseManifest
from synth.export.formats import FORMATS
from synth.export.out import Format
from synth.export.rows import Release

EXPORT_VERSION = 1
_MEASURED = 4  # shards that a dry run goes through
_EVERY_S = 10.0  # between lines of progress where no bar can be drawn


@dataclass(frozen=True)
class Exported:
    """What an export wrote, or would write; `exact` is False where a dry run did not go through every shard.

    The number of documents is always exact.
    """

    counts: Counter[str]
    files: int
    bytes: int
    exact: bool = True

    def __str__(self) -> str:
        about = "" if self.exact else "about "
        made = ", ".join(
            f"{about if name != 'documents' else ''}{n} {name.replace('_', ' ')}" for name, n in self.counts.items()
        )
        return f"{made}; {about}{self.files} files, {about}{_size(self.bytes)}"


def format_of(name: str) -> type[Format]:
    """The format of this name; UserError for another."""
    if name in FORMATS:
        return FORMATS[name]
    close = get_close_matches(name.lower(), FORMATS, 1)
    fix = f"did you mean {close[0]}?" if close else f"known: {', '.join(FORMATS)}"
    raise UserError(f"unknown format {name!r}", "--format", fix)


def export(store: Store, name: str, out: str, selection: Selection) -> Exported:
    """Write the selected part of a release in a format into a new folder, with a README and an `export.json`."""
    kind = format_of(name)
    release, parts = parts_of(store, selection)
    path = check_place(out, store)
    with whole_folder(path) as partial:
        sink = Folder(partial)
        made = kind(sink, _facts(release))
        _convert(store, parts, selection, made)
        about = _about(name, release, selection, made.counts)
        sink.put("README.md", _readme(about, made).encode())
        result = Exported(made.counts, sink.files + 1, sink.bytes)
        record = {**about, "files_besides_this": sink.files, "bytes_besides_this": sink.bytes}
        sink.put("export.json", json.dumps(record, ensure_ascii=False, indent=1).encode() + b"\n")
    return result


def dry_run(store: Store, name: str, out: str, selection: Selection) -> Exported:
    """What `export` would write, measured over all shards or, where there are many, over a few spread evenly."""
    kind = format_of(name)
    release, parts = parts_of(store, selection)
    check_place(out, store)
    step = max(1.0, len(parts) / _MEASURED)
    some = [parts[int(i * step)] for i in range(min(len(parts), _MEASURED))]
    sink = Nowhere()
    made = kind(sink, _facts(release))
    _convert(store, some, selection, made)
    scale = sum(p.documents for p in parts) / sum(p.documents for p in some)
    counts = Counter({name: math.ceil(n * scale) for name, n in made.counts.items()})
    return Exported(counts, math.ceil(sink.files * scale) + 2, math.ceil(sink.bytes * scale), len(some) == len(parts))


def _convert(store: Store, parts: Sequence[Part], selection: Selection, made: Format) -> None:
    if made.looks_ahead:
        for part in parts:
            for row in document_rows(store, part, selection):
                made.look(row)
    with _progress(sum(p.documents for p in parts)) as tell:
        for part in parts:
            seen = 0
            for sample in samples(store, part, selection, made.tables):
                made.add(sample)
                seen += 1
                tell()
            if seen != part.documents:
                what = f"shard {part.manifest.name} has {seen} of these documents, its manifest says {part.documents}"
                raise UserError(what, store.url, "`pageloom verify` names what is damaged")
    made.close()


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """Call the result once a document: a bar on a terminal, else a line now and then, none for short work."""
    if sys.stderr.isatty():
        columns = (TextColumn("documents"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task("", total=total)
            yield lambda: bar.advance(task)
        return
    done, last = 0, time.monotonic()

    def tell() -> None:
        nonlocal done, last
        done += 1
        if time.monotonic() - last >= _EVERY_S:
            last = time.monotonic()
            print(json.dumps({"event": "export", "documents": done, "total": total}), file=sys.stderr, flush=True)

    yield tell


def _facts(release: ReleaseManifest) -> Release:
    return Release(release.name, release.version, release.license, release.digest)


def _about(name: str, release: ReleaseManifest, selection: Selection, counts: Counter[str]) -> dict[str, Any]:
    return {
        "export_version": EXPORT_VERSION,
        "format": name,
        "release": {
            "name": release.name,
            "version": release.version,
            "license": release.license,
            "digest": release.digest,
            "lock": release.lock,
        },
        "selection": {
            "splits": list(selection.splits or release.splits),
            "languages": list(selection.languages) or "all",
            "types": list(selection.types) or "all",
        },
        "counts": dict(counts),
    }


def _readme(about: dict[str, Any], made: Format) -> str:
    release, chosen = about["release"], about["selection"]

    def listed(value: str | list[str]) -> str:
        return value if isinstance(value, str) else ", ".join(value)

    lines = [
        f"# {release['name']} {release['version']} as {about['format']}",
        "",
        made.usage(),
        "",
        f"- Licence: {release['license']}",
        f"- Release digest: `{release['digest']}`",
        f"- Splits: {listed(chosen['splits'])}; languages: {listed(chosen['languages'])}; types: "
        f"{listed(chosen['types'])}",
        *(f"- {key.replace('_', ' ').capitalize()}: {n}" for key, n in about["counts"].items()),
        "",
        "Made by `pageloom export` from a release, whose tables hold more than this format can say.",
    ]
    return "\n".join(lines) + "\n"


def _size(count: int) -> str:
    value = float(count)
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if value < 1000 or unit == "TB":
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError
