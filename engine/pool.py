"""A pool of actors of one kind. All retry, deadline and replacement policy is here (DESIGN decisions 8 and 9).

A call that ends in a crash, a timeout or an untyped exception is blamed on its subject (one try of one sample) only
after it has followed the subject to `blame_after` distinct actors and once more to a fresh one. A lost node, an
out-of-memory kill, or a stage in which many subjects time out is infrastructure, and blames nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.exceptions import ActorDiedError, ActorUnavailableError, OutOfMemoryError, RayError

from actors.host import Answer, HostActor
from schemas.errors import SampleError, UserError
from schemas.execution import ActorPool


class Poisoned(Exception):
    """The subject brought down or hung every actor it was given to: quarantine it."""

    def __init__(self, stage: str, reason: str, detail: str, attempts: int) -> None:
        super().__init__(stage, reason, detail, attempts)
        self.stage, self.reason, self.detail, self.attempts = stage, reason, detail, attempts


class InfrastructureError(Exception):
    """Machines failed, not samples: try the shard again."""


@dataclass
class Stats:
    """What a pool did; none of it is part of a release."""

    calls: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    crashes: int = 0
    timeouts: int = 0
    recycled: int = 0
    started: int = 0
    peak_mb: float = 0.0


@dataclass(eq=False)
class _Seat:
    """One place in the pool; the actor in it is replaced, the seat stays."""

    actor: Any = None
    uses: int = 0
    serial: int = 0
    rss_mb: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Pool:
    """Actors of one kind. `build` makes the engine inside the actor. Call `close` when done."""

    # A stage in which this many of the last distinct subjects timed out is overloaded, not poisoned.
    WINDOW, MANY = 16, 8
    INFRASTRUCTURE_RETRIES = 5

    def __init__(self, kind: str, settings: ActorPool, build: Callable[[], Any], blame_after: int) -> None:
        self.kind, self.settings, self.stats = kind, settings, Stats()
        self._build, self._blame_after = build, blame_after
        self._idle: asyncio.Queue[_Seat] = asyncio.Queue()
        self._seats = [_Seat() for _ in range(settings.count)]
        for seat in self._seats:
            self._idle.put_nowait(seat)
        self._serials = 0
        self._growth_mb = 0.0  # the most in one call
        self._recent: deque[tuple[str, bool]] = deque(maxlen=self.WINDOW)

    async def call(self, subject: str, method: str, *args: Any) -> Any:
        """Result of `engine.method(*args)`. Raises SampleError, UserError, Poisoned or InfrastructureError."""
        blamed: dict[int, str] = {}
        outages = 0
        while True:
            alone = len(blamed) >= self._blame_after
            seat = await self._idle.get()
            try:
                if seat.serial in blamed or alone:
                    await self._discard(seat)
                answer, fault = await self._once(seat, method, args)
            finally:
                self._idle.put_nowait(seat)
            self._recent.append((subject, fault == "timeout"))
            if answer is not None and answer.kind != "fault":
                return self._unwrap(answer)
            if fault == "infrastructure":
                outages += 1
                if outages > self.INFRASTRUCTURE_RETRIES:
                    raise InfrastructureError(f"{self.kind}: lost {outages} actors to nodes or memory in one call")
                continue
            detail = str(answer.value) if answer is not None else fault
            blamed[seat.serial] = fault
            if fault == "timeout" and self._overloaded():
                raise InfrastructureError(
                    f"{self.kind}: most of the last documents took longer than {self.settings.deadline_s:g} s each"
                    f" (execution.actors.{self.kind}.deadline_s); the machine is overloaded, or a template never ends"
                )
            if alone:
                raise Poisoned(self.kind, fault, detail, len(blamed))

    async def _once(self, seat: _Seat, method: str, args: tuple[Any, ...]) -> tuple[Answer | None, str]:
        """One execution on one seat: (answer, "") or (answer or None, kind of fault)."""
        try:
            actor = await self._actor(seat)
        except RayError:
            return None, "infrastructure"  # died while starting: no sample was near it
        try:
            answer: Answer = await asyncio.wait_for(_result(actor.call.remote(method, *args)), self.settings.deadline_s)
        except TimeoutError:
            self.stats.timeouts += 1
            await self._discard(seat)
            return None, "timeout"
        except RayError as error:
            self.stats.crashes += 1
            await self._discard(seat)
            return None, "infrastructure" if _is_infrastructure(error) else "crash"
        seat.uses += 1
        self.stats.calls += 1
        self.stats.seconds += answer.seconds
        self.stats.cpu_seconds += answer.cpu_seconds
        self.stats.peak_mb = max(self.stats.peak_mb, answer.rss_mb)
        if seat.rss_mb:  # the first call loads what the actor needs
            self._growth_mb = max(self._growth_mb, answer.rss_mb - seat.rss_mb)
        seat.rss_mb = answer.rss_mb
        if seat.uses >= self.settings.recycle_after or seat.rss_mb + self._growth_mb > self.settings.recycle_mb:
            self.stats.recycled += 1
            await self._discard(seat, gently=True)
        return answer, "raised" if answer.kind == "fault" else ""

    async def _actor(self, seat: _Seat) -> Any:
        if seat.actor is None:
            s = self.settings
            name = f"{self.kind}-{uuid.uuid4().hex[:12]}"  # for Ray's dashboard
            asked = {"num_cpus": s.num_cpus, "num_gpus": s.num_gpus, "resources": s.resources or None}
            actor = HostActor.options(name=name, scheduling_strategy="SPREAD", **asked).remote(self._build)
            self._serials += 1
            seat.serial, seat.uses, seat.rss_mb = self._serials, 0, 0.0
            try:
                answer: Answer = await asyncio.wait_for(_result(actor.ready.remote()), s.ready_s)
            except TimeoutError:
                _kill(actor)
                raise UserError(
                    f"no {self.kind} actor was ready within {s.ready_s:.0f} s",
                    "cluster",
                    f"free {s.num_cpus} CPU and {s.num_gpus} GPU, or lower execution.actors.{self.kind}",
                ) from None
            except RayError:
                _kill(actor)
                raise
            if answer.kind == "fault":
                _kill(actor)
                raise UserError(
                    f"the {self.kind} actor does not start: {answer.value}", "actors", "run `pageloom doctor`"
                )
            if answer.kind != "ok":
                _kill(actor)
                raise answer.value
            seat.actor = actor
            self.stats.started += 1
        return seat.actor

    async def _discard(self, seat: _Seat, gently: bool = False) -> None:
        actor, seat.actor = seat.actor, None
        if actor is None:
            return
        if gently:
            with contextlib.suppress(TimeoutError, RayError):
                await asyncio.wait_for(_result(actor.close.remote()), 10)
        _kill(actor)

    async def close(self) -> None:
        """End all actors; calls under way fail."""
        for seat in self._seats:
            await self._discard(seat, gently=True)

    def _overloaded(self) -> bool:
        return len({subject for subject, late in self._recent if late}) >= self.MANY

    @staticmethod
    def _unwrap(answer: Answer) -> Any:
        if answer.kind == "ok":
            return answer.value
        assert isinstance(answer.value, (SampleError, UserError))
        raise answer.value

    async def actors(self) -> list[Any]:
        """Handles of the living actors, for tests that end them on purpose."""
        return [seat.actor for seat in self._seats if seat.actor is not None]


async def _result(ref: Any) -> Any:
    return await ref


def _kill(actor: Any) -> None:
    ray.kill(actor, no_restart=True)


def _is_infrastructure(error: RayError) -> bool:
    if isinstance(error, (OutOfMemoryError, ActorUnavailableError)):
        return True
    text = str(error).lower()
    return isinstance(error, ActorDiedError) and any(
        sign in text
        for sign in ("node died", "node was terminated", "node is dead", "its node has died", "memory on the node")
    )
