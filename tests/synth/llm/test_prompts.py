"""Prompt files: versioned, complete, in nobody else's words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from synth.llm import prompts
from synth.llm.prompts import load_prompt


def test_every_file_has_a_name_a_version_and_remarks() -> None:
    found = [path.stem for path in Path(str(prompts.__file__)).parent.glob("*.txt")]
    assert {"kie-1", "qa-1", "layout-1", "text-1"} <= set(found)
    for name in found:
        assert re.fullmatch(r"[a-z-]+-\d+", name)
        prompt = load_prompt(name)
        assert prompt.text and "---" not in prompt.text and len(prompt.sha256) == 64


def test_blanks_are_filled_all_and_nothing_else() -> None:
    prompt = load_prompt("answer-json-1")
    assert "{{shape}} stays text" in prompt.fill(shape="{{shape}} stays text"), "values are not filled again"
    with pytest.raises(ValueError, match="blanks"):
        prompt.fill()
    with pytest.raises(ValueError, match="blanks"):
        prompt.fill(shape="x", other="y")
    with pytest.raises(KeyError):
        load_prompt("no-such-1")
