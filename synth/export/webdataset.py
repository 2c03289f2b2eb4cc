"""WebDataset tars (Breuel et al., github.com/webdataset/webdataset): a page a sample, no class labels."""

from __future__ import annotations

import tarfile
from collections import Counter
from typing import Any, ClassVar

from schemas.document import RELATIONS
from synth.export.out import Sink, dumps
from synth.export.rows import Page, Release, Row, Sample, floats, role

_RECORD = 10_240  # what tar pads an archive to


class WebDataset:
    """One tar for each of the release's shards, `SPLIT-00000.tar`; per page `.jpg`, `.json` and `.labels`.

    `json` has flat facts (ids, sizes, type, language, text). `labels` is JSON too, but under a name that neither
    webdataset nor `datasets` decodes: the latter infers columns from the first pages and fails at the first table when
    none of them has one.
    """

    tables: ClassVar[tuple[str, ...]] = ("words", "lines", "layout", "cells", "kie", "relations")
    looks_ahead: ClassVar[bool] = False

    def __init__(self, out: Sink, release: Release) -> None:
        self._out, self._release = out, release
        self._bytes: dict[str, int] = {}
        self.counts: Counter[str] = Counter(documents=0, pages=0)

    def look(self, document: Row) -> None: ...

    def add(self, sample: Sample) -> None:
        tar = f"{sample.shard}.tar"
        for page in sample.pages:
            facts, labels = facts_of(sample, page, self._release), labels_of(sample, page)
            self._member(tar, f"{page.id}{page.suffix}", page.picture)
            self._member(tar, f"{page.id}.json", dumps(facts))
            self._member(tar, f"{page.id}.labels", dumps(labels))
        self.counts += Counter(documents=1, pages=len(sample.pages))

    def _member(self, tar: str, name: str, data: bytes) -> None:
        head = tarfile.TarInfo(name)
        head.size, head.mode = len(data), 0o644
        block = head.tobuf(tarfile.USTAR_FORMAT) + data + b"\0" * (-len(data) % tarfile.BLOCKSIZE)
        self._out.append(tar, block)
        self._bytes[tar] = self._bytes.get(tar, 0) + len(block)

    def close(self) -> None:
        for tar, size in self._bytes.items():
            end = 2 * tarfile.BLOCKSIZE
            self._out.append(tar, b"\0" * (end + -(size + end) % _RECORD))

    def usage(self) -> str:
        return (
            "`webdataset.WebDataset('train-00000.tar', shardshuffle=False).decode('pil')` gives `jpg` and `json` of "
            "each page, and `json.loads` of its `labels` the words, lines, blocks, cells, fields and relations. "
            "`datasets.load_dataset('webdataset', data_files={'train': 'train-*.tar'})` gives the same columns."
        )


def facts_of(sample: Sample, page: Page, release: Release) -> dict[str, Any]:
    """Flat facts of a page: texts and numbers only, the same keys in every page. `text` is in reading order."""
    width, height = page.size
    facts: dict[str, Any] = {"document_id": sample.id, "page_id": page.id, "page": page.number}
    facts |= {"page_count": sample.row["page_count"], "split": sample.split, "type": sample.type}
    facts |= {"language": sample.language, "width": width, "height": height, "dpi": page.row["dpi"]}
    facts |= {"scene": page.row["scene"], "text": "\n".join(b["text"] for b in page.blocks)}
    return facts | {"values": sample.row["values"], "schema": sample.row["schema"], "license": release.license}


def labels_of(sample: Sample, page: Page) -> dict[str, Any]:
    """All labels of a page as lists of records, boxes x0, y0, x1, y1 and quads eight numbers, pixels of its picture."""
    labels = {name: [_record(row) for row in getattr(page, name)] for name in ("words", "lines", "layout", "cells")}
    for block, row in zip(labels["layout"], page.layout, strict=True):
        block["role"] = role(row)
    here = {w["word_id"] for w in page.words}
    relations = [
        {"kind": RELATIONS[r["kind"]], "head_word_ids": r["head_word_ids"], "tail_word_ids": r["tail_word_ids"]}
        for r in sample.relations
        if here.intersection(r["head_word_ids"]) or here.intersection(r["tail_word_ids"])
    ]
    return {**labels, "fields": [_record(row) for row in page.kie], "relations": relations}


def _record(row: Row) -> dict[str, Any]:
    kept = {name: value for name, value in row.items() if name not in ("document_id", "page_id")}
    kept |= {name: floats(kept[name]) for name in ("box", "ink_box", "quad") if name in kept}
    return kept | {name: round(float(kept[name]), 3) for name in ("visible", "font_size") if name in kept}
