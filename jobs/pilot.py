"""What one document costs: measured on a pilot, or by rule of thumb."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.cluster import cache_folder, join, leave
from engine.kinds import Context
from engine.llm_desk import caller, close_desk, open_desk
from engine.llm_ledger import LlmLedger, groups
from engine.llm_steps import Models, models_of
from engine.local import LocalStages, make_one
from engine.lock import prepare, resolve
from engine.run import check_models
from engine.store import Store, open_store
from jobs.costs import Cost, costs_of
from schemas.plan import Plan
from schemas.prices import price_of
from schemas.recipe import Recipe

# Measured with `make bench` on two cores of a shared server (docs/performance.md): one A4 page at 150 dpi.
MAKE_S, READ_S = 0.35, 3.0
AIMED = 5.0  # times that a document with a target error rate is photographed and read
PICTURE_BYTES = {"jpeg": 520_000, "webp": 300_000, "png": 2_500_000}
TABLES_AND_PDF_BYTES = 120_000
PAGES = 1.3


@dataclass(frozen=True)
class Estimate:
    """Means of one document. `calls` sums what models were asked by (stage, model), for `documents` documents."""

    source: str
    bytes_per_document: float
    cpu_seconds_per_document: float
    rejected: float | None = None
    calls: Mapping[tuple[str, str], Cost] = field(default_factory=dict)
    documents: int = 0


def constants(recipe: Recipe) -> Estimate:
    """Rule of thumb for the recipe's picture format, resolution and share of pages read."""
    content = recipe.content
    dpi = (content.dpi.min + content.dpi.max) / 2
    pixels = (dpi / 150) ** 2
    tries = content.legibility.share if content.degradation.target_cer is None else AIMED
    seconds = PAGES * (MAKE_S * pixels * max(1.0, tries) + READ_S * tries)
    size = PAGES * (PICTURE_BYTES[content.picture.format] * pixels + TABLES_AND_PDF_BYTES)
    return Estimate("rule of thumb; --pilot N measures", size, seconds)


def measure(recipe: Recipe, samples: int) -> Estimate:
    """Make the first samples of the first split here, one after another, and take the mean. Models are really asked,
    within the recipe's budget."""
    plan = Plan(recipe.content)
    split = next(name for name in plan.splits if recipe.content.splits[name].samples)
    samples = min(samples, recipe.content.splits[split].samples)
    check_models(recipe)
    cache = cache_folder(recipe.execution)
    prepared = prepare(recipe.content)
    with TemporaryDirectory(prefix="pageloom-pilot-") as folder:
        store = open_store(Path(folder))
        started = join(recipe.execution)
        try:
            lock = resolve(recipe, prepared, store, cache, lambda *_: None)
            if not models_of(recipe.content):
                leave(started)
                started = False
            context = Context(recipe.content, recipe.execution, lock, store, str(cache))
            with LocalStages(context) as stages:
                stages.warm("writer", "browser", "camera", "reader")
                size, tries, seconds = asyncio.run(_pilot(stages, recipe, split, samples))
            calls = costs_of(store).rows if groups(store) else {}
        finally:
            leave(started)
    source = f"pilot of {samples}"
    return Estimate(source, size / samples * 1.05, seconds / samples, 1 - samples / tries, calls, samples)


async def _pilot(stages: LocalStages, recipe: Recipe, split: str, samples: int) -> tuple[int, int, float]:
    """Bytes, tries and seconds of CPU-bound stages of so many samples."""
    size, tries = 0, 0
    async with models_here(recipe, stages.context.store) as models:
        start = time.perf_counter()
        for index in range(samples):
            accepted, rejections = await make_one(stages, split, index, models)
            size += len(accepted.pdf) + sum(len(p.data) for p in accepted.pictures)
            tries += 1 + len(rejections)
        wall = time.perf_counter() - start
    # Waiting for a model is no work of this machine.
    return size, tries, sum(stages.seconds.values()) if models is not None else wall


@asynccontextmanager
async def models_here(recipe: Recipe, store: Store) -> AsyncIterator[Models | None]:
    """The recipe's models for samples made in this process, which has joined Ray; None where it asks none."""
    settings, names = recipe.execution.llm, models_of(recipe.content)
    if settings is None or not names:
        yield None
        return
    desk = open_desk(settings, names, store)
    models = Models(LlmLedger(store, "local", caller(desk), partial(price_of, settings.prices)))
    try:
        yield models
    finally:
        await models.stop()
        await close_desk(desk)
