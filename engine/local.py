"""The stages in one process, without Ray: for previews, pilots, and to measure what the engine itself costs."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from engine.chain import Chain
from engine.kinds import Context
from engine.ledger import Ledger, Quarantine
from engine.rows import Accepted
from schemas.plan import Plan
from schemas.sample import Rejection


class LocalStages:
    """Engines started when first needed. Use as a context manager; `seconds` sums the time of each kind."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.seconds: dict[str, float] = defaultdict(float)
        self._engines: dict[str, Any] = {}
        # All engines live in one thread: Playwright's sync API refuses the thread of an event loop.
        self._thread = ThreadPoolExecutor(1)

    async def call(self, kind: str, subject: str, method: str, *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._timed, kind, method, args)

    def warm(self, *kinds: str) -> None:
        """Start engines now."""
        for kind in kinds:
            self._thread.submit(self._engine, kind).result()

    def _timed(self, kind: str, method: str, args: tuple[Any, ...]) -> Any:
        engine = self._engine(kind)
        start = time.perf_counter()
        try:
            return getattr(engine, method)(*args)
        finally:
            self.seconds[kind] += time.perf_counter() - start

    def _engine(self, kind: str) -> Any:
        if kind not in self._engines:
            engine = self.context.builder(kind)()
            engine.ready()
            self._engines[kind] = engine
        return self._engines[kind]

    def use(self, kind: str, engine: Any) -> None:
        """Take this engine for a kind instead of building one."""
        self._engines[kind] = engine

    def __enter__(self) -> LocalStages:
        return self

    def __exit__(self, *_: object) -> None:
        for engine in self._engines.values():
            closer = getattr(engine, "close", None)
            if closer is not None:
                self._thread.submit(closer).result()
        self._thread.shutdown()


async def make_one(stages: LocalStages, split: str, index: int) -> tuple[Accepted, tuple[Rejection, ...]]:
    """One sample, made here; what an engine crashes on crashes this process. Raises Exhausted."""
    context, store = stages.context, stages.context.store
    chain = Chain(context.content, context.lock.models, stages.call, Ledger(store, "local"), Quarantine(store, "local"))
    return await chain.sample(Plan(context.content).spec(split, index))
