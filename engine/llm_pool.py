"""Clients and budget of one run: started together, replaced when they die, called as one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import ray
from ray.exceptions import RayError

from actors.llm import CallAnswer, start_llm
from engine.budget import Spend, start_budget
from engine.llm_ledger import records
from engine.store import Store
from schemas.errors import UserError
from schemas.llm import CallError, LlmReply, LlmRequest, LlmSettings

REPLACED = 5  # client actors that may die in one run before something is said to be wrong
READY_S = 120.0


class LlmPool:
    """Calls of models over `settings.clients` client actors, within a budget. `start` first, `close` at the end."""

    def __init__(
        self,
        settings: LlmSettings,
        models: Sequence[str],
        store: Store,
        tokens: int | None = None,
        cost: Decimal | None = None,
    ) -> None:
        self.settings, self.models = settings, tuple(models)
        self._store, self._tokens, self._cost = store, tokens, cost
        self._budget: Any = None
        self._clients: list[Any] = [None] * settings.clients
        self._owners: dict[int, str] = {}
        self._starting = [asyncio.Lock() for _ in range(settings.clients)]
        self._calls = self._deaths = 0

    async def start(self) -> None:
        """Start all. UserError for a missing key, an engine that is not installed, a model without price."""
        known = await asyncio.to_thread(known_spend, self._store)
        self._budget = start_budget(self._store, self._tokens, self._cost, known)
        await asyncio.gather(*(self._client(part) for part in range(self.settings.clients)))

    async def call(self, request: LlmRequest) -> LlmReply:
        """The answer. CallError or UserError when there is none; a client that dies is replaced, and its call made
        again by another."""
        while True:
            self._calls += 1
            part = self._calls % self.settings.clients
            client = await self._client(part)
            try:
                answer: CallAnswer = await _result(client.call.remote(request))
            except RayError as error:
                await self._bury(part, client, error)
                continue
            if answer.mistake is not None:
                raise answer.mistake
            if answer.error is not None:
                raise answer.error
            assert answer.reply is not None
            return answer.reply

    async def spent(self) -> Spend:
        """Tokens and money of this run and all before it on this store."""
        return await _result(self._budget.spent.remote())

    async def stats(self) -> list[dict[str, Any]]:
        """What each endpoint did, by client."""
        found = await asyncio.gather(*(_result(c.stats.remote()) for c in self._clients if c is not None))
        return [row for rows in found for row in rows]

    async def actors(self) -> list[Any]:
        """Handles of the living clients, for tests that end one on purpose."""
        return [client for client in self._clients if client is not None]

    async def close(self) -> None:
        """Close the budget's leases, end all actors."""
        for client in self._clients:
            if client is not None:
                with contextlib.suppress(RayError, TimeoutError):
                    await asyncio.wait_for(_result(client.close.remote()), 10)
                ray.kill(client)
        self._clients = [None] * self.settings.clients
        if self._budget is not None:
            with contextlib.suppress(RayError, TimeoutError):
                await asyncio.wait_for(_result(self._budget.close.remote()), 60)
            ray.kill(self._budget)
            self._budget = None

    async def _client(self, part: int) -> Any:
        async with self._starting[part]:
            if self._clients[part] is None:
                client = start_llm(self.settings, self.models, self._budget, part)
                limit = READY_S + max((engine.ready_s for engine in self.settings.engines), default=0.0)
                try:
                    owner, mistake = await asyncio.wait_for(_result(client.ready.remote()), limit)
                except (TimeoutError, RayError) as error:
                    ray.kill(client)
                    fix = "look at the cluster's free CPUs and memory, and at the actor's log"
                    raise UserError(f"the client does not start ({type(error).__name__})", "llm", fix) from None
                if mistake is not None:
                    ray.kill(client)
                    raise mistake
                self._clients[part], self._owners[part] = client, owner
            return self._clients[part]

    async def _bury(self, part: int, client: Any, error: RayError) -> None:
        """Forget a dead client. What it held of the budget counts as spent."""
        async with self._starting[part]:
            if self._clients[part] is client:
                self._clients[part] = None
                self._deaths += 1
                await _result(self._budget.forfeit.remote(self._owners.pop(part)))
        if self._deaths > REPLACED:
            raise CallError("connection", f"client actors keep dying ({type(error).__name__})")


def known_spend(store: Store) -> Spend:
    """What the ledger shows as spent."""
    total = Spend()
    for _, record in records(store):
        tokens = record["prompt_tokens"] + record["completion_tokens"] + record["lost_tokens"]
        total += Spend(tokens, Decimal(record["cost"]))
    return total


async def _result(ref: Any) -> Any:
    return await ref
