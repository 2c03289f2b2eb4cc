"""What one document costs: measured on a pilot, or by rule of thumb."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.cluster import cache_folder, join, leave
from engine.kinds import Context
from engine.local import LocalStages, make_one
from engine.lock import prepare, resolve
from engine.store import open_store
from schemas.plan import Plan
from schemas.recipe import Recipe

# Measured with `make bench` on two cores of a shared server (docs/performance.md): one A4 page at 150 dpi.
MAKE_S, READ_S = 0.35, 3.0
PICTURE_BYTES = {"jpeg": 520_000, "webp": 300_000, "png": 2_500_000}
TABLES_AND_PDF_BYTES = 120_000
PAGES = 1.3


@dataclass(frozen=True)
class Estimate:
    source: str
    bytes_per_document: float
    cpu_seconds_per_document: float
    rejected: float | None = None


def constants(recipe: Recipe) -> Estimate:
    """Rule of thumb for the recipe's picture format, resolution and share of pages read."""
    content = recipe.content
    dpi = (content.dpi.min + content.dpi.max) / 2
    pixels = (dpi / 150) ** 2
    seconds = PAGES * (MAKE_S * pixels + READ_S * content.legibility.share)
    size = PAGES * (PICTURE_BYTES[content.picture.format] * pixels + TABLES_AND_PDF_BYTES)
    return Estimate("rule of thumb; --pilot N measures", size, seconds)


def measure(recipe: Recipe, samples: int) -> Estimate:
    """Make the first samples of the first split here, one after another, and take the mean."""
    plan = Plan(recipe.content)
    split = next(name for name in plan.splits if recipe.content.splits[name].samples)
    samples = min(samples, recipe.content.splits[split].samples)
    cache = cache_folder(recipe.execution)
    prepared = prepare(recipe.content)
    with TemporaryDirectory(prefix="pageloom-pilot-") as folder:
        store = open_store(Path(folder))
        started = join(recipe.execution)
        try:
            lock = resolve(recipe, prepared, store, cache, lambda *_: None)
        finally:
            leave(started)
        context = Context(recipe.content, recipe.execution, lock, store, str(cache))
        size, tries = 0, 0
        with LocalStages(context) as stages:
            stages.warm("writer", "browser", "camera", "reader")
            start = time.perf_counter()
            for index in range(samples):
                accepted, rejections = asyncio.run(make_one(stages, split, index))
                size += len(accepted.pdf) + sum(len(p.data) for p in accepted.pictures)
                tries += 1 + len(rejections)
            seconds = time.perf_counter() - start
    return Estimate(f"pilot of {samples}", size / samples * 1.05, seconds / samples, 1 - samples / tries)
