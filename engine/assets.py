"""The user's folders (templates, fonts, examples, personas) travel to remote workers through the store.

They are packed and named by digest.
"""

from __future__ import annotations

import io
import shutil
import tarfile
import tempfile
from pathlib import Path

from engine.store import Store, put_same
from schemas.errors import EnvironmentMismatch, UserError
from schemas.recipe import Content
from schemas.release import Asset, sha256

MAX_BYTES = 1 << 30


def pack(folder: Path) -> bytes:
    """Tar of a folder's regular files; the same files give the same bytes. UserError on links, absence and size."""
    if not folder.is_dir():
        raise UserError("no such folder", str(folder), "name an existing folder in the recipe")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(folder.rglob("*"), key=lambda p: p.relative_to(folder).as_posix()):
            name = path.relative_to(folder)
            if any(part.startswith(".") or part == "__pycache__" for part in name.parts) or path.is_dir():
                continue
            if path.is_symlink() or not path.is_file():
                raise UserError("links and special files cannot be packed", str(path), "copy the file into the folder")
            info = tarfile.TarInfo(name.as_posix())
            info.size, info.mode = path.stat().st_size, 0o644
            if buffer.tell() + info.size > MAX_BYTES:
                raise UserError(
                    "the folder is larger than 1 GiB", str(folder), "leave out what the recipe does not need"
                )
            with path.open("rb") as file:
                tar.addfile(info, file)
    return buffer.getvalue()


def pack_all(content: Content) -> list[tuple[Asset, bytes]]:
    """Every folder that the recipe names, packed."""
    packed: list[tuple[Asset, bytes]] = []
    writer = content.writer
    named = {
        "templates": writer.folders,
        "fonts": content.fonts.folders,
        "examples": (writer.examples,) if writer.examples else (),
        "personas": (writer.personas,) if writer.personas else (),
    }
    for kind, folders in named.items():
        for position, folder in enumerate(folders):
            data = pack(folder)
            digest = sha256(data)
            packed.append((Asset(kind=kind, position=position, key=f"assets/{digest}.tar", sha256=digest), data))
    return packed


def publish(store: Store, packed: list[tuple[Asset, bytes]]) -> None:
    for asset, data in packed:
        put_same(store, asset.key, data)


def local_folders(store: Store, assets: list[Asset], kind: str, cache: Path) -> tuple[Path, ...]:
    """Folders of one kind in the recipe's order, fetched into `cache` and unpacked where they are not there yet."""
    chosen = sorted((a for a in assets if a.kind == kind), key=lambda a: a.position)
    return tuple(_unpacked(store, asset, cache) for asset in chosen)


def _unpacked(store: Store, asset: Asset, cache: Path) -> Path:
    target = cache / "assets" / asset.sha256
    if target.is_dir():
        return target
    data = store.get(asset.key)
    if sha256(data) != asset.sha256:
        raise EnvironmentMismatch("the packed folder is not the one the lock pins", asset.key, "restore the file")
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=target.parent))
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        tar.extractall(scratch, filter="data")
    scratch.chmod(0o755)  # the browser's unprivileged user reads fonts from here
    try:
        scratch.rename(target)
    except OSError:  # another worker was first
        shutil.rmtree(scratch, ignore_errors=True)
    return target
