"""What workers are told about the engines they start."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import kinds
from engine.kinds import Context
from engine.store import open_store
from schemas.execution import Execution
from schemas.recipe import Writer
from schemas.release import Lock
from tests.fixtures.recipes import small_recipe


@pytest.mark.parametrize(
    ("writer", "asked", "told"),
    [("template", "auto", "auto"), ("llm", "auto", "require"), ("llm", "off", "off"), ("template", "off", "off")],
)
def test_documents_of_a_model_are_printed_in_a_sandbox_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str, asked: str, told: str
) -> None:
    content = small_recipe(tmp_path).content
    if writer == "llm":
        content = content.model_copy(update={"writer": Writer(kind="llm", model="m")})
    parts = {"content": {}, "templates": {}, "fonts": {}, "models": {}, "assets": [], "scenes": []}
    lock = Lock.model_validate({"layout": 1, "versions": {"chromium": "1.2.3.4"}, **parts})
    execution = Execution.model_validate({"sandbox": asked})
    monkeypatch.setattr(kinds.builders, "browser", lambda *told: told[-1])
    context = Context(content, execution, lock, open_store(tmp_path / "out"), str(tmp_path))
    assert context.builder("browser")() == told
