"""Take out of a PDF what differs between two prints of the same document: dates, ids, the producer, node numbers."""

from __future__ import annotations

import io
import re

import pikepdf

_NODE = re.compile(rb"\(node(\d{8})\)")


def scrub(pdf: bytes) -> bytes:
    """The same pages without document information; its id is a digest of its content.

    Chromium names structure elements (those that table cells refer to) by numbers that count on from document to
    document in one renderer; they are counted from 1 here, in the same order.
    """
    with pikepdf.open(io.BytesIO(_renumbered(pdf))) as document:
        if "/Info" in document.trailer:
            del document.trailer["/Info"]
        if "/Metadata" in document.Root:
            del document.Root["/Metadata"]
        out = io.BytesIO()
        document.save(out, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return out.getvalue()


def _renumbered(pdf: bytes) -> bytes:
    """Names of nodes counted anew, in place: Chromium writes dictionaries in plain text, and all names are as long."""
    new = {name: b"(node%08d)" % number for number, name in enumerate(sorted(set(_NODE.findall(pdf))), 1)}
    return _NODE.sub(lambda match: new[match.group(1)], pdf)
