"""`pageloom predict`: a model's answers over a release, through the LLM actors, with ledger, budget and resume."""

from __future__ import annotations

import asyncio
import json
import math
import os
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import IO

from engine.cluster import join, leave
from engine.llm_ledger import SEGMENT, LlmLedger
from engine.llm_pool import LlmPool
from engine.store import Store, open_store
from jobs.evaluate_data import Release, open_release
from schemas.errors import UserError
from schemas.execution import ActorPool, Actors, Execution
from schemas.llm import CallError, CallKey, LlmSettings
from schemas.prices import FREE, price_of
from schemas.release import ShardManifest
from synth.llm.tracks import Asking, ModelTrack, PagePicture, Task, tasks_of

SHARDS_AT_ONCE = 2  # two, so that the slots do not idle at the tail of a shard
SAY_EVERY_S = 5.0
_PICTURE = ("page_id", "document_id", "image", "width", "height")
NOTHING_WORKS = 20  # calls that fail in a row, with none answered between, before the run stops


@dataclass(frozen=True)
class Wanted:
    """What is predicted: which documents, how the model is asked, where it is, what it may cost."""

    track: ModelTrack
    asking: Asking
    settings: LlmSettings | None
    """None is offline: every answer has to be in the ledger."""
    split: str | None = None
    ids: Path | None = None
    sample: int | None = None
    budget_tokens: int | None = None
    budget_cost: Decimal | None = None


@dataclass
class Predicted:
    """What a run did. `statuses` counts lines by how the answer ended; `tokens` and `cost` are of all runs so far."""

    lines: int = 0
    asked: int = 0
    replayed: int = 0
    failed: int = 0
    tokens: int = 0
    cost: Decimal = Decimal(0)
    seconds: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)
    endpoints: list[dict[str, object]] = field(default_factory=list)


def ledger_of(out: Path) -> Path:
    """The folder beside a prediction file that keeps its answers."""
    return out.with_name(out.name + ".ledger")


def predict(
    url: str, out: Path, wanted: Wanted, tell: Callable[[str], None] = print, address: str | None = None
) -> Predicted:
    """Write one line for everything that the track asks of the release, in the order of ids.

    The file appears when all is answered; until then answers are in the ledger beside it, and the same call goes on.
    UserError for mistakes, for a budget that is used up, and for an endpoint that answers nothing.
    """
    if out.is_dir() or not out.parent.is_dir():
        raise UserError("is no file in a folder that is there", str(out), "name a file to write")
    if wanted.track == "layout" and wanted.asking.see == "text":
        raise UserError("boxes cannot be found in text", "--track layout", "leave --see text out")
    release = open_release(open_store(url), wanted.split, wanted.ids, wanted.sample)
    if wanted.track == "qa" and not release.has_questions:
        raise UserError("the release has no questions", url, "give another --track, or make them with `pageloom ask`")
    store = open_store(ledger_of(out))
    start = time.perf_counter()
    started = False
    if wanted.settings is not None:
        price_of(wanted.settings.prices, wanted.asking.model)
        started = join(_execution(wanted.settings), address)
    try:
        result = asyncio.run(_Run(release, store, out, wanted, tell).go())
    finally:
        leave(started)
    result.seconds = time.perf_counter() - start
    return result


def _execution(settings: LlmSettings) -> Execution:
    """What a local Ray has to offer: the CPUs of the engines. Clients and the budget take none."""
    cpus = math.ceil(sum(engine.count * engine.num_cpus for engine in settings.engines))
    return Execution(actors=Actors(reader=ActorPool(num_cpus=cpus)))


class _Run:
    """Shards in order, a few at once; `in_flight` calls over all of them, and not one more waits in an actor."""

    def __init__(self, release: Release, store: Store, out: Path, wanted: Wanted, tell: Callable[[str], None]) -> None:
        self.release, self.store, self.out, self.wanted, self.tell = release, store, out, wanted, tell
        settings = wanted.settings
        self.slots = asyncio.Semaphore(settings.in_flight if settings is not None else 64)
        self.pool: LlmPool | None = None
        self.result = Predicted()
        self.stopped: UserError | None = None
        self.fruitless = 0
        self.said = time.monotonic()

    async def go(self) -> Predicted:
        settings, wanted = self.wanted.settings, self.wanted
        if settings is not None:
            self.pool = LlmPool(settings, [wanted.asking.model], self.store, wanted.budget_tokens, wanted.budget_cost)
        part = self.out.with_name(f".{self.out.name}.part")
        try:
            if self.pool is not None:
                await self.pool.start()
            with part.open("w", encoding="utf-8") as file:
                await self._shards(file)
                file.flush()
                os.fsync(file.fileno())
            if self.stopped is not None:
                raise self.stopped
            part.replace(self.out)
        finally:
            part.unlink(missing_ok=True)
            if self.pool is not None:
                await self._count()
                await self.pool.close()
        return self.result

    async def _count(self) -> None:
        assert self.pool is not None
        try:
            spent = await asyncio.wait_for(self.pool.spent(), 30)
            self.result.tokens, self.result.cost = spent.tokens, spent.cost
            self.result.endpoints = await asyncio.wait_for(self.pool.stats(), 30)
        except Exception:  # the pool never started: what went wrong is on its way already
            return

    async def _shards(self, file: IO[str]) -> None:
        """Lines of all shards, written in order while later shards are under way."""
        running: deque[asyncio.Task[list[str]]] = deque()
        try:
            for shard in sorted(self.release.shards, key=lambda s: (s.split, s.number)):
                if self.stopped is None and not self.release.chosen.isdisjoint(shard.document_ids):
                    running.append(asyncio.create_task(self._shard(shard)))
                if len(running) >= SHARDS_AT_ONCE:
                    file.writelines(await running.popleft())
            while running:
                file.writelines(await running.popleft())
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _shard(self, shard: ShardManifest) -> list[str]:
        """Lines of one shard, in the order of ids."""
        settings, model = self.wanted.settings, self.wanted.asking.model
        price = price_of(settings.prices, model) if settings is not None else FREE
        call = self.pool.call if self.pool is not None else None
        ledger = await asyncio.to_thread(
            LlmLedger, self.store, shard.name, call, lambda _: price, SEGMENT // SHARDS_AT_ONCE
        )
        tasks = await asyncio.to_thread(self._tasks, shard)
        failed: dict[str, CallError] = {}
        try:
            async with asyncio.TaskGroup() as group:
                for task in tasks:
                    group.create_task(self._one(ledger, task, failed))
        finally:
            await ledger.flush()  # also when interrupted: these are paid for
        self.result.asked += ledger.asked
        self.result.replayed += ledger.replayed
        if self.stopped is not None:
            return []
        if not failed:
            await ledger.compact()
        return [self._line(ledger, task, failed) for task in tasks]

    def _tasks(self, shard: ShardManifest) -> list[Task]:
        release = replace(self.release, shards=(shard,))
        pictures: dict[str, PagePicture] = {}
        if self.wanted.asking.see == "picture":
            mine = sorted(self.release.chosen.intersection(shard.document_ids))
            for row in release.rows("pages", mine, _PICTURE):
                if row["image"] is None or row["image"]["bytes"] is None:
                    raise UserError("has no pictures", self.release.store.url, "give --see text")
                pictures[row["page_id"]] = PagePicture(row["image"]["bytes"], row["width"], row["height"])
        found = [
            task
            for document in release.documents()
            for task in tasks_of(self.wanted.track, document, pictures, self.wanted.asking)
        ]
        return sorted(found, key=lambda task: task.id)

    def _key(self, task: Task) -> CallKey:
        return CallKey(self.release.manifest.name, task.split, task.index, 0, f"predict.{task.track}")

    async def _one(self, ledger: LlmLedger, task: Task, failed: dict[str, CallError]) -> None:
        async with self.slots:
            if self.stopped is not None:
                return
            try:
                await ledger.ask(self._key(task), task.request)
            except CallError as error:
                self._fault(task, error, failed)
            except UserError as error:
                self.stopped = self.stopped or error
            else:
                self.fruitless = 0
        self.result.lines += 1
        if time.monotonic() - self.said > SAY_EVERY_S:
            self.said = time.monotonic()
            self.tell(f"{self.result.lines} answered, {len(failed)} without an answer")

    def _fault(self, task: Task, error: CallError, failed: dict[str, CallError]) -> None:
        """A call without an answer: of this one request, or a reason to stop."""
        if self.stopped is not None:
            return
        if error.kind == "budget":
            fix = "run again with a larger budget: it goes on where this one stopped"
            self.stopped = UserError(f"stopped before the limit: {error.detail}", "--budget-tokens", fix)
        elif error.kind in ("auth", "not_found"):
            where, fix = f"endpoint {error.endpoint}", "mend --base-url, --model or the key in the environment"
            self.stopped = UserError(error.detail, where, fix)
        else:
            failed[task.id] = error
            self.fruitless += 1
            if self.fruitless >= NOTHING_WORKS:
                fix = "look at the endpoint; the same command goes on where this one stopped"
                self.stopped = UserError(f"{self.fruitless} calls in a row failed, the last: {error}", "llm", fix)

    def _line(self, ledger: LlmLedger, task: Task, failed: dict[str, CallError]) -> str:
        if task.id in failed:
            line = task.failed(failed[task.id])
            self.result.failed += 1
        else:
            reply = ledger.get(self._key(task), task.request.digest)
            assert reply is not None, task.id
            line = task.line(reply)
        self.result.statuses[line["meta"]["status"]] += 1
        return json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n"
