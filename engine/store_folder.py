"""A store in a folder: temporary file, fsync, hard link. Works on any local or network file system with hard links."""

from __future__ import annotations

import errno
import hashlib
import os
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.store import check_key, probe_condition
from schemas.errors import UserError

TMP = ".tmp"
STALE_S = 86_400
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EMLINK)


@dataclass
class FolderStore:
    """Objects are files under `root`. Temporary files lie in `root/.tmp`, which no listing shows."""

    root: Path
    settle_s = 0.0

    def __post_init__(self) -> None:
        self.root = Path(os.path.abspath(self.root))  # noqa: PTH100  resolve() would follow the user's links

    @property
    def url(self) -> str:
        return str(self.root)

    def put_new(self, key: str, data: bytes) -> bool:
        def link(temporary: Path, final: Path) -> bool:
            try:
                os.link(temporary, final)
            except FileExistsError:
                return False
            return True

        return self._write(key, data, link)

    def put(self, key: str, data: bytes) -> None:
        def replace(temporary: Path, final: Path) -> bool:
            temporary.replace(final)
            return True

        self._write(key, data, replace)

    def get(self, key: str) -> bytes:
        with self._reading(key) as path:
            return path.read_bytes()

    def exists(self, key: str) -> bool:
        path = self._path(key)
        try:
            return path.is_file()
        except OSError as error:
            raise self._user_error(error) from error

    def size(self, key: str) -> int:
        with self._reading(key) as path:
            return path.stat().st_size

    def sha256(self, key: str) -> str:
        with self._reading(key) as path, path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def list(self, prefix: str = "") -> Iterator[str]:
        return self._walk(self.root, "", prefix)

    def delete(self, key: str) -> None:
        try:
            self._path(key).unlink(missing_ok=True)
        except NotADirectoryError:
            return
        except OSError as error:
            raise self._user_error(error) from error

    def probe(self) -> None:
        probe_condition(self)
        self._sweep()

    def _path(self, key: str) -> Path:
        return self.root / check_key(key)

    def _write(self, key: str, data: bytes, publish: Callable[[Path, Path], bool]) -> bool:
        final = self._path(key)
        temporary = self.root / TMP / f"{os.getpid()}-{uuid.uuid4().hex}"
        try:
            _make_folder(temporary.parent)
            _make_folder(final.parent)
            try:
                with temporary.open("xb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                published = publish(temporary, final)
            finally:
                temporary.unlink(missing_ok=True)
            _sync_folder(final.parent)
        except OSError as error:
            raise self._user_error(error) from error
        return published

    @contextmanager
    def _reading(self, key: str) -> Iterator[Path]:
        try:
            yield self._path(key)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            raise KeyError(key) from None
        except OSError as error:
            raise self._user_error(error) from error

    def _walk(self, folder: Path, base: str, prefix: str) -> Iterator[str]:
        try:
            with os.scandir(folder) as entries:
                # A folder sorts as its children do, with the slash: `a.b` comes before `a/b`.
                found = sorted((base + e.name + ("/" if e.is_dir() else ""), e.is_dir()) for e in entries)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise self._user_error(error) from error
        for name, is_folder in found:
            if name == f"{TMP}/":
                continue
            if is_folder and (name.startswith(prefix) or prefix.startswith(name)):
                yield from self._walk(self.root / name, name, prefix)
            elif not is_folder and name.startswith(prefix):
                yield name

    def _sweep(self) -> None:
        """Remove what writers that were killed more than a day ago left in the temporary area."""
        for path in (self.root / TMP).iterdir():
            try:
                if time.time() - path.stat().st_mtime > STALE_S:
                    path.unlink()
            except FileNotFoundError:
                continue

    def _user_error(self, error: OSError) -> UserError:
        reason = error.strerror or type(error).__name__
        if error.errno in _FULL:
            return UserError(
                f"no space left ({reason})", self.url, "free some space or write elsewhere, then run again"
            )
        if error.errno in _NO_LINKS and error.filename2:
            return UserError(
                f"this file system refuses hard links ({reason})", self.url, "write to another disk or to S3"
            )
        if error.errno in (errno.EEXIST, errno.ENOTDIR):
            what = f"cannot read or write: {error.filename or self.url} is a file, not a folder"
            return UserError(what, self.url, "name a folder")
        path = f" at {error.filename}" if error.filename else ""
        return UserError(f"cannot read or write{path}: {reason}", self.url, "name a folder that this user may write")


def _make_folder(folder: Path) -> None:
    """`mkdir -p` whose new entries survive a power cut."""
    if folder.is_dir():
        return
    _make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
