"""A shard becomes visible: its files under their final names, then its manifest, each create-once (decision 6)."""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import pyarrow as pa
import pyarrow.parquet as pq

from engine.parquet import plain_rows, writer_options
from engine.rows import Accepted, batches_of, read_batch, rejection_row
from engine.store import Store, put_same
from schemas.checks import NOTHING_CHECKED, LabelChecks
from schemas.errors import UserError
from schemas.plan import Shard
from schemas.recipe import Content
from schemas.release import LAYOUT_VERSION, FileEntry, Lock, ShardManifest, sha256, shard_manifest_key
from schemas.sample import Rejection
from schemas.tables import DEFAULT_ROW_GROUP, ROW_GROUP, arrow_schema, configs_of


@dataclass(frozen=True)
class Staged:
    """What the manifest needs of one sample, kept in memory; its rows lie on disk."""

    index: int
    cell: str
    pages: int
    tries: int
    scenes: tuple[str, ...]
    faults: tuple[str, ...]
    checks: LabelChecks
    fingerprint: str
    rejections: tuple[Rejection, ...]
    parts: dict[str, tuple[int, int]]
    """Offset and length of its rows in the staging file, by config."""


class Staging:
    """Finished samples of one shard on local disk until the shard is whole. Not durable, not shared, thread safe.

    The file has no name, so that nothing is left of it however the process ends.
    """

    def __init__(self, shard: Shard) -> None:
        self.shard = shard
        self._file = tempfile.TemporaryFile(prefix="pageloom-", buffering=0)  # noqa: SIM115  open until `close`
        self._lock = threading.Lock()
        self.samples: dict[int, Staged] = {}

    def add(self, sample: Accepted, rejections: tuple[Rejection, ...]) -> None:
        batches = batches_of(sample)
        with self._lock:
            offset = self._file.seek(0, io.SEEK_END)
            rest = memoryview(b"".join(batches.values()))
            while rest:
                rest = rest[self._file.write(rest) :]
        ends = list(accumulate(map(len, batches.values()), initial=offset))
        self.samples[sample.spec.index] = Staged(
            index=sample.spec.index,
            cell=f"{sample.spec.type}/{sample.spec.language}",
            pages=len(sample.pictures),
            tries=sample.spec.attempt + 1,
            scenes=tuple(p.scene for p in sample.pictures),
            faults=tuple(f.name for p in sample.pictures for f in p.faults if f.amount > 0),
            checks=sample.shot.checks,
            fingerprint=sample.shot.fingerprint,
            rejections=rejections,
            parts={config: (start, len(data)) for start, (config, data) in zip(ends, batches.items(), strict=False)},
        )

    def batches(self, config: str) -> Iterator[pa.RecordBatch]:
        """Rows of one config, a batch a sample, in index order. The other configs' rows are not read."""
        for index in range(self.shard.start, self.shard.stop):
            yield self.batch(index, config)

    def batch(self, index: int, config: str) -> pa.RecordBatch:
        offset, length = self.samples[index].parts[config]
        with self._lock:
            self._file.seek(offset)
            data = self._file.read(length)
        return read_batch(config, data)

    def drop(self, index: int) -> None:
        self.samples.pop(index, None)

    @property
    def rejections(self) -> list[Rejection]:
        ordered = [r for i in sorted(self.samples) for r in self.samples[i].rejections]
        return sorted(ordered, key=lambda r: (r.index, r.attempt))

    def close(self) -> None:
        self._file.close()


def commit(store: Store, lock: Lock, content: Content, staging: Staging) -> ShardManifest:
    """Write the shard. Files that are there with the same bytes are fine; DeterminismError where bytes differ."""
    shard = staging.shard
    assert sorted(staging.samples) == list(range(shard.start, shard.stop)), "a shard is committed whole"
    files = _tar_files(staging, content) if content.format == "webdataset" else _parquet_files(staging, content)
    entries: list[FileEntry] = []
    for key, data, rows in files:
        put_same(store, key, data)
        entries.append(FileEntry(key=key, sha256=sha256(data), bytes=len(data), rows=rows))
    manifest = _manifest(lock, staging, entries)
    put_same(store, shard_manifest_key(shard.split, shard.number), manifest.to_bytes())
    return manifest


def read_manifest(store: Store, shard: Shard) -> ShardManifest | None:
    """The shard's manifest, None while it is not committed; UserError if it cannot be read."""
    key = shard_manifest_key(shard.split, shard.number)
    try:
        return ShardManifest.model_validate_json(store.get(key))
    except KeyError:
        return None
    except ValueError:
        raise UserError("the manifest of a shard cannot be read", f"{store.url}/{key}", "restore it") from None


def _parquet_files(staging: Staging, content: Content) -> Iterator[tuple[str, bytes, int]]:
    for config in configs_of(content):
        buffer, count = io.BytesIO(), 0
        with pq.ParquetWriter(buffer, arrow_schema(config), **writer_options(arrow_schema(config))) as writer:
            for table in _row_groups(_batches(staging, config), config):
                writer.write_table(table)
                count += table.num_rows
        yield f"{config}/{staging.shard.name}.parquet", buffer.getvalue(), count


def _batches(staging: Staging, config: str) -> Iterator[pa.RecordBatch]:
    if config == "rejections":
        rows = [rejection_row(r) for r in staging.rejections]
        return iter([pa.RecordBatch.from_pylist(rows, arrow_schema(config))])
    return staging.batches(config)


def _row_groups(batches: Iterator[pa.RecordBatch], config: str) -> Iterator[pa.Table]:
    """Tables of as many rows as a row group has, the last of the rest; one without rows if there are none."""
    schema, size = arrow_schema(config), ROW_GROUP.get(config, DEFAULT_ROW_GROUP)
    pending, rows, any_yet = [], 0, False
    for batch in batches:
        pending.append(batch)
        rows += batch.num_rows
        while rows >= size:
            table = pa.Table.from_batches(pending, schema)
            yield table.slice(0, size).combine_chunks()
            pending, rows, any_yet = table.slice(size).to_batches(), rows - size, True
    if rows or not any_yet:
        yield pa.Table.from_batches(pending, schema).combine_chunks()


def _tar_files(staging: Staging, content: Content) -> Iterator[tuple[str, bytes, int]]:
    """WebDataset: one tar; a sample is its JSON (all rows), its PDF and its pictures, under one key."""
    buffer, count = io.BytesIO(), 0
    named = [config for config in configs_of(content) if config != "rejections"]
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for index in sorted(staging.samples):
            rows = {config: plain_rows(staging.batch(index, config)) for config in named}
            document = rows["documents"][0]
            name = document["document_id"]
            binary = {"pdf": document.pop("pdf")}
            for page in rows["pages"]:
                image = page.pop("image")
                page["image"] = suffix = f"{page['page']}.{image['path'].rsplit('.', 1)[1]}"
                binary[suffix] = image["bytes"]
            binary["json"] = json.dumps(rows, ensure_ascii=False).encode()
            for suffix, data in sorted(binary.items()):
                info = tarfile.TarInfo(f"{name}.{suffix}")
                info.size, info.mode = len(data), 0o644
                tar.addfile(info, io.BytesIO(data))
            count += 1
    yield f"data/{staging.shard.name}.tar", buffer.getvalue(), count
    rejected = "".join(json.dumps(rejection_row(r), ensure_ascii=False) + "\n" for r in staging.rejections)
    yield f"rejections/{staging.shard.name}.jsonl", rejected.encode(), len(staging.rejections)


def _manifest(lock: Lock, staging: Staging, files: list[FileEntry]) -> ShardManifest:
    shard, samples = staging.shard, [staging.samples[i] for i in sorted(staging.samples)]
    return ShardManifest(
        layout=LAYOUT_VERSION,
        lock=lock.digest,
        split=shard.split,
        number=shard.number,
        start=shard.start,
        stop=shard.stop,
        files=files,
        documents=len(samples),
        pages=sum(s.pages for s in samples),
        cells=dict(Counter(s.cell for s in samples)),
        tries=_summed({s.cell: s.tries} for s in samples),
        rejected=dict(Counter(f"{r.type}/{r.language}: {r.stage}: {r.reason}" for r in staging.rejections)),
        scenes=dict(Counter(scene for s in samples for scene in s.scenes)),
        faults=dict(Counter(fault for s in samples for fault in s.faults)),
        checks=sum((s.checks for s in samples), NOTHING_CHECKED).counts(),
        fingerprints=[s.fingerprint for s in samples],
    )


def _summed(parts: Iterator[dict[str, int]] | list[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return dict(total)
