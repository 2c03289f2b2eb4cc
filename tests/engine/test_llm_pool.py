"""Clients and budget in actors: dead ones are replaced, engines of Ray's own join the same pool."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
import ray

from actors import llm_local
from actors.llm_client import Limits, LlmClient
from actors.llm_http import HttpTransport
from actors.llm_local import ActorTransport, LocalLlm, ServedEngine, vllm_command
from engine.llm_pool import LlmPool
from engine.store import open_store
from schemas.errors import UserError
from schemas.llm import CallError, CallPolicy, Endpoint, LlmReply, LlmRequest, LlmSettings, LocalEngine, Message, Text
from tests.fixtures.llm_endpoint import good, llm_endpoint

POLICY = CallPolicy(in_flight=8, deadline_s=20, attempt_s=10, backoff_s=0.05)
SERVER = [sys.executable, "-m", "tests.fixtures.llm_endpoint", "--port", "{port}", "--latency", "0.05"]


def request(number: int, max_tokens: int = 30) -> LlmRequest:
    return LlmRequest("m", (Message("user", (Text(f"question {number}"),)),), max_tokens)


def settings(base_url: str, **more: Any) -> LlmSettings:
    endpoint = {"name": "e", "base_url": base_url, "in_flight": 8}
    return LlmSettings.model_validate({"endpoints": [endpoint], "policy": POLICY.model_dump(), **more})


def test_calls_are_spread_over_clients_within_the_limits(local_ray: None, tmp_path: Path) -> None:
    async def go(url: str) -> list[LlmReply]:
        pool = LlmPool(settings(url, clients=3), ["m"], open_store(tmp_path))
        await pool.start()
        try:
            replies = await asyncio.gather(*(pool.call(request(i)) for i in range(60)))
            stats = await pool.stats()
            assert sum(row["calls"] for row in stats) == 60 and max(row["peak"] for row in stats) == 3
            assert (await pool.spent()).tokens == sum(reply.tokens for reply in replies)
            return replies
        finally:
            await pool.close()

    with llm_endpoint(good, 0.05) as endpoint:
        assert len(asyncio.run(go(endpoint.base_url))) == 60
        assert endpoint.served == 60 and endpoint.peak <= 8


def test_a_client_that_dies_is_replaced_and_its_calls_are_made_again(local_ray: None, tmp_path: Path) -> None:
    async def go(url: str) -> None:
        pool = LlmPool(settings(url), ["m"], open_store(tmp_path), tokens=10**6)
        await pool.start()
        try:
            calls = [asyncio.create_task(pool.call(request(i))) for i in range(16)]
            await asyncio.sleep(0.5)
            for client in await pool.actors():
                ray.kill(client)
            replies = await asyncio.wait_for(asyncio.gather(*calls), 60)
            spent = (await pool.spent()).tokens
            assert spent > sum(reply.tokens for reply in replies), "what was under way counts as spent"
            assert spent <= sum(reply.tokens for reply in replies) + 8 * (request(10).prompt_bound + 30)
        finally:
            await pool.close()

    with llm_endpoint(good, 1.0) as endpoint:
        asyncio.run(go(endpoint.base_url))
        assert 16 < endpoint.served <= 16 + 8


def test_a_budget_of_a_thousand_tokens(local_ray: None, tmp_path: Path) -> None:
    async def go(url: str, tokens: int, numbers: range) -> tuple[int, int, int]:
        pool = LlmPool(settings(url), ["m"], open_store(tmp_path), tokens=tokens)
        await pool.start()
        try:
            found = await asyncio.gather(*(pool.call(request(i)) for i in numbers), return_exceptions=True)
            replies = [one for one in found if isinstance(one, LlmReply)]
            refused = [one for one in found if isinstance(one, CallError) and one.kind == "budget"]
            assert len(replies) + len(refused) == len(numbers)
            return len(replies), len(refused), (await pool.spent()).tokens
        finally:
            await pool.close()

    with llm_endpoint() as endpoint:
        answered, refused, spent = asyncio.run(go(endpoint.base_url, 1000, range(100)))
        assert answered > 20 and refused > 0, "most of it is used"
        assert spent == endpoint.tokens <= 1000
        again, left, spent = asyncio.run(go(endpoint.base_url, 100_000, range(answered, 100)))
        assert (again, left) == (100 - answered, 0) and spent == endpoint.tokens
        assert endpoint.served == 100, "nothing is paid twice"


def test_a_missing_key_is_said_in_one_line(local_ray: None, tmp_path: Path) -> None:
    endpoint = {"name": "e", "base_url": "http://127.0.0.1:9/v1", "key_env": "NO_SUCH_KEY_HERE"}
    pool = LlmPool(LlmSettings.model_validate({"endpoints": [endpoint]}), ["m"], open_store(tmp_path))

    async def go() -> None:
        try:
            await pool.start()
        finally:
            await pool.close()

    with pytest.raises(UserError, match="NO_SUCH_KEY_HERE"):
        asyncio.run(go())


def _served() -> ServedEngine:
    return ServedEngine(SERVER, 30)


class _Watched(LocalLlm):
    """Says which processes the engine runs."""

    async def children(self) -> list[int]:
        found = psutil.Process().children(recursive=True)
        return [one.pid for one in found if one.cmdline()[1:3] == SERVER[1:3]]


def _start(build: Callable[[], Any]) -> Callable[[LocalEngine], Any]:
    def start(engine: LocalEngine) -> Any:
        actor: Any = ray.remote(_Watched).options(num_cpus=0, max_concurrency=8)
        return actor.remote(build, engine.in_flight)

    return start


def test_an_engine_in_an_actor_joins_an_endpoint_and_is_started_anew(local_ray: None) -> None:
    """The engine is a real server process, as vLLM would be; what it serves is scripted."""
    engine = LocalEngine(kind="vllm", path="any", in_flight=4)

    async def go(url: str) -> None:
        local = ActorTransport("vllm-0", engine, _start(_served))
        remote = HttpTransport(Endpoint(name="e", base_url=url), 10**6)
        llm = LlmClient([(local, Limits(in_flight=4)), (remote, Limits(in_flight=4))], POLICY)
        await local.ready()
        first = local.actor
        assert (await first.where.remote())[0] == ray.get_runtime_context().get_node_id()
        replies = await asyncio.gather(*(llm.call(request(i)) for i in range(40)))
        by = {name: sum(reply.endpoint == name for reply in replies) for name in ("vllm-0", "e")}
        assert min(by.values()) >= 8, by
        (server,) = await first.children.remote()
        ray.kill(first)
        back, number = False, 100
        deadline = time.monotonic() + 30
        while not back and time.monotonic() < deadline:
            replies = await asyncio.gather(*(llm.call(request(i)) for i in range(number, number + 8)))
            back, number = any(reply.endpoint == "vllm-0" for reply in replies), number + 8
        assert back and local.actor is not first
        while psutil.pid_exists(server) and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
        assert not psutil.pid_exists(server), "the engine of a killed actor goes with it"
        await llm.close()

    with llm_endpoint(good, 0.05) as endpoint:
        asyncio.run(go(endpoint.base_url))


def _dying() -> ServedEngine:
    return ServedEngine([sys.executable, "-c", "raise SystemExit(3)"], 30)


def test_an_engine_that_does_not_start_is_a_mistake_in_one_line(local_ray: None) -> None:
    async def go() -> None:
        await ActorTransport("x", LocalEngine(kind="vllm", path="any"), _start(_dying)).ready()

    with pytest.raises(UserError, match="ended with 3"):
        asyncio.run(go())


def test_an_engine_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no such model file|not installed"):
        llm_local.build_engine(LocalEngine(kind="llama", path=str(tmp_path / "no.gguf")))


def test_the_command_line_of_vllm() -> None:
    engine = LocalEngine(kind="vllm", path="org/model", num_gpus=2, in_flight=32, context=8192, arguments=("--x", "1"))
    words = vllm_command(engine)
    assert words[1:3] == ["-m", "vllm.entrypoints.openai.api_server"]
    pairs = dict(zip(words[3::2], words[4::2], strict=True))
    assert pairs == {
        **{"--host": "127.0.0.1", "--port": "{port}", "--model": "org/model", "--max-model-len": "8192"},
        **{"--max-num-seqs": "32", "--tensor-parallel-size": "2", "--x": "1"},
    }
    assert "key" not in json.dumps(words), "a command line can be read by everybody"
