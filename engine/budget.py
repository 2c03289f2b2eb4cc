"""The budget: tokens and money set aside centrally before a call, so that a run stops before the limit.

What may be spent is leased from the store in small create-once records, `ledger/budget/000000.json`, before it is
spent, and a lease is closed with what it really came to. A run that is killed leaves its lease open, and an open lease
counts as spent whole: so no series of kills and resumes, and no two runs at once, pass the limit together.
"""

from __future__ import annotations

import asyncio
import json
import math
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import ray

from engine.store import Store, claim
from schemas.llm import CallError, Ticket
from schemas.release import canonical

_ROOT = "ledger/budget/"
LEASES = 50
"""A lease is about this part of the limit: the most that a kill can make seem spent."""


@dataclass(frozen=True)
class Spend:
    """Tokens and money."""

    tokens: int = 0
    cost: Decimal = Decimal(0)

    def __add__(self, other: Spend) -> Spend:
        return Spend(self.tokens + other.tokens, self.cost + other.cost)

    def __sub__(self, other: Spend) -> Spend:
        return Spend(self.tokens - other.tokens, self.cost - other.cost)

    def within(self, other: Spend) -> bool:
        return self.tokens <= other.tokens and self.cost <= other.cost

    def at_most(self, other: Spend) -> Spend:
        return Spend(min(self.tokens, other.tokens), min(self.cost, other.cost))

    def at_least(self, other: Spend) -> Spend:
        return Spend(max(self.tokens, other.tokens), max(self.cost, other.cost))


NO_LIMIT = Spend(10**18, Decimal(10**18))


class Budget:
    """One run's hold on a limit. Methods may be awaited many times at once; `close` when done.

    `tokens` and `cost` limit all runs on this store together, those before this one included; None is no limit.
    `known` is what the ledger shows as spent: it counts where runs without a limit left no leases.
    """

    def __init__(
        self, store: Store, tokens: int | None = None, cost: Decimal | None = None, known: Spend | None = None
    ) -> None:
        self._store, self._known = store, known or Spend()
        self.tokens, self.cost = tokens, cost
        self.limit = Spend(
            NO_LIMIT.tokens if tokens is None else tokens, NO_LIMIT.cost if cost is None else Decimal(cost)
        )
        self._slice = Spend(max(1, self.limit.tokens // LEASES), self.limit.cost / LEASES)
        self._run = uuid.uuid4().hex  # two runs that write equal leases must know whose it is
        self._mine: dict[int, Spend] = {}
        self._held: dict[int, Spend] = {}
        self._owners: dict[int, str] = {}
        self.used, self.overrun = Spend(), Spend()
        self._tickets = self._numbers = 0
        self._others = self._known
        self._changed = asyncio.Condition()

    async def reserve(self, tokens: int, cost: Decimal, owner: str = "") -> Ticket:
        """Set aside; waits while calls under way hold what is left. CallError("budget") when it cannot be paid for."""
        wanted = Spend(tokens, cost)
        async with self._changed:
            while not await self._granted(wanted):
                if not self._held:
                    raise CallError("budget", self._refusal(wanted))
                await self._changed.wait()
            self._tickets += 1
            self._held[self._tickets] = wanted
            self._owners[self._tickets] = owner
            return Ticket(self._tickets, tokens, cost)

    async def settle(self, ticket: Ticket, tokens: int, cost: Decimal) -> None:
        """Say what an attempt came to. Settling a ticket again does nothing."""
        async with self._changed:
            held = self._held.pop(ticket.number, None)
            self._owners.pop(ticket.number, None)
            if held is not None:
                came = Spend(tokens, cost)
                self.used += came
                self.overrun += (came - held).at_least(Spend())
                self._changed.notify_all()

    async def forfeit(self, owner: str) -> None:
        """A client has died: what it held counts as spent."""
        async with self._changed:
            for number in [n for n, who in self._owners.items() if who == owner]:
                self.used += self._held.pop(number)
                del self._owners[number]
            self._changed.notify_all()

    async def spent(self) -> Spend:
        """Spent by this run and, as far as the store knows, by all others."""
        async with self._changed:
            await asyncio.to_thread(self._look)
            return self._others + self.used

    async def close(self) -> None:
        """Close the leases with what they came to. What is still held counts as spent."""
        async with self._changed:
            rest = sum(self._held.values(), self.used)
            self._held.clear()
            self._owners.clear()
            if rest != Spend() and not self._mine:
                await asyncio.to_thread(self._claim, rest)
            for number, lease in sorted(self._mine.items()):
                part = rest if number == max(self._mine) else rest.at_most(lease)
                rest -= part
                await asyncio.to_thread(self._store.put_new, _closed(number), self._record(part))
            self._mine.clear()
            self.used = Spend()

    def _refusal(self, wanted: Spend) -> str:
        spent = self._others + self.used
        tokens = f"{spent.tokens} of {self.tokens} tokens" if self.tokens is not None else ""
        money = f"{spent.cost:.4f} of {self.cost}" if self.cost is not None else ""
        need = f"{wanted.tokens} tokens" + (f" and {wanted.cost:.4f}" if wanted.cost else "")
        return f"{' and '.join(p for p in (tokens, money) if p)} spent; the next call may take up to {need}"

    async def _granted(self, wanted: Spend) -> bool:
        """Whether leases of this run have room for it, after leasing more where that is possible."""
        if self.tokens is None and self.cost is None:
            return True
        needed = self._limited(sum(self._held.values(), self.used + wanted))
        have = self._limited(sum(self._mine.values(), Spend()))
        return needed.within(have) or await asyncio.to_thread(self._lease, wanted, needed, have)

    def _limited(self, spend: Spend) -> Spend:
        """Only what has a limit."""
        return Spend(
            spend.tokens if self.tokens is not None else 0, spend.cost if self.cost is not None else Decimal(0)
        )

    def _lease(self, wanted: Spend, needed: Spend, have: Spend) -> bool:
        """Lease what is missing, or a slice where that is more and there is room."""
        while True:
            self._look()
            left = self._limited(self.limit - self._others) - have
            missing = (needed - have).at_least(Spend())
            if not missing.within(left):
                return False
            lease = self._limited(missing.at_least(self._slice.at_most(left)).at_least(Spend()))
            # Of what has no limit, as much as calls like this one use: should this run be killed, the lease is what
            # it counts for in a later run that limits the other.
            calls = lease.tokens / wanted.tokens if self.tokens is not None and wanted.tokens else 1.0
            if self.tokens is None and wanted.cost:
                lease = Spend(math.ceil(wanted.tokens * lease.cost / wanted.cost), lease.cost)
            elif self.cost is None:
                lease = Spend(lease.tokens, wanted.cost * Decimal(str(calls)))
            if self._claim(lease):
                return True

    def _claim(self, lease: Spend) -> bool:
        record = self._record(lease)
        number = self._numbers
        if claim(self._store, _open(number), record) != record:
            self._look()
            return False
        self._mine[number] = lease
        self._numbers += 1
        return True

    def _record(self, spend: Spend) -> bytes:
        return canonical({"tokens": spend.tokens, "cost": str(spend.cost), "run": self._run})

    def _look(self) -> None:
        """Read what other runs lease and spend."""
        keys = set(self._store.list(_ROOT))
        others, number = Spend(), 0
        while _open(number) in keys:
            if number not in self._mine:
                key = _closed(number) if _closed(number) in keys else _open(number)
                record = json.loads(self._store.get(key))
                others += Spend(record["tokens"], Decimal(record["cost"]))
            number += 1
        self._numbers, self._others = number, others.at_least(self._known)


class BudgetHost:
    """The budget in an actor, one for all clients of a run."""

    def __init__(self, store: Store, tokens: int | None, cost: Decimal | None, known: Spend) -> None:
        self._budget = Budget(store, tokens, cost, known)

    async def reserve(self, tokens: int, cost: Decimal, owner: str) -> tuple[Ticket | None, str]:
        """(ticket, "") or (None, why it cannot be paid for)."""
        try:
            return await self._budget.reserve(tokens, cost, owner), ""
        except CallError as error:
            return None, error.detail

    async def settle(self, ticket: Ticket, tokens: int, cost: Decimal) -> None:
        await self._budget.settle(ticket, tokens, cost)

    async def forfeit(self, owner: str) -> None:
        await self._budget.forfeit(owner)

    async def spent(self) -> Spend:
        return await self._budget.spent()

    async def close(self) -> None:
        await self._budget.close()


def start_budget(store: Store, tokens: int | None, cost: Decimal | None, known: Spend) -> Any:
    """Handle of the budget's actor. It takes no CPU."""
    actor: Any = ray.remote(BudgetHost).options(num_cpus=0, max_restarts=0, max_concurrency=100_000)
    return actor.remote(store, tokens, cost, known)


def _open(number: int) -> str:
    return f"{_ROOT}{number:06d}.json"


def _closed(number: int) -> str:
    return f"{_ROOT}{number:06d}.closed.json"
