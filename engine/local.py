"""The stages in one process, without Ray: for previews, pilots, and to measure what the engine itself costs."""

from __future__ import annotations

import asyncio
import ctypes
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from engine.chain import Chain, Exhausted
from engine.kinds import Context
from engine.ledger import Ledger, Quarantine
from engine.llm_steps import Models
from engine.rows import Accepted
from schemas.errors import UserError
from schemas.plan import Plan
from schemas.sample import Rejection


class _Late(BaseException):
    """Not an Exception: no engine may take it for a fault of its document."""


class LocalStages:
    """Engines started when first needed. Use as a context manager; `seconds` sums the time of each kind."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.seconds: dict[str, float] = defaultdict(float)
        self._engines: dict[str, Any] = {}
        # All engines live in one thread: Playwright's sync API refuses the thread of an event loop.
        self._thread = ThreadPoolExecutor(1)

    async def call(self, kind: str, subject: str, method: str, *args: Any) -> Any:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self._engine, kind)
        work = loop.run_in_executor(self._thread, self._timed, kind, method, args)
        if kind != "writer":  # the browser has a watchdog of its own; baking a scene takes as long as it takes
            return await work
        limit = self.context.execution.actors.writer.deadline_s
        try:
            return await asyncio.wait_for(asyncio.shield(work), limit)
        except TimeoutError:
            work.add_done_callback(lambda done: done.cancelled() or done.exception())  # seen, so nobody reports it
            self._interrupt()
            await asyncio.wait({work}, timeout=limit)
            fix = "look for a loop without end in the template, or raise execution.actors.writer.deadline_s"
            raise UserError(f"writing {subject} takes longer than {limit:g} s", "writer", fix) from None

    def _interrupt(self) -> None:
        """Raise in the engines' thread, so that leaving does not wait for a template that never ends."""
        for thread in self._thread._threads:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Late))

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


async def make_one(
    stages: LocalStages, split: str, index: int, models: Models | None = None
) -> tuple[Accepted, tuple[Rejection, ...]]:
    """One sample, made here; what an engine crashes on crashes this process. UserError if every try is rejected."""
    context, store = stages.context, stages.context.store
    chain = Chain(
        context.content,
        context.lock.models,
        stages.call,
        Ledger(store, "local"),
        Quarantine(store, "local"),
        llm=models,
    )
    try:
        return await chain.sample(Plan(context.content).spec(split, index))
    except Exhausted as error:
        raise UserError(
            str(error), "recipe", "mend the template, or content.legibility or content.degradation"
        ) from None
