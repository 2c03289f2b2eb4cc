"""A real small model writes and judges questions about the quickstart documents, and all of it is made again offline.

What a model of 135 million parameters says is of little worth. The test is of the way: every answer is read under its
schema or refused with a reason that is counted, and the ledger alone makes the same release.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import ray

from actors.inventory import take
from engine.kinds import Context
from engine.llm_ledger import records
from engine.local import LocalStages, make_one
from engine.lock import draft
from engine.progress import Silent
from engine.run import run
from engine.store import open_store
from engine.verify import verify
from jobs.load import load_recipe
from jobs.pilot import models_here
from schemas.errors import UserError
from schemas.recipe import Recipe

pytestmark = pytest.mark.llm
QUICKSTART = Path(__file__).parents[2] / "recipes/quickstart.yaml"
MODEL = "smollm2"


@pytest.fixture(scope="module", autouse=True)
def one_ray() -> Iterator[None]:
    ray.shutdown()  # what other tests may have left
    ray.init(address="local", num_cpus=8, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    yield
    ray.shutdown()


@pytest.fixture
def gguf() -> str:
    found = os.environ.get("PAGELOOM_TEST_GGUF", "")
    if not Path(found).is_file():
        pytest.fail("PAGELOOM_TEST_GGUF names no model; run `make test-llm`")
    return found


def recipe(cache: Path, gguf: str) -> Recipe:
    """The quickstart's documents, printed and not degraded, with up to eight questions each, of all kinds.

    Most are of the kinds that so small a model can write: one list in ten holds two answers, and hardly a chain holds.

    Two engines of one thread, each with a place for every kind of prompt of a document and one call at a time, and two
    documents under way, so that all but the end of most prompts is already read: half an hour on two cores. What is
    longer than the context, as Bangla is for a model of English, is refused and counted.
    """
    data = load_recipe(QUICKSTART).model_dump(mode="json")
    data["content"] |= {"degradation": {"scenes": ["none"], "per_split": 1}, "legibility": {"share": 0}}
    data["content"]["questions"] = {
        **{"per_document": 8, "kind": "llm", "judges": "llm"},
        "kinds": {"single_span": 6, "table": 4, "multi_span": 1, "multi_hop": 1},
        "llm": {"model": MODEL, "examples": 1, "bound": 80, "extract": "spans", "max_tokens": 256, "temperature": 0.5},
    }
    engine = {"kind": "llama", "path": gguf, "count": 2, "in_flight": 10, "context": 1536}
    policy = {"in_flight": 2, "deadline_s": 3600, "attempt_s": 600}
    data["execution"] |= {"cache": str(cache), "in_flight": 2, "llm": {"engines": [engine], "policy": policy}}
    return Recipe.model_validate(data)


def rows(out: Path, config: str) -> list[dict]:
    return [row for path in sorted((out / config).iterdir()) for row in pq.read_table(path).to_pylist()]


def test_questions_of_a_real_model_over_the_quickstart_documents(gguf: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = run(recipe(tmp_path / "cache", gguf), open_store(out), Silent()).release
    assert made is not None and verify(open_store(out)) == []
    kept, refused = rows(out, "qa"), rows(out, "qa_rejections")
    why = Counter(row["dropped"].split(":")[0] or "judges or gates" for row in refused)
    calls = Counter(key.split("/")[4] for key, _ in records(open_store(out)))
    print(f"{len(kept)} kept, refused: {dict(why)}, calls: {dict(calls)}")
    assert len(kept) >= 20
    for row in (*kept, *refused):
        assert row["source"] == MODEL and (row["dropped"] or row["opinions"] or row["gates"]), row
    again = tmp_path / "again"
    shutil.copytree(out / "ledger/llm", again / "ledger/llm")
    replayed = run(recipe(tmp_path / "cache", str(tmp_path / "no.gguf")), open_store(again), Silent()).release
    assert replayed is not None and replayed.digest == made.digest


def test_the_writer_that_asks_a_real_model_ends_with_a_document_or_a_reason(gguf: str, tmp_path: Path) -> None:
    """A model this small writes hardly a page that holds; each try has to end with a reason, and be kept."""
    data = recipe(tmp_path / "cache", gguf).model_dump(mode="json")
    data["content"] |= {"name": "written", "splits": {"train": 2}, "shard_size": 2, "max_tries": 1, "questions": None}
    data["content"] |= {"types": ["receipt"], "languages": ["en"]}
    data["content"]["writer"] = {"kind": "llm", "model": MODEL, "repairs": 1, "max_tokens": 600}
    data["execution"]["llm"]["engines"][0]["context"] = 8192
    written = Recipe.model_validate(data)
    store = open_store(tmp_path / "out")
    context = Context(
        written.content, written.execution, draft(written.content, take(written.content), [], []), store, ""
    )
    ended = asyncio.run(_written(context, written))
    print(ended)
    assert len(ended) == 2 and all(ended)
    stages = Counter(key.split("/")[4] for key, _ in records(store))
    assert sum(stages.values()) >= 2, "the model was really asked"


async def _written(context: Context, written: Recipe) -> list[str]:
    """How each of two documents ended: accepted, or the rejection."""
    ended: list[str] = []
    with LocalStages(context) as stages:
        async with models_here(written, context.store) as models:
            for index in range(2):
                try:
                    await make_one(stages, "train", index, models)
                    ended.append("accepted")
                except UserError as error:
                    assert "all 1 tries rejected, the last by" in str(error), error
                    ended.append(str(error))
    return ended
