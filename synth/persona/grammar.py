"""The grammar of personas: what an attribute may be, given those drawn before it (`grammar/<language>.yaml`)."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent / "grammar"
_SLOT = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True)
class Choice:
    """One wording; `name` is what later groups ask for."""

    name: str
    text: str


@dataclass(frozen=True)
class Group:
    """Choices that stand open where `ages` (inclusive) and `names` of earlier attributes hold."""

    ages: tuple[int, int] | None
    names: Mapping[str, frozenset[str]]
    choices: tuple[Choice, ...]

    def holds(self, age: int, chosen: Mapping[str, str]) -> bool:
        if self.ages is not None and not self.ages[0] <= age <= self.ages[1]:
            return False
        return all(chosen.get(attribute) in names for attribute, names in self.names.items())


@lru_cache(maxsize=8)
def grammar_of(language: str) -> dict[str, tuple[Group, ...]]:
    """Groups of every attribute, in the order of drawing. ValueError for a file that does not say what it should."""
    raw = yaml.safe_load((ROOT / f"{language}.yaml").read_text(encoding="utf-8"))
    return {attribute: tuple(_group(attribute, one) for one in groups) for attribute, groups in raw.items()}


def expand(language: str, age: int, rng: random.Random, slot: Callable[[str], str]) -> dict[str, str]:
    """Wording of every attribute for a person of this age; `slot` gives the text of `{name}`.

    ValueError if no group of an attribute holds.
    """
    chosen: dict[str, str] = {}
    said: dict[str, str] = {}
    for attribute, groups in grammar_of(language).items():
        open_to = [choice for group in groups if group.holds(age, chosen) for choice in group.choices]
        if not open_to:
            raise ValueError(f"grammar {language}: no {attribute} for age {age} and {chosen}")
        choice = rng.choice(open_to)
        chosen[attribute] = choice.name
        said[attribute] = _SLOT.sub(lambda match: slot(match[1]), choice.text)
    return said


def digests() -> dict[str, str]:
    """SHA-256 of every grammar, for the lock."""
    return {f"personas/{p.name}": hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(ROOT.glob("*.yaml"))}


def _group(attribute: str, raw: Mapping[str, Any]) -> Group:
    when = dict(raw.get("when", {}))
    ages = when.pop("age", None)
    low, _, high = str(ages).partition("-")
    choices = tuple(
        Choice(one["as"], one["say"]) if isinstance(one, dict) else Choice(one, one) for one in raw["one_of"]
    )
    if not all(isinstance(c.text, str) and c.text for c in choices):
        raise ValueError(f"{attribute}: every choice is a text")
    names = {name: frozenset(values) for name, values in when.items()}
    return Group((int(low), int(high)) if ages is not None else None, names, choices)
