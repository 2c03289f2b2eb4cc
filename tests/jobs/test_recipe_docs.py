"""docs/recipe.md names every key of a recipe with its true default, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from schemas.execution import ActorPool, Actors, Execution
from schemas.recipe import (
    Content,
    Degradation,
    Dpi,
    Fonts,
    Labels,
    Legibility,
    PictureFormat,
    Questions,
    Recipe,
    Split,
    Writer,
)

TEXT = (Path(__file__).parents[2] / "docs" / "recipe.md").read_text(encoding="utf-8")
SECTIONS: dict[str, type[BaseModel]] = {
    "# The recipe, key by key": Recipe,
    "## content": Content,
    "### content.splits.NAME": Split,
    "### content.writer": Writer,
    "### content.fonts": Fonts,
    "### content.dpi": Dpi,
    "### content.degradation": Degradation,
    "### content.legibility": Legibility,
    "### content.labels": Labels,
    "### content.questions": Questions,
    "### content.picture": PictureFormat,
    "## execution": Execution,
    "### execution.actors.KIND": ActorPool,
}


def rows(heading: str) -> Iterator[tuple[list[str], list[str]]]:
    """(keys, cells) of every row of the table right below a heading."""
    lines = iter(TEXT.splitlines())
    for line in lines:
        if line == heading:
            break
    for line in lines:
        if line.startswith("#"):
            return
        if match := re.match(r"\| ((?:`\w+`(?:, )?)+) \|", line):
            yield re.findall(r"`(\w+)`", match[1]), [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize("heading", SECTIONS)
def test_every_key_and_no_other_is_described(heading: str) -> None:
    named = [key for keys, _ in rows(heading) for key in keys]
    assert sorted(named) == sorted(SECTIONS[heading].model_fields)


@pytest.mark.parametrize("heading", SECTIONS)
def test_plain_defaults_are_true(heading: str) -> None:
    for keys, cells in rows(heading):
        fields = [SECTIONS[heading].model_fields[key] for key in keys]
        if all(field.is_required() for field in fields):
            assert "required" in cells[1], keys
        for field in fields:
            if isinstance(field.default, (int, float, str)) and not isinstance(field.default, bool):
                assert re.search(rf"(?<!\w){re.escape(str(field.default))}(?!\w)", cells[1]), (keys, field.default)


def test_defaults_of_each_kind_of_actor_are_true() -> None:
    common = ActorPool()
    for keys, cells in rows("### execution.actors.KIND"):
        [key] = keys
        for kind in Actors.model_fields:
            default = getattr(getattr(Actors(), kind), key)
            found = re.search(rf"`{kind}`(?: and `\w+`)? ([\d,]+)", cells[3].replace(",0", "0"))
            if default != getattr(common, key):
                assert found and float(found[1].strip(",")) == default, (kind, key)
            else:
                assert found is None, (kind, key)
