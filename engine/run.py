"""The driver: hands shards to runners, hears O(shards) messages, stops early where a cell is hopeless, seals."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import ray
from ray.exceptions import RayError

from engine.cluster import cache_folder, join, leave
from engine.kinds import Context
from engine.llm_desk import close_desk, open_desk
from engine.llm_ledger import compact_all
from engine.llm_steps import models_of
from engine.lock import prepare, resolve, stored_lock
from engine.progress import Reporter
from engine.runner import Outcome, start_runner
from engine.seal import read_release, seal
from engine.store import Store
from schemas.errors import UserError
from schemas.plan import Plan, Shard
from schemas.prices import price_of
from schemas.recipe import Recipe
from schemas.release import ReleaseManifest, shard_manifest_key

SHARDS_A_RUNNER = 2  # two, so that a runner's pools do not idle at the tail of a shard
POLL_S = 2.0
GRACE_S = 60.0  # that calls of models under way have, when a run stops


@dataclass
class RunResult:
    """What a run did. `release` is None while shards are missing (a part was asked for)."""

    lock: str
    done: int = 0
    skipped: int = 0
    documents: int = 0
    seconds: float = 0.0
    driver_calls: int = 0
    release: ReleaseManifest | None = None
    stages: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)


def run(
    recipe: Recipe, store: Store, reporter: Reporter, shards: str | None = None, address: str | None = None
) -> RunResult:
    """Make a recipe's release, or the part named by `shards`; again = resume. UserError for what the user can mend."""
    plan = Plan(recipe.content)
    positions = plan.select(shards)
    start = time.perf_counter()
    check_models(recipe)
    prepared = prepare(recipe.content)  # before anything is written or started
    sealed = read_release(store)
    if sealed is None:
        store.probe()
    cache = cache_folder(recipe.execution)
    started = False
    try:
        if stored_lock(store) is None:
            started = join(recipe.execution, address)
        lock = resolve(
            recipe, prepared, store, cache, lambda name, done, total: reporter.event(name, done=done, total=total)
        )
        if plan.short_tails:
            why = "the last shard of these splits is not full: a longer release will make it anew"
            reporter.event("warning", splits=plan.short_tails, why=why)
        result = RunResult(lock.digest)
        if sealed is not None:
            _check_sealed(sealed, plan, store)
            result.release, result.skipped = sealed, len(plan)
            return result
        committed = set(store.list("manifests/"))
        todo = [s for s in map(plan.shard, positions) if shard_manifest_key(s.split, s.number) not in committed]
        result.skipped = len(positions) - len(todo)
        reporter.event("start", shards=len(positions), skipped=result.skipped, lock=lock.digest)
        if todo:
            started = join(recipe.execution, address) or started
            context = Context(recipe.content, recipe.execution, lock, store, str(cache))
            asyncio.run(_Drive(context, todo, reporter, result).go())
        if len(committed) + result.done >= len(plan) and all(
            _is_committed(store, plan.shard(i)) for i in range(len(plan))
        ):
            compact_all(store)
            result.release = seal(store, lock, plan)
            reporter.event("sealed", digest=result.release.digest, documents=result.release.documents)
        result.seconds = time.perf_counter() - start
        return result
    finally:
        leave(started)


def check_models(recipe: Recipe) -> None:
    """UserError unless `execution.llm` serves and prices every model that the recipe names."""
    models, settings = models_of(recipe.content), recipe.execution.llm
    if not models:
        return
    if settings is None:
        fix = "add execution.llm with endpoints or engines (docs/llm.md)"
        raise UserError(f"the recipe asks the model {models[0]!r}, and nothing says where it is", "execution.llm", fix)
    lacking = settings.lacks(models)
    if lacking is not None:
        raise UserError(
            f"no endpoint serves the model {lacking!r}", "execution.llm", "add it to serves, or an endpoint"
        )
    for model in models:
        price_of(settings.prices, model)


def _is_committed(store: Store, shard: Shard) -> bool:
    return store.exists(shard_manifest_key(shard.split, shard.number))


def _check_sealed(sealed: ReleaseManifest, plan: Plan, store: Store) -> None:
    sizes = {name: split.samples for name, split in plan.content.splits.items()}
    if sealed.splits != sizes:
        raise UserError(
            f"this release is sealed with {sealed.splits} samples, the recipe asks for {sizes}",
            store.url,
            "give another --out",
        )


class _Drive:
    """Runners at work on a list of shards."""

    def __init__(self, context: Context, todo: Iterable[Shard], reporter: Reporter, result: RunResult) -> None:
        self.context, self.reporter, self.result = context, reporter, result
        self.pending = deque(todo)
        self.total = sum(s.stop - s.start for s in self.pending)
        self.shards_total = len(self.pending)
        self.tries: Counter[str] = Counter()
        self.counts: dict[int, Counter[str]] = {}
        self.start = time.perf_counter()

    async def go(self) -> None:
        """Make all shards. What models were asked is kept before this ends, however it ends."""
        settings, models = self.context.execution.llm, models_of(self.context.content)
        if settings is None or not models:
            return await self._shards()
        desk = open_desk(settings, models, self.context.store)
        self.context = replace(self.context, desk=desk)
        try:
            await self._shards()
        finally:
            await close_desk(desk)

    async def _shards(self) -> None:
        workers = min(self.context.execution.runners, len(self.pending))
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(workers):
                    group.create_task(self._serve(number))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from errors

    async def _serve(self, number: int) -> None:
        """Keep one runner busy, and replace it if it dies, until no shard is left."""
        while self.pending:
            held: set[Shard] = set()
            runner = start_runner(self.context)
            try:
                await self._ask(runner.start.remote())
                watch = asyncio.create_task(self._watch(number, runner))
                lanes = asyncio.gather(*(self._lane(runner, held) for _ in range(SHARDS_A_RUNNER)))
                try:
                    done, _ = await asyncio.wait([watch, lanes], return_when=asyncio.FIRST_COMPLETED)
                    for task in done:
                        task.result()
                finally:
                    watch.cancel()
                    lanes.cancel()
                    await asyncio.gather(watch, lanes, return_exceptions=True)
                await self._poll(number, runner)
                await self._ask(runner.close.remote())
            except RayError as error:
                self._again(held, f"runner lost: {type(error).__name__}")
            finally:
                await self._let_go(runner)

    async def _let_go(self, runner: Any) -> None:
        """End a runner. One that asks models first keeps what they have said: it is paid for."""
        if self.context.desk is not None:
            with contextlib.suppress(RayError, TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(self._ask(runner.close.remote()), GRACE_S)
        ray.kill(runner, no_restart=True)

    async def _lane(self, runner: Any, held: set[Shard]) -> None:
        while self.pending:
            shard = self.pending.popleft()
            held.add(shard)
            outcome: Outcome = await self._ask(runner.make.remote(shard))
            held.discard(shard)
            self._settle(outcome)

    def _settle(self, outcome: Outcome) -> None:
        shard = outcome.shard
        if outcome.kind == "infrastructure":
            self._again({shard}, outcome.message)
        elif outcome.kind == "mistake":
            raise UserError(outcome.message, f"shard {shard.name}")
        elif outcome.kind == "exhausted":
            fix = "mend the recipe (content.max_tries, legibility.max_cer, templates) and run again"
            raise UserError(outcome.message, f"shard {shard.name}", fix)
        else:
            self.result.done += 1
            self.result.documents += outcome.documents
            self.reporter.event(
                "shard", name=shard.name, documents=outcome.documents, seconds=round(outcome.seconds, 2)
            )

    def _again(self, shards: Iterable[Shard], why: str) -> None:
        for shard in sorted(shards, key=lambda s: s.position):
            self.tries[shard.name] += 1
            if self.tries[shard.name] >= self.context.execution.shard_tries:
                raise UserError(
                    f"gave up after {self.tries[shard.name]} tries: {why}", f"shard {shard.name}", "run again"
                )
            self.pending.appendleft(shard)
            self.reporter.event("retry", shard=shard.name, why=why)

    async def _watch(self, number: int, runner: Any) -> None:
        """Poll the runner until the lanes end this; stop the run if a cell is hopeless."""
        last = -1
        while True:
            await asyncio.sleep(POLL_S)
            await self._poll(number, runner)
            made = sum(c for counts in self.counts.values() for k, c in counts.items() if k.startswith("accepted "))
            if made != last:
                self._report(made)
                last = made
            self._stop_if_hopeless()

    async def _poll(self, number: int, runner: Any) -> None:
        counts, stages = await self._ask(runner.counters.remote())
        self.counts[number] = Counter(counts)
        self.result.stages[str(number)] = stages

    def _report(self, made: int) -> None:
        seconds = time.perf_counter() - self.start
        total = sum(self.counts.values(), Counter())
        self.reporter.event(
            "progress",
            documents=min(made, self.total),
            total=self.total,
            per_second=round(made / seconds, 3),
            shards=self.result.done,
            shards_total=self.shards_total,
            rejected={k.removeprefix("rejected "): n for k, n in sorted(total.items()) if k.startswith("rejected ")},
            quarantined=sum(n for k, n in total.items() if k.startswith("quarantined ")),
            seconds_left=round((self.total - made) * seconds / made) if made else None,
        )

    def _stop_if_hopeless(self) -> None:
        total = sum(self.counts.values(), Counter())
        cells = {key.split(" ", 1)[1] for key in total}
        limits = self.context.execution
        for cell in sorted(cells):
            bad = total[f"rejected {cell}"] + total[f"quarantined {cell}"]
            tries = bad + total[f"accepted {cell}"]
            if tries >= limits.stop_after and bad / tries > limits.stop_rejecting_above:
                raise UserError(
                    f"{bad} of {tries} tries of {cell} were rejected, over execution.stop_rejecting_above",
                    "run",
                    "look at one with `pageloom preview`, mend the recipe, then run again",
                )

    async def _ask(self, ref: Any) -> Any:
        self.result.driver_calls += 1
        return await ref
