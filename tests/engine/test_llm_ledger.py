"""The ledger of model calls: asked once, kept first, replayed offline, cheap to kill."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path

import pytest

from engine.llm_ledger import SEGMENT, LlmLedger, Miss, groups, records
from engine.llm_pool import known_spend
from engine.store import open_store
from schemas.llm import CallError, CallKey, LlmReply, LlmRequest, Message, Price, Text

PRICE = Price(input=Decimal(2), output=Decimal(8))


def request(text: str, max_tokens: int = 50) -> LlmRequest:
    return LlmRequest("m", (Message("user", (Text(text),)),), max_tokens, prompt="p-1")


def key(index: int, attempt: int = 0, stage: str = "write") -> CallKey:
    return CallKey("books", "train", index, attempt, stage)


class Model:
    """Counts its calls; says what it is asked, with a mark of its own."""

    def __init__(self, mark: str = "", delay_s: float = 0.0) -> None:
        self.mark, self.delay_s, self.calls = mark, delay_s, 0

    async def __call__(self, asked: LlmRequest) -> LlmReply:
        self.calls += 1
        await asyncio.sleep(self.delay_s)
        part = asked.messages[0].parts[0]
        assert isinstance(part, Text)
        if part.text == "broken":
            raise CallError("timeout", "late", "e", None, 3, 120)
        return LlmReply(self.mark + part.text, "stop", "", "m-1", 10, 5, 0.25, 1, "e")


def test_a_call_is_made_once_and_replayed_offline(tmp_path: Path) -> None:
    async def go() -> None:
        model, store = Model(), open_store(tmp_path)
        ledger = LlmLedger(store, "train-00000", model, lambda _: PRICE)
        one = await ledger.ask(key(1), request("a"))
        assert await ledger.ask(key(1), request("a")) == one and model.calls == 1
        for other in (key(2), key(1, 1), key(1, 0, "judge"), CallKey("b", "train", 1, 0, "write")):
            await ledger.ask(other, request("a"))
        await ledger.ask(key(1), request("a", 51))
        assert model.calls == 6, "another sample, try, stage, dataset or request is another call"
        await ledger.flush()
        offline = LlmLedger(store, "train-00000", None, lambda _: PRICE)
        assert await offline.ask(key(1), request("a")) == one and offline.replayed == 1
        with pytest.raises(Miss, match="train-00000007"):
            await offline.ask(key(7), request("a"))

    asyncio.run(go())


def test_the_same_call_at_the_same_moment_is_made_once(tmp_path: Path) -> None:
    async def go() -> None:
        model = Model(delay_s=0.05)
        ledger = LlmLedger(open_store(tmp_path), "s", model, lambda _: PRICE)
        replies = await asyncio.gather(*(ledger.ask(key(1), request("a")) for _ in range(20)))
        assert model.calls == 1 and len(set(replies)) == 1
        failed = await asyncio.gather(
            *(ledger.ask(key(1), request("broken")) for _ in range(5)), return_exceptions=True
        )
        assert model.calls == 2 and all(isinstance(error, CallError) for error in failed)

    asyncio.run(go())


def test_a_call_without_an_answer_is_asked_again_and_its_cost_is_kept(tmp_path: Path) -> None:
    async def go() -> None:
        model, store = Model(), open_store(tmp_path)
        for _ in range(2):
            ledger = LlmLedger(store, "s", model, lambda _: PRICE)
            with pytest.raises(CallError):
                await ledger.ask(key(1), request("broken"))
            await ledger.flush()
        assert model.calls == 2
        assert [record["lost_tokens"] for _, record in records(store)] == [120, 120]
        spent = known_spend(store)
        assert spent.tokens == 240 and spent.cost > 0

    asyncio.run(go())


def test_a_kill_loses_at_most_one_segment(tmp_path: Path) -> None:
    """Nothing is flushed at the end, as after a kill."""

    async def go() -> None:
        store, first = open_store(tmp_path), Model()
        ledger = LlmLedger(store, "s", first, lambda _: PRICE)
        for index in range(5 * SEGMENT + 7):
            await ledger.ask(key(index), request("a"))
        second = Model()
        again = LlmLedger(store, "s", second, lambda _: PRICE)
        for index in range(5 * SEGMENT + 7):
            await again.ask(key(index), request("a"))
        assert second.calls == 7 < SEGMENT

    asyncio.run(go())


def test_of_two_runs_the_first_answer_counts_for_both(tmp_path: Path) -> None:
    async def go() -> None:
        store = open_store(tmp_path)
        one = LlmLedger(store, "s", Model("one "), lambda _: PRICE)
        two = LlmLedger(store, "s", Model("two "), lambda _: PRICE)
        await one.ask(key(1), request("a"))
        await two.ask(key(1), request("a"))
        await two.ask(key(2), request("a"))
        assert await one.flush() == set()
        assert await two.flush() == {key(1).with_digest(request("a").digest)}
        for ledger in (two, LlmLedger(store, "s", None, lambda _: PRICE)):
            kept = [ledger.get(key(index), request("a").digest) for index in (1, 2)]
            assert [reply.text for reply in kept if reply] == ["one a", "two a"]

    asyncio.run(go())


def test_compacted_it_holds_the_same_and_goes_on(tmp_path: Path) -> None:
    async def go() -> None:
        store = open_store(tmp_path)
        ledger = LlmLedger(store, "train-00000", Model(), lambda _: PRICE)
        for index in range(40):
            await ledger.ask(key(index), request("৳ 表"))
        with pytest.raises(CallError):
            await ledger.ask(key(99), request("broken"))
        await ledger.flush()
        before = list(records(store))
        await ledger.compact()
        await ledger.compact()
        assert list(records(store)) == before and groups(store) == ["train-00000"]
        assert len(list(store.list("ledger/llm-parquet/"))) == 1
        for name in list(store.list("ledger/llm/"))[:-1]:  # read from Parquet, not from these
            (tmp_path / name).write_bytes(b"no JSON")
        more = LlmLedger(store, "train-00000", Model(), lambda _: PRICE)
        reply = await more.ask(key(3), request("৳ 表"))
        assert reply.text == "৳ 表" and more.replayed == 1
        await more.ask(key(50), request("new"))
        await more.compact()
        assert len(list(records(store))) == len(before) + 1

    asyncio.run(go())


def test_records_say_what_was_asked_and_what_it_cost(tmp_path: Path) -> None:
    async def go() -> None:
        store = open_store(tmp_path)
        ledger = LlmLedger(store, "s", Model(), lambda _: PRICE)
        await ledger.ask(key(1), request("a"))
        await ledger.flush()
        ((name, record),) = records(store)
        assert name == f"books/train/1/0/write/{request('a').digest}"
        expected = {
            "text": "a",
            "asked": "m",
            "model": "m-1",
            "prompt": "p-1",
            "finish_reason": "stop",
            "endpoint": "e",
        }
        expected |= {"prompt_tokens": 10, "completion_tokens": 5, "cost": "0.00006", "latency_s": 0.25, "attempts": 1}
        assert {k: record[k] for k in expected} == expected

    asyncio.run(go())
