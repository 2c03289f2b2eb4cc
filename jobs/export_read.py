"""A release read document by document, a row group at a time, only the tables and documents that are asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine.lock import stored_lock
from engine.store import Store
from engine.store_folder import FolderStore
from engine.verify import readable, release_of, shard_manifests, tables_of
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
        yield from _selected(_shard(store, part.manifest, ("documents",)), selection)[0]


def samples(store: Store, part: Part, selection: Selection, tables: Sequence[str]) -> Iterator[Sample]:
    """Selected documents of a shard in order, with the rows of these tables; `qa` only where the release has it."""
    manifest = part.manifest
    with readable(store, manifest.name):
        tables = [name for name in tables if name in COLUMNS or part.questions]
        shard = _shard(store, manifest, ("documents", "pages", *tables))
        documents, wanted = _selected(shard, selection)
        rest = {name: _Groups(shard.rows(name, wanted)) for name in ("pages", *tables)}
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


class _ParquetShard:
    def __init__(self, store: Store, manifest: ShardManifest, tables: Sequence[str]) -> None:
        self._files = {name: _parquet(store, f"{name}/{manifest.name}.parquet") for name in tables}
        told = {entry.key.split("/")[0]: entry.rows for entry in manifest.files}
        for name, file in self._files.items():
            if file.metadata.num_rows != told.get(name):
                raise ValueError(f"{name} has {file.metadata.num_rows} rows, its manifest says {told.get(name)}")

    def rows(self, table: str, wanted: set[str] | None) -> Iterator[dict[str, Any]]:
        """Rows in order; with `wanted`, row groups that hold none of these documents are not read.

        Without Arrow's threads: what reads from memory leaves them behind, and a process that ends soon aborts.
        """
        file = self._files[table]
        columns = [name for name in arrow_schema(table).names if name not in _NEVER]
        ids = pc.field("document_id")
        for group in range(file.metadata.num_row_groups):
            if wanted is not None:
                held = (
                    file.read_row_group(group, columns=["document_id"], use_threads=False)
                    .column(0)
                    .unique()
                    .to_pylist()
                )
                if wanted.isdisjoint(held):
                    continue
            found = file.read_row_group(group, columns=columns, use_threads=False)
            if wanted is not None and not wanted.issuperset(held):
                found = found.filter(ids.isin(list(wanted.intersection(held))))
            yield from found.to_pylist()


class _TarShard:
    def __init__(self, store: Store, manifest: ShardManifest) -> None:
        self._tables = tables_of(store, manifest)

    def rows(self, table: str, wanted: set[str] | None) -> Iterator[dict[str, Any]]:
        for row in self._tables[table]:
            if wanted is None or row["document_id"] in wanted:
                yield {name: value for name, value in row.items() if name not in _NEVER}


def _shard(store: Store, manifest: ShardManifest, tables: Sequence[str]) -> _ParquetShard | _TarShard:
    if any(file.key.endswith(".tar") for file in manifest.files):
        return _TarShard(store, manifest)
    return _ParquetShard(store, manifest, tables)


def _selected(shard: _ParquetShard | _TarShard, selection: Selection) -> tuple[Iterator[dict[str, Any]], set[str]]:
    """Rows of the selected documents, and their ids."""
    wanted = {r["document_id"] for r in shard.rows("documents", None) if selection.takes(r["type"], r["language"])}
    return shard.rows("documents", wanted), wanted


def _parquet(store: Store, key: str) -> pq.ParquetFile:
    """A file in a folder is read where it lies; from elsewhere it is fetched whole, one shard's at a time."""
    if isinstance(store, FolderStore):
        path = store.root / key
        if not path.is_file():
            raise KeyError(key)
        return pq.ParquetFile(path)
    return pq.ParquetFile(pa.BufferReader(store.get(key)))
