"""Take out of a PDF what differs between two prints of the same document: dates, ids, the producer, node numbers."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import pikepdf

_NODE = re.compile(rb"node\d{8}")


def scrub(pdf: bytes) -> bytes:
    """The same pages without document information; its id is a digest of its content.

    Chromium names structure elements (those that table cells refer to) by numbers that count on from document to
    document in one renderer; they are counted from 1 here, in the same order.
    """
    with pikepdf.open(io.BytesIO(pdf)) as document:
        if "/Info" in document.trailer:
            del document.trailer["/Info"]
        if "/Metadata" in document.Root:
            del document.Root["/Metadata"]
        _renumber(document)
        out = io.BytesIO()
        document.save(out, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return out.getvalue()


def _renumber(document: pikepdf.Pdf) -> None:
    places = [place for thing in document.objects for place in _node_names(thing)]
    names = sorted({bytes(owner[key]) for owner, key in places})
    new = {name: pikepdf.String(f"node{number:08d}") for number, name in enumerate(names, 1)}
    for owner, key in places:
        owner[key] = new[bytes(owner[key])]


def _node_names(thing: Any) -> Iterator[tuple[Any, Any]]:
    """Where node names stand in an object: (owner, key or position). Indirect objects are visited on their own."""
    if isinstance(thing, pikepdf.Dictionary | pikepdf.Stream):
        items = list(thing.items())
    elif isinstance(thing, pikepdf.Array):
        items = list(enumerate(thing))
    else:
        return
    for key, value in items:
        if isinstance(value, pikepdf.String):
            if _NODE.fullmatch(bytes(value)):
                yield thing, key
        elif isinstance(value, pikepdf.Dictionary | pikepdf.Array) and not value.is_indirect:
            yield from _node_names(value)
