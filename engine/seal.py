"""Sealing: what is global to a release, then its manifest, written last (DESIGN decision 6)."""

from __future__ import annotations

from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor

from engine.card import card
from engine.commit import read_manifest
from engine.store import Store, put_same
from schemas.errors import UserError
from schemas.plan import Plan
from schemas.release import (
    CARD_KEY,
    LABELS_KEY,
    LAYOUT_VERSION,
    MANIFEST_KEY,
    FileEntry,
    Lock,
    ReleaseManifest,
    ShardManifest,
    canonical,
    sha256,
)
from schemas.tables import label_ids

_PARALLEL = 8


def read_release(store: Store) -> ReleaseManifest | None:
    """The release manifest, None while the output is not sealed."""
    try:
        data = store.get(MANIFEST_KEY)
    except KeyError:
        return None
    try:
        return ReleaseManifest.model_validate_json(data)
    except ValueError as error:
        raise UserError("the release manifest cannot be read", f"{store.url}/{MANIFEST_KEY}", "restore it") from error


def check_files(store: Store, entries: list[FileEntry]) -> list[str]:
    """What is wrong with the files as the store gives them back; empty when all checksums agree."""

    def wrong(entry: FileEntry) -> str | None:
        try:
            digest = store.sha256(entry.key)
        except KeyError:
            return f"{entry.key}: missing"
        return None if digest == entry.sha256 else f"{entry.key}: sha256 {digest}, the manifest says {entry.sha256}"

    with ThreadPoolExecutor(_PARALLEL) as pool:
        return [problem for problem in pool.map(wrong, entries) if problem]


def seal(store: Store, lock: Lock, plan: Plan) -> ReleaseManifest:
    """Write labels, card and manifest of a release whose shards are all committed. The same shards, the same bytes."""
    shards = [_committed(store, lock, plan, position) for position in range(len(plan))]
    problems = check_files(store, [entry for shard in shards for entry in shard.files])
    if problems:
        raise UserError(
            f"{len(problems)} files are not what was committed, first {problems[0]}", store.url, "restore them"
        )
    content = plan.content
    manifest = ReleaseManifest(
        layout=LAYOUT_VERSION,
        name=content.name,
        version=content.version,
        license=content.license,
        lock=lock.digest,
        shards={shard.name: sha256(shard.to_bytes()) for shard in shards},
        splits={name: split.samples for name, split in content.splits.items()},
        documents=sum(s.documents for s in shards),
        pages=sum(s.pages for s in shards),
        cells=_sum(s.cells for s in shards),
        tries=_sum(s.tries for s in shards),
        rejected=_sum(s.rejected for s in shards),
        scenes=_sum(s.scenes for s in shards),
        faults=_sum({f"{s.split}/{name}": pages for name, pages in s.faults.items()} for s in shards),
        checks=_sum(s.checks for s in shards),
        duplicates=_duplicates(shards),
        files=sum(len(s.files) for s in shards),
        bytes=sum(f.bytes for s in shards for f in s.files),
    )
    put_same(store, LABELS_KEY, canonical(label_ids()))
    put_same(store, CARD_KEY, card(manifest, lock, content).encode())
    put_same(store, MANIFEST_KEY, manifest.to_bytes())
    return manifest


def _committed(store: Store, lock: Lock, plan: Plan, position: int) -> ShardManifest:
    shard = plan.shard(position)
    manifest = read_manifest(store, shard)
    if manifest is None:
        raise UserError(f"shard {shard.name} is not committed", store.url, "run the recipe again on this output")
    if manifest.lock != lock.digest or (manifest.start, manifest.stop) != (shard.start, shard.stop):
        raise UserError(f"shard {shard.name} belongs to another lock or size", store.url, "give another --out")
    return manifest


def _sum(parts) -> dict[str, int]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return dict(total)


def _duplicates(shards: list[ShardManifest]) -> list[list[str]]:
    """Groups of document ids whose words are the same, in order."""
    seen: dict[str, list[str]] = defaultdict(list)
    for shard in shards:
        for offset, print_ in enumerate(shard.fingerprints):
            seen[print_].append(f"{shard.split}-{shard.start + offset:08d}")
    return sorted(ids for ids in seen.values() if len(ids) > 1)
