"""Memory of the driver over the number of planned samples.

`engine.run.run` itself plans, hands out shards and settles them, but the runner it talks to is not an actor: it is an
object in this process that calls every shard done at once. So no samples are made and no manifests are read at the end.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import engine.run
from benchmarks.common import recipe
from engine.progress import Silent
from engine.runner import Outcome
from engine.store import open_store
from schemas.plan import Shard
from schemas.recipe import Recipe

SHARD_SIZE = 100


class _Method:
    def __init__(self, answer: Any) -> None:
        self.remote = answer


class _Runner:
    """Answers like a runner actor's handle."""

    def __init__(self, _: Any) -> None:
        self.counts: Counter[str] = Counter()
        self.start = _Method(self._nothing)
        self.close = _Method(self._nothing)
        self.make = _Method(self._make)
        self.counters = _Method(self._counters)

    async def _nothing(self) -> None:
        await asyncio.sleep(0)

    async def _make(self, shard: Shard) -> Outcome:
        await asyncio.sleep(0)
        self.counts["accepted invoice/en"] += shard.stop - shard.start
        return Outcome("done", shard, "", shard.stop - shard.start, 0.0)

    async def _counters(self) -> tuple[dict[str, int], dict[str, dict[str, float]]]:
        await asyncio.sleep(0)
        return dict(self.counts), {}


class _NoRay:
    @staticmethod
    def kill(runner: _Runner, no_restart: bool = True) -> None:
        pass


def drive(samples: int) -> dict[str, Any]:
    """Plan and drive `samples` in this process; peak memory of the whole process in MiB."""
    wanted = recipe(samples)
    content = wanted.content.model_copy(update={"shard_size": SHARD_SIZE})
    engine.run.start_runner = _Runner
    engine.run.ray = _NoRay  # pyright: ignore[reportAttributeAccessIssue]
    engine.run.join = lambda *_: False
    with TemporaryDirectory(prefix="pageloom-bench-") as folder:
        result = engine.run.run(Recipe(content=content, execution=wanted.execution), open_store(Path(folder)), Silent())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "samples": samples,
        "shards": result.done,
        "peak_mib": round(peak, 1),
        "seconds": round(result.seconds, 2),
        "driver_calls": result.driver_calls,
        "python": sys.version.split()[0],
    }
