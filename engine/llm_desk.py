"""The one place of a run through which its runners ask models: clients, engines and the budget behind one actor."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import ray
from ray.exceptions import RayError

from actors.llm import CallAnswer
from engine.budget import Spend
from engine.llm_pool import READY_S, LlmPool
from engine.store import Store
from schemas.errors import UserError
from schemas.llm import CallError, LlmReply, LlmRequest, LlmSettings

SPARE_S = 60.0
CLOSE_S = 90.0


class LlmDesk:
    """Holds an LlmPool. Runners come and go; what they asked for stays within one set of limits and one budget."""

    def __init__(self, settings: LlmSettings, models: Sequence[str], store: Store) -> None:
        budget = settings.budget
        self._pool = LlmPool(settings, models, store, budget.tokens, budget.cost)
        self._room = asyncio.Semaphore(settings.in_flight)

    async def start(self) -> UserError | None:
        """Start clients, engines and budget: the user's mistake, if one of them shows it."""
        try:
            await self._pool.start()
        except UserError as error:
            return error
        return None

    async def call(self, request: LlmRequest) -> CallAnswer:
        """One call. Those that no client has room for wait here, where they hold nothing."""
        async with self._room:
            try:
                return CallAnswer(reply=await self._pool.call(request))
            except CallError as error:
                return CallAnswer(error=error)
            except UserError as error:
                return CallAnswer(mistake=error)

    async def spent(self) -> Spend:
        return await self._pool.spent()

    async def close(self) -> None:
        await self._pool.close()


async def open_desk(settings: LlmSettings, models: Sequence[str], store: Store) -> Any:
    """Handle of a desk that is ready. UserError for what the user can mend. It takes no CPU."""
    actor: Any = ray.remote(LlmDesk).options(num_cpus=0, max_restarts=0, max_concurrency=100_000)
    desk = actor.remote(settings, tuple(models), store)
    limit = READY_S + SPARE_S + max((engine.ready_s for engine in settings.engines), default=0.0)
    try:
        mistake = await asyncio.wait_for(_result(desk.start.remote()), limit)
    except (TimeoutError, RayError) as error:
        mistake = UserError(f"models cannot be asked ({type(error).__name__})", "execution.llm", "see the actor's log")
    if mistake is not None:
        await close_desk(desk)
        raise mistake
    return desk


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
