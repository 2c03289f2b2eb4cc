"""A release read document by document, a row group at a time, only the tables and documents that are asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from engine.lock import stored_lock
from engine.shard_tables import ShardTables, readable
from engine.store import Store
from engine.verify import release_of, shard_manifests
from schemas.errors import UserError
from schemas.release import ReleaseManifest, ShardManifest
from schemas.tables import COLUMNS, arrow_schema
from synth.export.rows import Page, Sample

_NEVER = {"pdf"}  # heavy, and in no format
_BY_PAGE = ("words", "lines", "layout", "cells", "kie")


@dataclass(frozen=True)
class Selection:
    """What part of a release is wanted; an empty tuple is no filter."""

    splits: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    types: tuple[str, ...] = ()

    def takes(self, kind: str, language: str) -> bool:
        return (not self.types or kind in self.types) and (not self.languages or language in self.languages)


@dataclass(frozen=True)
class Part:
    """A shard of the release, how many of its documents are selected, and whether the release asks questions."""

    manifest: ShardManifest
    documents: int
    questions: bool


def parts_of(store: Store, selection: Selection) -> tuple[ReleaseManifest, list[Part]]:
    """The release and its shards that hold something selected, in order; UserError where nothing is."""
    release = release_of(store)
    for asked, known, option in (
        (selection.splits, list(release.splits), "--split"),
        (selection.types, sorted({cell.split("/")[0] for cell in release.cells}), "--types"),
        (selection.languages, sorted({cell.split("/")[1] for cell in release.cells}), "--language"),
    ):
        for name in asked:
            if name not in known:
                raise UserError(f"the release has no {name!r}", option, f"it has {', '.join(known)}")
    names = {n: d for n, d in release.shards.items() if not selection.splits or n.rsplit("-", 1)[0] in selection.splits}
    lock = stored_lock(store)
    questions = bool(lock and lock.content.get("questions"))
    parts: list[Part] = []
    for manifest in shard_manifests(store, release.model_copy(update={"shards": names})) if names else ():
        count = sum(n for cell, n in manifest.cells.items() if selection.takes(*cell.split("/")))
        if count:
            parts.append(Part(manifest.model_copy(update={"fingerprints": []}), count, questions))
    if not parts:
        raise UserError("no document of the release matches", "--split, --types, --language", "ask for less at once")
    return release, parts


def document_rows(store: Store, part: Part, selection: Selection) -> Iterator[dict[str, Any]]:
    """Selected rows of `documents`, without what is heavy."""
    with readable(store, part.manifest.name):
        yield from _selected(ShardTables(store, part.manifest), selection)[0]


def samples(store: Store, part: Part, selection: Selection, tables: Sequence[str]) -> Iterator[Sample]:
    """Selected documents of a shard in order, with the rows of these tables; `qa` only where the release has it."""
    manifest = part.manifest
    with readable(store, manifest.name):
        tables = [name for name in tables if name in COLUMNS or part.questions]
        shard = ShardTables(store, manifest)
        documents, wanted = _selected(shard, selection)
        rest = {name: _Groups(_rows(shard, name, wanted)) for name in ("pages", *tables)}
        for row in documents:
            mine = {name: groups.take(row["document_id"]) for name, groups in rest.items()}
            yield _sample(manifest, row, mine)
        for name, groups in rest.items():
            if groups.waiting is not None:
                raise ValueError(f"{name} is not in the order of documents at {groups.waiting}")


def _sample(manifest: ShardManifest, row: dict[str, Any], mine: dict[str, list[dict[str, Any]]]) -> Sample:
    on: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(dict)
    for name in _BY_PAGE:
        for one in mine.get(name, ()):
            on[one["page_id"]].setdefault(name, []).append(one)
    pages = [Page(page, **on[page["page_id"]]) for page in sorted(mine["pages"], key=lambda p: p["page"])]
    if len(pages) != row["page_count"]:
        raise ValueError(f"{row['document_id']} has {len(pages)} of its {row['page_count']} pages")
    return Sample(manifest.split, manifest.name, row, pages, mine.get("relations", []), mine.get("qa"))


class _Groups:
    """Rows that come in runs of one document, taken run by run."""

    def __init__(self, rows: Iterable[dict[str, Any]]) -> None:
        self._runs = groupby(rows, key=lambda row: row["document_id"])
        self._next: tuple[str, list[dict[str, Any]]] | None = None
        self._advance()

    @property
    def waiting(self) -> str | None:
        return self._next[0] if self._next else None

    def take(self, document_id: str) -> list[dict[str, Any]]:
        """The document's rows; none if the next run is another's."""
        if self._next is None or self._next[0] != document_id:
            return []
        rows = self._next[1]
        self._advance()
        return rows

    def _advance(self) -> None:
        run = next(self._runs, None)
        self._next = (run[0], list(run[1])) if run else None


def _rows(shard: ShardTables, table: str, wanted: set[str] | None = None) -> Iterator[dict[str, Any]]:
    """Rows in order, a row group in memory at a time, without what is in no format."""
    columns = [name for name in arrow_schema(table).names if name not in _NEVER]
    for group in shard.groups(table, columns, wanted):
        yield from group.to_pylist()


def _selected(shard: ShardTables, selection: Selection) -> tuple[Iterator[dict[str, Any]], set[str]]:
    """Rows of the selected documents, and their ids."""
    kinds = shard.table("documents", ["document_id", "type", "language"]).to_pylist()
    wanted = {r["document_id"] for r in kinds if selection.takes(r["type"], r["language"])}
    return _rows(shard, "documents", wanted), wanted
