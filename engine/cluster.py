"""Joining Ray: the cluster we are submitted to, the one that runs here, or a local one for this run."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from pathlib import Path

import ray

from schemas.errors import UserError
from schemas.execution import ACTOR_KINDS, Execution


def join(execution: Execution, address: str | None = None) -> bool:
    """Connect to Ray, and say whether this started a local one (to be ended by `leave`).

    Logical CPUs of a local Ray are raised to what the pools ask for: a laptop runs them slowly rather than not at all.
    """
    if ray.is_initialized():
        return False
    remote = address or os.environ.get("RAY_ADDRESS")
    before = signal.getsignal(signal.SIGTERM)
    options = {"log_to_driver": False, "logging_level": logging.ERROR, "ignore_reinit_error": True}
    try:
        if remote:
            _knock(remote)
            ray.init(address=remote if address else None, **options)
            return False
        cpus = max(os.cpu_count() or 1, wanted_cpus(execution))
        ray.init(address="local", num_cpus=cpus, include_dashboard=False, **options)
    except (OSError, RuntimeError, ValueError) as error:
        fix = "start a head with `ray start --head`, or leave the address out for a local run"
        if not remote:
            fix = "look at the message; TMPDIR must be short and writable"
        raise UserError(f"cannot join Ray: {error}", remote or "local", fix) from error
    finally:
        # Ray takes SIGTERM for itself and leaves by an exception in the middle of the event loop.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)
    return True


def _knock(address: str) -> None:
    """OSError unless something listens there. Ray itself would try for more than five minutes before it says so."""
    host, colon, port = address.split("://", 1)[-1].rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


def leave(started: bool) -> None:
    """End the local Ray that `join` started; a cluster is left as it is."""
    if started and ray.is_initialized():
        ray.shutdown()


def wanted_cpus(execution: Execution) -> int:
    """Logical CPUs that all pools of all runners and all engines of models ask for together, rounded up."""
    pools = [getattr(execution.actors, kind) for kind in ACTOR_KINDS]
    engines = execution.llm.engines if execution.llm is not None else ()
    held = sum(engine.count * engine.num_cpus for engine in engines)
    return int(execution.runners * sum(p.count * p.num_cpus for p in pools) + held) + 1


def cache_folder(execution: Execution) -> Path:
    """Where this machine keeps baked scenes, model folders and unpacked assets between runs."""
    if execution.cache is not None:
        return execution.cache.expanduser().resolve()
    base = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(base) / "pageloom"
