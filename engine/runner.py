"""A runner makes whole shards with its own pools. Asyncio, no CPU of its own; its actors die with it (decision 8)."""

from __future__ import annotations

import asyncio
import gc
import time
from collections import Counter
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import ray

from engine.chain import Chain, Exhausted
from engine.commit import Staging, commit, read_manifest
from engine.kinds import Context
from engine.ledger import Ledger, Quarantine
from engine.llm_desk import caller
from engine.llm_ledger import LlmLedger
from engine.llm_steps import Models, models_of
from engine.pool import InfrastructureError, Pool
from schemas.errors import UserError, user_error_of
from schemas.plan import Plan, Shard
from schemas.prices import price_of
from schemas.sample import Rejection, SampleSpec

STAGES = ("writer", "browser", "camera", "reader")
FLUSH_EVERY = 8  # answers in the ledger that a kill may cost


@dataclass(frozen=True)
class Outcome:
    """How a shard ended: "done", "skipped" (committed before), "infrastructure", "mistake" or "exhausted"."""

    kind: str
    shard: Shard
    message: str = ""
    documents: int = 0
    seconds: float = 0.0


class ShardRunner:
    """Makes shards on call. One per few dozen actors."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.plan = Plan(context.content)
        self.pools: dict[str, Pool] = {}
        self.slots = asyncio.Semaphore(context.execution.in_flight)
        self.counts: Counter[str] = Counter()
        self.asking: set[Models] = set()

    async def start(self) -> None:
        blame = self.context.execution.blame_after
        for kind in STAGES:
            settings = getattr(self.context.execution.actors, kind)
            self.pools[kind] = Pool(kind, settings, self.context.builder(kind), blame)
        gc.freeze()  # see actors.host

    async def make(self, shard: Shard) -> Outcome:
        """Make and commit one shard, or find it committed. Never raises."""
        start = time.perf_counter()
        try:
            found = await asyncio.to_thread(read_manifest, self.context.store, shard)
            if found is not None:
                return Outcome("skipped", shard, documents=found.documents)
            manifest = await self._make(shard)
            return Outcome("done", shard, "", manifest.documents, time.perf_counter() - start)
        except UserError as error:
            return Outcome("mistake", shard, str(error))
        except OSError as error:
            mistake = user_error_of(error)
            return Outcome("mistake" if mistake else "infrastructure", shard, str(mistake or error))
        except Exhausted as error:
            return Outcome("exhausted", shard, str(error))
        except InfrastructureError as error:
            return Outcome("infrastructure", shard, str(error))

    async def _make(self, shard: Shard) -> Any:
        store = self.context.store
        ledger = await asyncio.to_thread(Ledger, store, shard.name)
        quarantine = await asyncio.to_thread(Quarantine, store, shard.name)
        chain = Chain(
            self.context.content,
            self.context.lock.models,
            self._call,
            ledger,
            quarantine,
            offline=self.context.offline,
            told=self._told,
            llm=(models := await self._models(shard)),
        )
        staging = Staging(shard)
        flushing = asyncio.Lock()
        changed: set[int] = set()

        async def flush(least: int) -> None:
            async with flushing:
                if ledger.unsaved >= least:
                    keys = await asyncio.to_thread(ledger.flush)
                    changed.update(int(key.split("/", 1)[0]) for key in keys)

        async def one(index: int) -> None:
            async with self.slots:
                accepted, rejections = await chain.sample(self.plan.spec(shard.split, index))
                await asyncio.to_thread(staging.add, accepted, rejections)
            await flush(FLUSH_EVERY)

        async def answered_before() -> set[int]:
            """Indices about which another run's models gave the answers that count."""
            found = await models.flush() if models is not None else set()
            # What all samples share is kept under index 0.
            return set(range(shard.start, shard.stop)) if 0 in found else found

        try:
            todo = set(range(shard.start, shard.stop))
            while todo:
                async with asyncio.TaskGroup() as group:
                    for index in sorted(todo):
                        group.create_task(one(index))
                await flush(1)
                # Another run may have answered or quarantined otherwise first; its word counts, so those are redone.
                new = {index for index, _ in await asyncio.to_thread(quarantine.refresh)} | await answered_before()
                todo, changed = changed | new, set()
                for index in todo:
                    staging.drop(index)
            return await asyncio.to_thread(commit, store, self.context.lock, self.context.content, staging)
        except ExceptionGroup as group:
            raise _first(group) from group
        finally:
            staging.close()
            if models is not None:
                await models.stop()  # what is under way is paid for
                self.asking.discard(models)

    async def _models(self, shard: Shard) -> Models | None:
        """The models as this shard asks them; offline only the ledger answers. None where the recipe asks none."""
        context = self.context
        if not models_of(context.content):
            return None
        call = caller(context.desk) if context.desk is not None and not context.offline else None
        settings = context.execution.llm
        price = partial(price_of, settings.prices if settings is not None else {})
        models = Models(await asyncio.to_thread(LlmLedger, context.store, shard.name, call, price))
        self.asking.add(models)
        return models

    async def _call(self, kind: str, subject: str, method: str, *args: Any) -> Any:
        return await self.pools[kind].call(subject, method, *args)

    def _told(self, spec: SampleSpec, rejection: Rejection | None) -> None:
        cell = f"{spec.type}/{spec.language}"
        if rejection is None:
            self.counts[f"accepted {cell}"] += 1
        else:
            word = "quarantined" if rejection.quarantined else "rejected"
            self.counts[f"{word} {cell}"] += 1

    async def counters(self) -> tuple[dict[str, int], dict[str, dict[str, float]]]:
        """Samples so far by outcome and cell, and what each pool did."""
        return dict(self.counts), {kind: asdict(pool.stats) for kind, pool in self.pools.items()}

    async def close(self) -> None:
        """Stop asking models, keep what they said, end all actors."""
        await asyncio.gather(*(models.stop() for models in self.asking))
        for pool in self.pools.values():
            await pool.close()

    async def actors(self, kind: str) -> list[Any]:
        """Living actors of a kind, for tests that end one on purpose."""
        return await self.pools[kind].actors()


def _first(group: BaseExceptionGroup) -> BaseException:
    """The plainest of several failures: a user's mistake before an exhausted cell before infrastructure."""
    flat: list[BaseException] = []
    for error in group.exceptions:
        flat.append(_first(error) if isinstance(error, BaseExceptionGroup) else error)
    order = (UserError, Exhausted, OSError, InfrastructureError)
    return min(flat, key=lambda e: next((i for i, kind in enumerate(order) if isinstance(e, kind)), len(order)))


def start_runner(context: Context) -> Any:
    """Handle of a new runner actor. It takes no CPU; runners spread over the nodes, so one node lost is not all."""
    options = {"num_cpus": 0, "max_restarts": 0, "max_task_retries": 0, "max_concurrency": 1000}
    return ray.remote(ShardRunner).options(**options, scheduling_strategy="SPREAD").remote(context)
