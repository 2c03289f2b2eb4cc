"""Writing of result files: all of them or, on a mistake, none that is half written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from schemas.errors import UserError


def write_all(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts as UTF-8 into a folder, each under its name at once. UserError if that cannot be done."""
    parts: list[tuple[Path, Path]] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            part = folder / f".{name}.{os.getpid()}.part"
            parts.append((part, folder / name))
            part.write_text(text, "utf-8")
        for part, final in parts:
            part.replace(final)
    except OSError as error:
        for part, _ in parts:
            with suppress(OSError):
                part.unlink()
        raise UserError(
            f"cannot write the results: {error.strerror}", str(folder), "name another folder with --out"
        ) from None
