"""Stages that wait for models: what each fault of a call means to a run, and that nothing paid for is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.llm_ledger import LlmLedger, compact_all, groups, records
from engine.llm_steps import REFUSED, Models, models_of
from engine.pool import InfrastructureError
from engine.store import open_store
from schemas.errors import UserError
from schemas.llm import CallError, LlmReply, LlmRequest, Message, Text
from schemas.prices import free
from schemas.recipe import Content
from schemas.sample import SampleSpec
from schemas.steps import Ask
from synth.llm.steps import advance

SPEC = SampleSpec(0, "d", "train", 7, 1, "receipt", "en", 0)


def ask(text: str, shared: bool = False) -> Ask:
    return Ask("ask.test", LlmRequest("m", (Message("user", (Text(text),)),), 10), shared)


class Model:
    """Answers with the text of the prompt, or raises what is said for it."""

    def __init__(self, faults: dict[str, Exception] | None = None, latency_s: float = 0.0) -> None:
        self.faults, self.latency_s, self.asked = faults or {}, latency_s, 0

    async def __call__(self, request: LlmRequest) -> LlmReply:
        self.asked += 1
        await asyncio.sleep(self.latency_s)
        text = request.messages[0].parts[0].text  # type: ignore[union-attr]
        if text in self.faults:
            raise self.faults[text]
        return LlmReply(text, "stop", "", "m", 3, 2, 0.0, 1, "e")


def models(store: Any, call: Any) -> Models:
    return Models(LlmLedger(store, "train-00000", call, free))


def stage(*wanted: Any) -> Callable[[tuple], Any]:
    """A stage that asks for these steps and gives all texts."""

    def steps():
        texts = []
        for step in wanted:
            answer = yield step
            texts += [one.text for one in answer] if isinstance(answer, tuple) else [answer.text]
        return texts

    async def take(answers: tuple) -> Any:
        return advance(steps(), answers)

    return take


def test_steps_are_answered_one_by_one_and_several_at_once(tmp_path: Path) -> None:
    async def go() -> None:
        model = Model()
        desk = models(open_store(tmp_path), model)
        wanted = [ask("a"), (ask("b"), ask("c"), ask("b")), ask("d", shared=True)]
        assert await desk.run(SPEC, stage(*wanted)) == ["a", "b", "c", "b", "d"]
        assert model.asked == 4, "the same call is made once"
        await desk.stop()
        keys = {key.rsplit("/", 1)[0] for key, _ in records(open_store(tmp_path))}
        assert keys == {"d/train/7/1/ask.test", "d/train/0/0/ask.test"}
        offline = models(open_store(tmp_path), None)
        assert await offline.run(SPEC, stage(*wanted)) == ["a", "b", "c", "b", "d"]
        with pytest.raises(UserError, match=r"the ledger holds no answer to ask\.test of train-00000007"):
            await offline.run(SPEC, stage(ask("e")))

    asyncio.run(go())


@pytest.mark.parametrize(
    ("kind", "error", "says"),
    [
        ("budget", UserError, "stopped before the limit"),
        ("auth", UserError, "mend its base_url"),
        ("not_found", UserError, "mend its base_url"),
        ("timeout", InfrastructureError, "timeout"),
        ("server", InfrastructureError, "server"),
    ],
)
def test_what_a_fault_means_and_that_its_neighbours_are_kept(tmp_path: Path, kind: str, error: Any, says: str) -> None:
    async def go() -> None:
        desk = models(open_store(tmp_path), Model({"bad": CallError(kind, "said so", "e")}, 0.05))
        with pytest.raises(error, match=says):
            await desk.run(SPEC, stage((ask("bad"), ask("good"))))
        await desk.stop()
        assert [r["text"] for _, r in records(open_store(tmp_path)) if r["finish_reason"] != "lost"] == ["good"]

    asyncio.run(go())


def test_a_request_that_an_endpoint_refuses_is_refused_in_every_replay(tmp_path: Path) -> None:
    async def go() -> None:
        model = Model({"bad": CallError("bad_request", "too long", "e")})
        desk = models(open_store(tmp_path), model)
        reply = await desk.ask(SPEC, ask("bad"))
        assert (reply.text, reply.finish_reason) == ("", REFUSED)
        await desk.stop()
        assert (await models(open_store(tmp_path), None).ask(SPEC, ask("bad"))).finish_reason == REFUSED

    asyncio.run(go())


def test_stopping_waits_for_calls_under_way_and_lets_none_in(tmp_path: Path) -> None:
    async def go() -> None:
        model = Model(latency_s=0.2)
        desk = models(open_store(tmp_path), model)
        waiting = [asyncio.create_task(desk.ask(SPEC, ask(str(n)))) for n in range(5)]
        await asyncio.sleep(0.05)
        for task in waiting:
            task.cancel()  # as a task group does with the others when one fails
        await desk.stop()
        with pytest.raises(InfrastructureError, match="stopping"):
            await desk.ask(SPEC, ask("late"))
        assert model.asked == 5 == len(dict(records(open_store(tmp_path))))

    asyncio.run(go())


def test_groups_are_compacted_once_and_again_when_more_came(tmp_path: Path) -> None:
    store = open_store(tmp_path)

    async def more(text: str) -> None:
        desk = models(store, Model())
        await desk.ask(SPEC, ask(text))
        await desk.stop()

    asyncio.run(more("a"))
    compact_all(store)
    compact_all(store)
    assert len(list(store.list("ledger/llm-parquet/"))) == 1
    asyncio.run(more("b"))
    compact_all(store)
    assert len(list(store.list("ledger/llm-parquet/"))) == 2 and groups(store) == ["train-00000"]
    assert {r["text"] for _, r in records(store)} == {"a", "b"}


def test_models_of_a_recipe() -> None:
    base: dict[str, Any] = {
        **{"name": "n", "version": "1.0.0", "splits": {"train": 1}, "shard_size": 1},
        **{"types": ["receipt"], "languages": ["en"]},
    }
    assert models_of(Content.model_validate(base)) == ()
    asked = {"kind": "llm", "llm": {"model": "w", "judges": ["j", "w"], "reader": "r"}}
    assert models_of(Content.model_validate(base | {"questions": asked})) == ("w", "j")
    asked["llm"] |= {"gates": ["blind"], "discriminator": "d"}  # type: ignore[operator]
    writer = {"kind": "llm", "model": "author"}
    both = Content.model_validate(base | {"questions": asked, "writer": writer})
    assert models_of(both) == ("author", "w", "d", "j", "r")
