"""The one Ray actor class. It holds one engine (browser, camera, ...) and turns what happens into a plain answer.

Engines are plain classes with `ready()` and their own methods; the host starts one in `ready`, so that a failed start
is an answer and not a dead actor.
"""

from __future__ import annotations

import gc
import resource
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psutil
import ray

from schemas.errors import SampleError, UserError, user_error_of

CHILDREN_EVERY_S = 5.0
YOUNG = 10_000  # objects before a collection: a document makes tens of thousands, none in a cycle


def settle() -> None:
    """Tell Python's collector that what is loaded now stays, and not to look for cycles amid every document."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 10, 10)


@dataclass(frozen=True)
class Answer:
    """What one call gave. Exactly one of value, rejected, mistake and fault is meant, by `kind`."""

    kind: str  # "ok", "rejected" (SampleError), "mistake" (UserError), "fault" (anything else)
    value: Any
    seconds: float
    cpu_seconds: float
    rss_mb: float


class Host:
    """Holds one engine. `build` makes it; it is called in `ready`, in this process."""

    def __init__(self, build: Callable[[], Any]) -> None:
        self._build = build
        self._engine: Any = None
        self._process = psutil.Process()
        self._children, self._look_again = 0, 0.0

    def ready(self) -> Answer:
        return self._guard(self._start)

    def call(self, method: str, *args: Any) -> Answer:
        return self._guard(getattr(self._engine, method), *args)

    def node(self) -> str:
        return ray.get_runtime_context().get_node_id()

    def pid(self) -> int:
        return self._process.pid

    def close(self) -> None:
        closer = getattr(self._engine, "close", None)
        if closer is not None:
            closer()

    def _start(self) -> Any:
        self._engine = self._build()
        ready = self._engine.ready()
        settle()
        return ready

    def _guard(self, work: Callable[..., Any], *args: Any) -> Answer:
        start, cpu = time.perf_counter(), _cpu_seconds()
        try:
            kind, value = "ok", work(*args)
        except SampleError as error:
            kind, value = "rejected", error
        except UserError as error:
            kind, value = "mistake", error
        except OSError as error:
            # A full disk or a missing permission is no sample's fault.
            mistake = user_error_of(error)
            kind, value = ("mistake", mistake) if mistake else ("fault", traceback.format_exc(limit=-6))
        except Exception:
            kind, value = "fault", traceback.format_exc(limit=-6)
        return Answer(kind, value, time.perf_counter() - start, _cpu_seconds() - cpu, self._rss_mb())

    def _rss_mb(self) -> float:
        """Resident memory of this process and its children (a browser's processes are children)."""
        if time.monotonic() >= self._look_again:  # it walks through all processes of the machine
            self._children = 0
            for child in self._process.children(recursive=True):
                try:
                    self._children += child.memory_info().rss
                except psutil.NoSuchProcess:
                    continue
            self._look_again = time.monotonic() + CHILDREN_EVERY_S
        return (self._process.memory_info().rss + self._children) / 1e6


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


HostActor = ray.remote(max_restarts=0, max_task_retries=0)(Host)
