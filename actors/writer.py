"""The writer, kept warm: it holds the parsed template library, or takes the steps of the writer that asks a model."""

from __future__ import annotations

from schemas.document import Document
from schemas.errors import EnvironmentMismatch, UserError
from schemas.questions import Asked
from schemas.recipe import Content
from schemas.sample import HtmlDocument, Picture, SampleSpec
from schemas.steps import Answer, Done, Step
from synth.ask.llm.inputs import question_inputs
from synth.ask.llm.service import ask_steps
from synth.ask.service import ask_about
from synth.content.library import load_library
from synth.content.writer import write
from synth.llm.steps import advance
from synth.write.inputs import input_digests
from synth.write.writer import write_with_model


class Writer:
    """Writes documents as the recipe says.

    EnvironmentMismatch if this machine's templates or prompts are not those of the lock.
    """

    def __init__(self, content: Content, expected: dict[str, str]) -> None:
        self.content, self.expected = content, expected
        self.library = load_library(content.writer.folders)

    def ready(self) -> int:
        found = input_digests() if self.content.writer.kind == "llm" else self.library.digests()
        found = {**found, **question_inputs(self.content)}
        differing = sorted(k for k in found.keys() | self.expected.keys() if found.get(k) != self.expected.get(k))
        if differing:
            fix = "install the same Pageloom on every node"
            raise EnvironmentMismatch(f"template {differing[0]} is not the one the lock pins", "writer", fix)
        return len(self.library.families)

    def write(self, spec: SampleSpec) -> HtmlDocument:
        """A document from a template. UserError where the recipe wants a model's and this way has none."""
        if self.content.writer.kind == "llm":
            fix = "name endpoints in execution.llm, or use writer.kind: template"
            raise UserError("writer.kind: llm needs a language model, and there is none here", "content.writer", fix)
        return write(spec, self.library, self.content)

    def write_step(self, spec: SampleSpec, answers: tuple[Answer, ...]) -> Step | Done[HtmlDocument]:
        """What the writer that asks a model needs after these answers, or its document. SampleError ends the try."""
        return advance(write_with_model(spec, self.content), answers)

    def ask(self, spec: SampleSpec, document: Document) -> Asked:
        """Questions about a printed document, as the recipe wants them."""
        assert self.content.questions is not None
        return ask_about(spec, document, self.content.questions)

    def ask_step(
        self, spec: SampleSpec, document: Document, pictures: tuple[Picture, ...], answers: tuple[Answer, ...]
    ) -> Step | Done[Asked]:
        """What questioner and judges that ask models need after these answers, or the questions."""
        assert self.content.questions is not None
        return advance(ask_steps(spec, document, pictures, self.content.questions), answers)
