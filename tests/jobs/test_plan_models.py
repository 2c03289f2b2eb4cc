"""What `pageloom plan` says of language models: none, not known, or what a pilot came to, for all documents."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from jobs.costs import Cost
from jobs.pilot import Estimate
from jobs.plan import _print_models
from schemas.plan import Plan
from schemas.recipe import Recipe
from tests.fixtures.recipes import small_recipe


def recipe(tmp_path: Path, **llm: Any) -> Recipe:
    data = small_recipe(tmp_path).model_dump(mode="json")
    data["content"]["questions"] = {"kind": "llm", "llm": {"model": "m"}}
    data["execution"]["llm"] = {"endpoints": [{"name": "e", "base_url": "http://host/v1"}], **llm}
    return Recipe.model_validate(data)


def said(recipe: Recipe, estimate: Estimate, capsys: pytest.CaptureFixture[str]) -> str:
    _print_models(estimate, Plan(recipe.content), recipe)
    return capsys.readouterr().out


def test_models_and_their_cost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nothing = Estimate("rule of thumb", 1.0, 1.0)
    assert said(small_recipe(tmp_path), nothing, capsys) == "language models: none, 0 tokens, no cost\n"
    assert "not known; --pilot N" in said(recipe(tmp_path), nothing, capsys)
    calls = {("ask.summary", "m"): Cost(2, 300, 100, 0, Decimal("0.5")), ("judge.clarity", "m"): Cost(10, 80, 20)}
    piloted = Estimate("pilot of 2", 1.0, 1.0, 0.0, calls, 2)
    prices = {"prices": {"*": {"input": 1, "output": 1}}, "budget": {"tokens": 900, "cost": 0.75}}
    text = said(recipe(tmp_path, **prices), piloted, capsys)  # four documents are twice the pilot
    assert "in all 24 calls, 1,000 tokens, cost 1.00" in text
    assert "the budget of 900 tokens will stop the run" in text and "the budget of 0.75 will stop the run" in text
