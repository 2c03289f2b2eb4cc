"""The actor that calls language models: one client over endpoints and engines, many calls in flight."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import ray

from actors.llm_client import Limits, LlmClient, Transport
from actors.llm_http import HttpTransport
from actors.llm_local import ActorTransport
from schemas.errors import UserError
from schemas.llm import CallError, CallPolicy, Endpoint, LlmReply, LlmRequest, LlmSettings, Ticket
from schemas.prices import price_of


@dataclass(frozen=True)
class CallAnswer:
    """What a call gave: a reply, a CallError, or a mistake of the user. Exactly one is not None."""

    reply: LlmReply | None = None
    error: CallError | None = None
    mistake: UserError | None = None


class RemoteGate:
    """The budget's actor as a client sees it. `owner` lets the budget give up what a dead client held."""

    def __init__(self, budget: Any, owner: str) -> None:
        self._budget, self._owner = budget, owner

    async def reserve(self, tokens: int, cost: Decimal) -> Ticket:
        ticket, refused = await self._budget.reserve.remote(tokens, cost, self._owner)
        if refused:
            raise CallError("budget", refused)
        return ticket

    async def settle(self, ticket: Ticket, tokens: int, cost: Decimal) -> None:
        await self._budget.settle.remote(ticket, tokens, cost)


class LlmHost:
    """One client in an actor. Its part of every limit is what the settings give, divided by `settings.clients`."""

    def __init__(self, settings: LlmSettings, models: Sequence[str], budget: Any | None, part: int = 0) -> None:
        self.owner = uuid.uuid4().hex
        self._settings, self._models, self._budget, self._part = settings, tuple(models), budget, part
        self._client: LlmClient | None = None

    async def ready(self) -> tuple[str, UserError | None]:
        """Build the client and start its engines: (name as owner of tickets, the user's mistake if there is one)."""
        try:
            self._client = await self._build()
        except UserError as error:
            return self.owner, error
        except CallError as error:
            return self.owner, UserError(str(error), "llm", "free the CPUs, GPUs and memory that the engine asks for")
        return self.owner, None

    async def call(self, request: LlmRequest) -> CallAnswer:
        assert self._client is not None
        try:
            return CallAnswer(reply=await self._client.call(request))
        except CallError as error:
            return CallAnswer(error=error)
        except UserError as error:
            return CallAnswer(mistake=error)

    async def stats(self) -> list[dict[str, Any]]:
        """What each endpoint did: calls, faults, most calls under way at once."""
        seats = self._client.seats if self._client is not None else []
        return [{"endpoint": s.transport.name, "calls": s.calls, "faults": s.faults, "peak": s.peak} for s in seats]

    async def close(self) -> None:
        if self._client is not None:
            with contextlib.suppress(Exception):
                await self._client.close()

    async def _build(self) -> LlmClient:
        settings = self._settings
        policy = _divided(settings.policy, settings.clients, self._part)
        joined: list[tuple[Transport, Limits]] = []
        for endpoint in settings.endpoints:
            limits = _limits(endpoint, settings.clients, self._part)
            joined.append((HttpTransport(endpoint, policy.max_answer_bytes), limits))
        if self._part == 0:  # engines are not divided; the first client has them
            for engine in settings.engines:
                for number in range(engine.count):
                    transport = ActorTransport(f"{engine.kind}-{number}", engine)
                    joined.append((transport, Limits(engine.weight, engine.in_flight, serves=engine.serves)))
            await _all_ready([t for t, _ in joined if isinstance(t, ActorTransport)])
        gate = RemoteGate(self._budget, self.owner) if self._budget is not None else None
        prices = {model: price_of(settings.prices, model) for model in self._models}
        return LlmClient(joined, policy, gate, prices.__getitem__)


async def _all_ready(transports: list[ActorTransport]) -> None:
    await asyncio.gather(*(transport.ready() for transport in transports))


def _divided(policy: CallPolicy, clients: int, part: int) -> CallPolicy:
    return policy.model_copy(update={"in_flight": _share(policy.in_flight, clients, part)})


def _limits(endpoint: Endpoint, clients: int, part: int) -> Limits:
    requests, tokens = endpoint.requests_per_minute, endpoint.tokens_per_minute
    return Limits(
        endpoint.weight,
        _share(endpoint.in_flight, clients, part),
        None if requests is None else _share(requests, clients, part),
        None if tokens is None else _share(tokens, clients, part),
        endpoint.serves,
    )


def _share(whole: int, clients: int, part: int) -> int:
    """Part of a limit, so that all parts together make the whole (never less than one)."""
    return max(1, whole // clients + (part < whole % clients))


def start_llm(settings: LlmSettings, models: Sequence[str], budget: Any | None, part: int = 0) -> Any:
    """Handle of a new client actor; `ready` has not been asked yet. It takes no CPU: it waits for others."""
    options = {"num_cpus": 0, "max_restarts": 0, "max_task_retries": 0, "max_concurrency": settings.in_flight + 64}
    actor: Any = ray.remote(LlmHost).options(**options)
    return actor.remote(settings, tuple(models), budget, part)
