"""What calls have cost, from a ledger."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path

import pytest

from engine.llm_ledger import LlmLedger
from engine.store import open_store
from jobs.costs import as_text, costs_of
from schemas.errors import UserError
from schemas.llm import CallError, CallKey, LlmReply, LlmRequest, Message, Price, Text


async def _answer(request: LlmRequest) -> LlmReply:
    if request.max_tokens == 1:
        raise CallError("timeout", "late", "e", None, 2, 300)
    return LlmReply("x", "stop", "", "m-1", 100, 50, 0.5, 2, "e", lost_tokens=40)


def test_sums_by_stage_and_model(tmp_path: Path) -> None:
    async def go() -> None:
        price = Price(input=Decimal(1), output=Decimal(1))
        ledger = LlmLedger(open_store(tmp_path), "train-00000", _answer, lambda _: price)
        for index in range(4):
            for stage, model in (("write", "big"), ("judge", "small"), ("judge", "other")):
                request = LlmRequest(model, (Message("user", (Text("q"),)),), 10)
                await ledger.ask(CallKey("books", "train", index, 0, stage), request)
        with pytest.raises(CallError):
            request = LlmRequest("big", (Message("user", (Text("q"),)),), 1)
            await ledger.ask(CallKey("books", "train", 9, 0, "write"), request)
        await ledger.flush()

    asyncio.run(go())
    costs = costs_of(open_store(tmp_path))
    assert set(costs.rows) == {("write", "big"), ("judge", "small"), ("judge", "other")}
    write = costs.rows["write", "big"]
    assert (write.calls, write.prompt_tokens, write.completion_tokens, write.lost_tokens) == (4, 400, 200, 460)
    assert write.cost == Decimal(1060) / 10**6, "what was lost is paid for"
    assert costs.total.tokens == 12 * 190 + 300 and costs.samples == 5
    table = as_text(costs).splitlines()
    assert len(table) == 5 and len({len(line) for line in table}) == 1 and table[-1].startswith("all")
    assert json.loads(costs.to_json())["total"]["tokens"] == costs.total.tokens


def test_no_ledger_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no ledger"):
        costs_of(open_store(tmp_path))
