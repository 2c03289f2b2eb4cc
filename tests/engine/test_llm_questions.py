"""A real small model writes and judges questions about the quickstart documents, and all of it is made again offline.

What a model of 135 million parameters says is of little worth. The test is of the way: every answer is read under its
schema or refused with a reason that is counted, and the ledger alone makes the same release.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import ray

from engine.llm_ledger import records
from engine.progress import Silent
from engine.run import run
from engine.store import open_store
from engine.verify import verify
from jobs.load import load_recipe
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
    """The quickstart's documents, printed and not degraded, with two questions each."""
    data = load_recipe(QUICKSTART).model_dump(mode="json")
    data["content"] |= {"degradation": {"scenes": ["none"], "per_split": 1}, "legibility": {"share": 0}}
    data["content"]["questions"] = {
        **{"per_document": 2, "kind": "llm", "judges": "llm"},
        "llm": {"model": MODEL, "examples": 1, "bound": 80, "extract": "spans", "max_tokens": 200, "temperature": 0.5},
    }
    engine = {"kind": "llama", "path": gguf, "in_flight": 2, "context": 3072, "num_cpus": 2}
    policy = {"in_flight": 2, "deadline_s": 3600, "attempt_s": 600}
    data["execution"] |= {"cache": str(cache), "llm": {"engines": [engine], "policy": policy}}
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
