"""What the engine adds: the same samples by bare engines in one process, and by a run, both on one core."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from actors.host import settle
from benchmarks.common import SPLIT, locked, recipe, tree_cpu
from benchmarks.sizes import Size
from benchmarks.whole import make
from engine.local import LocalStages, make_one


def measure(size: Size) -> dict[str, Any]:
    """Seconds and CPU seconds a sample, bare and through the engine, and the ratios less one.

    The run has one actor of each kind and two samples under way, so samples finish nearly in order, and the bare cost
    is taken over the samples of the run's steady state. The engine's cost has all in it: Ray's processes, copies
    between actors, staging, Parquet, hashes, the driver.
    """
    wanted = recipe(size.overhead, actors=1, in_flight=2)
    bare: list[tuple[float, float]] = []
    with locked(wanted) as context, LocalStages(context) as stages:
        stages.warm("writer", "browser", "camera")
        for index in range(min(12, size.overhead)):  # fonts, scenes, compiled templates
            asyncio.run(make_one(stages, SPLIT, index))
        settle()  # as every actor does
        for index in range(size.overhead):
            start, cpu = time.perf_counter(), tree_cpu()
            asyncio.run(make_one(stages, SPLIT, index))
            bare.append((time.perf_counter() - start, tree_cpu() - cpu))
    steady = make(wanted).watch.steady()
    if steady is None:
        return {"not_available": "the run was too short to have a steady state"}
    same = bare[-steady.documents :]
    seconds, cpu = (sum(column) / len(same) for column in zip(*same, strict=True))
    spent = sum(steady.cpu_seconds.values())
    return {
        "documents": steady.documents,
        "bare_seconds": round(seconds, 4),
        "bare_cpu_seconds": round(cpu, 4),
        "engine_seconds": round(steady.seconds / steady.documents, 4),
        "engine_cpu_seconds": round(spent / steady.documents, 4),
        "overhead_seconds": round(steady.seconds / steady.documents / seconds - 1, 4),
        "overhead_cpu": round(spent / steady.documents / cpu - 1, 4),
        "engine_cpu_by_role": {k: round(v / steady.documents, 4) for k, v in steady.cpu_seconds.items()},
    }
