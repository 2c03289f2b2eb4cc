"""What language models answered, call by call: an input of the release (DESIGN decision 10).

Answers lie in the segments of `engine.ledger` under `ledger/llm/<group>/`, a group being a shard. A closed group is
also kept as one Parquet file, `ledger/llm-parquet/<group>/<segments>.parquet`, so that a later run reads one object
instead of thousands; segments that came after it are read on top.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.ledger import Ledger
from engine.parquet import table_in
from engine.store import Store
from schemas.errors import UserError
from schemas.llm import CallError, CallKey, LlmReply, LlmRequest, Price

SEGMENT = 16
"""Answers that a kill may cost, beside those under way."""
_ROOT, _PARQUET = "ledger/llm/", "ledger/llm-parquet/"
_COLUMNS = pa.schema(
    [
        *[(name, pa.string()) for name in ("key", "dataset", "split")],
        *[("index", pa.int64()), ("try", pa.int32()), ("stage", pa.string()), ("digest", pa.string())],
        *[(name, pa.string()) for name in ("prompt", "asked", "model", "finish_reason")],
        *[("prompt_tokens", pa.int64()), ("completion_tokens", pa.int64()), ("lost_tokens", pa.int64())],
        *[("cost", pa.string()), ("latency_s", pa.float64()), ("attempts", pa.int32()), ("endpoint", pa.string())],
        *[("text", pa.string()), ("refusal", pa.string())],
    ]
)


class Miss(UserError):
    """Offline, and the ledger does not hold the answer."""


class LlmLedger:
    """Answers of one group, asked for at most once each. `call` is None offline: then a miss is an error."""

    def __init__(
        self,
        store: Store,
        group: str,
        call: Callable[[LlmRequest], Awaitable[LlmReply]] | None,
        price: Callable[[str], Price],
        segment: int = SEGMENT,
    ) -> None:
        self.store, self.group, self._segment = store, group, segment
        self._call, self._price = call, price
        self._ledger = Ledger(store, f"llm/{group}", _compacted(store, group))
        self._under_way: dict[str, asyncio.Task[LlmReply]] = {}
        self._flushing = asyncio.Lock()
        self._losses = 0
        self.replayed = self.asked = 0

    def get(self, key: CallKey, digest: str) -> LlmReply | None:
        """The kept answer, if there is one."""
        record = self._ledger.get(key.with_digest(digest))
        return None if record is None else _reply(record)

    async def ask(self, key: CallKey, request: LlmRequest) -> LlmReply:
        """The kept answer, or the endpoint's, which is kept. CallError if it gives none, Miss offline.

        An answer that another run keeps first is the one that counts after the next `flush`; see `get`. A call under
        way goes on when its caller is cancelled, since it is paid for; `settle` waits for it.
        """
        name = key.with_digest(request.digest)
        record = self._ledger.get(name)
        if record is not None:
            self.replayed += 1
            return _reply(record)
        task = self._under_way.get(name)  # there, if it is asked twice at once
        if task is None:
            if self._call is None:
                raise Miss(
                    f"the ledger holds no answer to {key.stage} of {key.split}-{key.index:08d} (try {key.attempt})",
                    self.store.url,
                    "run online first, with the same model, prompts and settings",
                )
            task = asyncio.create_task(self._made(self._call, name, request))
            self._under_way[name] = task
            task.add_done_callback(lambda done: self._ended(name, done))
        reply = await asyncio.shield(task)
        if self._ledger.unsaved >= self._segment:
            # All wait here while a segment is written: their places are taken, so no more than these can be lost.
            await self.flush(self._segment)
        return reply

    async def _made(
        self, call: Callable[[LlmRequest], Awaitable[LlmReply]], name: str, request: LlmRequest
    ) -> LlmReply:
        try:
            reply = await call(request)
        except CallError as error:
            self._lose(name, request, error)
            raise
        self.asked += 1
        self._ledger.add(name, _record(request, reply, self._price(request.model)))
        return reply

    def _ended(self, name: str, task: asyncio.Task[LlmReply]) -> None:
        del self._under_way[name]
        if not task.cancelled():
            task.exception()  # seen, if nobody else waits

    def keep(self, key: CallKey, request: LlmRequest, reply: LlmReply) -> None:
        """Keep a reply that was not asked for here, such as an endpoint's refusal of the request itself."""
        self._ledger.add(key.with_digest(request.digest), _record(request, reply, self._price(request.model)))

    async def settle(self) -> set[str]:
        """Wait for calls under way and make all durable; as `flush`."""
        while self._under_way:
            await asyncio.wait(list(self._under_way.values()))
        return await self.flush()

    async def flush(self, least: int = 1) -> set[str]:
        """Make answers durable if at least so many are not; keys that another run answered otherwise before."""
        async with self._flushing:
            if self._ledger.unsaved < least:
                return set()
            return await asyncio.to_thread(self._ledger.flush)

    async def compact(self) -> None:
        """Keep the whole group as one Parquet file. For groups that are done; segments stay."""
        await self.flush()
        await asyncio.to_thread(_compact, self.store, self.group, self._ledger)

    def _lose(self, name: str, request: LlmRequest, error: CallError) -> None:
        """A call that came to nothing is asked again by the next run; what it may have cost is kept."""
        if error.lost_tokens:
            nothing = LlmReply("", "lost", "", request.model, 0, 0, 0.0, error.attempts, error.endpoint)
            record = _record(request, nothing, self._price(request.model)) | {"lost_tokens": error.lost_tokens}
            record["cost"] = _money(_lost_cost(request, error.lost_tokens, self._price(request.model)))
            while self._ledger.get(f"{name}/lost-{self._losses}") is not None:
                self._losses += 1
            self._ledger.add(f"{name}/lost-{self._losses}", record)


def _record(request: LlmRequest, reply: LlmReply, price: Price) -> dict[str, Any]:
    cost = price.cost(reply.prompt_tokens, reply.completion_tokens) + _lost_cost(request, reply.lost_tokens, price)
    return asdict(reply) | {"asked": request.model, "prompt": request.prompt, "cost": _money(cost)}


def _lost_cost(request: LlmRequest, lost_tokens: int, price: Price) -> Decimal:
    """Money for reserved tokens, in the proportion of prompt and answer in which they were reserved."""
    bound = request.prompt_bound + request.max_tokens
    return price.cost(request.prompt_bound, request.max_tokens) * lost_tokens / bound


def _money(cost: Decimal) -> str:
    return f"{cost.quantize(Decimal('1e-12')).normalize():f}"


def _reply(record: dict[str, Any]) -> LlmReply:
    return LlmReply(**{name: record[name] for name in LlmReply.__dataclass_fields__})


def groups(store: Store) -> list[str]:
    """All groups that have answers."""
    return sorted({key.removeprefix(_ROOT).rsplit("/", 1)[0] for key in store.list(_ROOT)})


def compact_all(store: Store) -> None:
    """Keep every group as one Parquet file, where segments came since the last one."""
    for group in groups(store):
        found = _compacted(store, group)
        ledger = Ledger(store, f"llm/{group}", found)
        if found is None or ledger.segments > found[1]:
            _compact(store, group, ledger)


def records(store: Store) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every kept call of every group, as (key, record)."""
    for group in groups(store):
        yield from Ledger(store, f"llm/{group}", _compacted(store, group)).items()


def _compacted(store: Store, group: str) -> tuple[dict[str, Any], int] | None:
    keys = list(store.list(f"{_PARQUET}{group}/"))
    if not keys:
        return None
    newest = keys[-1]
    rows = table_in(store.get(newest)).to_pylist()
    dropped = {"key", "dataset", "split", "index", "try", "stage", "digest"}
    answers = {row["key"]: {k: v for k, v in row.items() if k not in dropped} for row in rows}
    return answers, int(newest.rsplit("/", 1)[1].removesuffix(".parquet"))


def _compact(store: Store, group: str, ledger: Ledger) -> None:
    segments = ledger.segments
    rows = []
    for key, record in ledger.items():
        dataset, split, index, attempt, stage, digest = key.split("/", 5)
        named = {"key": key, "dataset": dataset, "split": split, "stage": stage, "digest": digest}
        rows.append(record | named | {"index": int(index), "try": int(attempt)})
    if not rows:
        return
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=_COLUMNS), sink, compression="zstd")
    store.put_new(f"{_PARQUET}{group}/{segments:06d}.parquet", sink.getvalue())
