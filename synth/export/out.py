"""Where a format writes: whole files, files that grow, and files joined from parts; nothing is ever held for long."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

from synth.export.rows import Release, Row, Sample


class Sink(Protocol):
    """Files by key, `/` between folders. A key is put once, or appended to."""

    def put(self, key: str, data: bytes) -> None:
        """Create a file."""
        ...

    def append(self, key: str, data: bytes) -> None:
        """Add to the end of a file, creating it."""
        ...

    def join(self, key: str, pieces: Sequence[bytes | str]) -> None:
        """Create a file from bytes and, where a piece is a key, the contents of that file, which is then removed."""
        ...


class Format(Protocol):
    """One export format. It is told every document once, in the release's order, and closed."""

    tables: ClassVar[tuple[str, ...]]
    """Tables it reads besides `documents` and `pages`."""
    looks_ahead: ClassVar[bool]
    """Whether `look` has to see every document before the first `add`."""
    counts: Counter[str]
    """What it wrote, and what it left out and why."""

    def __init__(self, out: Sink, release: Release) -> None: ...

    def look(self, document: Row) -> None:
        """A row of `documents`, before any `add`; only where `looks_ahead`."""
        ...

    def add(self, sample: Sample) -> None: ...

    def close(self) -> None:
        """Finish what needs all documents. Not called when the export fails."""
        ...

    def usage(self) -> str:
        """Markdown for the README: how the harness reads this export."""
        ...


class Listing:
    """A JSON array or object in a file that is written item by item."""

    def __init__(self, out: Sink, key: str, head: bytes = b"[\n", tail: bytes = b"\n]\n") -> None:
        self._out, self._key, self._head, self._tail = out, key, head, tail
        self._next = head

    def add(self, item: bytes) -> None:
        self._out.append(self._key, self._next + item)
        self._next = b",\n"

    def close(self) -> None:
        self._out.append(self._key, (self._head if self._next is self._head else b"") + self._tail)


def dumps(value: Any) -> bytes:
    """One line of UTF-8 JSON, keys in the order given; no NaN."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def line(value: Any) -> bytes:
    return dumps(value) + b"\n"
