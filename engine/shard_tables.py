"""Tables of a committed shard, from Parquet or WebDataset: only the columns and the documents that are asked for."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine.store import Store
from engine.store_folder import FolderStore
from schemas.errors import UserError
from schemas.release import ShardManifest
from schemas.tables import arrow_schema, configs

Tables = dict[str, list[dict[str, Any]]]


@contextmanager
def readable(store: Store, shard: str) -> Iterator[None]:
    """UserError for a file of a shard that is missing or is not what its name says."""
    fix = "`pageloom verify` names the files; restore them"
    try:
        yield
    except KeyError as error:
        raise UserError(
            f"{error.args[0] if error.args else 'a file'} of shard {shard} is missing", store.url, fix
        ) from None
    except (ValueError, TypeError, tarfile.TarError, pa.ArrowException, OSError) as error:
        what = f"a file of shard {shard} cannot be read ({type(error).__name__})"
        raise UserError(what, store.url, fix) from error


class ShardTables:
    """One shard's tables. Methods raise what `readable` turns into a UserError.

    Nothing is read by Arrow's threads: what reads from memory leaves them behind, and a process that ends soon aborts.
    """

    def __init__(self, store: Store, manifest: ShardManifest) -> None:
        self._store, self._manifest = store, manifest
        self._rows = {entry.key.split("/", 1)[0]: entry.rows for entry in manifest.files}
        self._in_tar = any(entry.key.endswith(".tar") for entry in manifest.files)

    def has(self, config: str) -> bool:
        """Whether there is such a table; in tars, whether it has a row."""
        return bool(self._tar.get(config)) if self._in_tar else config in self._rows

    def all_rows(self) -> Tables:
        """Every row of every table as it lies there, not cast to any schema."""
        if self._in_tar:
            return self._tar
        return {config: self._file(config).read(use_threads=False).to_pylist() for config in self._rows}

    def table(
        self, config: str, columns: Sequence[str] | None = None, documents: Collection[str] | None = None
    ) -> pa.Table:
        """Rows in the release's order."""
        schema = arrow_schema(config)
        schema = schema if columns is None else pa.schema([schema.field(c) for c in columns], schema.metadata)
        return pa.concat_tables([schema.empty_table(), *self.groups(config, schema.names, documents)])

    def groups(
        self, config: str, columns: Sequence[str], documents: Collection[str] | None = None
    ) -> Iterator[pa.Table]:
        """The same row group by row group; those that hold none of the documents are not read."""
        if self._in_tar:
            schema = arrow_schema(config)
            rows = [r for r in self._tar[config] if documents is None or r["document_id"] in documents]
            yield pa.Table.from_pylist(rows, pa.schema([schema.field(c) for c in columns]))
            return
        file = self._file(config)
        for group in range(file.metadata.num_row_groups):
            if documents is not None:
                ids = file.read_row_group(group, columns=["document_id"], use_threads=False).column(0).to_pylist()
                if not (wanted := set(documents).intersection(ids)):
                    continue
            found = file.read_row_group(group, columns=list(columns), use_threads=False)
            yield found if documents is None else found.filter(pc.field("document_id").isin(sorted(wanted)))

    def _file(self, config: str) -> pq.ParquetFile:
        """A file in a folder is read where it lies; from elsewhere it is fetched whole."""
        key = f"{config}/{self._manifest.name}.parquet"
        if isinstance(self._store, FolderStore):
            path = self._store.root / key
            if not path.is_file():
                raise KeyError(key)
            file = pq.ParquetFile(path)
        else:
            file = pq.ParquetFile(pa.BufferReader(self._store.get(key)))
        if file.metadata.num_rows != self._rows.get(config):
            raise ValueError(f"{key} has {file.metadata.num_rows} rows, its manifest says {self._rows.get(config)}")
        return file

    @cached_property
    def _tar(self) -> Tables:
        tables: Tables = {config: [] for config in configs(questions=True, characters=True)}
        for entry in self._manifest.files:
            if entry.key.endswith(".jsonl"):
                tables["rejections"] = [json.loads(line) for line in self._store.get(entry.key).splitlines()]
            elif entry.key.endswith(".tar"):
                for config, rows in _samples_in(self._store.get(entry.key)):
                    tables[config].extend(rows)
        return tables


def _samples_in(data: bytes) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Rows by config of every sample of a WebDataset tar, PDF and pictures put back in their places."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        members = {m.name: tar.extractfile(m) for m in tar.getmembers()}
        blobs = {name: file.read() for name, file in members.items() if file is not None}
    for name in sorted(n for n in blobs if n.endswith(".json")):
        stem = name.removesuffix(".json")
        rows = json.loads(blobs[name])
        rows["documents"][0]["pdf"] = blobs[f"{stem}.pdf"]
        for page in rows["pages"]:
            page["image"] = {"bytes": blobs[f"{stem}.{page['image']}"], "path": page["image"]}
        yield from rows.items()
