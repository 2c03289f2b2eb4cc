"""The shared release in memory, sealed in a folder: three languages, several pages and shards, small row groups."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.store import open_store
from schemas.document import RELATIONS
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
from tests.jobs.said import CONTENT

Rows = dict[str, list[dict[str, Any]]]

KINDS = (("receipt", "en"), ("form", "zh"), ("receipt", "bn"))
TEXTS = {
    "zh": {"Receipt": "收据 𠮷", "Total:": "合计：", "Date:": "日期：", "2026-11-30": "2026年11月30日"},
    "bn": {"Receipt": "রসিদ", "Total:": "সর্বমোটঃ", "Date:": "তারিখঃ", "2026-11-30": "৩০/১১/২০২৬"},
}
SHARD = 2  # documents
GROUPS = {"documents": 2, "pages": 3}  # rows of a row group; 7 elsewhere, so that documents straddle them


def sealed_release(out: Path, per_cell: int = 2, pages: int = 2, qa: list[dict[str, Any]] | None = None) -> Path:
    """A whole release that `pageloom verify` passes; documents of `KINDS` in the splits train and test.

    With `qa` rows it is one that asks questions.
    """
    store, rows = open_store(out), tables(per_cell, pages)
    content = Recipe.model_validate({"content": {**CONTENT, "splits": {"train": 1}}}).content.model_dump(mode="json")
    if qa is not None:
        content["questions"] = {"per_document": 12, "judges": "none"}
        rows |= {"qa": qa, "qa_rejections": []}
    lock = Lock(layout=1, content=content, versions={}, templates={}, fonts={}, models={}, assets=[], scenes=[])
    store.put_new(LOCK_KEY, lock.to_bytes())
    shards: list[ShardManifest] = []
    for split in ("train", "test"):
        ids = [row["document_id"] for row in rows["documents"] if row["document_id"].startswith(split)]
        for number, start in enumerate(range(0, len(ids), SHARD)):
            mine = ids[start : start + SHARD]
            shards.append(_write_shard(out, lock, rows, split, number, start, mine))
    manifest = ReleaseManifest(
        layout=1, name="books", version="1.0.0", license="CC-BY-4.0", lock=lock.digest,
        shards={s.name: sha256(s.to_bytes()) for s in shards},
        splits={name: sum(s.documents for s in shards if s.split == name) for name in ("train", "test")},
        documents=sum(s.documents for s in shards), pages=sum(s.pages for s in shards),
        cells=dict(sum((Counter(s.cells) for s in shards), Counter())),
        tries={}, rejected={}, scenes={}, duplicates=[], files=9 * len(shards), bytes=1,
    )  # fmt: skip
    store.put_new(MANIFEST_KEY, manifest.to_bytes())
    return out


def tables(per_cell: int = 2, pages: int = 2) -> Rows:
    """Rows of the release, in the release's order."""
    memory = release_in_memory(list(KINDS), per_cell, pages)
    old = [row["document_id"] for row in memory.documents.to_pylist()]
    names, seen = {}, Counter()
    for one in old:
        split = one.split("-")[0]
        names[one] = f"{split}-{seen[split]:08d}"
        seen[split] += 1
    rows: Rows = {name: [] for name in COLUMNS}
    order = sorted(old, key=lambda one: (names[one].startswith("test"), names[one]))
    for one in order:
        for name in COLUMNS:
            if name not in ("relations", "rejections"):
                rows[name] += [_renamed(row, one, names[one]) for row in memory.load(name, [one]).to_pylist()]
    for document in rows["documents"]:
        _finish(document, {name: [r for r in some if r["document_id"] == document["document_id"]]
                           for name, some in rows.items()}, rows["relations"])  # fmt: skip
    return rows


def _renamed(row: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    row["document_id"] = new
    if "page_id" in row:
        row["page_id"] = row["page_id"].replace(old, new)
    if "index" in row:
        row["index"] = int(new.split("-")[1])
    if "image" in row:
        row["image"]["path"] = f"{row['page_id']}.jpg"
    return row


def _finish(document: dict[str, Any], mine: Rows, relations: list[dict[str, Any]]) -> None:
    """Texts in the document's language, ids that count over its pages, paths that differ, values and relations."""
    texts = TEXTS.get(document["language"], {})
    fields: dict[str, str] = {}
    for name in ("words", "lines", "layout", "cells", "kie"):
        for row in mine[name]:
            page = int(row["page_id"].rsplit("-p", 1)[1])
            for key in ("text", "value", "key"):
                if key in row:
                    for english, own in texts.items():
                        row[key] = row[key].replace(english, own)
            for key, step in (("word_id", 5), ("order", 5), ("line_id", 3), ("block_id", 3), ("logical_id", 3),
                              ("next_line_id", 3), ("next_block_id", 3),
                              ("table_id", 3), ("cell_id", 2), ("field_id", 2)):  # fmt: skip
                if row.get(key) is not None:
                    row[key] += page * step
            for key, step in (("word_ids", 5), ("key_word_ids", 5), ("line_ids", 3)):
                if key in row:
                    row[key] = [i + page * step for i in row[key]]
            if name == "kie":
                row["path"] = f"page{page}.{row['path']}"
                fields[row["path"]] = row["value"]
                pair = {"head_word_ids": row["key_word_ids"], "tail_word_ids": row["word_ids"]}
                kind = RELATIONS.index("key_value")
                relations.append({"document_id": row["document_id"], "kind": kind, **pair})
    values: dict[str, dict[str, str]] = {}
    for path, value in fields.items():
        values.setdefault(path.split(".")[0], {})[path.split(".")[1]] = value
    document["values"] = json.dumps(values, ensure_ascii=False)


def _write_shard(
    out: Path, lock: Lock, rows: Rows, split: str, number: int, start: int, ids: list[str]
) -> ShardManifest:
    store, entries = open_store(out), []
    for name in rows:
        mine = [row for row in rows[name] if row["document_id"] in ids]
        key = f"{name}/{split}-{number:05d}.parquet"
        buffer = pa.BufferOutputStream()
        table = pa.Table.from_pylist(mine, schema=arrow_schema(name))
        pq.write_table(table, buffer, row_group_size=GROUPS.get(name, 7), compression="zstd")
        data = buffer.getvalue().to_pybytes()
        store.put_new(key, data)
        entries.append(FileEntry(key=key, sha256=sha256(data), bytes=len(data), rows=len(mine)))
    documents = [row for row in rows["documents"] if row["document_id"] in ids]
    manifest = ShardManifest(
        layout=1, lock=lock.digest, split=split, number=number, start=start, stop=start + len(ids), files=entries,
        documents=len(ids), pages=sum(row["page_count"] for row in documents),
        cells=dict(Counter(f"{row['type']}/{row['language']}" for row in documents)),
        tries={}, rejected={}, scenes={}, fingerprints=[f"{split}{i}" for i in range(len(ids))],
    )  # fmt: skip
    store.put_new(shard_manifest_key(split, number), manifest.to_bytes())
    return manifest
