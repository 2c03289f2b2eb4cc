"""The client against an endpoint that fails in every listed way: nothing lost, nothing twice, nothing hangs."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Coroutine
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from actors.llm_client import Bucket, Limits, LlmClient, Seat
from actors.llm_http import HttpTransport
from schemas.llm import CallError, CallPolicy, Endpoint, LlmReply, LlmRequest, Message, Text, Ticket
from synth.llm.answers import read_json
from tests.fixtures.llm_endpoint import RETRY_AFTER_S, Answer, ScriptedEndpoint, faulty, good, llm_endpoint

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["a", "n"],
    "additionalProperties": False,
}
POLICY = CallPolicy(in_flight=16, deadline_s=20, attempt_s=1, backoff_s=0.05, max_answer_bytes=1_000_000)


def request(number: int, max_tokens: int = 64) -> LlmRequest:
    return LlmRequest("m", (Message("user", (Text(f"question {number}"),)),), max_tokens, schema=SCHEMA)


def client(
    *endpoints: ScriptedEndpoint,
    policy: CallPolicy = POLICY,
    gate: Any = None,
    requests_per_minute: int | None = None,
) -> LlmClient:
    joined = []
    for number, one in enumerate(endpoints):
        settings = Endpoint(name=f"e{number}", base_url=one.base_url)
        limits = Limits(in_flight=policy.in_flight, requests_per_minute=requests_per_minute)
        joined.append((HttpTransport(settings, policy.max_answer_bytes), limits))
    return LlmClient(joined, policy, gate)


async def gather(llm: LlmClient, *calls: Coroutine[Any, Any, LlmReply]) -> list[LlmReply | BaseException]:
    try:
        return await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 60)
    finally:
        await llm.close()


def test_all_faults_at_once_lose_nothing_and_pass_no_limit() -> None:
    async def go(endpoint: ScriptedEndpoint) -> list[Any]:
        llm = client(endpoint)
        return await gather(llm, *(llm.call(request(i)) for i in range(120)))

    with llm_endpoint(faulty, 0.02) as endpoint:
        start = time.monotonic()
        replies = asyncio.run(go(endpoint))
        assert time.monotonic() - start < 45
        assert all(isinstance(reply, LlmReply) for reply in replies), Counter(map(str, replies))
        assert endpoint.peak == POLICY.in_flight
        assert endpoint.served == sum(reply.attempts for reply in replies), "every attempt is accounted for"
        assert len(endpoint.seen) == 120, "every question was asked"
        assert endpoint.came_too_soon <= 4, "Retry-After is kept, by all calls"
        by_text = {call.text.splitlines()[0]: call.answer for call in endpoint.calls}  # the last attempt
        expected = {
            **{"": "ok", "prose": "extracted", "duplicate": "extracted", "wrong_schema": "wrong_schema"},
            **{"length": "length", "refusal": "refused", "refusal_text": "refused", "empty": "empty"},
            **{"huge": "too_large", "truncated_json": "wrong_schema"},
        }
        for number, reply in enumerate(replies):
            status = read_json(reply, SCHEMA).status
            wanted = expected[by_text[f"question {number}"].fault]
            # Truncated after the last value, an answer can be mended; before it, it misses a field.
            assert status == wanted or (wanted == "wrong_schema" and status == "repaired"), (number, status, wanted)
        assert set(endpoint.faults) >= {"429", "500", "reset", "stall", "garbled", "huge", "refusal", ""}


@pytest.mark.parametrize("fault", ["429", "500", "reset", "reset_midway", "stall", "garbled"])
def test_an_endpoint_that_never_answers_ends_in_an_error_within_the_deadline(fault: str) -> None:
    policy = POLICY.model_copy(update={"deadline_s": 2.0, "attempt_s": 0.4, "attempts": 4})

    async def go(endpoint: ScriptedEndpoint) -> list[Any]:
        llm = client(endpoint, policy=policy)
        return await gather(llm, *(llm.call(request(i)) for i in range(6)))

    with llm_endpoint(lambda body, earlier: Answer("{}", fault)) as endpoint:
        start = time.monotonic()
        found = asyncio.run(go(endpoint))
        assert time.monotonic() - start < 4
    kinds = {"429": "rate_limited", "500": "server", "stall": "timeout", "garbled": "garbled"}
    for error in found:
        assert isinstance(error, CallError)
        assert error.kind == kinds.get(fault, "reset") and error.attempts <= 4
        spent = fault in ("reset", "reset_midway", "stall", "garbled")
        assert (error.lost_tokens > 0) == spent, "what may have been paid for is told"


def test_retry_after_is_waited_for() -> None:
    async def go(endpoint: ScriptedEndpoint) -> list[Any]:
        llm = client(endpoint)
        return await gather(llm, llm.call(request(1)))

    with llm_endpoint(lambda body, earlier: Answer("{}", "429" if earlier == 0 else "")) as endpoint:
        (reply,) = asyncio.run(go(endpoint))
        first, second = endpoint.calls
        assert second.start - first.end >= RETRY_AFTER_S and reply.attempts == 2


@pytest.mark.parametrize(("fault", "kind"), [("400", "bad_request"), ("401", "auth"), ("404", "not_found")])
def test_what_no_retry_mends_is_asked_once(fault: str, kind: str) -> None:
    async def go(endpoint: ScriptedEndpoint) -> list[Any]:
        llm = client(endpoint)
        return await gather(llm, llm.call(request(1)))

    with llm_endpoint(lambda body, earlier: Answer("{}", fault)) as endpoint:
        (error,) = asyncio.run(go(endpoint))
        assert isinstance(error, CallError) and error.kind == kind and endpoint.served == 1


def test_nobody_listens() -> None:
    policy = POLICY.model_copy(update={"deadline_s": 1.0, "attempts": 3})

    async def go() -> list[Any]:
        endpoint = Endpoint(name="gone", base_url="http://127.0.0.1:9/v1")
        llm = LlmClient([(HttpTransport(endpoint, 1000), Limits())], policy)
        return await gather(llm, llm.call(request(1)))

    (error,) = asyncio.run(go())
    assert isinstance(error, CallError) and error.kind == "connection" and error.lost_tokens == 0


def test_calls_go_to_the_healthy_endpoint_and_by_weight() -> None:
    async def go(one: ScriptedEndpoint, two: ScriptedEndpoint, three: ScriptedEndpoint) -> list[Any]:
        joined = []
        for weight, endpoint in ((1, one), (3, two), (1, three)):
            settings = Endpoint(name=f"w{endpoint.port}", base_url=endpoint.base_url)
            joined.append((HttpTransport(settings, 10**6), Limits(weight=weight, in_flight=8)))
        llm = LlmClient(joined, POLICY.model_copy(update={"in_flight": 8}))
        return await gather(llm, *(llm.call(request(i)) for i in range(80)))

    broken = lambda body, earlier: Answer("{}", "500")  # noqa: E731
    with llm_endpoint(good, 0.05) as one, llm_endpoint(good, 0.05) as two, llm_endpoint(broken) as three:
        replies = asyncio.run(go(one, two, three))
        assert all(isinstance(reply, LlmReply) for reply in replies)
        assert one.served + two.served == 80
        assert three.served <= 20, "an endpoint that fails is left alone"
        assert two.served > 1.5 * one.served, "three times the weight"
        assert one.peak + two.peak <= 12 and max(one.peak, two.peak) <= 8


def test_an_endpoint_that_comes_back_is_used_again() -> None:
    state = {"up": False}

    async def go(endpoint: ScriptedEndpoint) -> tuple[list[Any], list[Any]]:
        policy = POLICY.model_copy(update={"deadline_s": 8.0, "attempts": 50, "in_flight": 4})
        llm = client(endpoint, policy=policy)
        calls = [asyncio.create_task(llm.call(request(i))) for i in range(8)]
        await asyncio.sleep(1.0)
        state["up"] = True
        first = await asyncio.gather(*calls, return_exceptions=True)
        return first, await gather(llm, *(llm.call(request(i)) for i in range(100, 104)))

    with llm_endpoint(lambda body, earlier: good(body, 0) if state["up"] else Answer("", "500")) as endpoint:
        first, later = asyncio.run(go(endpoint))
    assert all(isinstance(reply, LlmReply) for reply in (*first, *later))


def test_rate_limits_hold() -> None:
    async def go(endpoint: ScriptedEndpoint, per_minute: int) -> float:
        llm = client(endpoint, requests_per_minute=per_minute)
        start = time.monotonic()
        replies = await gather(llm, *(llm.call(request(i)) for i in range(30)))
        assert all(isinstance(reply, LlmReply) for reply in replies)
        return time.monotonic() - start

    with llm_endpoint(good) as endpoint:
        # 600 a minute are 10 a second, 50 of them at once; 30 do not wait, with 180 a minute 15 do.
        assert asyncio.run(go(endpoint, 600)) < 3
        assert asyncio.run(go(endpoint, 180)) >= 4.5


def test_a_bucket_is_repaid_for_what_was_not_used() -> None:
    clock = [0.0]
    bucket = Bucket(1200, lambda: clock[0])  # 20 a second, 100 at once
    bucket.take(100)
    assert bucket.wait_s(50) == pytest.approx(2.5)
    bucket.take(-60)  # it came out 60 cheaper
    assert bucket.wait_s(50) == 0
    bucket.take(200)
    clock[0] += 7
    assert bucket.wait_s(1) == pytest.approx(0.05)
    assert bucket.wait_s(10**6) == pytest.approx(5.0), "more than there can ever be waits for a full bucket only"


class _Gate:
    """A budget that keeps book."""

    def __init__(self, limit: int) -> None:
        self.limit, self.held, self.used, self.tickets = limit, 0, 0, 0

    async def reserve(self, tokens: int, cost: Decimal) -> Ticket:
        if self.used + self.held + tokens > self.limit:
            raise CallError("budget", "used up")
        self.held += tokens
        self.tickets += 1
        return Ticket(self.tickets, tokens, cost)

    async def settle(self, ticket: Ticket, tokens: int, cost: Decimal) -> None:
        self.held -= ticket.tokens
        self.used += tokens


def test_every_ticket_is_settled_with_what_the_attempt_came_to() -> None:
    async def go(endpoint: ScriptedEndpoint, gate: _Gate) -> list[Any]:
        llm = client(endpoint, gate=gate)
        return await gather(llm, *(llm.call(request(i)) for i in range(60)))

    gate = _Gate(10**9)
    with llm_endpoint(faulty) as endpoint:
        replies = asyncio.run(go(endpoint, gate))
        assert gate.held == 0 and gate.tickets == endpoint.served
        assert gate.used == sum(reply.tokens + reply.lost_tokens for reply in replies)
        assert gate.used >= endpoint.tokens, "never less than what the endpoint has counted"


def test_a_call_that_is_cancelled_gives_its_place_back_and_counts_as_spent() -> None:
    async def go(endpoint: ScriptedEndpoint, gate: _Gate) -> Seat:
        llm = client(endpoint, gate=gate)
        task = asyncio.create_task(llm.call(request(1)))
        await asyncio.sleep(0.3)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await llm.close()
        return llm.seats[0]

    gate = _Gate(10**9)
    with llm_endpoint(good, 5.0) as endpoint:
        seat = asyncio.run(go(endpoint, gate))
    assert seat.under_way == 0 and gate.held == 0 and gate.used == request(1).prompt_bound + 64


def test_without_money_nothing_is_sent() -> None:
    async def go(endpoint: ScriptedEndpoint) -> list[Any]:
        llm = client(endpoint, gate=_Gate(10))
        return await gather(llm, llm.call(request(1)))

    with llm_endpoint(good) as endpoint:
        (error,) = asyncio.run(go(endpoint))
        assert isinstance(error, CallError) and error.kind == "budget" and endpoint.served == 0


def test_a_model_is_asked_for_where_it_is_served() -> None:
    async def go(one: ScriptedEndpoint, two: ScriptedEndpoint) -> list[Any]:
        joined = []
        for endpoint, serves in ((one, ("m",)), (two, ("other", "more"))):
            settings = Endpoint(name=f"e{endpoint.port}", base_url=endpoint.base_url)
            joined.append((HttpTransport(settings, 10**6), Limits(serves=serves)))
        llm = LlmClient(joined, POLICY)
        models = ["m", "other", "more", "m", "nobody"]
        return await gather(llm, *(llm.call(replace(request(n), model=model)) for n, model in enumerate(models)))

    with llm_endpoint() as one, llm_endpoint() as two:
        *replies, lost = asyncio.run(go(one, two))
        assert [reply.endpoint[1:] for reply in replies] == [str(e.port) for e in (one, two, two, one)]
        assert isinstance(lost, CallError) and lost.kind == "not_found" and "nobody" in lost.detail
