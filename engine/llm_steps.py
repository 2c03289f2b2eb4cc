"""Drives stages that wait for models: their steps run wherever there is room, answers come from the ledger or a model.

A stage is a generator in `synth` that is run again from its start with the answers so far (see `schemas.steps`), so a
step may be taken by any actor, and a crash loses nothing but that step.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from engine.llm_ledger import LlmLedger
from engine.pool import InfrastructureError
from schemas.errors import UserError
from schemas.llm import CallError, CallKey, LlmReply
from schemas.recipe import Content
from schemas.sample import HtmlDocument, SampleSpec
from schemas.steps import Answer, Ask, Done, Proof, ProofSheet, Step

Advance = Callable[[tuple[Answer, ...]], Awaitable[Step | Done[Any]]]
Prove = Callable[[Proof], Awaitable[ProofSheet]]
REFUSED = "bad_request"
"""Finish reason of a kept answer that says: the endpoint refuses this request, and would again."""


async def written(models: Models, spec: SampleSpec, subject: str, call: Callable[..., Awaitable[Any]]) -> HtmlDocument:
    """The document that a model writes for a sample; `call` runs a stage, as in `engine.chain`."""
    return await models.run(
        spec,
        lambda answers: call("writer", subject, "write_step", spec, answers),
        lambda proof: call("browser", subject, "proof", proof),
    )


def models_of(content: Content) -> tuple[str, ...]:
    """Names of all models that a recipe asks, each once; none where it needs no model."""
    found = [content.writer.model] if content.writer.kind == "llm" else []
    asked = content.questions
    if asked is not None and asked.llm is not None:
        found += [asked.llm.model, asked.llm.discriminator, asked.llm.embedder, *asked.llm.judges]
        found += [asked.llm.reader] if asked.llm.gates else []
    return tuple(dict.fromkeys(name for name in found if name))


class Models:
    """The models as the samples of one shard ask them. `stop` ends it: calls under way are awaited, none is added."""

    def __init__(self, ledger: LlmLedger) -> None:
        self.ledger = ledger
        self._stopped = False

    async def ask(self, spec: SampleSpec, step: Ask) -> LlmReply:
        """The answer to one call. UserError where the run cannot go on, InfrastructureError where a later try may."""
        if self._stopped:
            raise InfrastructureError("the run is stopping")
        index, attempt = (0, 0) if step.shared else (spec.index, spec.attempt)
        key = CallKey(spec.dataset, spec.split, index, attempt, step.stage)
        try:
            return await self.ledger.ask(key, step.request)
        except CallError as error:
            if error.kind == REFUSED:  # of this request alone, today and tomorrow: an answer like any other
                reply = LlmReply("", REFUSED, "", step.request.model, 0, 0, 0.0, error.attempts, error.endpoint)
                self.ledger.keep(key, step.request, reply)
                return reply
            raise _meaning(error) from None

    async def run(self, spec: SampleSpec, advance: Advance, prove: Prove | None = None) -> Any:
        """The result of a stage. SampleError of the stage itself."""
        answers: tuple[Answer, ...] = ()
        while True:
            step = await advance(answers)
            if isinstance(step, Done):
                return step.result
            if isinstance(step, Proof):
                assert prove is not None, "this stage prints nothing"
                answers += (await prove(step),)
            elif isinstance(step, Ask):
                answers += (await self.ask(spec, step),)
            else:
                answers += (await self._all(spec, step),)

    async def _all(self, spec: SampleSpec, steps: Iterable[Ask]) -> tuple[LlmReply, ...]:
        """Answers in order. Where one fails the others are awaited all the same: they are paid for."""
        found = await asyncio.gather(*(self.ask(spec, step) for step in steps), return_exceptions=True)
        faults = [one for one in found if isinstance(one, BaseException)]
        if faults:
            raise min(faults, key=lambda fault: not isinstance(fault, UserError))
        return tuple(one for one in found if isinstance(one, LlmReply))

    async def flush(self, least: int = 1) -> set[int]:
        """Make answers durable; indices whose answers another run gave otherwise first."""
        return {_index(key) for key in await self.ledger.flush(least)}

    async def stop(self) -> set[int]:
        """No call from now on; those under way are awaited and kept. As `flush`."""
        self._stopped = True
        return {_index(key) for key in await self.ledger.settle()}


def _index(key: str) -> int:
    return int(key.split("/", 3)[2])


def _meaning(error: CallError) -> Exception:
    if error.kind == "budget":
        fix = "raise execution.llm.budget and run again: it goes on where this one stopped"
        return UserError(f"stopped before the limit: {error.detail}", "execution.llm.budget", fix)
    if error.kind in ("auth", "not_found"):
        where = f"endpoint {error.endpoint}" if error.endpoint else "execution.llm"
        return UserError(error.detail, where, "mend its base_url, model or key in execution.llm, then run again")
    return InfrastructureError(f"no answer of a model: {error}")
