"""Questions in a release: their tables, the lock with and without them, and what `verify` says of broken ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

from engine.kinds import Context
from engine.lock import locked_content
from engine.parquet import plain_rows
from engine.rows import Accepted, batches_of, read_batch
from engine.seal import seal
from engine.shard_tables import ShardTables
from engine.store import open_store
from engine.verify import _check_questions
from schemas.plan import Plan
from schemas.question_settings import Questions
from schemas.questions import CRITERIA
from schemas.tables import COLUMNS, QUESTION_COLUMNS, arrow_schema
from tests.fixtures.two_samples import committed, plain_context, two_samples


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    return plain_context(tmp_path_factory.mktemp("made"), questions=Questions(per_document=6))


@pytest.fixture(scope="module")
def samples(context: Context) -> list[Accepted]:
    return two_samples(context)


def rows_of(sample: Accepted) -> dict[str, list[dict[str, Any]]]:
    return {config: plain_rows(read_batch(config, data)) for config, data in batches_of(sample).items()}


def test_questions_are_tables_of_their_own(context: Context, samples: list[Accepted], tmp_path: Path) -> None:
    committed(context, samples, context.content, tmp_path)
    store = open_store(tmp_path)
    seal(store, context.lock, Plan(context.content))
    data = load_dataset(str(tmp_path), "qa", split="train", cache_dir=str(tmp_path / "cache"))
    assert data.column_names == arrow_schema("qa").names and 6 < len(data) <= 12
    row = data[0]
    assert row["question_id"] == "train-00000000-q0" and row["page_id"] == "train-00000000-p0"
    assert row["cardinality"] == len(row["answers"]) == len(row["answer_quads"]) and row["difficulty"] in (
        "easy",
        "medium",
        "hard",
    )
    assert all(row[name] > 3 for name in CRITERIA)
    assert pq.read_schema(tmp_path / "qa_rejections" / "train-00000.parquet").names == data.column_names
    assert "- `qa`: " in (tmp_path / "README.md").read_text()


def test_quads_lie_around_the_words_of_the_answer(samples: list[Accepted]) -> None:
    for sample in samples:
        rows = rows_of(sample)
        words = {w["word_id"]: w for w in rows["words"]}
        for row in rows["qa"]:
            for ids, quads in zip(row["answer_word_ids"], row["answer_quads"], strict=True):
                assert bool(ids) == bool(quads)
                xs = [x for quad in quads for x in quad[::2]]
                for i in ids:
                    box = words[i]["box"]
                    assert min(xs) - 1 <= box[0] and box[2] <= max(xs) + 1


def test_webdataset_holds_the_questions_too(context: Context, samples: list[Accepted], tmp_path: Path) -> None:
    content = context.content.model_copy(update={"format": "webdataset"})
    manifest = committed(context, samples, content, tmp_path)
    tables = ShardTables(open_store(tmp_path), manifest).all_rows()
    assert [r["question"] for r in tables["qa"]] == [r["question"] for s in samples for r in rows_of(s)["qa"]]


def test_without_questions_nothing_changes(context: Context, samples: list[Accepted]) -> None:
    plain = context.content.model_copy(update={"questions": None})
    assert "questions" not in locked_content(plain)
    assert locked_content(context.content)["questions"] == {"per_document": 6, "judges": "rules"}
    rows = rows_of(Accepted(**{**vars(samples[0]), "asked": None}))
    assert set(rows) | {"rejections"} == set(COLUMNS) and not set(QUESTION_COLUMNS) & set(rows)


def test_verify_names_broken_questions(samples: list[Accepted]) -> None:
    rows = rows_of(samples[0])
    words = {samples[0].spec.id: {w["word_id"]: w for w in rows["words"]}}
    assert list(_check_questions(rows, words)) == []
    first = next(row for row in rows["qa"] if row["answer_word_ids"][0])
    broken = {**first, "answers": ["nothing like it", *first["answers"][1:]], "question_id": "x", "question": "Other?"}
    said = list(_check_questions({"qa": [*rows["qa"], broken, first]}, words))
    assert said[0].startswith("x: the answer is 'nothing like it', its words spell ")
    assert said[1] == f"{first['question_id']}: the question stands twice"
