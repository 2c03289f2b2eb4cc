"""Where a release lives: a folder or an S3 prefix behind one small interface (DESIGN decision 6)."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

from schemas.errors import DeterminismError, UserError


class Store(Protocol):
    """Objects by key. Keys are relative, use `/`, and are any Unicode; see `check_key`.

    Every method raises UserError (one line, with the fix) for what the user can mend: no space, no permission, no
    bucket, no credentials, no connection. A store can be pickled; it holds no credentials and no open connection.
    """

    @property
    def url(self) -> str:
        """Where it is, as `open_store` takes it; without credentials."""
        ...

    @property
    def settle_s(self) -> float:
        """Seconds until a `put_new` that said True can no longer be overtaken; 0 where the store decides races itself.

        Known after `probe`, and travels with a pickled store.
        """
        ...

    def put_new(self, key: str, data: bytes) -> bool:
        """Create an object, atomically and durably; never half visible. True: created. False: it was there already.

        Where the answer of a remote store got lost, an object with exactly these bytes counts as created. A store that
        looks first and writes after (OpenStack Swift) may tell several writers within the same moment True; the last
        one's bytes stay. So use `put_same` for bytes that are equal anyway, and `claim` for those that may differ.
        """
        ...

    def put(self, key: str, data: bytes) -> None:
        """Create or overwrite. Only for what no digest covers (logs)."""
        ...

    def get(self, key: str) -> bytes:
        """All bytes; KeyError if there is no such object."""
        ...

    def exists(self, key: str) -> bool: ...

    def size(self, key: str) -> int:
        """Length in bytes; KeyError if there is no such object."""
        ...

    def sha256(self, key: str) -> str:
        """Hex digest of the bytes as the store gives them back, read in pieces; KeyError if there is no such object."""
        ...

    def list(self, prefix: str = "") -> Iterator[str]:
        """Keys that start with `prefix` (a string, not a folder), in order of code points, fetched page by page."""
        ...

    def delete(self, key: str) -> None:
        """Remove an object; one that is not there is fine."""
        ...

    def probe(self) -> None:
        """Write and remove one small object; UserError unless a second conditional write of it is refused."""
        ...


def open_store(url: str | Path) -> Store:
    """Store at `s3://bucket/prefix`, `file:///path` or a path. Nothing is created or asked before the first call.

    UserError for another scheme, for no bucket, and for credentials inside the URL.
    """
    text = str(url)
    if not text.strip() or any(ord(c) < 32 for c in text):
        raise UserError(f"{text!r} is no place", "--out", "use a folder or s3://bucket/prefix")
    scheme, found, rest = text.partition("://")
    if not found:
        from engine.store_folder import FolderStore

        return FolderStore(Path(text).expanduser())
    if scheme == "file":
        from engine.store_folder import FolderStore

        return FolderStore(Path(rest))
    if scheme != "s3":
        raise UserError(f"cannot store to {scheme}://", "--out", "use a folder or s3://bucket/prefix")
    bucket, _, prefix = rest.partition("/")
    if "@" in bucket:
        raise UserError(
            "the URL carries credentials", "--out", "leave them out and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    if not bucket:
        raise UserError("the URL names no bucket", "--out", "use s3://bucket/prefix")
    from engine.store_s3 import S3Store

    prefix = prefix.strip("/")
    try:
        if prefix:
            check_key(prefix)
    except ValueError as error:
        raise UserError(str(error), "--out", "use s3://bucket/prefix with plain names") from None
    return S3Store(bucket, prefix)


def check_key(key: str) -> str:
    """The key itself if it is relative, without empty, `.` and `..` parts and control characters, at most 900 bytes."""
    parts = key.split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"key {key!r} has an empty, '.' or '..' part")
    if any(ord(c) < 32 or ord(c) == 127 or c == "\\" for c in key):
        raise ValueError(f"key {key!r} has a control character or a backslash")
    if parts[0] == ".tmp":
        raise ValueError(f"key {key!r} lies in .tmp, which is reserved")
    if len(key.encode()) > 900:
        raise ValueError(f"key {key[:60]!r}... is longer than 900 bytes")
    return key


def put_same(store: Store, key: str, data: bytes) -> bool:
    """Commit bytes that every honest attempt makes alike. True: created. False: the equal object was there.

    DeterminismError, with key and both digests, if an object with other bytes is there.
    """
    mine = hashlib.sha256(data).hexdigest()
    while not store.put_new(key, data):
        try:
            stored = store.sha256(key)
        except KeyError:  # removed between the two calls
            continue
        if stored == mine:
            return False
        raise DeterminismError(
            f"{key} is stored with sha256 {stored}, this attempt made {mine}",
            store.url,
            "another machine or version wrote it; compare both with `pageloom regenerate`, or write to a new output",
        )
    return True


def claim(store: Store, key: str, data: bytes) -> bytes:
    """Create a record that honest writers may write differently, and return the bytes that count: all obey the first.

    On a store that does not decide races itself this waits `settle_s` before it looks who won.
    """
    while True:
        if store.put_new(key, data):
            if not store.settle_s:
                return data
            time.sleep(store.settle_s)
        try:
            return store.get(key)
        except KeyError:  # removed between the two calls
            continue


def probe_condition(store: Store) -> None:
    """Shared part of `probe`: the second `put_new` of one key must lose, and the first bytes must stay."""
    key = f".pageloom-probe-{uuid.uuid4().hex}"
    first = store.put_new(key, b"first")
    try:
        second = store.put_new(key, b"second")
        kept = store.get(key) if store.exists(key) else b""
        if not first or second or kept != b"first":
            raise UserError(
                "the store does not honour conditional writes (If-None-Match), so two runs could mix their files",
                store.url,
                "use a store that does: AWS S3, MinIO, OpenStack Swift, or a folder",
            )
    finally:
        store.delete(key)


def races_cleanly(store: Store, rounds: int = 6, writers: int = 16) -> bool:
    """Whether of several writers at the same moment exactly one was told that it created the object, in every round.

    False is sure; Swift passes one round in three or four by luck.
    """
    for _ in range(rounds):
        key = f".pageloom-race-{uuid.uuid4().hex}"
        with ThreadPoolExecutor(writers) as pool:
            won = list(pool.map(lambda i, key=key: store.put_new(key, str(i).encode()), range(writers)))
        store.delete(key)
        if won.count(True) != 1:
            return False
    return True
