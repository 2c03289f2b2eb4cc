"""The template writer, kept warm: it holds the parsed template library."""

from __future__ import annotations

from schemas.document import Document
from schemas.errors import EnvironmentMismatch
from schemas.questions import Asked
from schemas.recipe import Content
from schemas.sample import HtmlDocument, SampleSpec
from synth.ask.service import ask_about
from synth.content.library import load_library
from synth.content.writer import write


class Writer:
    """Writes documents from templates. EnvironmentMismatch if this machine's templates are not those of the lock."""

    def __init__(self, content: Content, expected: dict[str, str]) -> None:
        self.content, self.expected = content, expected
        self.library = load_library(content.writer.folders)

    def ready(self) -> int:
        found = self.library.digests()
        differing = sorted(k for k in found.keys() | self.expected.keys() if found.get(k) != self.expected.get(k))
        if differing:
            fix = "install the same Pageloom on every node"
            raise EnvironmentMismatch(f"template {differing[0]} is not the one the lock pins", "writer", fix)
        return len(self.library.families)

    def write(self, spec: SampleSpec) -> HtmlDocument:
        return write(spec, self.library, self.content)

    def ask(self, spec: SampleSpec, document: Document) -> Asked:
        """Questions about a printed document, as the recipe wants them."""
        assert self.content.questions is not None
        return ask_about(spec, document, self.content.questions)
