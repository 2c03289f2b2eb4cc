"""Printed documents of every type and language, for questions and their judges."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from schemas.document import Document
from schemas.errors import SampleError
from schemas.plan import Plan
from schemas.recipe import Content
from schemas.sample import LANGUAGES, TYPES, SampleSpec
from synth.content.library import load_library
from synth.content.writer import write
from synth.render.chromium import Chromium
from synth.truth.labels import label
from tests.synth.render.conftest import chromium, fonts

__all__ = ["chromium", "fonts"]


@dataclass(frozen=True)
class Printed:
    spec: SampleSpec
    document: Document


def printed(chromium: Chromium, count: int, seed: int) -> list[Printed]:
    """The first documents of a recipe with all types and languages."""
    content = Content(
        name="quickstart",
        version="1.0.0",
        seed=seed,
        splits={"train": {"samples": count}},  # type: ignore[arg-type]
        shard_size=8,
        types=dict.fromkeys(TYPES, 1.0),
        languages=dict.fromkeys(LANGUAGES, 1.0),
    )
    plan, library = Plan(content), load_library(())
    found: list[Printed] = []
    for index in range(count):
        spec = plan.spec("train", index)
        while True:
            try:
                html = write(spec, library, content)
                found.append(Printed(spec, label(chromium.print(html), html)))
                break
            except SampleError:
                spec = spec.next_try()
    return found


@pytest.fixture(scope="session")
def documents(chromium: Chromium) -> list[Printed]:
    """Twelve documents: one of each type and language."""
    return printed(chromium, 12, 0)
