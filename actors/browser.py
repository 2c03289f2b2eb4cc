"""The actor that prints and labels: one Chromium, kept warm."""

from __future__ import annotations

import psutil
import ray

from schemas.document import Printed
from schemas.errors import EnvironmentMismatch
from schemas.sample import HtmlDocument
from schemas.steps import Proof, ProofSheet
from synth.audit.document import Findings, audit
from synth.extract.readings import Readings, readings
from synth.render.chromium import Chromium, Sandbox
from synth.render.fonts import FontSet, digest_of
from synth.truth.labels import label, labelled
from synth.write.proof import proof_sheet


class Browser:
    """Prints documents and labels them. Usable without Ray; `BrowserActor` is the same as a Ray actor.

    `expect_version` is the Chromium version the lock pins, None where there is none yet. EnvironmentMismatch when this
    machine's browser or fonts are not the locked ones; UserError when there is no browser.
    """

    def __init__(self, fonts: FontSet, sandbox: Sandbox = "auto", expect_version: str | None = None) -> None:
        for file in fonts.files:
            if not file.path.is_file() or digest_of(file.path) != file.sha256:
                fix = f"apt-get install {file.package}, in the locked version" if file.package else "restore the file"
                raise EnvironmentMismatch("this font is not the locked one", str(file.path), fix)
        self._chromium = Chromium(fonts, sandbox)
        if expect_version not in (None, self._chromium.version):
            found = self._chromium.version
            self._chromium.close()
            raise EnvironmentMismatch(
                f"Chromium is {found}, the lock pins {expect_version}",
                fix=f"install chromium-headless-shell {expect_version}, or start a new output",
            )

    def ready(self) -> dict[str, object]:
        """Version and sandbox of the browser, once it runs."""
        return {"chromium": self._chromium.version, "sandboxed": self._chromium.sandboxed}

    def print_and_label(self, doc: HtmlDocument) -> Printed:
        """The released PDF of a document and its labels in points. SampleError of stage "print" or "truth"."""
        raw = self._chromium.print(doc)
        return Printed.of(raw.pdf, *labelled(raw, doc), raw.fonts)

    def proof(self, proof: Proof) -> ProofSheet:
        """Print a document for its writer to look at: what is wrong with it, and the pages in words and pictures."""
        return proof_sheet(proof.document, proof.pictures, self._chromium.print, label)

    def audit(self, doc: HtmlDocument) -> tuple[Findings, Readings]:
        """Print and label again, hold the labels against what another renderer paints and reads, and read the page with
        common extractors."""
        raw = self._chromium.print(doc)
        labels = label(raw, doc)
        return audit(raw, labels), readings(raw.pdf, labels)

    def rss_mb(self) -> float:
        """Memory of this process and all its children, in MB (shared pages counted once in each)."""
        me = psutil.Process()
        total = 0
        for process in (me, *me.children(recursive=True)):
            try:
                total += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        return total / 1e6

    def close(self) -> None:
        self._chromium.close()


BrowserActor = ray.remote(Browser)
