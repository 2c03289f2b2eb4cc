"""The budget: it stops before the limit, over kills, resumes and runs at once."""

from __future__ import annotations

import asyncio
import random
from decimal import Decimal
from pathlib import Path

import pytest

from engine.budget import Budget, Spend
from engine.store import open_store
from schemas.llm import CallError

NO_MONEY = Decimal(0)


async def spend(budget: Budget, reserved: int, used: int | None = None) -> None:
    ticket = await budget.reserve(reserved, NO_MONEY)
    await asyncio.sleep(0)
    await budget.settle(ticket, reserved if used is None else used, NO_MONEY)


def test_it_stops_before_the_limit_and_goes_on_with_a_larger_one(tmp_path: Path) -> None:
    async def go() -> None:
        store = open_store(tmp_path)
        budget = Budget(store, 1000)
        calls = 0
        with pytest.raises(CallError, match="960 of 1000 tokens spent") as caught:
            while True:
                await spend(budget, 100, 60)
                calls += 1
        assert calls == 16 and caught.value.kind == "budget" and not caught.value.may_retry
        await budget.close()
        again = Budget(store, 1000)
        with pytest.raises(CallError):
            await spend(again, 100)
        await spend(again, 40)
        await again.close()
        larger = Budget(store, 1500)
        assert (await larger.spent()).tokens == 1000
        for _ in range(5):
            await spend(larger, 100)
        with pytest.raises(CallError):
            await spend(larger, 1)

    asyncio.run(go())


def test_a_call_waits_for_what_others_hold_before_it_is_refused(tmp_path: Path) -> None:
    async def go() -> None:
        budget = Budget(open_store(tmp_path), 1000)
        held = [await budget.reserve(400, NO_MONEY) for _ in range(2)]
        waiting = asyncio.create_task(budget.reserve(400, NO_MONEY))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        await budget.settle(held[0], 100, NO_MONEY)
        assert (await waiting).tokens == 400
        refused = asyncio.create_task(budget.reserve(400, NO_MONEY))
        await budget.settle(held[1], 400, NO_MONEY)
        await asyncio.sleep(0.1)
        assert not refused.done()
        await budget.settle(await waiting, 400, NO_MONEY)
        with pytest.raises(CallError):
            await refused

    asyncio.run(go())


def test_a_killed_run_counts_as_spent_what_it_had_leased(tmp_path: Path) -> None:
    async def go() -> None:
        store = open_store(tmp_path)
        killed = Budget(store, 100_000)
        for _ in range(10):
            await spend(killed, 500, 300)
        await killed.reserve(500, NO_MONEY)  # under way when the kill comes; nothing is closed
        after = Budget(store, 100_000)
        spent = (await after.spent()).tokens
        assert 3000 + 500 <= spent <= 3000 + 500 + 100_000 // 50, "all it may have used, and at most a slice more"

    asyncio.run(go())


def test_two_runs_at_once_pass_no_limit_together(tmp_path: Path) -> None:
    async def one(budget: Budget, rng: random.Random) -> int:
        total = 0
        try:
            while True:
                used = rng.randint(1, 100)
                await spend(budget, 100, used)
                total += used
        except CallError:
            await budget.close()
            return total

    async def go() -> None:
        store = open_store(tmp_path)
        budgets = [Budget(store, 5000) for _ in range(4)]
        used = await asyncio.gather(*(one(b, random.Random(i)) for i, b in enumerate(budgets)))
        assert 3500 < sum(used) <= 5000 and min(used) > 0
        assert (await Budget(store, 5000).spent()).tokens == sum(used), "closed leases say what they came to"

    asyncio.run(go())


def test_money_is_a_limit_of_its_own(tmp_path: Path) -> None:
    async def go() -> None:
        budget = Budget(open_store(tmp_path), None, Decimal("1.00"))
        for _ in range(3):
            await budget.settle(await budget.reserve(10**6, Decimal("0.30")), 10**6, Decimal("0.30"))
        with pytest.raises(CallError, match=r"0\.9000 of 1\.00"):
            await budget.reserve(1, Decimal("0.11"))
        await budget.reserve(1, Decimal("0.10"))

    asyncio.run(go())


def test_a_dead_client_forfeits_what_it_held(tmp_path: Path) -> None:
    async def go() -> None:
        budget = Budget(open_store(tmp_path), 1000)
        ticket = await budget.reserve(600, NO_MONEY, "dead")
        waiting = asyncio.create_task(budget.reserve(600, NO_MONEY, "alive"))
        await asyncio.sleep(0.05)
        await budget.forfeit("dead")
        with pytest.raises(CallError):
            await waiting
        await budget.settle(ticket, 1, NO_MONEY)  # too late
        assert (await budget.spent()).tokens == 600

    asyncio.run(go())


def test_without_a_limit_it_only_counts_and_a_later_limit_knows(tmp_path: Path) -> None:
    async def go() -> None:
        store = open_store(tmp_path)
        free = Budget(store)
        await spend(free, 10**9, 700)
        await free.close()
        assert (await Budget(store, 1000).spent()).tokens == 700
        with pytest.raises(CallError):
            await Budget(store, 1000).reserve(301, NO_MONEY)
        with pytest.raises(CallError):
            await Budget(store, 1000, known=Spend(950, NO_MONEY)).reserve(51, NO_MONEY)

    asyncio.run(go())


def test_what_comes_out_dearer_than_reserved_is_counted(tmp_path: Path) -> None:
    async def go() -> None:
        budget = Budget(open_store(tmp_path), 1000)
        await spend(budget, 100, 250)
        assert budget.overrun.tokens == 150 and (await budget.spent()).tokens == 250
        with pytest.raises(CallError):
            await budget.reserve(800, NO_MONEY)
        await budget.close()
        assert (await Budget(open_store(tmp_path), 1000).spent()).tokens == 250

    asyncio.run(go())


@pytest.mark.parametrize("by_tokens", [True, False])
def test_a_kill_under_one_limit_leaves_room_under_the_other(tmp_path: Path, by_tokens: bool) -> None:
    """Calls of 100 tokens for 0.01 each."""

    async def go() -> None:
        store = open_store(tmp_path)
        killed = Budget(store, 100_000) if by_tokens else Budget(store, None, Decimal(10))
        for _ in range(50):
            await killed.settle(await killed.reserve(100, Decimal("0.01")), 100, Decimal("0.01"))
        spent = await Budget(store).spent()
        assert 5000 <= spent.tokens <= 5000 + 2000 and Decimal("0.5") <= spent.cost <= Decimal("0.7")
        other = Budget(store, None, Decimal(1)) if by_tokens else Budget(store, 10_000)
        for _ in range(30):
            await other.settle(await other.reserve(100, Decimal("0.01")), 100, Decimal("0.01"))
        with pytest.raises(CallError):
            for _ in range(30):
                await other.settle(await other.reserve(100, Decimal("0.01")), 100, Decimal("0.01"))

    asyncio.run(go())
