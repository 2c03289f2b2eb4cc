"""Making one shard of a release again, offline, and comparing it with what was released."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray

from engine.cluster import cache_folder, join, leave
from engine.commit import read_manifest
from engine.kinds import Context
from engine.lock import check_environment, stored_lock
from engine.parquet import table_in
from engine.runner import Outcome, start_runner
from engine.store import Store, open_store
from engine.verify import release_of
from schemas.errors import UserError
from schemas.execution import Execution
from schemas.plan import Plan, Shard
from schemas.recipe import Content
from schemas.release import Lock, ShardManifest


@dataclass(frozen=True)
class Overlay:
    """Reads inputs (ledger, quarantine, scenes, folders) from a release, writes and reads shards in a scratch store."""

    release: Store
    scratch: Store
    _inputs = ("ledger/", "quarantine/", "bank/", "assets/")

    @property
    def url(self) -> str:
        return self.scratch.url

    @property
    def settle_s(self) -> float:
        return self.scratch.settle_s

    def _at(self, key: str) -> Store:
        return self.release if key.startswith(self._inputs) else self.scratch

    def put_new(self, key: str, data: bytes) -> bool:
        return self.scratch.put_new(key, data)

    def put(self, key: str, data: bytes) -> None:
        self.scratch.put(key, data)

    def get(self, key: str) -> bytes:
        return self._at(key).get(key)

    def exists(self, key: str) -> bool:
        return self._at(key).exists(key)

    def size(self, key: str) -> int:
        return self._at(key).size(key)

    def sha256(self, key: str) -> str:
        return self._at(key).sha256(key)

    def list(self, prefix: str = "") -> Iterator[str]:
        return self._at(prefix).list(prefix)

    def delete(self, key: str) -> None:
        self.scratch.delete(key)

    def probe(self) -> None:
        self.scratch.probe()


def released_content(store: Store) -> tuple[Content, Lock]:
    """The recipe's content as a release's lock and manifest hold it; user folders are in the lock's assets."""
    release, lock = release_of(store), stored_lock(store)
    if lock is None:
        raise UserError("the release has no lock", store.url, "restore recipe.lock.json")
    try:
        data: dict[str, Any] = {**lock.content}
        shares = {split["name"]: split["share"] for split in lock.content["splits"]}
        data["splits"] = {name: {"share": share, "samples": release.splits[name]} for name, share in shares.items()}
        for part in ("writer", "fonts"):
            named = {key: None for key in ("examples", "personas") if key in lock.content[part]}
            data[part] = {**lock.content[part], "folders": [], **named}
        return Content.model_validate(data), lock
    except (KeyError, TypeError, ValueError):
        fix = "restore the lock and the manifest, or use the Pageloom version that made them"
        raise UserError("lock and manifest do not make a recipe", store.url, fix) from None


def regenerate(store: Store, shards: str, execution: Execution, address: str | None = None) -> dict[str, list[str]]:
    """Make the named shards again from the lock and the ledger alone: differences by shard name, empty where equal."""
    content, lock = released_content(store)
    plan = Plan(content)
    positions = plan.select(shards)
    cache = cache_folder(execution)
    started = join(execution, address)
    try:
        with tempfile.TemporaryDirectory(prefix="pageloom-regenerate-") as folder:
            scratch = open_store(folder)
            overlay = Overlay(store, scratch)
            context = Context(content, execution, lock, overlay, str(cache), offline=True)
            check_environment(lock, context.local_content())
            found: dict[str, list[str]] = {}
            for shard in map(plan.shard, positions):
                outcome = asyncio.run(_make(context, shard))
                if outcome.kind != "done":
                    raise UserError(outcome.message, f"shard {shard.name}", "compare this machine with the lock")
                found[shard.name] = _compare(store, scratch, shard)
            return found
    finally:
        leave(started)


async def _make(context: Context, shard: Shard) -> Outcome:
    runner: Any = start_runner(context)
    try:
        await runner.start.remote()
        outcome = await runner.make.remote(shard)
        await runner.close.remote()
        return outcome
    finally:
        ray.kill(runner, no_restart=True)


def _compare(store: Store, scratch: Store, shard: Shard) -> list[str]:
    old, new = read_manifest(store, shard), read_manifest(scratch, shard)
    if old is None or new is None:
        raise UserError(
            f"shard {shard.name} is not in the release", store.url, "see its manifest for the shards it has"
        )
    made = {entry.key: entry for entry in new.files}
    differences: list[str] = []
    for entry in old.files:
        mine = made.get(entry.key)
        if mine is None:
            differences.append(f"{entry.key}: not made")
        elif mine.sha256 != entry.sha256:
            differences.append(f"{entry.key}: {_what_differs(store, scratch, entry.key)}")
    if not differences and old.to_bytes() != new.to_bytes():
        differences.append(f"manifest: {_differing_field(old, new)}")
    return differences


def _what_differs(store: Store, scratch: Store, key: str) -> str:
    if not key.endswith(".parquet"):
        return "bytes differ"
    old, new = (table_in(s.get(key)) for s in (store, scratch))
    if old.num_rows != new.num_rows:
        return f"{old.num_rows} rows in the release, {new.num_rows} made"
    for row, (a, b) in enumerate(zip(old.to_pylist(), new.to_pylist(), strict=True)):
        for column in a:
            if a[column] != b.get(column):
                return f"row {row} ({a.get('document_id')}), column {column}"
    return "equal rows, other encoding"


def _differing_field(old: ShardManifest, new: ShardManifest) -> str:
    a, b = old.model_dump(), new.model_dump()
    return ", ".join(name for name in a if a[name] != b[name])


def default_execution(cache: Path | None) -> Execution:
    return Execution(cache=cache)
