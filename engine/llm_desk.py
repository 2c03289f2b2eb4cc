"""The one place of a run through which its runners ask models: clients, engines and the budget behind one actor."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import ray
from ray.exceptions import RayError

from actors.llm import CallAnswer
from engine.llm_pool import LlmPool
from engine.store import Store
from schemas.errors import UserError
from schemas.llm import CallError, LlmReply, LlmRequest, LlmSettings

CLOSE_S = 90.0


class LlmDesk:
    """Holds an LlmPool. Runners come and go; what they asked for stays within one set of limits and one budget.

    Clients and engines start with the first call, so a run that finds every answer in the ledger needs none of them.
    """

    def __init__(self, settings: LlmSettings, models: Sequence[str], store: Store) -> None:
        budget = settings.budget
        self._pool = LlmPool(settings, models, store, budget.tokens, budget.cost)
        self._room = asyncio.Semaphore(settings.in_flight)
        self._starting = asyncio.Lock()
        self._started = False
        self._mistake: UserError | None = None

    async def call(self, request: LlmRequest) -> CallAnswer:
        """One call. Those that no client has room for wait here, where they hold nothing."""
        async with self._room:
            try:
                await self._start()
                return CallAnswer(reply=await self._pool.call(request))
            except CallError as error:
                return CallAnswer(error=error)
            except UserError as error:
                return CallAnswer(mistake=error)

    async def _start(self) -> None:
        async with self._starting:
            if self._mistake is not None:
                raise self._mistake
            if not self._started:
                try:
                    await self._pool.start()
                except UserError as error:
                    self._mistake = error
                    raise
                self._started = True

    async def close(self) -> None:
        await self._pool.close()


def open_desk(settings: LlmSettings, models: Sequence[str], store: Store) -> Any:
    """Handle of a new desk. It takes no CPU; what is wrong with its endpoints or engines the first call says."""
    actor: Any = ray.remote(LlmDesk).options(num_cpus=0, max_restarts=0, max_concurrency=100_000)
    return actor.remote(settings, tuple(models), store)


async def close_desk(desk: Any) -> None:
    """Close the budget's leases and end all actors behind it."""
    with contextlib.suppress(RayError, TimeoutError):
        await asyncio.wait_for(_result(desk.close.remote()), CLOSE_S)
    ray.kill(desk)


def caller(desk: Any) -> Callable[[LlmRequest], Awaitable[LlmReply]]:
    """A function that asks through a desk, for ledgers."""

    async def call(request: LlmRequest) -> LlmReply:
        try:
            answer: CallAnswer = await desk.call.remote(request)
        except RayError as error:
            raise CallError("connection", f"the desk of models is gone ({type(error).__name__})") from None
        if answer.mistake is not None:
            raise answer.mistake
        if answer.error is not None:
            raise answer.error
        assert answer.reply is not None
        return answer.reply

    return call


async def _result(ref: Any) -> Any:
    return await ref
