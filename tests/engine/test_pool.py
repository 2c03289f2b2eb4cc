"""The pool against engines that crash, hang, raise and reject, in real Ray actors."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import ray

from engine.pool import InfrastructureError, Poisoned, Pool
from schemas.errors import SampleError, UserError
from schemas.execution import ActorPool
from tests.engine.faults import Faulty, Unstartable

QUICK = ActorPool(count=2, num_cpus=0.1, deadline_s=1.5, ready_s=60)


@pytest.fixture
def pool(local_ray: None, tmp_path: Path) -> Iterator[Pool]:
    pool = Pool("faulty", QUICK, partial(Faulty, str(tmp_path)), blame_after=2)
    yield pool
    asyncio.run(pool.close())


def test_answers_and_typed_errors_come_back(pool: Pool) -> None:
    async def go() -> None:
        assert await pool.call("s", "echo", {"a": 1}) == {"a": 1}
        with pytest.raises(SampleError, match="too_odd"):
            await pool.call("s", "reject")
        with pytest.raises(UserError, match="wrong folder"):
            await pool.call("s", "mistake")

    asyncio.run(go())
    assert pool.stats.crashes == pool.stats.timeouts == 0


def test_a_crash_that_does_not_follow_the_sample_is_forgiven(pool: Pool, tmp_path: Path) -> None:
    assert asyncio.run(pool.call("s", "crash", "once", 1)) == "survived"
    assert asyncio.run(pool.call("s", "crash", "twice", 2)) == "survived"  # the trial on a fresh actor clears it
    assert pool.stats.crashes == 3


@pytest.mark.parametrize(("method", "args", "reason"), [("crash", (9,), "crash"), ("hang", (9,), "timeout")])
def test_what_follows_the_sample_to_distinct_actors_is_poison(
    pool: Pool, tmp_path: Path, method: str, args: tuple, reason: str
) -> None:
    with pytest.raises(Poisoned) as caught:
        asyncio.run(pool.call("s", method, "bad", *args))
    assert (caught.value.reason, caught.value.attempts) == (reason, 3)
    pids = (tmp_path / "bad").read_text().split()
    assert len(set(pids)) == 3, "every execution was on an actor of its own"
    assert asyncio.run(pool.call("t", "echo", 1)) == 1, "the pool is whole again"


def test_an_untyped_exception_is_poison_with_its_traceback(pool: Pool) -> None:
    with pytest.raises(Poisoned, match="a bug") as caught:
        asyncio.run(pool.call("s", "raise_always", "bug"))
    assert caught.value.reason == "raised"


def test_an_actor_killed_from_outside_costs_nothing(pool: Pool) -> None:
    async def go() -> None:
        first = await pool.call("s", "pid")
        for actor in await pool.actors():
            ray.kill(actor)
        assert await pool.call("s", "pid") != first

    asyncio.run(go())


def test_many_late_subjects_are_an_overloaded_machine_not_poison(pool: Pool) -> None:
    async def go() -> list[BaseException]:
        calls = [pool.call(f"s{i}", "hang", f"late{i}", 9) for i in range(10)]
        return await asyncio.gather(*calls, return_exceptions=True)  # type: ignore[return-value]

    kinds = [type(e) for e in asyncio.run(go())]
    assert InfrastructureError in kinds


def test_actors_are_recycled_by_count(local_ray: None, tmp_path: Path) -> None:
    settings = QUICK.model_copy(update={"count": 1, "recycle_after": 2})
    pool = Pool("faulty", settings, partial(Faulty, str(tmp_path)), blame_after=2)

    async def go() -> list[int]:
        pids = [await pool.call("s", "pid") for _ in range(4)]
        await pool.close()
        return pids

    pids = asyncio.run(go())
    assert pids[0] == pids[1] != pids[2] == pids[3]


def test_actors_are_recycled_before_they_pass_their_memory(local_ray: None, tmp_path: Path) -> None:
    """Each call keeps 60 MB; the limit allows for a few of them."""

    async def go(limit: int, calls: int) -> tuple[list[int], Pool]:
        settings = QUICK.model_copy(update={"count": 1, "recycle_mb": limit})
        pool = Pool("faulty", settings, partial(Faulty, str(tmp_path)), blame_after=2)
        pids = [await pool.call("s", "grow", 60) for _ in range(calls)]
        await pool.close()
        return pids, pool

    _, alone = asyncio.run(go(100_000, 1))
    limit = round(alone.stats.peak_mb) + 200
    pids, pool = asyncio.run(go(limit, 8))
    assert len(set(pids)) >= 2
    assert pids[0] == pids[1] == pids[2]  # no sooner than needed
    assert pool.stats.recycled >= len(set(pids)) - 1
    assert pool.stats.peak_mb <= limit


def test_an_engine_that_cannot_start_says_why(local_ray: None) -> None:
    pool = Pool("browser", QUICK, Unstartable, blame_after=2)
    with pytest.raises(UserError, match="no browser -> install it"):
        asyncio.run(pool.call("s", "anything"))


def test_an_actor_the_cluster_has_no_room_for_is_named(local_ray: None) -> None:
    settings = QUICK.model_copy(update={"num_cpus": 10_000, "ready_s": 2})
    pool = Pool("browser", settings, Unstartable, blame_after=2)
    with pytest.raises(UserError, match=r"execution\.actors\.browser"):
        asyncio.run(pool.call("s", "anything"))
