"""How a command ended, and a small recipe with mistakes in it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CONTENT: dict[str, Any] = {
    "name": "t",
    "version": "1.0.0",
    "splits": {"train": 4},
    "shard_size": 2,
    "types": ["receipt"],
    "languages": ["en"],
}


@dataclass(frozen=True)
class Said:
    """How one command ended."""

    code: int
    out: str
    err: str


Pageloom = Callable[..., Said]


def write(path: Path, content: dict[str, Any] | None = None, **other: Any) -> Path:
    """A recipe file: the small content with some keys changed."""
    data = {"content": {**copy.deepcopy(CONTENT), **(content or {})}, **other}
    path.write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    return path


def is_one_line(said: Said, *words: str) -> None:
    assert said.code == 2, said
    assert said.err.startswith("pageloom: ") and said.err.count("\n") == 1, said.err
    assert len(said.err) < 600, said.err
    for word in words:
        assert word in said.err, (word, said.err)
