"""Engines that Ray places itself: llama.cpp in this process on a CPU node, vLLM as a process on a GPU node.

Each lives in an actor and answers chat completions; `ActorTransport` lets that actor join the endpoints of a client.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import ray
from ray.exceptions import RayError

from actors import leash
from actors.llm_payload import payload
from schemas.errors import SampleError, UserError
from schemas.llm import CallError, LlmReply, LlmRequest, LocalEngine
from synth.llm.completion import completion_reply


class ChatEngine(Protocol):
    """Answers one chat completion; called from several threads at once."""

    def complete(self, body: dict[str, Any], timeout_s: float) -> dict[str, Any]: ...

    def close(self) -> None: ...


class LlamaEngine:
    """llama.cpp through `xllamacpp` (extra `local-llm`), in this process, without a port that others could reach."""

    def __init__(self, path: str, slots: int, context: int, threads: int) -> None:
        try:
            xllamacpp: Any = importlib.import_module("xllamacpp")
        except ImportError:
            fix = "pip install 'pageloom[local-llm]', on every node that holds it"
            raise UserError("xllamacpp is not installed", "engine llama", fix) from None
        if not Path(path).is_file():
            raise UserError("no such model file", f"engine llama: {path}", "name a GGUF file that lies on this node")
        params = xllamacpp.CommonParams()
        params.model.path = path
        # The context is shared by the slots; every call gets its whole.
        params.n_ctx, params.n_parallel = context * slots, slots
        params.offline, params.use_jinja, params.ui = True, True, False
        params.hostnames, params.port = ["127.0.0.1"], 0
        params.api_keys = [secrets.token_hex(16)]  # it listens on loopback as well; nobody knows this key
        params.cpuparams.n_threads = threads
        params.verbosity = 0
        self._name = Path(path).name
        try:
            self._server: Any = xllamacpp.Server(params)
        except RuntimeError as error:
            raise UserError(f"the model does not load: {error}", f"engine llama: {path}", "try another file") from None

    def complete(self, body: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        answer = self._server.handle_chat_completions(body)
        return answer | {"model": self._name}

    def close(self) -> None:
        self._server = None


class ServedEngine:
    """An OpenAI-compatible server as a process on loopback, behind a key of its own: vLLM."""

    def __init__(self, command: Sequence[str], ready_s: float, environment: dict[str, str] | None = None) -> None:
        self._key = secrets.token_hex(16)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        words = [word.format(port=self._port) for word in command]
        # The key goes by the environment: a command line can be read by every user of the machine.
        env = os.environ | (environment or {}) | {"VLLM_API_KEY": self._key}
        # On a leash: an actor may be killed, and the engine with its GPU memory must go with it.
        words = [sys.executable, leash.__file__, *words]
        self._process = subprocess.Popen(words, env=env, stdin=subprocess.PIPE, start_new_session=True)
        deadline = time.monotonic() + ready_s
        while not self._answers():
            if self._process.poll() is not None:
                code = self._process.returncode
                raise UserError(f"the engine ended with {code} while starting", command[0], "look at the actor's log")
            if time.monotonic() > deadline:
                self.close()
                raise UserError(f"the engine was not ready within {ready_s:.0f} s", command[0], "raise ready_s")
            time.sleep(0.2)

    def complete(self, body: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        return json.loads(self._fetch("/v1/chat/completions", json.dumps(body).encode(), timeout_s))

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
    return [*words, *engine.arguments]


def build_engine(engine: LocalEngine) -> ChatEngine:
    """The engine, in this process. UserError for what is not installed or not there."""
    if engine.kind == "llama":
        threads = max(1, int(engine.num_cpus))
        return LlamaEngine(engine.path, engine.in_flight, engine.context, threads)
    return ServedEngine(vllm_command(engine), engine.ready_s)


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
        except Exception as error:  # whatever an engine stumbles over, its actor goes on
            return "server", f"{type(error).__name__}: {error}"[:300]

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
        if kind != "ok":
            raise CallError(kind, answer, self.name)
        try:
            return completion_reply(answer, request, self.name)
        except ValueError as error:
            raise CallError("garbled", str(error), self.name) from None

    async def close(self) -> None:
        if self.actor is not None:
            ray.kill(self.actor)
            self.actor = None


async def _result(ref: Any) -> Any:
    return await ref
