"""What the tests of the writer share: a recipe that asks a model, and a scripted model without a network."""

from __future__ import annotations

from typing import Any

from schemas.llm import LlmReply, LlmRequest, Text
from schemas.recipe import Content, Writer
from schemas.sample import HtmlDocument, SampleSpec
from schemas.steps import Ask, Proof, ProofSheet
from synth.llm.steps import drive
from synth.render.chromium import Chromium
from synth.truth.labels import label
from synth.write.proof import proof_sheet
from synth.write.writer import write_with_model
from tests.fixtures.llm_endpoint import Script


def content(**writer: Any) -> Content:
    return Content(
        name="written",
        version="1.0.0",
        splits={"train": {"samples": 10}, "test": {"samples": 10}},  # type: ignore[dict-item]
        shard_size=10,
        types={"receipt": 1, "invoice": 1},
        languages={"en": 1, "zh": 1, "bn": 1},
        writer=Writer(**({"kind": "llm", "model": "scripted", "repairs": 1} | writer)),
    )


def spec(language: str = "en", kind: str = "invoice", index: int = 3, attempt: int = 0) -> SampleSpec:
    return SampleSpec(0, "written", "train", index, attempt, kind, language, index)


def body_of(request: LlmRequest) -> dict[str, Any]:
    """A request as an endpoint sees it, pictures left out."""
    messages = [
        {"role": m.role, "content": "\n".join(p.text for p in m.parts if isinstance(p, Text))} for m in request.messages
    ]
    return {"messages": messages, "seed": request.seed} | ({"response_format": {}} if request.schema else {})


class Desk:
    """Answers the steps of the writer: asks by a script, proofs by a real browser. Keeps what was asked."""

    def __init__(self, script: Script, chromium: Chromium) -> None:
        self.script, self.chromium = script, chromium
        self.asked: list[Ask] = []
        self.proofs: list[ProofSheet] = []

    def ask(self, ask: Ask) -> LlmReply:
        self.asked.append(ask)
        said = self.script(body_of(ask.request), 0)
        finish = "length" if said.fault == "length" else "stop"
        refusal = "I will not do that." if said.fault == "refusal" else ""
        return LlmReply(said.text, finish, refusal, "scripted", 1, 1, 0.0, 1, "script")

    def proof(self, proof: Proof) -> ProofSheet:
        self.proofs.append(proof_sheet(proof.document, proof.pictures, self.chromium.print, label))
        return self.proofs[-1]

    def write(self, spec: SampleSpec, content: Content) -> HtmlDocument:
        return drive(write_with_model(spec, content), self.ask, self.proof)
