"""Where an export goes: a folder that appears whole or not at all, or only a count of what would be written."""

from __future__ import annotations

import errno
import fcntl
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.store import Store
from engine.store_folder import FolderStore
from schemas.errors import UserError

_CHUNK = 1 << 20


class Folder:
    """A sink in a folder that counts what it writes."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._sizes: dict[str, int] = {}
        self.files, self.bytes = 0, 0

    def put(self, key: str, data: bytes) -> None:
        with self._path(key).open("xb") as file:
            file.write(data)
        self.files, self.bytes = self.files + 1, self.bytes + len(data)

    def append(self, key: str, data: bytes) -> None:
        with self._path(key).open("ab") as file:
            self.files += file.tell() == 0 and key not in self._sizes
            file.write(data)
        self._sizes[key] = self._sizes.get(key, 0) + len(data)
        self.bytes += len(data)

    def join(self, key: str, pieces: Sequence[bytes | str]) -> None:
        with self._path(key).open("xb") as whole:
            for piece in pieces:
                if isinstance(piece, bytes):
                    whole.write(piece)
                    self.bytes += len(piece)
                    continue
                with (self._root / piece).open("rb") as part:
                    shutil.copyfileobj(part, whole, _CHUNK)
                (self._root / piece).unlink()
                del self._sizes[piece]
                self.files -= 1
        self.files += 1

    def _path(self, key: str) -> Path:
        path = self._root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


class Nowhere:
    """A sink that only counts."""

    def __init__(self) -> None:
        self._growing: set[str] = set()
        self._put, self.bytes = 0, 0

    @property
    def files(self) -> int:
        return self._put + len(self._growing)

    def put(self, key: str, data: bytes) -> None:
        self._put, self.bytes = self._put + 1, self.bytes + len(data)

    def append(self, key: str, data: bytes) -> None:
        self._growing.add(key)
        self.bytes += len(data)

    def join(self, key: str, pieces: Sequence[bytes | str]) -> None:
        self._growing.difference_update(piece for piece in pieces if isinstance(piece, str))
        self._put += 1
        self.bytes += sum(len(piece) for piece in pieces if isinstance(piece, bytes))


def check_place(out: str, store: Store) -> Path:
    """The folder, absolute; UserError if it holds something, is no folder, or lies in the release."""
    if "://" in out:
        raise UserError("an export goes to a folder", "--out", "give a folder here and copy it from there")
    path = Path(out).expanduser().absolute()
    if isinstance(store, FolderStore):
        release = store.root.resolve()
        if release == path.resolve() or release in path.resolve().parents:
            raise UserError("lies inside the release", str(path), "give a folder elsewhere; a release does not change")
    if path.is_symlink() or path.exists():
        if not path.is_dir():
            raise UserError("is no folder", str(path), "give another --out")
        if any(path.iterdir()):
            raise UserError("is there already and not empty", str(path), "give another --out, or remove it first")
    return path


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to fill beside `path`, which takes its name when the block ends well and goes when it does not.

    What a killed export left is removed by the next one; an export that still runs there is left alone (UserError).
    """
    partial = path.with_name(f".{path.name}.partial")
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f".{path.name}.lock")
    with lock.open("ab") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(
                "another export is writing there", str(path), "wait for it, or give another --out"
            ) from None
        try:
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            yield partial
            try:
                partial.replace(path)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
                fix = "give another --out"
                raise UserError("something was put there while the export ran", str(path), fix) from None
        finally:
            shutil.rmtree(partial, ignore_errors=True)
            lock.unlink(missing_ok=True)
