"""A client over several chat endpoints: weights, health, rate limits, retries, deadlines, all in one place.

An endpoint is anything that sends one attempt (`Transport`): HTTP through the `openai` package (`actors.llm_http`), or
an actor that holds an engine (`actors.llm_local`). They join the same pool.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Protocol

from schemas.llm import CallError, CallPolicy, Gate, LlmReply, LlmRequest, Price, Ticket
from schemas.prices import free, worst_case

FAULTS_TO_REST = 4  # this many faults in a row, or of half of what it takes at once, and an endpoint is left alone
REST_S, REST_MAX_S = 1.0, 60.0


class Transport(Protocol):
    """Sends one attempt. Raises CallError and nothing else; must end within `timeout_s` of its own accord."""

    name: str

    async def send(self, request: LlmRequest, timeout_s: float) -> LlmReply: ...

    async def close(self) -> None: ...


@dataclass(frozen=True)
class Limits:
    """What one endpoint takes."""

    weight: float = 1.0
    in_flight: int = 64
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    serves: tuple[str, ...] = ()
    """Models asked for here; none named: any."""

    def serve(self, model: str) -> bool:
        return not self.serves or model in self.serves


class Bucket:
    """A rate limit: `per_minute` units a minute, a twelfth of them at once. `take` says how long to wait first."""

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._now = per_minute / 60, now
        self._room = max(per_minute / 12, 1.0)
        self._level, self._at = self._room, now()

    def wait_s(self, amount: float) -> float:
        """Seconds until `amount` may be taken (an amount above the room waits for a full bucket)."""
        self._refill()
        return max(0.0, (min(amount, self._room) - self._level) / self._rate)

    def take(self, amount: float) -> None:
        """Take, also below zero: what came out dearer than reserved is waited for by those who follow."""
        self._refill()
        self._level = min(self._room, self._level - amount)

    def _refill(self) -> None:
        now = self._now()
        self._level = min(self._room, self._level + (now - self._at) * self._rate)
        self._at = now


class Seat:
    """One endpoint and how it is doing."""

    def __init__(self, transport: Transport, limits: Limits) -> None:
        self.transport, self.limits = transport, limits
        self.under_way, self.peak = 0, 0
        self.calls = self.faults = self.faults_in_a_row = self.rests = 0
        self.closed_until = 0.0  # monotonic: asked to wait, or resting
        self._requests = Bucket(limits.requests_per_minute) if limits.requests_per_minute else None
        self._tokens = Bucket(limits.tokens_per_minute) if limits.tokens_per_minute else None

    def wait_s(self, tokens: int) -> float:
        """Seconds until this endpoint would take a call of so many tokens; infinite while it is full."""
        # After a rest one call tries it; the others follow when that went well.
        most = 1 if self._ill else self.limits.in_flight
        if self.under_way >= most:
            return math.inf
        waits = [self.closed_until - time.monotonic()]
        waits += [self._requests.wait_s(1)] if self._requests else []
        waits += [self._tokens.wait_s(tokens)] if self._tokens else []
        return max(0.0, *waits)

    def enter(self, tokens: int) -> None:
        self.under_way += 1
        self.peak = max(self.peak, self.under_way)
        if self._requests:
            self._requests.take(1)
        if self._tokens:
            self._tokens.take(tokens)

    def leave(self, reserved: int, reply: LlmReply | None, error: CallError | None) -> None:
        self.under_way -= 1
        self.calls += 1
        if self._tokens and reply is not None:
            self._tokens.take(reply.tokens - reserved)
        if error is None or not error.may_retry:  # an answer, or a fault of the request: the endpoint is well
            self.faults_in_a_row = self.rests = 0
            return
        self.faults += 1
        if error.kind == "rate_limited":
            self.closed_until = max(self.closed_until, time.monotonic() + (error.retry_after or 0.0))
            return
        self.faults_in_a_row += 1
        if error.retry_after:
            self.closed_until = max(self.closed_until, time.monotonic() + error.retry_after)
        if self._ill:
            rest = min(REST_MAX_S, REST_S * 2**self.rests) * random.uniform(0.5, 1.0)
            self.rests += 1
            self.closed_until = max(self.closed_until, time.monotonic() + rest)

    @property
    def _ill(self) -> bool:
        return self.faults_in_a_row >= max(FAULTS_TO_REST, self.limits.in_flight // 2)


@dataclass
class _Attempt:
    """What is known of one attempt while it is under way, for the one place that settles it."""

    tokens: int
    cost: Decimal
    seat: Seat | None = None
    sent: bool = False
    reply: LlmReply | None = None
    error: CallError | None = None


class LlmClient:
    """Calls spread over endpoints. `call` may be awaited many times at once; it never passes the limits."""

    def __init__(
        self,
        endpoints: Sequence[tuple[Transport, Limits]],
        policy: CallPolicy,
        gate: Gate | None = None,
        price: Callable[[str], Price] = free,
    ) -> None:
        self.seats = [Seat(transport, limits) for transport, limits in endpoints]
        self.policy, self._gate, self._price = policy, gate, price
        self._slots = asyncio.Semaphore(policy.in_flight)
        self._waiting: list[asyncio.Future[None]] = []
        self._dearer = 1.0  # how far an endpoint's count of prompt tokens has passed the bound on them

    async def call(self, request: LlmRequest) -> LlmReply:
        """The answer, whatever it says. CallError when there is none within the deadline and the tries."""
        async with self._slots:
            return await self._within(request, time.monotonic() + self.policy.deadline_s)

    async def close(self) -> None:
        for seat in self.seats:
            await seat.transport.close()

    async def _within(self, request: LlmRequest, deadline: float) -> LlmReply:
        start = time.monotonic()
        tried: Seat | None = None
        price = self._price(request.model)
        last: CallError | None = None
        lost = 0
        for attempt in range(1, self.policy.attempts + 1):
            tokens, cost = worst_case(request, price)
            tokens, cost = math.ceil(tokens * self._dearer), cost * Decimal(str(self._dearer))
            try:
                ticket: Ticket | None = None
                if self._gate is not None:
                    asked = time.monotonic()
                    ticket = await self._gate.reserve(tokens, cost)
                    deadline += time.monotonic() - asked  # waiting for money is nobody's delay
                attempted = _Attempt(tokens, cost)
                try:
                    attempted.seat = seat = await self._seat(request.model, tokens, deadline, tried)
                    tried = seat
                    reply = await self._send(attempted, request, deadline)
                finally:
                    lost += await self._settle(attempted, ticket, price)
            except CallError as error:
                # Where no place came free in time, the fault before says more.
                last = last if error.kind == "busy" and last is not None else error
                if not error.may_retry or time.monotonic() >= deadline:
                    break
                if attempt < self.policy.attempts:
                    await self._back_off(attempt, error, deadline)
            else:
                self._dearer = max(self._dearer, reply.prompt_tokens / request.prompt_bound)
                seconds = round(time.monotonic() - start, 3)
                return replace(reply, attempts=attempt, latency_s=seconds, lost_tokens=lost)
        assert last is not None
        raise CallError(last.kind, last.detail, last.endpoint, last.retry_after, attempt, lost)

    async def _send(self, attempted: _Attempt, request: LlmRequest, deadline: float) -> LlmReply:
        assert attempted.seat is not None
        transport = attempted.seat.transport
        limit = min(deadline - time.monotonic(), self.policy.attempt_s)
        attempted.sent = True
        try:
            # The transport keeps its own time; this holds for one that does not.
            attempted.reply = await asyncio.wait_for(transport.send(request, limit), limit + 1.0)
        except TimeoutError:
            attempted.error = CallError("timeout", f"no answer within {limit:.0f} s", transport.name)
            raise attempted.error from None
        except CallError as error:
            attempted.error = error
            raise
        return attempted.reply

    async def _settle(self, done: _Attempt, ticket: Ticket | None, price: Price) -> int:
        """Give the seat back and say what the attempt has cost; tokens that may have been spent for nothing."""
        if done.seat is not None:
            done.seat.leave(done.tokens, done.reply, done.error)
            self._wake()
        # Cancelled in the middle counts as spent too: nobody knows what the endpoint did.
        lost = done.sent and done.reply is None and (done.error is None or done.error.spent)
        used, paid = (done.tokens, done.cost) if lost else (0, Decimal(0))
        if done.reply is not None:
            used, paid = done.reply.tokens, price.cost(done.reply.prompt_tokens, done.reply.completion_tokens)
        if self._gate is not None and ticket is not None:
            await asyncio.shield(self._gate.settle(ticket, used, paid))
        return used if lost else 0

    async def _seat(self, model: str, tokens: int, deadline: float, tried: Seat | None) -> Seat:
        """A place at the least loaded endpoint that takes a call now; not the one that just failed, if others do."""
        serving = [seat for seat in self.seats if seat.limits.serve(model)]
        if not serving:
            raise CallError("not_found", f"no endpoint serves the model {model!r}")
        while True:
            waits = [(seat.wait_s(tokens), seat) for seat in serving]
            free = [seat for wait, seat in waits if wait <= 0]
            if free:
                others = [seat for seat in free if seat is not tried] or free
                best = min(others, key=lambda s: (s.under_way + 1) / s.limits.weight)
                best.enter(tokens)
                return best
            left = deadline - time.monotonic()
            soonest = min(wait for wait, _ in waits)
            if left <= 0 or left < soonest < math.inf:
                what = "no free place" if soonest == math.inf else "every endpoint rests or asked to wait"
                raise CallError("busy", f"{what} until the deadline")
            woken = asyncio.get_running_loop().create_future()
            self._waiting.append(woken)
            await asyncio.wait({woken}, timeout=min(soonest, left) + 0.001)

    def _wake(self) -> None:
        """A place came free: all that wait look again."""
        for woken in self._waiting:
            if not woken.done():
                woken.set_result(None)
        self._waiting.clear()

    async def _back_off(self, attempt: int, error: CallError, deadline: float) -> None:
        """Wait with jitter before the next try. An endpoint's own Retry-After closes that endpoint alone."""
        if error.retry_after and len(self.seats) > 1:
            return
        pause = min(self.policy.backoff_max_s, self.policy.backoff_s * 2 ** (attempt - 1)) * random.uniform(0.5, 1.0)
        pause = max(pause, (error.retry_after or 0.0) * random.uniform(1.0, 1.1))
        await asyncio.sleep(max(0.0, min(pause, deadline - time.monotonic())))
