"""Reading of a release for scoring: a shard at a time, only the columns that are asked for, pictures only of a few."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.shard_tables import ShardTables, readable
from engine.store import Store
from engine.verify import release_of, shard_manifests
from schemas.draws import hash_order
from schemas.errors import UserError
from schemas.release import ReleaseManifest, ShardManifest
from synth.score.truth import COLUMNS, QUESTION_COLUMNS, DocumentTruth, documents_of

_OF_DOCUMENT = re.compile(r"^(.+-\d{8})(?:-.*)?$")
MAX_IDS = 64 << 20  # bytes of a file of ids


@dataclass(frozen=True)
class Release:
    """A sealed release and which of its documents are scored."""

    store: Store
    manifest: ReleaseManifest
    shards: tuple[ShardManifest, ...]
    chosen: frozenset[str]

    @cached_property
    def has_questions(self) -> bool:
        """Whether there is a table `qa`; of a release in tars, whether its first shard has a question."""
        with readable(self.store, self.shards[0].name):
            return ShardTables(self.store, self.shards[0]).has("qa")

    def documents(self) -> Iterator[DocumentTruth]:
        """The chosen documents, shard by shard."""
        for shard in self.shards:
            if not self.chosen.isdisjoint(shard.document_ids):
                with readable(self.store, shard.name):
                    yield from (row for row in documents_of(self._tables(shard)) if row.id in self.chosen)

    def holds(self, name: str) -> bool:
        """Whether an id (of a document, a page, a question) belongs to a document of the release, chosen or not."""
        return document_of(name) in self._every

    @cached_property
    def _every(self) -> frozenset[str]:
        return frozenset(name for shard in self.shards for name in shard.document_ids)

    def rows(self, config: str, documents: Collection[str], columns: Sequence[str]) -> list[dict[str, Any]]:
        """Rows of these documents, from the shards that hold them."""
        found: list[dict[str, Any]] = []
        for shard in self.shards:
            mine = set(documents).intersection(shard.document_ids)
            if mine:
                with readable(self.store, shard.name):
                    found += ShardTables(self.store, shard).table(config, columns, mine).to_pylist()
        return found

    def _tables(self, shard: ShardManifest) -> dict[str, list[dict[str, Any]]]:
        tables = ShardTables(self.store, shard)
        wanted = COLUMNS | (QUESTION_COLUMNS if self.has_questions else {})
        return {config: tables.table(config, columns).to_pylist() for config, columns in wanted.items()}


def open_release(
    store: Store, split: str | None = None, ids: Path | None = None, sample: int | None = None, seed: int = 0
) -> Release:
    """A sealed release with the documents to score: of one split, of a file of ids, `sample` of them drawn by seed.

    UserError for no release there, an unknown split, and an id that is no document's.
    """
    manifest = release_of(store)
    shards = tuple(shard_manifests(store, manifest))
    if split is not None and split not in manifest.splits:
        raise UserError(f"no split {split!r}", "--split", f"the splits are {', '.join(manifest.splits)}")
    chosen = [name for shard in shards if split in (None, shard.split) for name in shard.document_ids]
    if ids is not None:
        wanted = _read_ids(ids)
        strange = sorted(set(wanted) - set(chosen))
        if strange:
            where = f"{ids}:{wanted[strange[0]]}"
            raise UserError(f"{strange[0][:80]!r} is no document of the release", where, "give one document id a line")
        chosen = [name for name in chosen if name in wanted]
    if sample is not None:
        chosen = hash_order(sorted(chosen), f"evaluate {seed}")[:sample]
    return Release(store, manifest, shards, frozenset(chosen))


def document_of(name: str) -> str:
    """The document's part of the id of a document, a page or a question."""
    found = _OF_DOCUMENT.match(name)
    return found.group(1) if found else name


def _read_ids(path: Path) -> dict[str, int]:
    """Ids with their line numbers."""
    fix = "give a text file with one document id a line"
    try:
        if path.stat().st_size > MAX_IDS:
            raise UserError(f"is larger than {MAX_IDS >> 20} MiB", str(path), fix)
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise UserError(f"is not UTF-8 (byte {error.start})", str(path), fix) from None
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", str(path), fix) from None
    found = {line.strip(): number for number, line in enumerate(lines, 1) if line.strip()}
    if not found:
        raise UserError("holds no id", str(path), fix)
    return found
