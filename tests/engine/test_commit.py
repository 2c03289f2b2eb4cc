"""Shards as Parquet and as WebDataset, read back with the library that users have."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from datasets import Image, load_dataset

from engine.card import card
from engine.commit import _row_groups
from engine.kinds import Context
from engine.rows import Accepted
from engine.seal import seal
from engine.shard_tables import ShardTables
from engine.store import open_store
from schemas.plan import Plan
from schemas.recipe import Degradation
from schemas.release import CARD_KEY, LABELS_KEY, shard_manifest_key
from schemas.sample import Rejection
from schemas.tables import COLUMNS, arrow_schema
from tests.fixtures.two_samples import committed, plain_context, two_samples

REJECTION = Rejection("train", 1, 0, "invoice", "en", "reader", "illegible", "page 0: CER 0.9 is over 0.5")


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    faded = Degradation(scenes={"none": 1}, faults={"faded_ink": 1})
    return plain_context(tmp_path_factory.mktemp("made"), degradation=faded)


@pytest.fixture(scope="module")
def samples(context: Context) -> list[Accepted]:
    return two_samples(context)


def test_every_config_loads_as_it_is(context: Context, samples: list[Accepted], tmp_path: Path) -> None:
    store = open_store(tmp_path)
    shard = committed(context, samples, context.content, tmp_path, [REJECTION])
    release = seal(store, context.lock, Plan(context.content))
    assert store.get(CARD_KEY).decode() == card(release, context.lock, context.content)
    assert "\n- NotoSans-Regular.ttf: OFL-1.1\n" in store.get(CARD_KEY).decode()
    for config in COLUMNS:
        data = load_dataset(str(tmp_path), config, split="train", cache_dir=str(tmp_path / "cache"))
        assert data.column_names == arrow_schema(config).names and len(data) > 0
        if config == "pages":
            assert isinstance(data.features["image"], Image)
            assert data[0]["image"].size == (data[0]["width"], data[0]["height"])
        if config == "layout":
            names = json.loads(store.get(LABELS_KEY))["layout.role"]
            assert data.features["role"].names == names
    assert release.rejected == {"invoice/en: reader: illegible": 1} and release.documents == 2
    assert shard.faults == {"faded_ink": release.pages}
    assert release.faults == {"train/faded_ink": release.pages}


def test_webdataset_holds_the_same_rows(context: Context, samples: list[Accepted], tmp_path: Path) -> None:
    tar_content = context.content.model_copy(update={"format": "webdataset"})
    parquet = committed(context, samples, context.content, tmp_path / "parquet", [REJECTION])
    tar = committed(context, samples, tar_content, tmp_path / "tar", [REJECTION])
    one = ShardTables(open_store(tmp_path / "parquet"), parquet).all_rows()
    two = ShardTables(open_store(tmp_path / "tar"), tar).all_rows()
    for config in COLUMNS:
        assert len(one[config]) == len(two[config])
    assert [w["text"] for w in one["words"]] == [w["text"] for w in two["words"]]
    assert [p["image"]["bytes"] for p in one["pages"]] == [p["image"]["bytes"] for p in two["pages"]]
    files = {"train": str(tmp_path / "tar" / "data" / "train-*.tar")}
    data = load_dataset("webdataset", data_files=files, split="train", cache_dir=str(tmp_path / "cache"))
    assert data["__key__"] == [s.spec.id for s in samples]
    assert data[0]["0.jpg"].size == (samples[0].pictures[0].width, samples[0].pictures[0].height)


def test_a_crash_between_files_and_manifest_shows_nothing_twice(
    context: Context, samples: list[Accepted], tmp_path: Path
) -> None:
    store = open_store(tmp_path)
    first = committed(context, samples, context.content, tmp_path, [REJECTION])
    store.delete(shard_manifest_key("train", 0))  # as if the process had ended just before
    words = load_dataset(str(tmp_path), data_dir="words", split="train", cache_dir=str(tmp_path / "c1"))
    again = committed(context, samples, context.content, tmp_path, [REJECTION])
    assert again == first
    seal(store, context.lock, Plan(context.content))
    after = load_dataset(str(tmp_path), "words", split="train", cache_dir=str(tmp_path / "c2"))
    assert len(words) == len(after) == sum(len(s.document.words) for s in samples)


def test_webdataset_has_numbers_as_short_as_they_were(
    context: Context, samples: list[Accepted], tmp_path: Path
) -> None:
    content = context.content.model_copy(update={"format": "webdataset"})
    shard = committed(context, samples, content, tmp_path, [REJECTION])
    words = ShardTables(open_store(tmp_path), shard).all_rows()["words"]
    numbers = [value for word in words for value in (*word["box"], *word["quad"], *word["ink_box"])]
    assert len(numbers) > 100 and all(value == round(value, 2) for value in numbers)


def test_rows_are_cut_into_row_groups(context: Context) -> None:
    schema = arrow_schema("pages")
    batches = [pa.RecordBatch.from_pylist([{"page_id": f"{n}-{k}"} for k in range(n)], schema) for n in (7, 0, 30, 8)]
    tables = list(_row_groups(iter(batches), "pages"))
    assert [t.num_rows for t in tables] == [20, 20, 5]
    ids = [row["page_id"] for t in tables for row in t.to_pylist()]
    assert ids == [row["page_id"] for batch in batches for row in batch.to_pylist()]
    assert [t.num_rows for t in _row_groups(iter([]), "pages")] == [0]
    assert [t.num_rows for t in _row_groups(iter(batches[:1] * 20), "pages")] == [20] * 7
