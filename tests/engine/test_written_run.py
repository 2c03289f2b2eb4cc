"""A whole run whose documents a model writes: over HTTP, through the ledger, and again without the model."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine.llm_ledger import records
from engine.progress import Silent
from engine.regenerate import regenerate
from engine.run import run
from engine.store import open_store
from engine.verify import verify
from jobs.audit import audit_release
from jobs.preview import make_preview
from schemas.errors import UserError
from schemas.execution import Execution
from schemas.llm import LlmSettings
from schemas.recipe import Recipe
from schemas.release import LOCK_KEY
from tests.fixtures.llm_endpoint import Answer, llm_endpoint
from tests.fixtures.llm_writer import WAYS, writes_badly, writes_well

SAMPLES = 8


def recipe_of(folder: Path, base_url: str) -> Recipe:
    """Eight documents in two shards, one type described from examples; clean pictures that nobody reads."""
    (folder / "examples" / "loan_slip").mkdir(parents=True, exist_ok=True)
    (folder / "examples" / "loan_slip" / "a.txt").write_text("Hill Road Library, card 204911, Emma, due 4 May 2021")
    (folder / "people").mkdir(exist_ok=True)
    people = [{"name": f"Person {chr(65 + n)}", "language": "en", "trade": "baker"} for n in range(20)]
    people += [{"name": f"王{chr(0x4E00 + n)}", "language": "zh"} for n in range(20)]
    (folder / "people" / "p.jsonl").write_text("\n".join(json.dumps(one) for one in people))
    writer = {"kind": "llm", "model": "scripted", "repairs": 1}
    writer |= {"examples": str(folder / "examples"), "personas": str(folder / "people")}
    return Recipe.model_validate(
        {
            "content": {
                **{"name": "written", "version": "1.0.0", "splits": {"train": SAMPLES}, "shard_size": 4},
                **{"types": ["invoice", "loan_slip"], "languages": ["en", "zh"], "writer": writer},
                **{"degradation": {"scenes": {"none": 1}}, "dpi": {"min": 60, "max": 70}, "legibility": {"share": 0}},
            },
            "execution": {
                "actors": {kind: {"count": 1} for kind in ("browser", "camera", "writer")},
                "llm": {"endpoints": [{"name": "scripted", "base_url": base_url}]},
            },
        }
    )


def sometimes_badly(body: dict[str, Any], earlier: int) -> Answer:
    """Every second request is answered in one of the bad ways."""
    number = int(hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:6], 16)
    if number % 2 or "response_format" in body:
        return writes_well(body, earlier)
    return writes_badly(sorted(WAYS)[number // 2 % len(WAYS)])(body, earlier)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Recipe, Counter[str]]:
    """A release, its recipe, and what the endpoint was asked."""
    folder = tmp_path_factory.mktemp("written")
    with llm_endpoint(sometimes_badly) as server:
        recipe = recipe_of(folder, server.base_url)
        assert run(recipe, open_store(folder / "out"), Silent()).release is not None
        asked = Counter("describe" if "response_format" in call.body else "write" for call in server.calls)
    return folder / "out", recipe, asked


def test_the_release_is_whole_and_counts_what_was_rejected(made: tuple[Path, Recipe, Counter[str]]) -> None:
    out, _, asked = made
    assert verify(open_store(out)) == []
    documents = pq.read_table(out / "documents").to_pylist()
    assert Counter((d["type"], d["language"]) for d in documents) == Counter(
        {(kind, lang): SAMPLES // 4 for kind in ("invoice", "loan_slip") for lang in ("en", "zh")}
    )
    assert {d["family"] for d in documents} == {"invoice/model", "loan_slip/model"}
    rejected = pq.read_table(out / "rejections").to_pylist()
    assert rejected and {r["stage"] for r in rejected} == {"writer"}
    assert {r["reason"] for r in rejected} <= set(WAYS.values())
    assert asked["describe"] <= 4, "a description for each shard, type and language"
    assert asked["write"] > SAMPLES
    assert len(list(records(open_store(out)))) == sum(asked.values())


def test_the_lock_pins_prompts_descriptions_and_folders(made: tuple[Path, Recipe, Counter[str]]) -> None:
    lock = json.loads(open_store(made[0]).get(LOCK_KEY))
    assert {"prompts/write-1", "writer/looks.yaml", "personas/en.yaml"} <= set(lock["templates"])
    assert {asset["kind"] for asset in lock["assets"]} == {"examples", "personas"}
    assert lock["content"]["writer"]["model"] == "scripted" and lock["content"]["writer"]["examples"] is True
    assert "execution" not in lock


@pytest.mark.slow
def test_with_the_endpoint_down_the_ledger_gives_the_same_bytes(made: tuple[Path, Recipe, Counter[str]]) -> None:
    found = regenerate(open_store(made[0]), "1", Execution())
    assert found == {"train-00001": []}


@pytest.mark.slow
def test_its_labels_pass_the_audit_from_the_ledger(made: tuple[Path, Recipe, Counter[str]]) -> None:
    assert audit_release(open_store(made[0]), 2, None)


@pytest.mark.slow
def test_a_preview_asks_the_model_for_one_sample(made: tuple[Path, Recipe, Counter[str]]) -> None:
    with llm_endpoint(writes_well) as server:
        endpoint = {"endpoints": [{"name": "scripted", "base_url": server.base_url}]}
        settings = made[1].execution.model_copy(update={"llm": LlmSettings.model_validate(endpoint)})
        accepted, rejections = make_preview(made[1].model_copy(update={"execution": settings}), None, 0)
        assert accepted.html.values and not rejections and len(server.calls) in (1, 2)


def test_other_examples_are_another_release(made: tuple[Path, Recipe, Counter[str]]) -> None:
    out, recipe, _ = made
    folder = recipe.content.writer.examples
    assert folder is not None
    (folder / "loan_slip" / "b.txt").write_text("Mill Street Library")
    with pytest.raises(UserError, match="another lock"):
        run(recipe, open_store(out), Silent())
    (folder / "loan_slip" / "b.txt").unlink()
