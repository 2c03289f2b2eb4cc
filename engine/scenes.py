"""The scene bank: entries baked once, kept in this machine's cache, put into the release's store by digest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import ray

from actors import builders
from actors.inventory import SceneSpec
from engine.kinds import scene_key
from engine.pool import Poisoned, Pool
from engine.store import Store, put_same
from schemas.errors import UserError
from schemas.execution import Execution
from schemas.release import SceneLock, sha256

Told = Callable[[str, int, int], None]


def cached_scene(cache: Path, spec: SceneSpec, blender: str) -> Path:
    """Where this machine keeps the entry of a scene; named by all that decides its bytes."""
    return cache / "scenes" / f"{builders.scene_cache_key(spec, blender)}.scene"


def keep(path: Path, data: bytes) -> None:
    """Write a cached entry in one step: others read the same folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(f".{sha256(data)[:8]}.tmp")
    scratch.write_bytes(data)
    scratch.replace(path)


def bake_all(
    specs: list[SceneSpec], blender: str, execution: Execution, store: Store, cache: Path, told: Told
) -> list[SceneLock]:
    """Every scene's entry in the store, baked by a pool of Blender actors where the cache has it not.

    A Blender that crashes or hangs is replaced and its scene baked again, as the pool does with every engine. UserError
    for a scene that no Blender bakes, and for a cached file that is not its scene's.
    """
    paths = {spec.id: cached_scene(cache, spec, blender) for spec in specs}
    missing = [spec for spec in specs if not paths[spec.id].exists()]
    if missing:
        if not ray.is_initialized():
            raise RuntimeError("baking needs Ray")
        asyncio.run(_bake(missing, execution, paths, told))
    scenes: list[SceneLock] = []
    for spec in sorted(specs, key=lambda s: s.id):
        data = paths[spec.id].read_bytes()
        builders.check_scene(data, spec, str(paths[spec.id]))
        digest = sha256(data)
        put_same(store, scene_key(digest), data)
        scenes.append(SceneLock(id=spec.id, sha256=digest))
    return scenes


async def _bake(specs: list[SceneSpec], execution: Execution, paths: dict[str, Path], told: Told) -> None:
    pool = Pool("baker", execution.actors.baker, builders.baker, execution.blame_after)
    done = 0

    async def one(spec: SceneSpec) -> None:
        nonlocal done
        try:
            data: bytes = await pool.call(spec.id, "bake", spec)
        except Poisoned as fault:
            raise UserError(
                f"Blender did not bake it in {fault.attempts} tries ({fault.reason}): {fault.detail.splitlines()[-1]}",
                f"scene {spec.id}",
                "give it more time (execution.actors.baker.deadline_s), or leave its family out of degradation.scenes",
            ) from None
        keep(paths[spec.id], data)
        done += 1
        told("bake", done, len(specs))

    try:
        async with asyncio.TaskGroup() as group:
            for spec in specs:
                group.create_task(one(spec))
    except ExceptionGroup as group:
        raise group.exceptions[0] from group
    finally:
        await pool.close()
