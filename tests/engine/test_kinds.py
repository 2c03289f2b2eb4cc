"""What workers are told about the engines they start."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import kinds
from engine.kinds import Context
from engine.store import open_store
from schemas.errors import EnvironmentMismatch
from schemas.execution import Execution
from schemas.recipe import Writer
from schemas.release import Lock
from synth.degrade.severity import calibration_version
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


def test_a_camera_with_another_calibration_than_the_lock_pins_does_not_start(tmp_path: Path) -> None:
    recipe = small_recipe(tmp_path)
    parts = {"content": {}, "templates": {}, "fonts": {}, "models": {}, "assets": [], "scenes": []}
    for pinned in (calibration_version(), "0123456789abcdef"):
        lock = Lock.model_validate({"layout": 1, "versions": {"calibration": pinned}, **parts})
        build = Context(recipe.content, recipe.execution, lock, open_store(tmp_path / "out"), "").builder("camera")
        if pinned == calibration_version():
            assert build().ready()
        else:
            with pytest.raises(EnvironmentMismatch, match=r"calibration.json has the digest .* pins 0123456789abcdef"):
                build()
