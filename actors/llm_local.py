"""Engines that Ray places itself: llama.cpp on a CPU node, vLLM on a GPU node.

Each is a server process on loopback that an actor holds on a leash; `ActorTransport` lets that actor join the
endpoints of a client.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import ray
from ray.exceptions import RayError

from actors import leash, llama_server
from actors.llm_payload import payload
from schemas.errors import SampleError, UserError
from schemas.llm import CallError, LlmReply, LlmRequest, LocalEngine
from synth.llm.reply import reply_of

DEAD = "dead"
"""Kind of an answer from an actor whose engine is gone; it is replaced."""


class ChatEngine(Protocol):
    """Answers one chat completion, or embeds the texts under `input`; called from several threads at once.

    `dead` says that it will answer no more.
    """

    @property
    def dead(self) -> bool: ...

    def complete(self, body: dict[str, Any], timeout_s: float) -> dict[str, Any]: ...

    def close(self) -> None: ...


class ServedEngine:
    """An OpenAI-compatible server as a process on loopback, behind a key of its own: vLLM, or `actors.llama_server`.

    UserError if it does not start; `why` says what its exit codes mean.
    """

    def __init__(self, command: Sequence[str], ready_s: float, why: Mapping[int, UserError] | None = None) -> None:
        self._key = secrets.token_hex(16)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        words = [word.format(port=self._port) for word in command]
        # The key goes by the environment: a command line can be read by every user of the machine.
        env = os.environ | {"VLLM_API_KEY": self._key}
        # On a leash: an actor may be killed, and the engine with its GPU memory must go with it.
        words = [sys.executable, "-P", leash.__file__, *words]
        self._process = subprocess.Popen(words, env=env, stdin=subprocess.PIPE, start_new_session=True)
        deadline = time.monotonic() + ready_s
        while not self._answers():
            if self._process.poll() is not None:
                code = self._process.returncode
                if why is not None and code in why:
                    raise why[code]
                raise UserError(f"the engine ended with {code} while starting", command[0], "look at the actor's log")
            if time.monotonic() > deadline:
                self.close()
                raise UserError(f"the engine was not ready within {ready_s:.0f} s", command[0], "raise ready_s")
            time.sleep(0.2)

    @property
    def dead(self) -> bool:
        return self._process.poll() is not None

    def complete(self, body: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        path = "/v1/embeddings" if "input" in body else "/v1/chat/completions"
        return json.loads(self._fetch(path, json.dumps(body).encode(), timeout_s))

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(leash.GRACE_S + 10)

    def _answers(self) -> bool:
        try:
            self._fetch("/v1/models", None, 5)
        except (OSError, ValueError):
            return False
        return True

    def _fetch(self, path: str, data: bytes | None, timeout_s: float) -> bytes:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}{path}", data, headers)
        # No proxy of the environment stands between this process and its own child.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=timeout_s) as answer:
            return answer.read()


def vllm_command(engine: LocalEngine) -> list[str]:
    """vLLM's server for this model; `{port}` is filled in when it starts."""
    words = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--host", "127.0.0.1", "--port", "{port}"]
    words += ["--model", engine.path, "--max-model-len", str(engine.context), "--max-num-seqs", str(engine.in_flight)]
    if engine.num_gpus > 1:
        words += ["--tensor-parallel-size", str(int(engine.num_gpus))]
    words += ["--runner", "pooling"] if engine.pooling else []
    return [*words, *engine.arguments]


def llama_command(engine: LocalEngine) -> list[str]:
    """llama.cpp's server for this model file."""
    threads = max(1, int(engine.num_cpus))
    numbers = [str(n) for n in (engine.in_flight, engine.context, threads)]
    words = [sys.executable, "-P", llama_server.__file__, engine.path, engine.pooling or "none"]
    return [*words, "{port}", *numbers]


def build_engine(engine: LocalEngine) -> ChatEngine:
    """The engine, started and answering. UserError for what is not installed or not there."""
    if engine.kind == "vllm":
        return ServedEngine(vllm_command(engine), engine.ready_s)
    where = f"engine llama: {engine.path}"
    if not Path(engine.path).is_file():
        raise UserError("no such model file", where, "name a GGUF file that lies on every node that may hold it")
    why = {
        llama_server.NOT_INSTALLED: UserError(
            "xllamacpp is not installed", where, "pip install 'pageloom[local-llm]' on every node that may hold it"
        ),
        llama_server.DOES_NOT_LOAD: UserError("the model does not load", where, "name another GGUF file"),
    }
    return ServedEngine(llama_command(engine), engine.ready_s, why)


class LocalLlm:
    """The actor: one engine, several calls at once, each in a thread."""

    def __init__(self, build: Callable[[], ChatEngine], slots: int) -> None:
        self._build = build
        self._engine: ChatEngine | None = None
        self._threads = ThreadPoolExecutor(slots)

    async def ready(self) -> UserError | None:
        """Start the engine; a mistake is an answer, so that the actor does not die of it."""
        if self._engine is None:
            try:
                loop = asyncio.get_running_loop()
                self._engine = await loop.run_in_executor(self._threads, self._build)
            except UserError as error:
                return error
        return None

    async def complete(self, body: dict[str, Any], timeout_s: float) -> tuple[str, Any]:
        """("ok", completion) or a kind of CallError with its detail."""
        assert self._engine is not None
        loop = asyncio.get_running_loop()
        try:
            work = loop.run_in_executor(self._threads, self._engine.complete, body, timeout_s)
            return "ok", await asyncio.wait_for(work, timeout_s)
        except TimeoutError:
            return "timeout", f"no answer within {timeout_s:.0f} s"
        except urllib.error.HTTPError as error:
            kind = "bad_request" if 400 <= error.code < 500 else "server"
            return kind, f"HTTP {error.code}: {error.read(300).decode(errors='replace')}"
        except (OSError, ValueError) as error:
            if isinstance(getattr(error, "reason", None), TimeoutError):
                return "timeout", f"no answer within {timeout_s:.0f} s"
            return DEAD if self._engine.dead else "reset", f"{type(error).__name__}: {error}"[:300]

    async def where(self) -> tuple[str, int]:
        """Node and process, for tests and reports."""
        return ray.get_runtime_context().get_node_id(), os.getpid()


def start_local(engine: LocalEngine) -> Any:
    """Handle of a new actor that holds the engine, placed by its resources; `ready` has not been asked yet."""
    options = {"num_cpus": engine.num_cpus, "num_gpus": engine.num_gpus, "resources": engine.resources or None}
    # One place more than calls, for `ready` and `where`.
    options |= {"max_concurrency": engine.in_flight + 4, "max_restarts": 0, "max_task_retries": 0}
    actor: Any = ray.remote(LocalLlm).options(**options, scheduling_strategy="SPREAD")
    return actor.remote(_Build(engine), engine.in_flight)


class _Build:
    """`build_engine` with its argument, which travels to the actor."""

    def __init__(self, engine: LocalEngine) -> None:
        self._engine = engine

    def __call__(self) -> ChatEngine:
        return build_engine(self._engine)


class ActorTransport:
    """Sends attempts to an actor that holds an engine; starts it, and starts it anew when it has died."""

    def __init__(self, name: str, engine: LocalEngine, start: Callable[[LocalEngine], Any] = start_local) -> None:
        self.name, self._settings, self._start = name, engine, start
        self.actor: Any = None
        self._starting = asyncio.Lock()

    async def ready(self) -> None:
        """Start the actor. UserError for what the user can mend, CallError when there is no place for it."""
        async with self._starting:
            if self.actor is not None:
                return
            actor = self._start(self._settings)
            try:
                mistake = await asyncio.wait_for(_result(actor.ready.remote()), self._settings.ready_s)
            except (TimeoutError, RayError) as error:
                ray.kill(actor)
                why = "is not ready in time" if isinstance(error, TimeoutError) else "died while starting"
                raise CallError("connection", f"the engine {why}", self.name) from None
            if mistake is not None:
                ray.kill(actor)
                raise mistake
            self.actor = actor

    async def send(self, request: LlmRequest, timeout_s: float) -> LlmReply:
        await self.ready()
        actor = self.actor
        try:
            body = await payload(request, None)
        except SampleError as error:
            raise CallError("bad_request", str(error), self.name) from None
        try:
            kind, answer = await asyncio.wait_for(_result(actor.complete.remote(body, timeout_s)), timeout_s + 0.5)
        except TimeoutError:
            raise CallError("timeout", f"no answer within {timeout_s:.0f} s", self.name) from None
        except RayError as error:
            if self.actor is actor:
                self.actor = None  # the next attempt starts another
            raise CallError("reset", f"the engine's actor died ({type(error).__name__})", self.name) from None
        if kind == DEAD and self.actor is actor:
            self.actor = None
            ray.kill(actor)
        if kind != "ok":
            raise CallError("reset" if kind == DEAD else kind, answer, self.name)
        try:
            return reply_of(answer, request, self.name)
        except ValueError as error:
            raise CallError("garbled", str(error), self.name) from None

    async def close(self) -> None:
        if self.actor is not None:
            ray.kill(self.actor)
            self.actor = None


async def _result(ref: Any) -> Any:
    return await ref
