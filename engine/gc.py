"""Removing what no manifest names: files of shards that were never committed, scenes and folders of no lock."""

from __future__ import annotations

from engine.kinds import scene_key
from engine.lock import stored_lock
from engine.store import Store
from schemas.errors import UserError
from schemas.release import ShardManifest
from schemas.tables import COLUMNS

_OURS = tuple(f"{name}/" for name in (*COLUMNS, "data", "bank", "assets"))


def garbage(store: Store) -> list[str]:
    """Keys under Pageloom's own prefixes that neither the lock nor a shard manifest names. Never anything else."""
    lock = stored_lock(store)
    if lock is None:
        raise UserError("no Pageloom output there", store.url, "give the folder or S3 prefix of a run")
    kept = {asset.key for asset in lock.assets} | {scene_key(scene.sha256) for scene in lock.scenes}
    for key in store.list("manifests/"):
        kept.update(entry.key for entry in ShardManifest.model_validate_json(store.get(key)).files)
    return [key for prefix in _OURS for key in store.list(prefix) if key not in kept]


def collect(store: Store) -> list[str]:
    """Remove the garbage and say what it was. Not while a run writes to the same output."""
    keys = garbage(store)
    for key in keys:
        store.delete(key)
    return keys
