"""What is no release, or a damaged one."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine.store import open_store, put_same
from schemas.recipe import Recipe
from schemas.release import (
    LOCK_KEY,
    MANIFEST_KEY,
    FileEntry,
    Lock,
    ReleaseManifest,
    ShardManifest,
    sha256,
    shard_manifest_key,
)
from schemas.tables import COLUMNS, arrow_schema
from tests.jobs.releases import release as release_in_memory
from tests.jobs.said import CONTENT, Pageloom, is_one_line


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """A whole release of one document, in a folder with an awkward name."""
    out = tmp_path / "my réléase 文"
    store, data = open_store(out), release_in_memory([("receipt", "en")], per_cell=1)
    content = Recipe.model_validate({"content": {**CONTENT, "splits": {"train": 1}}}).content.model_dump(mode="json")
    content["splits"] = [{"name": "train", "share": 1.0}]
    lock = Lock(layout=1, content=content, versions={}, templates={}, fonts={}, models={}, assets=[], scenes=[])
    entries = []
    for config in COLUMNS:
        empty = arrow_schema(config).empty_table()
        table = empty if config == "relations" else data.load(config, ["train-00000000"])
        buffer = io.BytesIO()
        pq.write_table(table, buffer)
        key = f"{config}/train-00000.parquet"
        put_same(store, key, buffer.getvalue())
        entries.append(
            FileEntry(key=key, sha256=sha256(buffer.getvalue()), bytes=len(buffer.getvalue()), rows=table.num_rows)
        )
    facts: dict[str, Any] = {"documents": 1, "pages": 1, "cells": {"receipt/en": 1}, "tries": {"receipt/en": 1}}
    facts |= {"rejected": {}, "scenes": {}}
    shard = ShardManifest(
        layout=1, lock=lock.digest, split="train", number=0, start=0, stop=1, files=entries, fingerprints=["x"], **facts
    )
    manifest = ReleaseManifest(
        layout=1, name="t", version="1.0.0", license="x", lock=lock.digest, splits={"train": 1}, duplicates=[], files=9,
        bytes=1, shards={"train-00000": sha256(shard.to_bytes())}, **facts,
    )  # fmt: skip
    put_same(store, LOCK_KEY, lock.to_bytes())
    put_same(store, shard_manifest_key("train", 0), shard.to_bytes())
    put_same(store, MANIFEST_KEY, manifest.to_bytes())
    return out


def test_the_whole_release_passes(pageloom: Pageloom, sealed: Path) -> None:
    assert pageloom("verify", sealed).code == 0
    assert pageloom("report", sealed).code == 0 and (sealed / "report.html").exists()
    assert "0 files removed" in pageloom("gc", sealed).out


def test_what_is_no_release(pageloom: Pageloom, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path, tmp_path / "absent", tmp_path / "file"):
        for command in (["verify"], ["report"], ["gc"], ["regenerate", "--shard", "0"]):
            is_one_line(pageloom(command[0], place, *command[1:]), str(place), "there")
    assert not (tmp_path / "absent").exists() and not (tmp_path / "report.html").exists()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:50]),
    "noise": lambda path: path.write_bytes(bytes(range(256))),
    "list": lambda path: path.write_bytes(b"[]"),
    "object": lambda path: path.write_bytes(b"{}"),
    "folder": lambda path: (path.unlink(), path.mkdir()),
}
DAMAGED = (MANIFEST_KEY, LOCK_KEY, shard_manifest_key("train", 0), "words/train-00000.parquet")


@pytest.mark.parametrize("key", DAMAGED)
def test_a_damaged_release(pageloom: Pageloom, sealed: Path, tmp_path: Path, key: str) -> None:
    """Each command ends with one line or a list of problems, and never removes what the release still names."""
    for name, damage in DAMAGES.items():
        out = tmp_path / name
        shutil.copytree(sealed, out)
        damage(out / key)
        said = pageloom("verify", out)
        assert said.code in (1, 2) and "Traceback" not in said.err, (name, said)
        if said.code == 2:
            is_one_line(said, str(out))
        for words in (["report", out], ["gc", out], ["regenerate", out, "--shard", "5"]):
            said = pageloom(*words)
            if said.code:
                is_one_line(said)
        assert (out / "pages" / "train-00000.parquet").exists(), name


def test_garbage_is_not_collected_from_a_release_with_a_missing_shard_manifest(
    pageloom: Pageloom, sealed: Path
) -> None:
    (sealed / shard_manifest_key("train", 0)).unlink()
    is_one_line(pageloom("gc", sealed), "train-00000", "missing")
    assert (sealed / "words" / "train-00000.parquet").exists()


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        (MANIFEST_KEY, b'"train-00000"', b'"../../etc-00000"'),
        (MANIFEST_KEY, b'"train-00000"', b'"oddname"'),
        (shard_manifest_key("train", 0), b'"words/train-00000.parquet"', b'"../words.parquet"'),
        (shard_manifest_key("train", 0), b'"words/train-00000.parquet"', b'"bank/train-00000.parquet"'),
        (LOCK_KEY, b'"legibility"', b'"legibilitee"'),
    ],
)
def test_a_tampered_release(pageloom: Pageloom, sealed: Path, key: str, old: bytes, new: bytes) -> None:
    path = sealed / key
    assert old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new))
    for words in (["verify", sealed], ["gc", sealed], ["regenerate", sealed, "--shard", "5"]):
        said = pageloom(*words)
        assert "Traceback" not in said.err and (said.code in (1, 2) or words[0] == "gc"), said
    assert (sealed / "words" / "train-00000.parquet").exists()


def test_a_report_that_cannot_be_written(pageloom: Pageloom, sealed: Path, tmp_path: Path) -> None:
    is_one_line(pageloom("report", sealed, "--out", tmp_path), "cannot write the report")
    is_one_line(pageloom("report", sealed, "--out", "/proc/x.html"), "cannot write the report")
