"""Take out of a PDF what differs between two prints of the same document: dates, ids, the producer."""

from __future__ import annotations

import io

import pikepdf


def scrub(pdf: bytes) -> bytes:
    """The same pages without document information; its id is a digest of its content."""
    with pikepdf.open(io.BytesIO(pdf)) as document:
        if "/Info" in document.trailer:
            del document.trailer["/Info"]
        if "/Metadata" in document.Root:
            del document.Root["/Metadata"]
        out = io.BytesIO()
        document.save(out, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return out.getvalue()
