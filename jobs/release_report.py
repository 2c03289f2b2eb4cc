"""`pageloom report`: reads a release for the report, a shard at a time, pictures only of the pages that are shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import pyarrow as pa
from pydantic import ValidationError

from engine.lock import stored_lock
from engine.shard_tables import ShardTables, readable
from engine.store import Store
from engine.verify import release_of, shard_manifests
from jobs.report import ReleaseData, write_report
from schemas.release import AUDIT_KEY, AuditRecord, ReleaseManifest, ShardManifest
from schemas.tables import arrow_schema

# Columns too heavy to hold for every document.
_HEAVY = {"image", "pdf", "schema", "values"}


def report_release(store: Store, url: str, out: Path | None) -> Path:
    """Write the report beside a release in a folder, or to `report.html` here for one on S3; its path."""
    path = out or (Path("report.html") if "://" in url else Path(url) / "report.html")
    return write_report(release_data(store), path)


def release_data(store: Store) -> ReleaseData:
    """What the report needs of a release."""
    release, lock = release_of(store), stored_lock(store)
    shards = list(shard_manifests(store, release))
    asked = bool(lock and lock.content.get("questions"))
    max_cer = lock.content.get("legibility", {}).get("max_cer") if lock else None
    return ReleaseData(
        manifest=release,
        audit=last_audit(store, release),
        documents=_light(store, shards, "documents"),
        pages=_light(store, shards, "pages"),
        rejections=_light(store, shards, "rejections"),
        load=lambda config, ids: _rows(store, shards, config, ids),
        max_cer=max_cer,
        questions=_questions(store, shards, "qa") if asked else None,
        refused=_questions(store, shards, "qa_rejections") if asked else None,
    )


def last_audit(store: Store, release: ReleaseManifest) -> AuditRecord | None:
    """The last audit of this very release; None if there is none, or of another."""
    try:
        record = AuditRecord.model_validate_json(store.get(AUDIT_KEY))
    except (KeyError, ValidationError):
        return None
    return record if record.release == release.digest else None


def _light(store: Store, shards: Sequence[ShardManifest], config: str) -> pa.Table:
    columns = [name for name in arrow_schema(config).names if name not in _HEAVY]
    return pa.concat_tables([_table(store, shard, config, columns) for shard in shards])


def _questions(store: Store, shards: Sequence[ShardManifest], config: str) -> pa.Table:
    """What the report counts of questions."""
    columns = ["question", "kind", "cardinality", "reasons"]
    return pa.concat_tables([_table(store, shard, config, columns) for shard in shards])


def _rows(store: Store, shards: Sequence[ShardManifest], config: str, ids: Sequence[str]) -> pa.Table:
    """Full rows of these documents, reading only the shards that hold them."""
    wanted = set(ids)
    parts = [arrow_schema(config).empty_table()]
    for shard in shards:
        mine = wanted.intersection(shard.document_ids)
        if mine:
            parts.append(_table(store, shard, config, None, mine))
    return pa.concat_tables(parts)


def _table(
    store: Store,
    shard: ShardManifest,
    config: str,
    columns: Sequence[str] | None,
    documents: Collection[str] | None = None,
) -> pa.Table:
    with readable(store, shard.name):
        return ShardTables(store, shard).table(config, columns, documents)
