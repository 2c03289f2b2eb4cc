"""The way of one document: write, print, photograph, read, accept or reject; tries until one is accepted.

`call(kind, subject, method, *args)` runs a stage; the pools do it in a run, plain engines in one process do it in a
preview, so there is one chain.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from actors.reader import selected
from engine.aim import Aim
from engine.ledger import Ledger, Quarantine, key_of, request_digest
from engine.llm_steps import Models, written
from engine.pool import Poisoned
from engine.rows import Accepted
from schemas.document import Printed
from schemas.errors import FontError, SampleError, UserError
from schemas.photographed import Photographed
from schemas.questions import Asked
from schemas.recipe import Content
from schemas.sample import HtmlDocument, Legibility, Rejection, SampleSpec

Call = Callable[..., Awaitable[Any]]
Told = Callable[[SampleSpec, Rejection | None], None]


class Exhausted(Exception):
    """Every try of a sample was rejected: the recipe asks for what cannot be made."""

    def __init__(self, spec: SampleSpec, rejections: tuple[Rejection, ...]) -> None:
        super().__init__(spec, rejections)
        self.spec, self.rejections = spec, rejections

    def __str__(self) -> str:
        last = self.rejections[-1]
        return (
            f"sample {self.spec.id} ({self.spec.type}/{self.spec.language}): all {len(self.rejections)} tries rejected,"
            f" the last by {last.stage}: {last.reason} {last.detail}"
        )


class Chain:
    """Makes samples of one shard with its ledger and quarantine. `offline`: an answer not in the ledger is an error."""

    def __init__(
        self,
        content: Content,
        models: dict[str, str],
        call: Call,
        ledger: Ledger,
        quarantine: Quarantine,
        offline: bool = False,
        told: Told | None = None,
        llm: Models | None = None,
    ) -> None:
        self.content, self.models, self.call = content, models, call
        self.ledger, self.quarantine, self.offline = ledger, quarantine, offline
        self.told = told or (lambda spec, rejection: None)
        self.llm = llm

    async def sample(self, spec: SampleSpec) -> tuple[Accepted, tuple[Rejection, ...]]:
        """The first try that is accepted and the rejections before it. Raises Exhausted."""
        rejections: list[Rejection] = []
        for attempt in range(self.content.max_tries):
            if attempt:
                spec = spec.next_try()
            outcome = self.quarantine.get(spec.index, spec.attempt) or await self._attempt(spec)
            if isinstance(outcome, Accepted):
                self.told(spec, None)
                return outcome, tuple(rejections)
            self.told(spec, outcome)
            rejections.append(outcome)
        raise Exhausted(spec, tuple(rejections))

    async def _attempt(self, spec: SampleSpec) -> Accepted | Rejection:
        html: HtmlDocument | None = None
        try:
            written = await self._write(spec, f"{spec.id}/{spec.attempt}")
            html = replace(written, label_characters=self.content.labels.characters)
            return await self._stages(spec, html)
        except FontError as error:
            rejection = _rejection(spec, html, error.stage, error.reason, error.detail)
            return replace(rejection, font=error.font, script=error.script)
        except SampleError as error:
            return _rejection(spec, html, error.stage, error.reason, error.detail)
        except Poisoned as error:
            detail = f"after {error.attempts} executions: {error.detail}"
            return self.quarantine.add(_rejection(spec, html, error.stage, error.reason, detail, quarantined=True))

    async def _stages(self, spec: SampleSpec, html: HtmlDocument) -> Accepted:
        subject = f"{spec.id}/{spec.attempt}"
        printed: Printed = await self.call("browser", subject, "print_and_label", html)
        read = selected(spec, self.content.legibility.share)
        keep = read or self.content.questions is not None
        if self.content.degradation.target_cer is None:
            shot = await self.call("camera", subject, "photograph", printed, spec, keep)
            readings = await self._read(spec, subject, shot) if read else ()
        else:
            shot, readings = await self._aimed(spec, subject, printed, self.content.degradation.target_cer)
        if readings:
            worst = max(readings, key=lambda r: r.cer)
            if worst.cer > self.content.legibility.max_cer:
                limit = self.content.legibility.max_cer
                detail = f"page {worst.page}: CER {worst.cer:.3f} is over {limit}"
                raise SampleError("illegible", "reader", detail)
        asked = None
        if self.content.questions:
            asked = await self._ask(spec, subject, printed, shot)
            asked = asked.in_sight([word.visible for word in shot.document.words])
        html = replace(html, fonts=printed.fonts or html.fonts)
        return Accepted(spec, html, printed.pdf, shot, readings, asked)

    async def _aimed(
        self, spec: SampleSpec, subject: str, printed: Printed, target: float
    ) -> tuple[Photographed, tuple[Legibility, ...]]:
        """The pictures whose error rate is nearest to the target, and their readings; see `engine.aim`."""
        aim, kept, before = Aim(target), None, None
        while (turn := aim.next()) is not None:
            shot: Photographed = await self.call("camera", subject, "photograph", printed, spec, True, turn)
            faults = [picture.faults for picture in shot.pictures]
            if faults == before:  # none on this document, or none that can be turned any further
                break
            before, readings = faults, await self._read(spec, subject, shot)
            if aim.tell(turn, pooled(readings)):
                kept = shot, readings
        assert kept is not None
        return kept

    async def _write(self, spec: SampleSpec, subject: str) -> HtmlDocument:
        if self.content.writer.kind != "llm":
            return await self.call("writer", subject, "write", spec)
        return await written(self._models(), spec, subject, self.call)

    async def _ask(self, spec: SampleSpec, subject: str, printed: Printed, shot: Photographed) -> Asked:
        asked = self.content.questions
        if asked is None or asked.llm is None:
            return await self.call("writer", subject, "ask", spec, printed.document)
        pictures = shot.pictures if "picture" in asked.llm.gates else ()
        return await self._models().run(
            spec, lambda answers: self.call("writer", subject, "ask_step", spec, printed.document, pictures, answers)
        )

    def _models(self) -> Models:
        if self.llm is None:
            raise UserError("the recipe asks language models, and none is named", "execution.llm", "name endpoints")
        return self.llm

    async def _read(self, spec: SampleSpec, subject: str, shot: Photographed) -> tuple[Legibility, ...]:
        """Readings from the ledger, or from an engine into the ledger: they decide acceptance, so they are an input."""
        digest = request_digest(self.models, *(p.data for p in shot.pictures))
        key = key_of(spec.index, spec.attempt, "read", digest)
        answer = self.ledger.get(key)
        if answer is None:
            if self.offline:
                raise UserError(
                    f"the ledger holds no reading of {subject} for these pictures",
                    "regenerate",
                    "the pictures or the OCR models differ from those of the release",
                )
            legibility, lines = await self.call(
                "reader", subject, "read", list(shot.pictures), shot.document, spec.language
            )
            answer = {
                "pages": [asdict(page) for page in legibility],
                "lines": [[asdict(line) for line in page] for page in lines],
            }
            self.ledger.add(key, answer)
        return tuple(Legibility(**page) for page in answer["pages"])


def pooled(readings: Sequence[Legibility]) -> float:
    """Error rate of a document's pages together."""
    return sum(r.edits for r in readings) / max(1, sum(r.characters for r in readings))


def _rejection(
    spec: SampleSpec, html: HtmlDocument | None, stage: str, reason: str, detail: str, quarantined: bool = False
) -> Rejection:
    s = spec
    rejection = Rejection(s.split, s.index, s.attempt, s.type, s.language, stage, reason, detail, quarantined)
    return rejection if html is None else replace(rejection, family=html.family, characters=html.characters)
