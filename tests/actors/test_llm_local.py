"""A real small model that Ray holds: `make test-llm` brings it and runs these."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import ray
from ray.cluster_utils import Cluster

from actors.llm_client import Limits, LlmClient
from actors.llm_local import ActorTransport, build_engine
from actors.llm_payload import payload
from jobs.predict import Wanted, ledger_of, predict
from schemas.errors import UserError
from schemas.llm import CallPolicy, LlmRequest, LlmSettings, LocalEngine, Message, Text
from synth.llm.answers import read_json
from synth.llm.tracks import Asking
from synth.llm.vectors import cosine, vectors_of, vectors_reply, vectors_request
from tests.fixtures.small_release import SCHEMA, write_release

pytestmark = pytest.mark.llm
POLICY = CallPolicy(in_flight=4, deadline_s=240, attempt_s=120)
TOTAL = {
    "type": "object",
    "properties": {"total": {"type": "string", "maxLength": 20}},
    "required": ["total"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def gguf() -> str:
    found = os.environ.get("PAGELOOM_TEST_GGUF", "")
    if not found:
        pytest.skip("no small model here: run `make test-llm`")
    return found


def request(number: int, max_tokens: int = 80) -> LlmRequest:
    text = f"A receipt says: coffee 2.00, cake 3.00, total {number}.50. What is the total?"
    return LlmRequest("smollm2", (Message("user", (Text(text),)),), max_tokens, seed=1, schema=TOTAL)


@pytest.fixture
def two_raylets() -> Iterator[Cluster]:
    cluster = Cluster()
    for _ in range(2):
        cluster.add_node(num_cpus=2, resources={"llm": 1.0})
    ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_one_model_from_two_actors_on_two_raylets(gguf: str, two_raylets: Cluster) -> None:
    engine = LocalEngine(kind="llama", path=gguf, resources={"llm": 1.0}, in_flight=2, context=1024)

    async def go() -> None:
        transports = [ActorTransport(f"llama-{number}", engine) for number in range(2)]
        await asyncio.gather(*(transport.ready() for transport in transports))
        places = [await transport.actor.where.remote() for transport in transports]
        assert len({node for node, _ in places}) == 2, "one on each node"
        llm = LlmClient([(transport, Limits(in_flight=2)) for transport in transports], POLICY)
        replies = await asyncio.gather(*(llm.call(request(number)) for number in range(12)))
        assert {reply.endpoint for reply in replies} == {"llama-0", "llama-1"}
        assert {reply.model for reply in replies} == {Path(gguf).name}, "no path of the node in what is kept"
        # A model this small may pad its JSON with blanks until it is cut.
        statuses = [read_json(reply, TOTAL).status for reply in replies]
        assert set(statuses) <= {"ok", "length"} and statuses.count("ok") >= 9, statuses
        ray.kill(transports[0].actor)
        more = await asyncio.gather(*(llm.call(request(number)) for number in range(20, 28)))
        assert len(more) == 8
        await llm.close()

    asyncio.run(go())


def test_an_engine_that_embeds(gguf: str) -> None:
    engine = build_engine(LocalEngine(kind="llama", path=gguf, context=512, pooling="mean", serves=("smollm2",)))
    texts = ["Which item has the highest price?", "What is the item with the largest price?", "Who signed the lease?"]
    asked = vectors_request("smollm2", texts)
    try:
        reply = vectors_reply(engine.complete(asyncio.run(payload(asked, None)), 60), asked, "llama")
    finally:
        engine.close()
    vectors = vectors_of(reply)
    assert vectors is not None and len(vectors) == 3 and reply.prompt_tokens > 10
    assert cosine(vectors[0], vectors[1]) > cosine(vectors[0], vectors[2])


def test_predict_with_a_model_that_ray_holds(gguf: str, tmp_path: Path) -> None:
    release, out = write_release(tmp_path / "r", 12), tmp_path / "p.jsonl"
    engine = {"kind": "llama", "path": gguf, "in_flight": 2, "context": 2048}
    settings = LlmSettings.model_validate({"engines": [engine], "policy": POLICY.model_dump()})
    asking = Asking("smollm2", see="text", bound=40, max_tokens=120, seed=1)
    result = predict(str(release), out, Wanted("kie", asking, settings), lambda line: None)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    print(dict(result.statuses), result.tokens, "tokens")
    assert len(lines) == 12 == result.asked and result.failed == 0
    answered: list[Any] = [line["prediction"] for line in lines if "prediction" in line]
    assert len(answered) >= 10, result.statuses
    for value in answered:
        jsonschema.validate(value, SCHEMA)
    first = out.read_bytes()
    offline = predict(str(release), out, Wanted("kie", asking, None), lambda line: None)
    assert offline.replayed == 12 and out.read_bytes() == first
    assert gguf.encode() not in b"".join(p.read_bytes() for p in ledger_of(out).rglob("*") if p.is_file())


def test_a_file_that_is_no_model_is_a_mistake_in_one_line(gguf: str, tmp_path: Path) -> None:
    (tmp_path / "bad.gguf").write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(UserError, match="does not load"):
        build_engine(LocalEngine(kind="llama", path=str(tmp_path / "bad.gguf")))
