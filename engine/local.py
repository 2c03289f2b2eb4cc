"""The stages in one process, without Ray: for previews, pilots, and to measure what the engine itself costs."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any

from engine.chain import Chain
from engine.kinds import Context, build_engine
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

    async def call(self, kind: str, subject: str, method: str, *args: Any) -> Any:
        engine = self.engine(kind)
        start = time.perf_counter()
        try:
            return getattr(engine, method)(*args)
        finally:
            self.seconds[kind] += time.perf_counter() - start

    def engine(self, kind: str) -> Any:
        if kind not in self._engines:
            engine = build_engine(kind, self.context)()
            engine.ready()
            self._engines[kind] = engine
        return self._engines[kind]

    def __enter__(self) -> LocalStages:
        return self

    def __exit__(self, *_: object) -> None:
        for engine in self._engines.values():
            closer = getattr(engine, "close", None)
            if closer is not None:
                closer()


async def make_one(stages: LocalStages, split: str, index: int) -> tuple[Accepted, tuple[Rejection, ...]]:
    """One sample, made here; what an engine crashes on crashes this process. Raises Exhausted."""
    context, store = stages.context, stages.context.store
    chain = Chain(context.content, context.lock.models, stages.call, Ledger(store, "local"), Quarantine(store, "local"))
    return await chain.sample(Plan(context.content).spec(split, index))
