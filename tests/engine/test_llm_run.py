"""Runs whose questions models write and judge: budget, resume, replay from the ledger, regenerate."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import ray

from engine.llm_ledger import groups, records
from engine.progress import Silent
from engine.regenerate import default_execution, regenerate
from engine.run import RunResult, run
from engine.store import open_store
from engine.verify import verify
from schemas.errors import UserError
from schemas.recipe import Recipe
from tests.fixtures.llm_endpoint import Answer, ScriptedEndpoint, llm_endpoint, schema_of
from tests.fixtures.llm_questioner import questioner
from tests.fixtures.llm_writer import writes_well
from tests.fixtures.recipes import small_recipe

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def one_ray() -> Iterator[None]:
    ray.shutdown()  # what other tests may have left
    ray.init(address="local", num_cpus=8, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    yield
    ray.shutdown()


def recipe(cache: Path, url: str, tokens: int | None = None, **questions: Any) -> Recipe:
    """The small recipe with three questions a document, all by the model, judged by rules and by two models."""
    data = small_recipe(cache).model_dump(mode="json")
    data["content"] |= {
        "degradation": {"scenes": ["none"], "per_split": 1},
        "legibility": {"share": 0},
        "questions": {
            **{"per_document": 3, "kind": "llm", "judges": "llm"},
            "llm": {"model": "writer", "judges": ["one", "two"], "embedder": "bag", "max_tokens": 200, "examples": 1},
            **questions,
        },
    }
    policy = {"in_flight": 4, "deadline_s": 30, "attempt_s": 10}
    data["execution"]["llm"] = {"endpoints": [{"name": "e", "base_url": url}], "policy": policy}
    data["execution"]["llm"]["prices"] = {"*": {"input": "1", "output": "2"}}
    if tokens is not None:
        data["execution"]["llm"]["budget"] = {"tokens": tokens}
    return Recipe.model_validate(data)


def made(endpoint: ScriptedEndpoint, cache: Path, out: Path, tokens: int | None = None) -> RunResult:
    return run(recipe(cache, endpoint.base_url, tokens), open_store(out), Silent())


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def test_a_budget_stops_a_run_within_it_and_a_larger_one_pays_only_the_rest(cache: Path, tmp_path: Path) -> None:
    """First with 1,000 tokens, then with enough for a part, then with enough for all."""
    with llm_endpoint(questioner()) as endpoint:
        for budget in (1_000, 60_000):
            before = endpoint.served
            with pytest.raises(UserError, match=r"stopped before the limit.*raise execution\.llm\.budget"):
                made(endpoint, cache, tmp_path / "a", budget)
            assert endpoint.tokens <= budget
            assert (endpoint.served > before) == (budget > 1_000), "a thousand tokens are not enough for one call"
        partly = endpoint.served
        result = made(endpoint, cache, tmp_path / "a", 10**7)
        assert result.release is not None
        assert max(endpoint.seen.values()) == 1, "nothing is paid twice"
        kept = dict(records(open_store(tmp_path / "a")))
        assert len(kept) == endpoint.served > partly
        assert sum(r["prompt_tokens"] + r["completion_tokens"] for r in kept.values()) == endpoint.tokens


def test_a_release_is_made_again_from_the_ledger_with_the_endpoint_down(cache: Path, tmp_path: Path) -> None:
    out, again = tmp_path / "out", tmp_path / "again"
    with llm_endpoint(questioner()) as endpoint:
        result = made(endpoint, cache, out)
        assert result.release is not None
    store = open_store(out)
    assert verify(store) == []
    assert groups(store) == ["train-00000", "train-00001"]
    for group in groups(store):  # compacted when it was sealed
        assert pq.read_table(next((out / "ledger/llm-parquet" / group).iterdir())).num_rows > 0
    lock = json.loads((out / "recipe.lock.json").read_text())
    assert lock["content"]["questions"]["llm"]["model"] == "writer"
    assert "prompts/ask-question-1" in lock["templates"] and "examples/made" in lock["templates"]
    asked = {key.split("/")[4]: record for key, record in records(store)}
    assert asked["gate.duplicate"]["asked"] == "bag" and asked["gate.duplicate"]["prompt_tokens"] > 0
    assert endpoint.base_url not in (out / "recipe.lock.json").read_text()
    rows = [r for path in sorted((out / "qa").iterdir()) for r in pq.read_table(path).to_pylist()]
    assert len(rows) >= 8
    for row in rows:
        assert row["source"] == "writer" and [o["judge"] for o in row["opinions"]] == ["one", "two"]
        assert row["agreement"] == 1.0 and row["gates"][0]["gate"] == "duplicate"
        assert min(row[name] for name in ("completeness", "consistency", "conciseness", "clarity", "inference")) == 5
        assert all(row["answer_word_ids"]) and all(row["answer_quads"]) and row["evidence_word_ids"]
    assert regenerate(store, "0-1", default_execution(cache)) == {"train-00000": [], "train-00001": []}
    # The ledger alone, in another place, with nobody at the address.
    for path in (out / "ledger").rglob("*.jsonl"):
        if "llm" in path.parts:
            target = again / path.relative_to(out)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    replayed = run(recipe(cache, endpoint.base_url), open_store(again), Silent())
    assert replayed.release is not None and replayed.release.digest == result.release.digest
    max((again / "ledger/llm/train-00000").iterdir()).unlink()
    broken = open_store(again)
    for path in (again / "ledger/llm-parquet").rglob("*.parquet"):
        path.unlink()
    with pytest.raises(UserError, match="the ledger holds no answer"):
        regenerate(broken, "0", default_execution(cache))


def test_a_recipe_that_says_nowhere_where_its_models_are_is_refused(cache: Path, tmp_path: Path) -> None:
    wanted = recipe(cache, "http://127.0.0.1:9/v1")
    without = wanted.model_copy(update={"execution": wanted.execution.model_copy(update={"llm": None})})
    with pytest.raises(UserError, match=r"'writer'.*execution\.llm"):
        run(without, open_store(tmp_path), Silent())
    assert list(tmp_path.iterdir()) == []


def test_a_model_writes_the_documents_and_questions_them(cache: Path, tmp_path: Path) -> None:
    asks = questioner()

    def script(body: dict[str, Any], earlier: int) -> Answer:
        asked = schema_of(body)["properties"].keys()
        stages = {"summary", "questions", "answers", "allows", "steps", "grade"}
        return asks(body, earlier) if asked & stages else writes_well(body, earlier)

    with llm_endpoint(script) as endpoint:
        data = recipe(cache, endpoint.base_url).model_dump(mode="json")
        data["content"] |= {"name": "written", "writer": {"kind": "llm", "model": "author"}}
        written = Recipe.model_validate(data)
        result = run(written, open_store(tmp_path / "out"), Silent())
    assert result.release is not None and verify(open_store(tmp_path / "out")) == []
    stages = {key.split("/")[4].split(".")[0] for key, _ in records(open_store(tmp_path / "out"))}
    assert stages >= {"ask", "judge"} and len(stages) > 2, "the author was asked too"
    assert regenerate(open_store(tmp_path / "out"), "0-1", default_execution(cache)) == {
        "train-00000": [],
        "train-00001": [],
    }
