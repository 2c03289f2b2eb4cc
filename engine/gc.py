"""Removing what no manifest names: files of shards that were never committed, scenes and folders of no lock."""

from __future__ import annotations

from engine.commit import read_manifest
from engine.kinds import scene_key
from engine.lock import stored_lock
from engine.seal import read_release
from engine.store import Store
from engine.verify import shard_manifests
from schemas.errors import UserError
from schemas.plan import Shard
from schemas.release import sha256
from schemas.tables import configs

_OURS = tuple(f"{name}/" for name in (*configs(questions=True, characters=True), "data", "bank", "assets"))


def garbage(store: Store) -> list[str]:
    """Keys under Pageloom's own prefixes that neither the lock nor a shard manifest names. Never anything else."""
    lock = stored_lock(store)
    if lock is None:
        raise UserError("no Pageloom output there", store.url, "give the folder or S3 prefix of a run")
    kept = {asset.key for asset in lock.assets} | {scene_key(scene.sha256) for scene in lock.scenes}
    release = read_release(store)
    # Of a sealed release every shard must be there as it was: else its files would pass for garbage.
    sealed = list(shard_manifests(store, release)) if release else []
    for manifest in sealed:
        if release and sha256(manifest.to_bytes()) != release.shards[manifest.name]:
            raise UserError(
                f"the manifest of shard {manifest.name} was changed", store.url, "restore it, then run again"
            )
    for key in store.list("manifests/"):
        name = key.removeprefix("manifests/").removesuffix(".json")
        split, _, number = name.rpartition("-")
        found = read_manifest(store, Shard(0, split, int(number), 0, 0)) if number.isdecimal() else None
        if found is not None:
            kept.update(entry.key for entry in found.files)
    return [key for prefix in _OURS for key in store.list(prefix) if key not in kept]


def collect(store: Store) -> list[str]:
    """Remove the garbage and say what it was. Not while a run writes to the same output."""
    keys = garbage(store)
    for key in keys:
        store.delete(key)
    return keys
