"""What the camera makes of a printed document, on its way into a release."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from schemas.checks import NOTHING_CHECKED, LabelChecks
from schemas.document import Document
from schemas.label_rows import label_rows
from schemas.release import canonical, sha256
from schemas.sample import Picture


class Photographed:
    """Pictures, and the labels in their pixels.

    To another process the labels travel as rows of the release's tables, and as a `document` only where `keep` says
    that somebody will look at it there: packing and unpacking thousands of small values costs more than the rows do.
    """

    def __init__(
        self,
        document_id: str,
        pictures: tuple[Picture, ...],
        document: Document,
        keep: bool = True,
        checks: LabelChecks = NOTHING_CHECKED,
    ) -> None:
        self.document_id, self.pictures, self.keep, self.checks = document_id, pictures, keep, checks
        self.__dict__["document"] = document  # what `cached_property` would find

    @cached_property
    def document(self) -> Document:
        """Labels in pixels of the pictures."""
        assert self._packed is not None, "the document was not kept"
        return Document.unpacked(self._packed)

    @cached_property
    def rows(self) -> dict[str, bytes]:
        """A serialized Arrow record batch by config; the schema is `schemas.tables.arrow_schema` of the config."""
        batches = label_rows(self.document_id, self.document)
        return {config: batch.serialize().to_pybytes() for config, batch in batches.items()}

    @cached_property
    def fingerprint(self) -> str:
        """What makes two documents the same to a reader: all their words in order."""
        return sha256(canonical([w.text for w in self.document.words]))[:16]

    def __reduce__(self) -> tuple[Any, ...]:
        packed = self.document.packed() if self.keep else None
        return _arrived, (self.document_id, self.pictures, packed, self.rows, self.fingerprint, self.checks)

    _packed: bytes | None = None


def _arrived(
    document_id: str,
    pictures: tuple[Picture, ...],
    packed: bytes | None,
    rows: dict[str, bytes],
    fingerprint: str,
    checks: LabelChecks,
) -> Photographed:
    made = Photographed.__new__(Photographed)
    made.checks = checks
    made.document_id, made.pictures, made.keep, made._packed = document_id, pictures, packed is not None, packed
    made.__dict__["rows"], made.__dict__["fingerprint"] = rows, fingerprint
    return made
