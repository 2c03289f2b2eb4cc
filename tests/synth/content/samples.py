"""Recipes and samples that the tests of the writer share."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from schemas.recipe import Content
from schemas.sample import HtmlDocument, SampleSpec
from synth.content.formats import latin_digits
from synth.content.kit import Kit
from synth.content.library import TemplateLibrary, load_library
from synth.content.persona import draw_persona
from synth.content.writer import write

LANGUAGES = ("en", "zh", "bn")


@lru_cache(maxsize=1)
def shipped() -> TemplateLibrary:
    return load_library(())


def recipe(kind: str = "receipt", splits: dict[str, Any] | None = None, **more: Any) -> Content:
    fields: dict[str, Any] = {
        "name": "tests",
        "version": "1.0.0",
        "splits": splits or {"test": 100},
        "shard_size": 10,
        "types": [kind],
        "languages": list(LANGUAGES),
    }
    return Content.model_validate({**fields, **more})


def only(family: str, **more: Any) -> Content:
    """A recipe that uses one family."""
    return recipe(family.split("/")[0], writer={"families": [family]}, **more)


def spec(kind: str, language: str, index: int = 0, split: str = "test", seed: int = 0, attempt: int = 0) -> SampleSpec:
    return SampleSpec(seed, "tests", split, index, attempt, kind, language, index)


def document(family: str, language: str, index: int = 0) -> HtmlDocument:
    return write(spec(family.split("/")[0], language, index), shipped(), only(family))


def kit(doc_type: str, language: str, index: int, **options: Any) -> Kit:
    sample = spec(doc_type, language, index)
    shares = {"test": 1.0}
    return Kit(sample, draw_persona(sample, shares), options, shares)


def cents(text: str) -> int:
    """Whole cents of a printed amount in any of the three languages."""
    plain = latin_digits(text)
    digits = "".join(c for c in plain if c.isdigit() or c == ".")
    whole, _, part = digits.strip(".").partition(".")
    value = int(whole) * 100 + int(part.ljust(2, "0") or 0)
    return -value if plain.lstrip().startswith("-") else value


def thousandths(text: str) -> int:
    """Thousandths of a printed quantity."""
    whole, _, part = latin_digits(text).partition(".")
    return int(whole) * 1000 + int(part.ljust(3, "0") or 0)


def basis_points(text: str) -> int:
    """Hundredths of a percent of a printed rate."""
    whole, _, part = latin_digits(text).rstrip("%").partition(".")
    return int(whole) * 100 + int(part.ljust(2, "0") or 0)


def files(folder: Path, **texts: str) -> Path:
    """A user's family at `folder`: template, schema and family texts."""
    folder.mkdir(parents=True)
    names = {"template": "template.html", "schema": "schema.json", "family": "family.yaml"}
    for name, text in texts.items():
        (folder / names[name]).write_text(text, encoding="utf-8")
    return folder.parent
